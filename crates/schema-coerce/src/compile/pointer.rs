//! JSON Pointers: paths of nodes for messages, targets of references.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolweir_rjson::{Value, pointer};

use crate::schema::Id;

/// One step from a schema to a schema in it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `items`.
    Key(&'static str),
    /// `properties/KEY`.
    Member(&'static str, Arc<str>),
    /// `anyOf/INDEX`.
    Index(&'static str, usize),
}

/// Where a node stands.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// At this absolute pointer.
    At(Box<str>),
    /// Below another node.
    Below(Id, Step),
}

/// The places of all nodes; a path is put together only when a message needs it.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    places: Vec<Place>,
}

impl Paths {
    pub(super) fn with_capacity(nodes: usize) -> Self {
        Self { places: Vec::with_capacity(nodes) }
    }

    pub(super) fn push(&mut self, place: Place) {
        self.places.push(place);
    }

    /// The pointer of a node. A node made by merging has none of its own: empty.
    pub(crate) fn path(&self, id: Id) -> String {
        self.places.get(id as usize).map(|place| self.path_at(place)).unwrap_or_default()
    }

    /// The pointer of a place.
    pub(super) fn path_at(&self, place: &Place) -> String {
        let mut steps = Vec::new();
        let mut at = Some(place);
        let mut path = loop {
            match at {
                Some(Place::At(path)) => break path.to_string(),
                Some(Place::Below(parent, step)) => {
                    steps.push(step);
                    at = self.places.get(*parent as usize);
                }
                None => break String::new(),
            }
        };
        for step in steps.into_iter().rev() {
            let (Step::Key(keyword) | Step::Member(keyword, _) | Step::Index(keyword, _)) = step;
            pointer::push(&mut path, keyword);
            match step {
                Step::Key(_) => {}
                Step::Member(_, key) => pointer::push(&mut path, key),
                Step::Index(_, index) => pointer::push(&mut path, &index.to_string()),
            }
        }
        path
    }
}

/// What a pointer leads to.
pub(super) fn resolve<'v>(root: &'v Value, path: &str) -> Option<&'v Value> {
    let mut value = root;
    for token in path.split('/').skip(1) {
        let token = unescape(token);
        value = match value {
            Value::Object(object) => object.get(&token)?,
            Value::Array(array) => array.get(pointer::place(&token)?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Undoes percent encoding (a fragment of a URI has it) and the escapes of a pointer.
fn unescape(token: &str) -> Cow<'_, str> {
    if !token.contains(['%', '~']) {
        return Cow::Borrowed(token);
    }
    let mut bytes = Vec::with_capacity(token.len());
    let mut rest = token;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        bytes.extend_from_slice(before.as_bytes());
        let hex = from.get(1..3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(hex.unwrap_or(b'%'));
        rest = from.get(if hex.is_some() { 3 } else { 1 }..).unwrap_or("");
    }
    bytes.extend_from_slice(rest.as_bytes());
    let decoded = String::from_utf8_lossy(&bytes);
    Cow::Owned(pointer::unescape(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_unescaped() {
        assert_eq!(unescape("a~1b~0c"), "a/b~c");
        assert_eq!(unescape("a%20b%2"), "a b%2");
        assert_eq!(unescape("%e4%b8%ad%"), "中%");
        assert_eq!(unescape("~01"), "~1");
    }
}
