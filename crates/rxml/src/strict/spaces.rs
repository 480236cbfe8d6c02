//! The rules of XML name spaces: prefixes must be bound, the reserved ones are fixed, and no two
//! attributes may have the same expanded name.

use std::collections::{BTreeMap, BTreeSet};

use super::check::is_plain_name;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The prefixes in force.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    /// Name spaces by prefix, the innermost last.
    bound: BTreeMap<String, Vec<String>>,
    /// The prefixes that each open element binds.
    open: Vec<Vec<String>>,
}

impl Spaces {
    /// Binds what a tag declares, and checks its names.
    pub(super) fn open(
        &mut self,
        name: &str,
        attributes: &[(String, String)],
    ) -> Result<(), &'static str> {
        let mut own = Vec::new();
        for (key, value) in attributes {
            let prefix = match key.strip_prefix("xmlns:") {
                Some(prefix) => prefix,
                None if key == "xmlns" => "",
                None => continue,
            };
            check_binding(prefix, value)?;
            self.bound.entry(prefix.to_owned()).or_default().push(value.clone());
            own.push(prefix.to_owned());
        }
        self.open.push(own);
        self.expand(name)?;
        let mut seen = BTreeSet::new();
        for (key, _) in attributes {
            if key == "xmlns" || key.starts_with("xmlns:") {
                continue;
            }
            if let Some(space) = self.expand(key)? {
                let local = key.split_once(':').map_or("", |(_, local)| local);
                if !seen.insert((space, local)) {
                    return Err("attribute given twice");
                }
            }
        }
        Ok(())
    }

    pub(super) fn close(&mut self) {
        for prefix in self.open.pop().unwrap_or_default() {
            if let Some(spaces) = self.bound.get_mut(&prefix) {
                spaces.pop();
            }
        }
    }

    /// The name space of a prefixed name; none without a prefix.
    fn expand(&self, name: &str) -> Result<Option<&str>, &'static str> {
        match name.split_once(':') {
            None => Ok(None),
            Some(("xml", _)) => Ok(Some(XML)),
            Some((prefix, _)) => {
                let space = self.bound.get(prefix).and_then(|spaces| spaces.last());
                space.map(|space| Some(space.as_str())).ok_or("prefix that is not bound")
            }
        }
    }
}

fn check_binding(prefix: &str, space: &str) -> Result<(), &'static str> {
    match (prefix, space) {
        ("xml", XML) => Ok(()),
        ("xml", _) => Err("prefix xml bound to another name space"),
        ("xmlns", _) => Err("prefix xmlns bound"),
        (_, XML | XMLNS) => Err("reserved name space bound to another prefix"),
        ("", _) => Ok(()),
        (_, "") => Err("prefix bound to nothing"),
        _ if is_plain_name(prefix) => Ok(()),
        _ => Err("name of a prefix"),
    }
}
