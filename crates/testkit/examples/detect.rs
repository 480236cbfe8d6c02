//! How many texts of vector files are detected as what they are: `detect PATH…`.
//!
//! Prints the share and the confusions, first with the declared tools unknown, then known. Exit code 1
//! where fewer than 97 of 100 are detected either way.
#![allow(clippy::print_stdout, reason = "a program that prints a table")]

use std::error::Error;
use std::process::ExitCode;

use toolweir_protocols::Registry;
use toolweir_testkit::vectors::Detection;

/// The least share that is good enough.
const WANTED: f64 = 0.97;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        return Err("usage: detect PATH…".into());
    }
    let registry = Registry::builtin();
    let mut enough = true;
    for (title, tools) in [("Tools unknown", false), ("Tools known", true)] {
        let detection = Detection::of_vectors(&registry, &paths, tools)?;
        println!("{title}: {detection}");
        enough &= detection.share() >= WANTED;
    }
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
