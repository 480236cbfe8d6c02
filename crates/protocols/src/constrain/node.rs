//! A grammar as a tree: what every notation is written from.

use std::sync::Arc;

use toolweir_rjson::Value;

use super::until::{Class, Until};
use crate::render::stops::Run;

/// A part of a grammar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// This text.
    Text(String),
    /// One after the other.
    Seq(Vec<Node>),
    /// One of these.
    Any(Vec<Node>),
    /// There or not.
    Opt(Box<Node>),
    /// At least so often, and at most.
    Repeat(Box<Node>, usize, Option<usize>),
    /// One character.
    Class(Class),
    /// Text up to a marker, which follows; with the regular expression it must match.
    Until(Arc<Until>, Option<Arc<Matching>>),
    /// JSON of a schema: for engines that know schemas, and for others.
    Json(Arc<Value>, Box<Node>),
    /// A rule of the grammar.
    Rule(usize),
}

/// What a text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matching {
    /// A regular expression of JSON Schema, without lookaround; anchors at its ends only.
    pub(super) regex: String,
    /// Where the schema says so.
    pub(super) path: String,
}

impl Node {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Nothing.
    pub(super) fn empty() -> Self {
        Self::Seq(Vec::new())
    }

    pub(super) fn opt(node: Self) -> Self {
        match node {
            Self::Text(text) if text.is_empty() => Self::empty(),
            node if node == Self::empty() => node,
            node => Self::Opt(Box::new(node)),
        }
    }

    pub(super) fn many(node: Self, least: usize, most: Option<usize>) -> Self {
        Self::Repeat(Box::new(node), least, most)
    }

    /// These in a row, texts that touch each other as one.
    pub(super) fn seq(nodes: impl IntoIterator<Item = Self>) -> Self {
        let mut out: Vec<Self> = Vec::new();
        for node in nodes {
            match node {
                Self::Seq(inner) => inner.into_iter().for_each(|node| push(&mut out, node)),
                node => push(&mut out, node),
            }
        }
        match <[Self; 1]>::try_from(out) {
            Ok([only]) => only,
            Err(out) => Self::Seq(out),
        }
    }

    /// One of these; the same twice counts once. A text that all begin with stands before them, so that no
    /// engine has to choose before it has seen them differ.
    pub(super) fn any(nodes: impl IntoIterator<Item = Self>) -> Self {
        let mut out: Vec<Self> = Vec::new();
        for node in nodes {
            match node {
                Self::Any(inner) => out.extend(inner),
                node if out.contains(&node) => {}
                node => out.push(node),
            }
        }
        match <[Self; 1]>::try_from(out) {
            Ok([only]) => only,
            Err(out) => {
                let common = common(&out).to_owned();
                let rest = out.iter().map(|node| node.without_prefix(&common));
                match rest.collect::<Option<Vec<Self>>>().filter(|_| !common.is_empty()) {
                    Some(rest) => Self::seq([Self::Text(common), Self::Any(rest)]),
                    None => Self::Any(out),
                }
            }
        }
    }

    /// What may be there, as if it were.
    pub(super) fn inner(&self) -> &Self {
        match self {
            Self::Opt(inner) => inner,
            node => node,
        }
    }

    /// The nodes in a row.
    pub(super) fn row(&self) -> &[Self] {
        match self {
            Self::Seq(nodes) => nodes,
            node => std::slice::from_ref(node),
        }
    }

    /// The rest of it after that literal; none: it begins in another way.
    pub(super) fn without_prefix(&self, text: &str) -> Option<Self> {
        let (Self::Text(first), rest) = self.row().split_first()? else { return None };
        let first = first.strip_prefix(text)?;
        Some(Self::seq([Self::text(first)].into_iter().chain(rest.iter().cloned())))
    }

    /// Whether it ends with more than a bracket.
    pub(super) fn ends_marked(&self) -> bool {
        match self.row().last() {
            Some(Self::Text(text)) => {
                text.contains(|c: char| !"]})\"".contains(c) && !c.is_whitespace())
            }
            _ => false,
        }
    }

    /// The text it always begins with.
    pub(super) fn literal_prefix(&self) -> &str {
        match self.row().first() {
            Some(Self::Text(text)) => text,
            Some(Self::Any(each)) => common(each),
            _ => "",
        }
    }
}

/// The text that all of these begin with.
fn common(nodes: &[Node]) -> &str {
    let same = |a: &str, b: &str| {
        let differ = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
        differ.map_or(a.len().min(b.len()), |((at, _), _)| at)
    };
    let mut leads = nodes.iter().map(Node::literal_prefix);
    let first = leads.next().unwrap_or_default();
    let length = leads.map(|lead| same(first, lead)).min().unwrap_or(first.len());
    first.get(..length).unwrap_or_default()
}

fn push(out: &mut Vec<Node>, node: Node) {
    match (out.last_mut(), node) {
        (_, Node::Text(text)) if text.is_empty() => {}
        (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
        (_, node) => out.push(node),
    }
}

/// Rules that nodes name by their place, each with a name of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    all: Vec<(String, Node)>,
    /// Automata by what they are made of: those of most parameters are the same, and making one takes
    /// milliseconds.
    untils: Vec<(Markers, Arc<Until>)>,
}

/// The markers that text must not hold, those that follow it, whether letter case counts not, and whether it is
/// the content of a JSON string.
type Markers = (Vec<Run>, Vec<Run>, bool, bool);

impl Rules {
    /// [`Until::new`], made once.
    pub(super) fn until(
        &mut self,
        stops: &[Run],
        before: &[Run],
        fold: bool,
        quoted: bool,
    ) -> Arc<Until> {
        let markers = (stops.to_vec(), before.to_vec(), fold, quoted);
        if let Some((_, known)) = self.untils.iter().find(|(of, _)| *of == markers) {
            return Arc::clone(known);
        }
        let made = Arc::new(Until::new(stops, before, fold, quoted));
        self.untils.push((markers, Arc::clone(&made)));
        made
    }

    /// The rule of that name; if there is none, it becomes that node.
    pub(super) fn named(&mut self, name: &str, node: impl FnOnce() -> Node) -> Node {
        let known = self.all.iter().position(|(known, _)| known == name);
        Node::Rule(known.unwrap_or_else(|| {
            self.all.push((name.to_owned(), node()));
            self.all.len() - 1
        }))
    }

    /// What a rule stands for, where it was named first.
    pub(super) fn set(&mut self, rule: &Node, node: Node) {
        if let Node::Rule(at) = rule
            && let Some((_, place)) = self.all.get_mut(*at)
        {
            *place = node;
        }
    }

    /// A new rule.
    pub(super) fn add(&mut self, node: Node) -> Node {
        let name = format!("r{}", self.all.len());
        self.named(&name, || node)
    }

    /// Entries in their order, some of which may be missing, with what stands between.
    pub(super) fn listed(&mut self, pairs: &[(Node, bool)], comma: &Node) -> Node {
        // After an entry, and where none has been written: the rest, from the last entry on.
        let (mut after, mut first) = (Node::empty(), Node::empty());
        for (pair, required) in pairs.iter().rev() {
            let next = Node::seq([comma.clone(), pair.clone(), after.clone()]);
            let here = Node::seq([pair.clone(), after.clone()]);
            (after, first) = match required {
                true => (next, here),
                false => (Node::any([next, after]), Node::any([here, first])),
            };
            after = self.shared(after);
        }
        first
    }

    /// What is named more than once, as a rule.
    pub(super) fn shared(&mut self, node: Node) -> Node {
        match node {
            Node::Seq(_) | Node::Any(_) if node != Node::empty() => self.add(node),
            node => node,
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&(String, Node)> {
        self.all.get(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, Node)> {
        self.all.iter()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.all.iter().any(|(known, _)| known == name)
    }
}
