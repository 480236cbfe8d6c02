//! Whether a reader reads each hole where it stands.
//!
//! The notation says more than is read. Such a format would write what it does not read back, or give
//! what stands in the hole out as text: it is refused instead.

use super::ambiguity::is_silent;
use super::parts::{is_declared_tag, is_payload};
use crate::pattern::{
    At, Key, Node, Part, Pattern, PatternError, PatternErrorKind as Kind, Role, ValueKind,
};

/// Refuses the first hole that no reader reads.
pub(super) fn check(pattern: &Pattern, role: Role) -> Result<(), PatternError> {
    let keys = pattern.flat().filter(|part| **part == Part::Key).count();
    let mut before = Before { paired: keys > 1, ..Before::default() };
    // The tag of a declared tool closes by its name.
    let declared = role == Role::Call && is_declared_tag(&pattern.parts);
    for part in &pattern.parts {
        let payload = is_payload(part);
        for inner in part.flat() {
            let unread = match role {
                Role::Message => in_message(inner),
                _ => before.unread(inner, payload),
            };
            if let Some((place, instead)) = unread {
                let kind = Kind::NotRead { hole: inner.label(), place, instead };
                return Err(pattern.wrong((kind, Some(inner))));
            }
            before.begun |= !is_silent(inner);
            before.value |= matches!(inner, Part::Value(_));
            before.keys += usize::from(*inner == Part::Key);
        }
        before.payload |= payload && !declared;
    }
    Ok(())
}

/// Where a hole is not read, and what to do instead.
type Unread = (&'static str, &'static str);

/// A message holds no call.
fn in_message(part: &Part) -> Option<Unread> {
    matches!(part, Part::Call(_)).then_some(("in a message", "only `{text}` is"))
}

/// Whether an object is named by its own key, or a list holds such objects.
fn is_alone(node: &Node) -> bool {
    match node {
        Node::List(entry) => is_alone(entry),
        Node::Object(members) => members.iter().any(|(key, _)| *key == Key::Name),
        _ => false,
    }
}

/// What stands before a part.
#[derive(Default)]
struct Before {
    /// Anything that is read.
    begun: bool,
    payload: bool,
    value: bool,
    keys: usize,
    /// The key stands in two places.
    paired: bool,
}

impl Before {
    fn unread(&self, part: &Part, in_payload: bool) -> Option<Unread> {
        match part {
            // Parameters are read wherever they stand.
            Part::At(at) if self.begun && !(in_payload && *at == At::Line) => {
                Some(("after the beginning", "begin the pattern with it"))
            }
            Part::Value(ValueKind::Nested) if !self.paired => {
                Some(("where the key is not in both tags", "write `<{key}>{value:nested}</{key}>`"))
            }
            // The header's name does not reach the reader of an object.
            Part::Call(template) if !template.has_name() => {
                Some(("without `name` in it", "put `name` in it, or write `{args}`"))
            }
            Part::Call(template) if template.keyed() && !is_alone(&template.root) => {
                Some(("with the name as a key under another one", "write it alone: `{name: args}`"))
            }
            // The key of an element stands in both of its tags.
            Part::Key if self.value && self.keys == 1 => None,
            Part::Key | Part::Type(_) if self.value => {
                Some(("after `{value}`", "put it before `{value}`"))
            }
            Part::Arg { .. } if self.payload => {
                Some(("after another argument", "keep one of them"))
            }
            Part::Name | Part::Id(_) | Part::Index | Part::Skip if self.payload => {
                Some(("after the arguments", "put it before them"))
            }
            Part::Call(template) if template.list_depth().is_some_and(|depth| depth > 0) => {
                Some(("with its list under a key", "write the list alone: `[…]`"))
            }
            _ => None,
        }
    }
}
