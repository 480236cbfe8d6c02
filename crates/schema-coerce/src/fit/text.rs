//! Text that holds a value: JSON, elements, lines.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{Mode, NonFinite, Options, parse_with};

use super::Engine;
use super::arena::{Item, ItemId};
use crate::coerce::Loss;
use crate::references;

/// A value read from a string item.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonText {
    pub(super) item: ItemId,
    strict: bool,
}

impl JsonText {
    pub(super) fn loss(self) -> Loss {
        if self.strict { Loss::None } else { Loss::Format }
    }
}

impl<'v> Engine<'_, 'v> {
    /// The value of a string item that is JSON: strict, else relaxed with Python's literals. `NaN`
    /// and its kin are no values here, as reading them would lose them. None where the loss is not
    /// allowed.
    pub(super) fn parsed(&mut self, item: ItemId) -> Option<JsonText> {
        let place = item as usize;
        if let Some(Some(json)) = self.json.get(place) {
            return *json;
        }
        let Item::String(text) = self.item(item) else { return None };
        let text = text.to_string();
        let json = self.parse(&text).filter(|json| self.allows(json.loss()));
        if self.json.len() <= place {
            self.json.resize(self.arena.len(), None);
        }
        if let Some(known) = self.json.get_mut(place) {
            *known = Some(json);
        }
        json
    }

    fn parse(&mut self, text: &str) -> Option<JsonText> {
        let max_depth = self.policy.max_depth;
        let strict = Options::new(Mode::Strict).with_max_depth(max_depth);
        let relaxed =
            Options::new(Mode::Relaxed).with_max_depth(max_depth).with_non_finite(NonFinite::Error);
        let (parsed, strict) = match parse_with(text, &strict) {
            Ok(parsed) => {
                let strict = parsed.diagnostics.is_empty();
                (parsed, strict)
            }
            Err(_) => (parse_with(text, &relaxed).ok()?, false),
        };
        let item = self.arena.copy(&parsed.value, max_depth).ok()?;
        Some(JsonText { item, strict })
    }
}

/// The keys and texts of `<key>text</key>` elements, if the text is nothing else. Entities are
/// decoded; a text with markup in it is none.
pub(super) fn elements(text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (key, after) = rest.strip_prefix('<')?.split_once('>')?;
        let plain = !key.is_empty()
            && !key.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '/' | '!' | '?'));
        if !plain {
            return None;
        }
        let (value, after) = after.split_once('<')?;
        let after = after.strip_prefix('/')?.strip_prefix(key)?.trim_start().strip_prefix('>')?;
        found.push((key.to_string(), references::decode(value)));
        rest = after.trim_start();
    }
    Some(found)
}

/// The keys and texts of `key: value` lines, if each line that is not blank is one.
pub(super) fn key_lines(text: &str) -> Option<Vec<(String, String)>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let found: Option<Vec<_>> = lines
        .map(|line| {
            let (key, value) = line.split_once(':')?;
            Some((key.trim().to_string(), value.trim().to_string()))
        })
        .collect();
    found.filter(|found| !found.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_nothing_but_elements() {
        let found = elements(" <a>1 &lt; 2 &#65; &nope; &amp;lt;</a>\n<b></b> ").unwrap();
        assert_eq!(found[0], ("a".into(), "1 < 2 A &nope; &lt;".into()));
        assert_eq!(found[1], ("b".into(), String::new()));
        for text in
            ["", "x", "<a>1</b>", "<a>1</a> x", "<a x=\"1\">1</a>", "<a/>", "<a><b>1</b></a>"]
        {
            assert_eq!(elements(text), None, "{text}");
        }
    }

    #[test]
    fn lines_need_a_key_each() {
        assert_eq!(
            key_lines("a: 1\n\nb:x:y"),
            Some(alloc::vec![("a".into(), "1".into()), ("b".into(), "x:y".into())])
        );
        assert_eq!(key_lines("a: 1\nb"), None);
        assert_eq!(key_lines(" "), None);
    }
}
