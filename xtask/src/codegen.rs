//! `cargo xtask codegen`: the parts of `docs/` that the program itself knows better.
//!
//! A region stands between `<!-- generated: NAME -->` and `<!-- end generated -->`, each alone on
//! a line. What stands in it is what `toolweir formats` prints, or what is read from the sources; nothing
//! outside it is touched.

pub(crate) mod regions;

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};
use crate::tidy;

/// A region, the file it is in, and what it holds.
struct Generator {
    region: &'static str,
    file: &'static str,
    body: Body,
}

enum Body {
    /// What `toolweir` prints after these words.
    Printed([&'static str; 2]),
    /// The modules of `protocols` in their order.
    Modules,
}

const GENERATORS: &[Generator] = &[
    Generator {
        region: "formats",
        file: "docs/formats.md",
        body: Body::Printed(["formats", "--markdown"]),
    },
    Generator {
        region: "diagnostics",
        file: "docs/diagnostics.md",
        body: Body::Printed(["formats", "--diagnostics"]),
    },
    Generator {
        region: "options",
        file: "docs/options.md",
        body: Body::Printed(["formats", "--options"]),
    },
    Generator {
        region: "states",
        file: "docs/engine.md",
        body: Body::Printed(["formats", "--states"]),
    },
    Generator { region: "modules", file: "docs/architecture.md", body: Body::Modules },
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
        let body = match self.body {
            Body::Printed(words) => {
                repo.cargo(["run", "--quiet", "-p", "toolweir-cli", "--"]).args(words).stdout()?
            }
            Body::Modules => tidy::modules(repo)?,
        };
        let new = regions::replace(&old, self.region, &body)
            .map_err(|e| Failure::Check(format!("{}: {e}", self.file)))?;
        Ok((old, new))
    }
}
