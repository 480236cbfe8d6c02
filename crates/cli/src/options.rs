//! The options of `--set`: their names and what each takes, for `--help` and for the documentation.
//!
//! Both are asked of the library: what an option takes is what it says to a value that none takes.

use toolweir::protocols::formats::HAND_WRITTEN;
use toolweir::protocols::formats::specs;
use toolweir::{OptionError, Registry, Request, RequestError};

/// No option takes it but those of free text.
const NO_VALUE: &str = "\u{0}";

/// One option.
struct Known {
    key: &'static str,
    /// Words, or what kind of text.
    takes: String,
    /// The formats whose option it is; none: it is of all.
    formats: Vec<String>,
}

/// What `--help` says of `--set`.
pub(crate) fn help() -> String {
    let mut out = String::from(
        "Set a policy, a limit or an option of the format; may be repeated. Options of every format:\n",
    );
    let (general, own): (Vec<Known>, Vec<Known>) =
        general().chain(of_formats(&[])).partition(|known| !known.takes.is_empty());
    for Known { key, takes, .. } in general {
        out.push_str(&format!("  {key}={takes}\n"));
    }
    let own: Vec<&str> = own.iter().map(|known| known.key).collect();
    out.push_str(&format!(
        "Options of single formats: {}; docs/options.md says of which",
        own.join(", ")
    ));
    out
}

/// All of them as a table in Markdown.
pub(crate) fn table() -> String {
    let registry = Registry::builtin();
    let names: Vec<String> = specs().into_iter().map(|spec| spec.name).collect();
    let written = HAND_WRITTEN.iter().map(|format| format.name.to_owned());
    let protocols: Vec<(String, _)> = names
        .into_iter()
        .chain(written)
        .filter_map(|name| registry.get(&name).ok().cloned().map(|protocol| (name, protocol)))
        .collect();
    let mut out = String::from("| option | takes | formats |\n| --- | --- | --- |\n");
    for Known { key, takes, formats } in general().chain(of_formats(&protocols)) {
        let takes = if takes.is_empty() { "text".to_owned() } else { takes.replace('|', ", ") };
        let formats = match formats.is_empty() {
            true => "all".to_owned(),
            false => formats.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        out.push_str(&format!("| `{key}` | {takes} | {formats} |\n"));
    }
    out
}

/// Options of every format.
fn general() -> impl Iterator<Item = Known> {
    Request::keys().filter_map(|key| {
        let takes = match (key, Request::default().set(key, NO_VALUE)) {
            ("reasoning", _) => "default|none|off|FAMILY|PATTERN".to_owned(),
            ("prefix", _) => "TEXT".to_owned(),
            ("deny_keys", _) => "KEY, or a JSON list of keys".to_owned(),
            (_, Err(OptionError::BadValue { allowed, .. })) => allowed.join("|"),
            _ => return None,
        };
        Some(Known { key, takes, formats: Vec::new() })
    })
}

/// Options of single formats, and of which of these. Those of no format are read where events become the
/// shape of another program.
fn of_formats(
    protocols: &[(String, std::sync::Arc<dyn toolweir::Protocol>)],
) -> impl Iterator<Item = Known> {
    let general: Vec<&str> = general().map(|known| known.key).collect();
    Request::keys().filter(move |key| !general.contains(key)).map(|key| {
        let mut takes = String::new();
        let formats = protocols.iter().filter_map(|(name, protocol)| {
            let mut request = Request::default();
            request.set(key, NO_VALUE).ok()?;
            match protocol.decoder(&request) {
                Err(RequestError::Option(OptionError::UnknownKey { .. })) => None,
                Err(RequestError::Option(OptionError::BadValue { allowed, .. })) => {
                    takes = allowed.join("|");
                    Some(name.clone())
                }
                _ => Some(name.clone()),
            }
        });
        let formats = formats.collect();
        Known { key, takes, formats }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_listed_with_what_it_takes() {
        let (help, table) = (help(), table());
        for key in Request::keys() {
            assert!(help.contains(key), "{key}: {help}");
            assert!(table.contains(&format!("\n| `{key}` | ")), "{key}: {table}");
        }
        assert!(help.contains("  malformed=text|drop\n"), "{help}");
        assert!(table.contains("| `max_depth` | a whole number | all |"), "{table}");
    }
}
