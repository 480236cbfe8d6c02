//! Ids: which can be written, and whether one is composed as its pattern says.

use super::call::is_name_char;
use crate::pattern::Part;

/// Whether an id can stand where only what follows ends it.
pub(super) fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.chars().all(is_name_char)
}

/// Whether an id has the form of its pattern, and says that name, perhaps after the names of spaces
/// that end in dots.
pub(super) fn composed(parts: &[Part], id: &str, name: &str) -> bool {
    let Some((part, rest)) = parts.split_first() else { return id.is_empty() };
    match part {
        Part::Literal(text) | Part::Space(text) => {
            id.strip_prefix(text.as_str()).is_some_and(|id| composed(rest, id, name))
        }
        Part::Name => {
            !name.is_empty()
                && id.match_indices(name).any(|(at, _)| {
                    let spaces = id.get(..at).unwrap_or_default();
                    let named = spaces.is_empty() || (spaces.ends_with('.') && is_plain(spaces));
                    let after = id.get(at + name.len()..).unwrap_or_default();
                    named && composed(rest, after, name)
                })
        }
        Part::Index => {
            let after = id.trim_start_matches(|c: char| c.is_ascii_digit());
            after.len() < id.len() && composed(rest, after, name)
        }
        Part::Opt(_) | Part::Also(_) | Part::Any(_) => {
            let mut ways = part.inner().into_iter();
            ways.any(|way| composed(&[way, rest].concat(), id, name))
                || !matches!(part, Part::Any(_)) && composed(rest, id, name)
        }
        _ => composed(rest, id, name),
    }
}
