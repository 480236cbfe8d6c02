//! `cargo xtask codegen`: the parts of `docs/` that the program itself knows better.
//!
//! A region stands between `<!-- generated: NAME -->` and `<!-- end generated -->`, each alone on
//! a line. What stands in it is what `toolweir formats` prints; nothing outside it is touched.

pub(crate) mod regions;

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};

/// A region, the file it is in, and the words after `toolweir` that print it.
struct Generator {
    region: &'static str,
    file: &'static str,
    words: [&'static str; 2],
}

const GENERATORS: &[Generator] = &[
    Generator { region: "formats", file: "docs/formats.md", words: ["formats", "--markdown"] },
    Generator {
        region: "diagnostics",
        file: "docs/diagnostics.md",
        words: ["formats", "--diagnostics"],
    },
    Generator { region: "options", file: "docs/options.md", words: ["formats", "--options"] },
    Generator { region: "states", file: "docs/engine.md", words: ["formats", "--states"] },
];

/// Writes the regions, or with `--check` compares them.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let checking = args.flag("--check");
    args.done()?;
    if checking {
        return check(repo);
    }
    for generator in GENERATORS {
        let (old, new) = generator.texts(repo)?;
        if old != new {
            repo.write(generator.file, &new)?;
            println!("wrote {} ({})", generator.file, generator.region);
        }
    }
    Ok(Done::Passed)
}

/// Fails with the first line that differs.
pub(crate) fn check(repo: &Repo) -> Outcome {
    for generator in GENERATORS {
        let (old, new) = generator.texts(repo)?;
        if let Some(difference) = regions::first_difference(&old, &new) {
            let file = generator.file;
            return fail(format!("{file} is out of date (cargo xtask codegen)\n{difference}"));
        }
    }
    Ok(Done::Passed)
}

impl Generator {
    /// The file as it is and as it should be.
    fn texts(&self, repo: &Repo) -> Outcome<(String, String)> {
        let old = repo.read(self.file)?;
        let body =
            repo.cargo(["run", "--quiet", "-p", "toolweir-cli", "--"]).args(self.words).stdout()?;
        let new = regions::replace(&old, self.region, &body)
            .map_err(|e| Failure::Check(format!("{}: {e}", self.file)))?;
        Ok((old, new))
    }
}
