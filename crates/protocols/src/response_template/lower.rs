//! Regular expressions as parts of wire patterns.
//!
//! What may stand in a hole is the hole's own rule: `(?P<name>\w+)` and `(?P<name>[^\[]+)` are both
//! `{name}`. Whitespace that may be absent is whitespace, which patterns read freely.

use super::class::Class;
use super::regex::{Node, Refusal, Sequence, What};
use crate::pattern::{At, Part, Pattern, ValueKind, one_of};

/// Nodes of an expression that are read, repeated ones each time.
const MAX_NODES: usize = 8192;

/// What a group of an expression is in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hole {
    Name,
    Id,
    Key,
    Value,
    /// Nothing uses its text.
    Unused,
}

/// The parts of a sequence; `hole`: what each group is.
pub(super) fn parts(sequence: &[Node], hole: &dyn Fn(&str) -> Hole) -> Result<Vec<Part>, Refusal> {
    let mut lower = Lower { hole, index: false, left: MAX_NODES, parts: Vec::new() };
    lower.sequence(sequence)?;
    Ok(lower.parts)
}

/// In how many ways parts are spelled.
pub(super) fn spellings(parts: &[Part]) -> usize {
    let of = |part: &Part| {
        let ways = part.inner().into_iter().map(spellings).fold(0, usize::saturating_add);
        match part {
            Part::Opt(_) => ways.saturating_add(1),
            Part::Any(_) => ways,
            // The holes of a tag stand beside one another.
            Part::Tag(_) => 1,
            _ => ways.max(1),
        }
    };
    parts.iter().map(of).fold(1, usize::saturating_mul)
}

struct Lower<'h> {
    hole: &'h dyn Fn(&str) -> Hole,
    /// `{index}` has been used: it stands for one number.
    index: bool,
    /// Nodes that may still be read: repetitions multiply them.
    left: usize,
    parts: Vec<Part>,
}

impl Lower<'_> {
    fn sequence(&mut self, sequence: &[Node]) -> Result<(), Refusal> {
        sequence.iter().try_for_each(|node| self.node(node))
    }

    /// The parts of a sequence by itself.
    fn inner(&mut self, sequence: &[Node]) -> Result<Vec<Part>, Refusal> {
        let before = std::mem::take(&mut self.parts);
        let result = self.sequence(sequence);
        let inner = std::mem::replace(&mut self.parts, before);
        result.map(|()| inner)
    }

    fn node(&mut self, node: &Node) -> Result<(), Refusal> {
        let refuse = |what: &str| Err(Refusal::new(node.at, what));
        self.left = match self.left.checked_sub(1) {
            Some(left) => left,
            None => return refuse("repetitions of repetitions that are too long"),
        };
        match &node.what {
            What::Char(c) => self.parts.push(Part::Literal(c.to_string())),
            What::Class(Class::Space) => self.parts.push(Part::Space(" ".into())),
            What::Class(Class::Chars(chars)) => {
                let way = |c: &char| vec![Part::Literal(c.to_string())];
                self.parts.extend(one_of(chars.iter().map(way).collect()));
            }
            What::Class(_) => return refuse("a class for exactly one character"),
            What::Group { name: None, ways, .. } => self.ways(ways)?,
            What::Group { name: Some(name), ways, .. } => self.named(node.at, name, ways)?,
            What::Back(name) => match (self.hole)(name) {
                Hole::Name => self.parts.push(Part::Name),
                Hole::Key => self.parts.push(Part::Key),
                _ => return refuse("the text of a group again that is neither name nor key"),
            },
            What::Start if self.parts.is_empty() => self.parts.push(Part::At(At::Message)),
            What::Start => return refuse("the beginning of the text after other text"),
            What::End => return refuse("the end of the text"),
            What::Ahead(_) => return refuse("a lookahead"),
            What::Refused(what) => return refuse(what),
            What::Repeat { node, least, most, lazy } => {
                self.repeat(node, (*least, *most), *lazy)?;
            }
        }
        Ok(())
    }

    fn ways(&mut self, ways: &[Sequence]) -> Result<(), Refusal> {
        if let [way] = ways {
            return self.sequence(way);
        }
        let mut all = Vec::new();
        let mut absent = false;
        for way in ways {
            let parts = self.inner(way)?;
            if parts.is_empty() { absent = true } else { all.push(parts) }
        }
        let parts = one_of(all);
        if absent {
            self.optional(parts)
        } else {
            self.parts.extend(parts)
        }
        Ok(())
    }

    /// Parts that may be absent; whitespace may always be.
    fn optional(&mut self, parts: Vec<Part>) {
        if parts.iter().all(|part| matches!(part, Part::Space(_)) || is_whitespace(part)) {
            self.parts.extend(parts);
        } else {
            self.parts.push(Part::Opt(Pattern::new(parts)));
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        (least, most): (u32, Option<u32>),
        lazy: bool,
    ) -> Result<(), Refusal> {
        const COPIES: u32 = 8;
        let refuse = |what: &str| Err(Refusal::new(node.at, what));
        match &node.what {
            What::Class(Class::Space) => self.parts.push(Part::Space("\n".into())),
            _ if Some(least) == most && least <= COPIES => {
                for _ in 0..least {
                    self.node(node)?;
                }
            }
            What::Char(c) if c.is_whitespace() => self.parts.push(Part::Literal(c.to_string())),
            _ if (least, most) == (0, Some(1)) => {
                let parts = self.inner(std::slice::from_ref(node))?;
                self.optional(parts);
            }
            What::Class(Class::Digits) if !self.index => {
                self.index = true;
                self.parts.push(Part::Index);
            }
            What::Class(Class::Any) if !lazy => {
                return refuse(
                    "`.*` that runs to the last place where what follows fits (`.*?` can be said)",
                );
            }
            What::Class(_) if most.is_none() => self.skip(),
            _ => return refuse("a repetition"),
        }
        Ok(())
    }

    fn skip(&mut self) {
        // One skips as much as two.
        if self.parts.last() != Some(&Part::Skip) {
            self.parts.push(Part::Skip);
        }
    }

    fn named(&mut self, at: usize, name: &str, ways: &[Sequence]) -> Result<(), Refusal> {
        let hole = (self.hole)(name);
        let part = match hole {
            Hole::Name => Part::Name,
            Hole::Id => Part::Id(None),
            Hole::Key => Part::Key,
            Hole::Value => Part::Value(ValueKind::Verbatim),
            Hole::Unused => return self.ways(ways),
        };
        if ways.iter().all(|way| is_free(way)) {
            self.parts.push(part);
            return Ok(());
        }
        if let ([way], Hole::Name) = (ways, hole)
            && let Some(word) = word(way)
        {
            // The text says it, always the same.
            self.parts.push(Part::Literal(word.clone()));
            self.parts.push(Part::NameIs(word));
            return Ok(());
        }
        if let ([way], Hole::Id) = (ways, hole) {
            let inner = self.inner(way)?;
            self.parts.push(Part::Id(Some(Pattern::new(inner))));
            return Ok(());
        }
        Err(Refusal::new(at, format!("a group `{name}` that is more than a run of characters")))
    }
}

/// Whether a sequence is text of no shape: classes, and signs that names hold.
fn is_free(sequence: &[Node]) -> bool {
    let free = |node: &Node| match &node.what {
        What::Class(class) => *class != Class::Space,
        What::Char(c) => matches!(c, '.' | '-' | '_' | ':' | '/'),
        What::Group { name: None, ways, .. } => ways.iter().all(|way| is_free(way)),
        What::Repeat { node, .. } => is_free(std::slice::from_ref(node)),
        _ => false,
    };
    let only_signs = sequence.iter().all(|node| matches!(node.what, What::Char(_)));
    sequence.iter().all(free) && !only_signs
}

/// The word that a sequence always is.
fn word(sequence: &[Node]) -> Option<String> {
    let of = |node: &Node| match node.what {
        What::Char(c) if !c.is_whitespace() => Some(c),
        _ => None,
    };
    sequence.iter().map(of).collect::<Option<String>>().filter(|word| !word.is_empty())
}

fn is_whitespace(part: &Part) -> bool {
    matches!(part, Part::Literal(text) if text.chars().all(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::super::regex::parse;
    use super::*;

    fn lowered(text: &str) -> Result<String, String> {
        let hole = |name: &str| match name {
            "name" => Hole::Name,
            "id" => Hole::Id,
            "key" => Hole::Key,
            "value" => Hole::Value,
            _ => Hole::Unused,
        };
        let ways = parse(text).map_err(|refusal| refusal.about(text))?;
        let ways: Result<Vec<_>, _> = ways.iter().map(|way| parts(way, &hole)).collect();
        let parts = one_of(ways.map_err(|refusal| refusal.about(text))?);
        Ok(Pattern::new(parts).to_string())
    }

    #[test]
    fn what_patterns_can_say_is_said() {
        for (regex, pattern) in [
            (r"<tool_call>\s*<function=(?P<name>\w+)>", r"<tool_call>\n<function={name}>"),
            (r"\[CALL\](?P<name>[^\[{]+)(?:\[ARGS\])?", "[CALL]{name}{opt:[ARGS]}"),
            (r"<\|a\|>(?:x|y z)", "<|a|>{any:x||y z}"),
            (r"<a>|<b>", "{any:<a>||<b>}"),
            (r"(?:|x)a", "{opt:x}a"),
            (r"(?P<id>functions\.(?P<name>\w+):\d+)<", "{id:functions.{name}:{index}}<"),
            (r"(?P<id>.+?)<", "{id}<"),
            (r"f\.(?P<name>[\w.-]+):(?P<n>\d+)", "f.{name}:{index}"),
            (r"<a>.*?(?P<x>[^>]*)<b>", "<a>{skip}<b>"),
            (r"<(?P<key>\w+)>\n?(?P<value>.*?) *</(?P=key)>", r"<{key}>\n{value} </{key}>"),
            (r"^<a>[<\[]?\n{2}", r"{at:message}<a>{opt:{any:<||[}}\n\n"),
            (r">>>(?P<name>python)\n", r">>>python{name=python}\n"),
            (r"\{(?P<name>\w+)\}", "{{{name}}}"),
            (r#"<call name="(?P<name>[^"]+)">"#, r#"<call name="{name}">"#),
        ] {
            assert_eq!(lowered(regex).as_deref(), Ok(pattern), "{regex}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_said_or_refused(text in r"([(|)?*+\[\]{}^$<>:=!P.,a0\\snwkgx-]|é){0,40}") {
            match lowered(&text) {
                Ok(pattern) => proptest::prop_assert!(!pattern.contains('\n')),
                Err(message) => proptest::prop_assert!(message.contains("byte ")),
            }
        }
    }

    #[test]
    fn what_they_cannot_say_is_named_with_its_place() {
        for (regex, message) in [
            ("a.b", "a class for exactly one character at byte 1 (`.b`)"),
            (
                "<a>.*<b>",
                "`.*` that runs to the last place where what follows fits (`.*?` can be said) at byte 3 (`.*<b>`)",
            ),
            (
                "((((((a{8}){8}){8}){8}){8}){8}){8}",
                "repetitions of repetitions that are too long at byte 6 (`a{8}){8}){8}){8}){8}){8}…`)",
            ),
            ("(?:ab)*", "a repetition at byte 0 (`(?:ab)*`)"),
            ("a(?!b)", "a negative lookahead at byte 1 (`(?!b)`)"),
            ("a(?=b)", "a lookahead at byte 1 (`(?=b)`)"),
            ("a^", "the beginning of the text after other text at byte 1 (`^`)"),
            ("a$", "the end of the text at byte 1 (`$`)"),
            (r"\d+-\d+x{1,2}", "a repetition at byte 7 (`x{1,2}`)"),
            (
                r"(?P<name>a b+)",
                "a group `name` that is more than a run of characters at byte 0 (`(?P<name>a b+)`)",
            ),
            (
                r"(?P<value>.*?)(?P=value)",
                "the text of a group again that is neither name nor key at byte 14 (`(?P=value)`)",
            ),
        ] {
            assert_eq!(lowered(regex).unwrap_err(), message, "{regex}");
        }
    }
}
