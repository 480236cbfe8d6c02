//! A template with all of its whitespace: what is written out.

use std::borrow::Cow;

use toolweir_rjson::{unescape, write_string};

use super::{Key, Node, Slots, Spacing};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// The members, and the whitespace in an object without any.
    Object(Vec<Member>, String),
    List {
        before: String,
        item: Box<Layout>,
        after: String,
    },
    Hole(Node),
    /// JSON as written.
    Literal(String),
}

/// The words of the holes.
pub(super) const HOLES: [(&str, Node); 4] =
    [("name", Node::Name), ("args", Node::Args), ("id", Node::Id), ("text", Node::Text)];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) before: String,
    /// A string with its quotes; nothing if the name is the key.
    pub(super) key: Option<String>,
    /// The colon and the whitespace around it.
    pub(super) colon: String,
    pub(super) value: Layout,
    pub(super) after: String,
}

/// What is written into a hole, without a call its word; none: its member is left out.
fn filled<'a>(hole: &Node, call: Option<Slots<'a>>) -> Option<Cow<'a, str>> {
    let quoted = |text| {
        let mut out = String::new();
        write_string(&mut out, text);
        Cow::Owned(out)
    };
    match (hole, call) {
        (hole, None) => HOLES.iter().find(|(_, of)| of == hole).map(|(word, _)| (*word).into()),
        (Node::Name, Some(call)) => Some(quoted(call.name)),
        (Node::Args, Some(call)) => Some(Cow::Borrowed(call.args)),
        (Node::Id, Some(call)) => call.id.map(quoted),
        (_, Some(call)) => call.text.map(quoted),
    }
}

impl Member {
    fn key(&self) -> Key {
        let quoted =
            |key: &str| key.strip_prefix('"')?.strip_suffix('"').map(|k| unescape(k).into_owned());
        match &self.key {
            Some(key) => Key::Word(quoted(key).unwrap_or_default()),
            None => Key::Name,
        }
    }
}

impl Layout {
    /// `{"name": name, "arguments": args}`.
    pub(super) fn call() -> Self {
        let member = |before: &str, key: &str, hole| Member {
            before: before.to_owned(),
            key: Some(key.to_owned()),
            colon: ": ".to_owned(),
            value: Self::Hole(hole),
            after: String::new(),
        };
        let members =
            vec![member("", "\"name\"", Node::Name), member(" ", "\"arguments\"", Node::Args)];
        Self::Object(members, String::new())
    }

    pub(super) fn list(before: &str, item: Self, after: &str) -> Self {
        Self::List { before: before.to_owned(), item: Box::new(item), after: after.to_owned() }
    }

    pub(super) fn node(&self) -> Node {
        match self {
            Self::Object(members, _) => {
                Node::Object(members.iter().map(|m| (m.key(), m.value.node())).collect())
            }
            Self::List { item, .. } => Node::List(Box::new(item.node())),
            Self::Hole(hole) => hole.clone(),
            Self::Literal(json) => Node::Literal(json.clone()),
        }
    }

    /// The template as written.
    pub(super) fn source(&self) -> String {
        let mut out = String::new();
        self.write(&[None], &mut out);
        out
    }

    /// Writes the calls, outside of a list the first; words instead of what is no call.
    pub(super) fn write(&self, calls: &[Option<Slots<'_>>], out: &mut String) {
        let call = calls.first().copied().flatten();
        match self {
            Self::Object(members, empty) => {
                out.extend(["{", empty]);
                Self::write_members(members, calls, out);
                out.push('}');
            }
            Self::List { before, item, after } => {
                out.extend(["[", before]);
                let space = self.between_items();
                for (i, call) in calls.iter().enumerate() {
                    if i > 0 {
                        out.extend([",", space]);
                    }
                    item.write(std::slice::from_ref(call), out);
                }
                out.extend([after, "]"]);
            }
            Self::Hole(hole) => out.extend(filled(hole, call)),
            Self::Literal(json) => out.push_str(json),
        }
    }

    /// The whitespace after the comma between two items of a list.
    pub(super) fn between_items(&self) -> &str {
        match self {
            // Items on lines of their own have the same indentation.
            Self::List { before, .. } if before.contains('\n') => before,
            _ if self.spacing().comma => " ",
            _ => "",
        }
    }

    fn write_members(members: &[Member], calls: &[Option<Slots<'_>>], out: &mut String) {
        let call = calls.first().copied().flatten();
        let written =
            |m: &&Member| !matches!(&m.value, Self::Hole(hole) if filled(hole, call).is_none());
        // The edges of the object stay as they are, whichever members stand there.
        let mut before = members.first().map(|m| &m.before);
        let mut written = members.iter().filter(written).peekable();
        while let Some(member) = written.next() {
            out.push_str(before.take().unwrap_or(&member.before));
            match &member.key {
                Some(key) => out.push_str(key),
                None => out.extend(filled(&Node::Name, call)),
            }
            out.push_str(&member.colon);
            member.value.write(calls, out);
            match written.peek() {
                Some(_) => out.extend([&member.after, ","]),
                None => out.extend(members.last().map(|m| m.after.as_str())),
            }
        }
    }

    pub(super) fn spacing(&self) -> Spacing {
        let (mut colon, mut comma) = (None, None);
        self.separators(&mut colon, &mut comma);
        let colon = colon.unwrap_or(false);
        Spacing { colon, comma: comma.unwrap_or(colon) }
    }

    /// Notes for the first colon and the first comma whether whitespace follows.
    fn separators(&self, colon: &mut Option<bool>, comma: &mut Option<bool>) {
        match self {
            Self::Object(members, _) => {
                for (i, member) in members.iter().enumerate() {
                    if i > 0 {
                        comma.get_or_insert(!member.before.is_empty());
                    }
                    colon.get_or_insert(!member.colon.ends_with(':'));
                    member.value.separators(colon, comma);
                }
            }
            Self::List { item, .. } => item.separators(colon, comma),
            Self::Hole(_) | Self::Literal(_) => {}
        }
    }
}
