//! Writes the jobs by which two builds are compared: every fixture and every text of the vector
//! files, each with its splits and mutations.
//!
//! `jobs OUT SEED MUTATIONS FILTER FIXTURES [VECTORS]`: an empty filter takes all; else those whose
//! id or format contains it. Prints how many texts were written and which formats nobody knows.
#![allow(clippy::print_stdout, reason = "a program whose last line says what it did")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use toolweir_protocols::Registry;
use toolweir_testkit::jobs::Job;
use toolweir_testkit::vectors::Runner;
use toolweir_testkit::{Case, find_cases};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [out, seed, mutations, filter, fixtures, vectors @ ..] = words.as_slice() else {
        return Err("usage: jobs OUT SEED MUTATIONS FILTER FIXTURES [VECTORS]".into());
    };
    let (seed, mutations) = (seed.parse()?, mutations.parse()?);
    let registry = Registry::builtin();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let (mut jobs, mut texts) = (0, 0);
    let mut file = BufWriter::new(File::create(out)?);
    for mut job in sources(Path::new(fixtures), vectors)? {
        if !job.id.contains(filter) && !job.format.contains(filter) {
            continue;
        }
        let Ok(protocol) = registry.get(&job.format) else {
            *unknown.entry(job.format).or_default() += 1;
            continue;
        };
        job.vary(&**protocol, seed, mutations);
        writeln!(file, "{}", job.to_line())?;
        (jobs, texts) = (jobs + 1, texts + job.variants.len());
    }
    file.flush()?;
    println!("{texts} texts of {jobs} sources");
    if !unknown.is_empty() {
        let all: usize = unknown.values().sum();
        println!("{all} sources are of {} formats that are not built", unknown.len());
    }
    Ok(())
}

fn sources(fixtures: &Path, vectors: &[String]) -> Result<Vec<Job>, Box<dyn Error>> {
    let named = |path: &Path, below: &Path| {
        path.strip_prefix(below).unwrap_or(path).to_string_lossy().replace('\\', "/")
    };
    let mut jobs = Vec::new();
    for path in find_cases(fixtures)? {
        let id = format!("fixtures/{}", named(&path, fixtures));
        jobs.push(Job::of_fixture(id, Case::load(&path)?));
    }
    for folder in vectors.iter().map(Path::new) {
        for case in Runner::default().texts(&[folder])? {
            let file = format!("vectors/{}", named(&case.file, folder));
            jobs.push(Job::of_vector(&file, case));
        }
    }
    Ok(jobs)
}
