//! One place of a value that is still coming, followed through the tokens.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::escape::unescape;
use crate::machine::{Kind, Token};
use crate::pointer;

/// Follows one place of a value through its tokens.
///
/// ```
/// use toolweir_rjson::{Machine, Mode, Options, Watch};
///
/// let mut machine = Machine::new(Options::new(Mode::Relaxed));
/// let mut content = Watch::new("/file/content").unwrap();
/// let mut shown = String::new();
/// for mut input in ["{\"file\": {\"content\": \"fn ma", "in() {}\\n\", \"mode\": \"w\"}}"] {
///     while let Some(token) = machine.next(&mut input)? {
///         if let Some(text) = content.text(&token) {
///             shown.push_str(&text);
///         }
///     }
/// }
/// assert_eq!(shown, "fn main() {}\n");
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Watch {
    segments: Vec<String>,
    /// Open containers.
    depth: usize,
    /// How many of them lie on the way to the place, from the root.
    matched: usize,
    /// How many values have begun in each of those; none for an object.
    index: Vec<Option<usize>>,
    /// The key that came last, if it is the one on the way.
    key_fits: bool,
    /// The depth at which the place's own value began.
    inside: Option<usize>,
}

impl Watch {
    /// A watch of a JSON Pointer (RFC 6901), such as `/a/0`; the empty one is the whole value. None
    /// where the text is no pointer.
    #[must_use]
    pub fn new(path: &str) -> Option<Self> {
        let segments = pointer::tokens(path)?.map(Cow::into_owned).collect();
        Some(Self {
            segments,
            depth: 0,
            matched: 0,
            index: Vec::new(),
            key_fits: false,
            inside: None,
        })
    }

    /// Whether the token is part of the value at the place. Every token must be shown, in order. Of a
    /// key given twice, each value is one.
    pub fn covers(&mut self, token: &Token<'_>) -> bool {
        let inside = self.inside.is_some();
        match token.kind {
            Kind::Key(key) => {
                let on_way = self.depth == self.matched;
                let wanted = self.matched.checked_sub(1).and_then(|at| self.segments.get(at));
                self.key_fits = on_way && wanted.is_some_and(|segment| segment == key);
                inside
            }
            Kind::ObjectStart => self.opens(None) || inside,
            Kind::ArrayStart => self.opens(Some(0)) || inside,
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth = self.depth.saturating_sub(1);
                if self.inside == Some(self.depth) {
                    self.inside = None;
                } else if self.depth < self.matched {
                    self.matched = self.depth;
                    self.index.pop();
                }
                inside
            }
            Kind::StringStart => {
                let fits = self.begins() == Some(true);
                if fits {
                    self.inside = Some(self.depth);
                }
                inside || fits
            }
            Kind::StringEnd => {
                if self.inside == Some(self.depth) {
                    self.inside = None;
                }
                inside
            }
            Kind::Number | Kind::True | Kind::False | Kind::Null => {
                let fits = self.begins() == Some(true);
                inside || fits
            }
            _ => inside,
        }
    }

    /// The token's share of the value at the place: decoded text of a string value, the wire text of
    /// anything else. None for other tokens and where nothing is added.
    pub fn text<'t>(&mut self, token: &Token<'t>) -> Option<Cow<'t, str>> {
        let string = self.inside.is_some_and(|depth| depth == self.depth);
        if !self.covers(token) {
            return None;
        }
        match token.kind {
            Kind::StringDelta if string => Some(unescape(token.wire)),
            Kind::StringStart | Kind::StringEnd if string || self.inside == Some(self.depth) => {
                None
            }
            _ if token.wire.is_empty() => None,
            _ => Some(Cow::Borrowed(token.wire)),
        }
    }

    /// A container opens, with the position of its first entry; whether it is the one at the place.
    fn opens(&mut self, first: Option<usize>) -> bool {
        let fits = self.begins();
        if fits == Some(true) {
            self.inside = Some(self.depth);
        } else if fits == Some(false) {
            self.matched += 1;
            self.index.push(first);
        }
        self.key_fits = false;
        self.depth += 1;
        fits == Some(true)
    }

    /// A value begins: whether it is the one at the place, or only on the way; none if neither.
    fn begins(&mut self) -> Option<bool> {
        if self.inside.is_some() || self.depth != self.matched {
            return None;
        }
        if self.depth > 0 {
            let index = self.index.last_mut()?;
            let place = *index;
            *index = place.map(|place| place + 1);
            let wanted = self.segments.get(self.matched - 1)?;
            let fits =
                self.key_fits || place.is_some_and(|place| pointer::place(wanted) == Some(place));
            self.key_fits = false;
            if !fits {
                return None;
            }
        }
        Some(self.matched == self.segments.len())
    }
}
