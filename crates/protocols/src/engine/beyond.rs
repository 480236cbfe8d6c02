//! What is left of a call beyond a limit: strings, comments and brackets alone show where it ends, or, where
//! arguments are elements, the tags of its own name.
//!
//! It keeps a counter, not a stack, so that depth costs nothing. A closing bracket closes whatever is open.

/// Where the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    /// After so many quotes, the first of which opened a string.
    Opening(char, u8),
    /// Inside a string between this quote, or three of them; how many of them stand before.
    Text(char, bool, u8),
    /// The same, after a backslash.
    Escape(char, bool),
    /// Inside a string between the delimiters of Gemma.
    Delimited,
    Line,
    Block,
    /// Among elements, and in a tag of them.
    Elements,
    Tag,
}

/// Reads the rest of a call.
#[derive(Debug, Default)]
pub(crate) struct Beyond {
    /// Open brackets.
    depth: usize,
    /// Any quote begins a string, also after a letter, as in Python.
    python: bool,
    /// What stands around strings of Gemma, and how many bytes of it are matched.
    delimiter: String,
    matched: usize,
    place: Place,
    /// The name of the call's own tags, and what of a tag has come, as far as it matters.
    name: String,
    tag: String,
    /// The character before, and the last one outside that is no whitespace.
    last: char,
    sign: char,
}

impl Beyond {
    /// Outside of strings, so many brackets being open. `delimiter`: what stands around strings; none: quotes do.
    pub(crate) fn new(depth: usize, python: bool, delimiter: Option<&str>) -> Box<Self> {
        let delimiter = delimiter.unwrap_or_default().to_owned();
        Box::new(Self { depth, python, delimiter, ..Self::default() })
    }

    /// Among the elements of a call, whose opening tag is that of this name.
    pub(crate) fn elements(name: &str) -> Box<Self> {
        Box::new(Self {
            depth: 1,
            place: Place::Elements,
            name: name.to_owned(),
            ..Self::default()
        })
    }

    /// Whether a string or comment is open, or no marker counts at all.
    pub(super) fn inside(&self) -> bool {
        self.place != Place::Outside
    }

    /// Takes text up to the last bracket or tag; where that ends.
    pub(super) fn take(&mut self, text: &str) -> Option<usize> {
        text.char_indices().find_map(|(at, c)| self.feed(c).then_some(at + c.len_utf8()))
    }

    /// Whether the character is the last bracket, or the end of the last tag.
    fn feed(&mut self, c: char) -> bool {
        let last = std::mem::replace(&mut self.last, c);
        if matches!(self.place, Place::Elements | Place::Tag) {
            return self.element(c, last);
        }
        if self.is_delimiter(c) {
            let inside = self.place == Place::Delimited;
            self.place = if inside { Place::Outside } else { Place::Delimited };
            return false;
        }
        self.place = match self.place {
            Place::Opening(quote, 2) if c == quote => Place::Text(quote, true, 0),
            Place::Opening(quote, _) if c == quote => Place::Opening(quote, 2),
            // Two quotes are an empty string.
            Place::Opening(_, 2) | Place::Outside => return self.outside(c, last),
            Place::Opening(quote, _) => after(c, quote, false, 0),
            Place::Text(quote, triple, quotes) => after(c, quote, triple, quotes),
            Place::Escape(quote, triple) => Place::Text(quote, triple, 0),
            Place::Line if c == '\n' => Place::Outside,
            Place::Block if c == '/' && last == '*' => Place::Outside,
            place => place,
        };
        false
    }

    fn outside(&mut self, c: char, last: char) -> bool {
        let quoted = self.delimiter.is_empty();
        let value_due = matches!(self.sign, '\0' | '{' | '[' | '(' | ',' | ':' | '=');
        self.place = match c {
            '"' if quoted || value_due => Place::Opening(c, 1),
            '\'' if self.python || value_due => Place::Opening(c, 1),
            '#' if quoted => Place::Line,
            '/' if quoted && last == '/' => Place::Line,
            '*' if quoted && last == '/' => Place::Block,
            _ => Place::Outside,
        };
        if !c.is_whitespace() {
            self.sign = c;
        }
        match c {
            '{' | '[' | '(' => self.depth += 1,
            '}' | ']' | ')' => self.depth = self.depth.saturating_sub(1),
            _ => return false,
        }
        self.depth == 0
    }

    /// The same among elements.
    fn element(&mut self, c: char, last: char) -> bool {
        if c == '<' {
            self.tag.clear();
            self.place = Place::Tag;
        } else if self.place == Place::Tag && c != '>' {
            if self.tag.len() <= self.name.len() + 1 {
                self.tag.push(c);
            }
        } else if self.place == Place::Tag {
            self.place = Place::Elements;
            let (name, closes) = match self.tag.strip_prefix('/') {
                Some(name) => (name, true),
                None => (self.tag.as_str(), false),
            };
            let own = name.strip_prefix(self.name.as_str());
            if own.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '/')
            }) {
                match closes {
                    true => self.depth -= 1,
                    false => self.depth += usize::from(last != '/'),
                }
                return self.depth == 0;
            }
        }
        false
    }

    /// Whether a delimiter ends with the character.
    fn is_delimiter(&mut self, c: char) -> bool {
        if self.delimiter.is_empty() || !matches!(self.place, Place::Outside | Place::Delimited) {
            return false;
        }
        let next = self.delimiter.get(self.matched..).unwrap_or_default();
        // No delimiter begins again in itself.
        let from = if next.starts_with(c) { self.matched } else { 0 };
        let matches = self.delimiter.get(from..).is_some_and(|rest| rest.starts_with(c));
        self.matched = if matches { from + c.len_utf8() } else { 0 };
        let whole = self.matched == self.delimiter.len();
        if whole {
            self.matched = 0;
        }
        whole
    }
}

/// After a character of a string.
fn after(c: char, quote: char, triple: bool, quotes: u8) -> Place {
    match c {
        '\\' => Place::Escape(quote, triple),
        _ if c != quote => Place::Text(quote, triple, 0),
        _ if triple && quotes < 2 => Place::Text(quote, triple, quotes + 1),
        _ => Place::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::Beyond;

    fn end(python: bool, delimiter: Option<&str>, text: &str) -> Option<usize> {
        Beyond::new(1, python, delimiter).take(text)
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for text in [
            r#"{"a": "}"}}"#,
            r#"{"a": "\"}", 'b': '}"'}}"#,
            "{it's: 1}}",
            "{} // }\n /* } */ # }\n}",
            r#"{"": "", "b": """}""}"""}}"#,
        ] {
            assert_eq!(end(false, None, text), Some(text.len()), "{text}");
        }
        for text in ["a=r')', b='''it's )''')", "a=\"\", b=[(1,)], c={'x': ')'} # )\n)"] {
            assert_eq!(end(true, None, text), Some(text.len()), "{text}");
        }
        for text in ["a:<|\"|>}\"}<|\"|>,b:<<|\"|>}<|\"|>}", "a:it's # //,b:\"}\"}"] {
            assert_eq!(end(false, Some("<|\"|>"), text), Some(text.len()), "{text}");
        }
        assert_eq!(end(false, None, "{\"a\": \"}}"), None, "an open string");
    }

    #[test]
    fn own_tags_are_counted() {
        let text = "<c>1</c></b><to><to/><toe></to ></a></to>";
        assert_eq!(Beyond::elements("to").take(text), Some(text.len()));
        assert_eq!(Beyond::elements("to").take("<c></toe></t"), None);
    }
}
