//! Values that wait for the end of a call because their key may be given again.

use std::collections::BTreeMap;

use toolweir_rjson::write_string;
use toolweir_schema_coerce::Node;

/// A list of JSON texts.
pub(super) fn joined(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}

/// JSON texts by key, in the order of the first of each key.
#[derive(Debug, Default)]
pub(super) struct Collected {
    values: Vec<(String, Vec<String>)>,
    places: BTreeMap<String, usize>,
    bytes: usize,
}

impl Collected {
    /// Adds a value; how many bytes all of them have.
    pub(super) fn push(&mut self, key: &str, json: String) -> usize {
        self.bytes += json.len();
        match self.places.get(key).and_then(|place| self.values.get_mut(*place)) {
            Some((_, values)) => values.push(json),
            None => {
                self.places.insert(key.to_owned(), self.values.len());
                self.values.push((key.to_owned(), vec![json]));
            }
        }
        self.bytes
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many bytes its values have.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// An object of them, with lists of the values of repeated keys and of those that `node` has lists for.
    pub(super) fn object(self, node: Option<Node<'_>>) -> String {
        let mut object = String::from("{");
        for (key, values) in &self.values {
            object.push_str(if object.len() > 1 { "," } else { "" });
            write_string(&mut object, key);
            object.push(':');
            let lists = node.and_then(|node| node.member(key).node()).is_some_and(Node::is_array);
            match values.as_slice() {
                [one] if !lists || one.starts_with('[') => object.push_str(one),
                values => object.push_str(&joined(values)),
            }
        }
        object + "}"
    }

    /// Takes all of them out.
    pub(super) fn take(&mut self) -> Vec<(String, Vec<String>)> {
        std::mem::take(self).values
    }
}
