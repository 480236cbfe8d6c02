//! `cargo xtask new-format NAME`: the skeleton of a wire format and its first fixture.
//!
//! The skeleton is a working format (JSON between tags named after it), so that it builds and its
//! fixture passes before the first edit. Nothing that exists is overwritten.

use crate::args::Args;
use crate::run::{Done, Failure, Outcome, Repo, fail};

const FORMAT: &str = include_str!("templates/format.rs.txt");
const FIXTURE: &str = include_str!("templates/plain_call.case.txt");

/// Writes both files and prints what is left to do.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let name = args.free();
    args.done()?;
    let Some(name) = name else {
        return Err(Failure::Usage("`new-format` needs a NAME".into()));
    };
    check(&name).map_err(Failure::Usage)?;
    let ident = name.replace('-', "_");
    let source = format!("crates/protocols/src/formats/{ident}.rs");
    let fixture = format!("fixtures/formats/{name}/plain_call.case");
    for path in [&source, &fixture] {
        if repo.path(path).exists() {
            return fail(format!("{path} is there already"));
        }
    }
    repo.write(&source, &fill(FORMAT, &name, &ident))?;
    repo.write(&fixture, &fill(FIXTURE, &name, &ident))?;
    println!("wrote {source}\nwrote {fixture}\n");
    println!("In crates/protocols/src/formats/mod.rs add `pub mod {ident};`");
    println!("and, in its table:\n\n    {ident}::SPEC,\n");
    println!("Then: cargo xtask snapshots --accept {name}, and read the snapshot it wrote.");
    Ok(Done::Passed)
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

fn fill(template: &str, name: &str, ident: &str) -> String {
    template.replace("{{name}}", name).replace("{{ident}}", ident)
}

#[cfg(test)]
mod tests {
    use super::{FIXTURE, FORMAT, check, fill};

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
        for template in [FORMAT, FIXTURE] {
            let text = fill(template, "a-b", "a_b");
            assert!(text.contains("a-b") && !text.contains("{{"), "{text}");
        }
    }
}
