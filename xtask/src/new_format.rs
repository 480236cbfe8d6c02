//! `cargo xtask new-format NAME [--pattern PATTERN]`: the skeleton of a wire format and its first
//! fixture.
//!
//! The skeleton is a working format (JSON between tags named after it, unless a pattern is given), so
//! that it builds and its fixture passes before the first edit. Nothing that exists is overwritten, and
//! nothing is written for a pattern that cannot work.

mod sample;

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};

const FORMAT: &str = include_str!("templates/format.rs.txt");
const FIXTURE: &str = include_str!("templates/plain_call.case.txt");

/// Writes both files and prints what is left to do.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let pattern = args.value("--pattern")?;
    let name = args.free();
    args.done()?;
    let Some(name) = name else {
        return Err(Failure::Usage("`new-format` needs a NAME".into()));
    };
    check(&name).map_err(Failure::Usage)?;
    let ident = name.replace('-', "_");
    let source = format!("crates/protocols/src/rows/{ident}.rs");
    let fixture = format!("fixtures/formats/{name}/plain_call.case");
    for path in [&source, &fixture] {
        if repo.path(path).exists() {
            return fail(format!("{path} is there already"));
        }
    }
    if let Some(pattern) = &pattern {
        compiles(repo, pattern)?;
    }
    let format = Format::new(name, ident, pattern);
    repo.write(&source, &format.source())?;
    repo.write(&fixture, &format.fixture())?;
    let Format { name, ident, .. } = format;
    println!("wrote {source}\nwrote {fixture}\n");
    println!("In crates/protocols/src/rows/mod.rs add to the modules and to the table:\n");
    println!("mod {ident};\n    {ident}::rows,\n");
    println!("Then: cargo xtask snapshots --accept {name}, and read the snapshot it wrote.");
    println!("The sample of the header and the fixture are a guess from the pattern.");
    Ok(Done::Passed)
}

/// Asks the command line whether the pattern can work.
fn compiles(repo: &Repo, pattern: &str) -> Outcome<()> {
    let words = ["run", "--quiet", "--package", "toolweir-cli", "--", "parse", "--pattern"];
    match repo.cargo(words).args([pattern]).quiet() {
        (true, _) => Ok(()),
        (false, said) => {
            let said = said.lines().last().unwrap_or_default();
            Err(Failure::Check(said.trim_start_matches("toolweir: ").to_owned()))
        }
    }
}

/// Lower-case letters, digits and single dashes; begins with a letter.
fn check(name: &str) -> Result<(), String> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(letters) {
        Err(format!("`{name}`: a name has lower-case letters, digits and dashes only"))
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Err(format!("`{name}`: a name begins with a letter"))
    } else if name.ends_with('-') || name.contains("--") {
        Err(format!("`{name}`: a dash stands between two other characters"))
    } else {
        Ok(())
    }
}

/// What the templates are filled with.
struct Format {
    name: String,
    ident: String,
    pattern: String,
    /// A call after text.
    sample: String,
}

impl Format {
    fn new(name: String, ident: String, pattern: Option<String>) -> Self {
        let pattern = pattern.unwrap_or_else(|| format!(r"<{name}>\n{{call}}\n</{name}>"));
        let sample = format!("Let me look.{}", sample::of(&pattern));
        Self { name, ident, pattern, sample }
    }

    fn source(&self) -> String {
        let sample: Vec<String> =
            self.sample.lines().map(|line| format!("//! {line}").trim_end().to_owned()).collect();
        FORMAT
            .replace("{{name}}", &self.name)
            .replace("{{sample}}", &sample.join("\n"))
            .replace("{{pattern}}", &literal(&self.pattern))
    }

    fn fixture(&self) -> String {
        FIXTURE.replace("{{ident}}", &self.ident).replace("{{sample}}", &self.sample)
    }
}

/// The text as a literal of Rust, raw where that is easier to read.
fn literal(text: &str) -> String {
    if !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    let hashes =
        text.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len());
    let fence = "#".repeat(hashes.max().map_or(0, |most| most + 1));
    format!("r{fence}\"{text}\"{fence}")
}

#[cfg(test)]
mod tests {
    use super::{Format, check, literal};

    #[test]
    fn names_are_lower_case_with_digits_and_dashes() {
        for good in ["hermes", "qwen3-coder", "a-b-c1"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "Hermes", "qwen_3", "3b", "-a", "a-", "a--b", "a/b", "é"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_templates_are_filled_to_the_last_place() {
        let format = |pattern: Option<&str>| {
            Format::new("a-b".into(), "a_b".into(), pattern.map(str::to_owned))
        };
        for pattern in [None, Some("<a>{name} {args}</a>")] {
            let (source, fixture) = (format(pattern).source(), format(pattern).fixture());
            assert!(source.contains("Name(\"a-b\")"), "{source}");
            assert!(fixture.contains("rows/a_b.rs"), "{fixture}");
            assert!(!source.contains("{{") && !fixture.contains("{{"), "{source}{fixture}");
        }
        let source = format(None).source();
        assert!(source.contains("Call(r\"<a-b>\\n{call}\\n</a-b>\"),"), "{source}");
        assert!(source.contains("//! Let me look.<a-b>\n//! {\"name\": \"dice\""), "{source}");
        let fixture = format(Some("<a>{name} {args}</a>")).fixture();
        assert!(fixture.ends_with("---\nLet me look.<a>dice {\"sides\": 20}</a>\n"), "{fixture}");
    }

    #[test]
    fn a_literal_is_raw_where_it_has_to_be() {
        assert_eq!(literal("<a>{call}"), "\"<a>{call}\"");
        assert_eq!(literal(r"\n{call}"), "r\"\\n{call}\"");
        assert_eq!(literal(r#"{call:{"a": name}}"#), "r#\"{call:{\"a\": name}}\"#");
        assert_eq!(literal("\"#"), "r##\"\"#\"##");
    }
}
