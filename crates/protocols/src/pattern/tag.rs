//! Recognises attribute tags; the grammar is in the module's documentation.

use super::normal::{Item, is_space};
use super::{Attribute, AttributeValue, Part, Tag};

/// The tag that these items, the first a `<`, begin with, and what follows it.
pub(super) fn tag(items: &[Item]) -> Option<(Tag, &[Item])> {
    let mut scan = Scan { rest: items };
    let open = scan.open()?;
    let mut attributes = Vec::new();
    while let Some((attribute, after)) = scan.attribute() {
        attributes.push(attribute);
        scan.rest = after;
    }
    if attributes.is_empty() {
        return None;
    }
    let close = scan.close()?;
    Some((Tag { open, attributes, close }, scan.rest))
}

#[derive(Clone, Copy)]
struct Scan<'a> {
    rest: &'a [Item],
}

impl<'a> Scan<'a> {
    fn take_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some((Item::Char(c), after)) = self.rest.split_first()
            && test(*c)
        {
            taken.push(*c);
            self.rest = after;
        }
        taken
    }

    fn eat(&mut self, wanted: char) -> Option<()> {
        match self.rest.split_first() {
            Some((Item::Char(c), after)) if *c == wanted => {
                self.rest = after;
                Some(())
            }
            _ => None,
        }
    }

    fn word(&mut self) -> Option<String> {
        Some(self.take_while(is_word)).filter(|word| !word.is_empty())
    }

    fn open(&mut self) -> Option<String> {
        self.eat('<')?;
        let mut open = format!("<{}", self.take_while(|c| c != '<' && is_dress(c)));
        let mut before = '<';
        for c in open.chars() {
            // The `>` of an element ends the element: what follows is text, not a word of its tag.
            if c == '>' && (is_word(before) || before == '/') {
                return None;
            }
            before = c;
        }
        if !open.ends_with(is_word) {
            let space = self.take_while(is_space);
            if space.is_empty() {
                return None;
            }
            open.push_str(&space);
            open.push_str(&self.word()?);
        }
        Some(open)
    }

    fn attribute(mut self) -> Option<(Attribute, &'a [Item])> {
        let space = self.take_while(is_space);
        if space.is_empty() {
            return None;
        }
        let key = self.word()?;
        self.eat('=')?;
        self.eat('"')?;
        let value = match self.rest.split_first() {
            Some((Item::Part(part), after)) if is_attribute(part) => {
                self.rest = after;
                AttributeValue::Hole(Box::new(part.clone()))
            }
            _ => AttributeValue::Fixed(self.take_while(|c| c != '"')),
        };
        self.eat('"')?;
        Some((Attribute { space, key, value }, self.rest))
    }

    fn close(&mut self) -> Option<String> {
        let mut close = self.take_while(is_space);
        if self.eat('<').is_some() {
            close.push('<');
            // An element or its end tag is no closing delimiter.
            if matches!(self.rest.first(), Some(Item::Char(c)) if is_word(*c) || *c == '/') {
                return None;
            }
        }
        close.push_str(&self.take_while(|c| c != '<' && c != '>' && is_dress(c)));
        self.eat('>')?;
        close.push('>');
        Some(close)
    }
}

/// Characters of the words of tags.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

fn is_dress(c: char) -> bool {
    !is_space(c) && !matches!(c, '"' | '\'' | '=')
}

fn is_attribute(part: &Part) -> bool {
    matches!(part, Part::Name | Part::Key | Part::Type(_) | Part::Index | Part::Id(_))
}
