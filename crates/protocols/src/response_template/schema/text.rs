//! What expressions say of a text, put together: where its groups stand, and what stands around them.
//!
//! A schema takes a text apart step by step: one expression cuts a piece out, others look into that piece.
//! Each says some of the text and leaves gaps (`.*?`). [`merge`] lays one over the other, so that in the end
//! there is one sequence with a named group for each thing that is to be read.

use super::super::class::Class;
use super::super::regex::{NEVER, Node, Refusal, Sequence, What};

/// Any text.
pub(super) fn gap(at: usize) -> Node {
    let any = Node { at, what: What::Class(Class::Any) };
    Node { at, what: What::Repeat { node: Box::new(any), least: 0, most: None, lazy: true } }
}

/// A group with a name around a sequence.
pub(super) fn group(name: &str, sequence: Sequence) -> Node {
    let at = sequence.first().map_or(0, |node| node.at);
    let what = What::Group { name: Some(name.to_owned()), captures: true, ways: vec![sequence] };
    Node { at, what }
}

/// Whether a sequence has text that shows a place: lookaheads and whitespace show none.
pub(super) fn has_text(sequence: &[Node]) -> bool {
    sequence.iter().any(|node| match &node.what {
        What::Char(c) => !c.is_whitespace(),
        What::Class(Class::Chars(_)) | What::Back(_) => true,
        _ => node.inner().into_iter().any(has_text),
    })
}

/// Whether a node holds a group whose text can be asked for.
pub(super) fn captures(node: &Node) -> bool {
    matches!(node.what, What::Group { captures: true, .. })
        || node.inner().into_iter().flatten().any(captures)
}

/// Whether a node is whitespace that may be absent.
pub(super) fn is_space(node: &Node) -> bool {
    match &node.what {
        What::Repeat { node, least, .. } => {
            let whitespace = match &node.what {
                What::Char(c) => c.is_whitespace(),
                What::Class(class) => *class == Class::Space,
                _ => false,
            };
            whitespace && (*least == 0 || matches!(node.what, What::Class(_)))
        }
        _ => false,
    }
}

/// Whether a node is text of any content.
pub(super) fn is_gap(node: &Node) -> bool {
    let free = match &node.what {
        What::Class(class) => !matches!(class, Class::Space | Class::Chars(_)),
        What::Group { captures: false, ways, .. } => {
            ways.iter().flatten().any(is_gap)
                && ways.iter().flatten().all(|node| is_gap(node) || is_never(node))
        }
        What::Repeat { node, .. } => return is_gap(node),
        _ => false,
    };
    free && !captures(node)
}

/// Whether a node is about what a gap beside it does not hold: that ends where such a text begins.
fn is_never(node: &Node) -> bool {
    matches!(&node.what, What::Ahead(_) | What::Refused(NEVER))
}

/// Whether a node takes no text: it is about a place.
pub(super) fn is_empty(node: &Node) -> bool {
    match &node.what {
        What::Start | What::End | What::Ahead(_) => true,
        What::Repeat { node, .. } => is_empty(node),
        What::Group { captures: false, ways, .. } => ways.iter().flatten().all(is_empty),
        _ => false,
    }
}

/// The ways in which a sequence with one piece of text is written, and whether that may be absent.
pub(super) fn ways(sequence: &[Node]) -> (Vec<Sequence>, bool) {
    let nodes: Sequence = sequence.iter().filter(|node| !is_empty(node)).cloned().collect();
    let with_text: Vec<usize> = (0..nodes.len())
        .filter(|at| nodes.get(*at).is_some_and(|node| has_text(std::slice::from_ref(node))))
        .collect();
    let [at] = with_text.as_slice() else { return (some(nodes), with_text.is_empty()) };
    let (inner, mut absent) = match nodes.get(*at).map(|node| &node.what) {
        Some(What::Group { ways, captures: false, .. }) => (ways, false),
        Some(What::Repeat { node, least: 0, most: Some(1), .. }) => match &node.what {
            What::Group { ways, captures: false, .. } => (ways, true),
            _ => return (some(nodes), false),
        },
        _ => return (some(nodes), false),
    };
    let mut all = Vec::new();
    for way in inner {
        if has_text(way) {
            let (before, after) = nodes.split_at_checked(*at).unwrap_or_default();
            let way = way.iter().filter(|node| !is_empty(node));
            let after = after.iter().skip(1);
            all.push(before.iter().chain(way).chain(after).cloned().collect());
        } else {
            absent = true;
        }
    }
    (all, absent)
}

fn some(sequence: Sequence) -> Vec<Sequence> {
    if has_text(&sequence) { vec![sequence] } else { Vec::new() }
}

/// The named group of that name in a sequence, and what stands directly around it: up to other groups, and
/// no further than text on that side.
#[derive(Default)]
pub(super) struct Place {
    pub(super) before: Sequence,
    pub(super) inner: Sequence,
    pub(super) after: Sequence,
}

/// Where a group stands; `None`: nowhere.
pub(super) fn place(sequence: &[Node], is: &dyn Fn(&Node) -> bool) -> Option<Place> {
    for (index, node) in sequence.iter().enumerate() {
        let mut found = match &node.what {
            What::Group { ways, .. } if is(node) => {
                Place { inner: one(node, ways), ..Place::default() }
            }
            _ => match node.inner().into_iter().find_map(|way| place(way, is)) {
                Some(found) => found,
                None => continue,
            },
        };
        let (before, after) = sequence.split_at(index);
        if !has_text(&found.before) {
            let start = before.iter().rposition(captures).map_or(0, |other| other + 1);
            let mut all = before.get(start..).unwrap_or_default().to_vec();
            all.append(&mut found.before);
            found.before = all;
        }
        if !has_text(&found.after) {
            let after = after.get(1..).unwrap_or_default();
            found.after.extend(after.iter().take_while(|node| !captures(node)).cloned());
        }
        return Some(found);
    }
    None
}

/// The content of a group; several ways are any text.
pub(super) fn one(node: &Node, ways: &[Sequence]) -> Sequence {
    match ways {
        [way] => way.clone(),
        _ => vec![gap(node.at)],
    }
}

/// What stands after the last group of a sequence.
pub(super) fn tail(sequence: &[Node]) -> &[Node] {
    let last = sequence.iter().rposition(captures);
    last.and_then(|last| sequence.get(last + 1..)).unwrap_or_default()
}

/// A sequence with its only group without a name under that name, itself if it has none.
pub(super) fn named(sequence: &[Node], name: &str) -> Result<Sequence, Refusal> {
    let groups: Vec<&Node> = sequence.iter().filter(|node| captures(node)).collect();
    let first = groups.first().map_or(0, |node| node.at);
    match groups.as_slice() {
        [] => Ok(vec![group(name, sequence.to_vec())]),
        [node] if matches!(node.what, What::Group { captures: true, .. }) => {
            let mut sequence = sequence.to_vec();
            for node in &mut sequence {
                if let What::Group { name: own, captures: true, .. } = &mut node.what {
                    *own = Some(name.to_owned());
                }
            }
            Ok(sequence)
        }
        [_] => Err(Refusal::new(first, "a group inside a repetition or alternatives")),
        [_, other, ..] => Err(Refusal::new(other.at, "a second group without a name")),
    }
}

/// A sequence without such nodes at its edges.
pub(super) fn trimmed(sequence: &[Node], edge: impl Fn(&Node) -> bool) -> &[Node] {
    let start = sequence.iter().position(|node| !edge(node)).unwrap_or(sequence.len());
    let end = sequence.iter().rposition(|node| !edge(node)).map_or(start, |last| last + 1);
    sequence.get(start..end).unwrap_or_default()
}

/// Whether a node is whitespace, however much.
pub(super) fn is_whitespace(node: &Node) -> bool {
    matches!(&node.what, What::Repeat { most: None, .. }) && is_space(node)
}

/// Whether a sequence begins with whitespace before anything else.
pub(super) fn begins_with_space(sequence: &[Node]) -> bool {
    sequence.iter().find(|node| !is_empty(node)).is_some_and(|node| match &node.what {
        What::Char(c) => c.is_whitespace(),
        What::Class(class) => *class == Class::Space,
        _ => node.inner().into_iter().any(begins_with_space),
    })
}

/// The names of the groups of a sequence, at any depth.
pub(super) fn names(sequence: &[Node]) -> Vec<String> {
    let of = |node: &Node| match &node.what {
        What::Group { name, .. } => name.clone(),
        _ => None,
    };
    let inner = |node: &Node| node.inner().into_iter().flat_map(names).collect::<Vec<_>>();
    sequence.iter().flat_map(|node| of(node).into_iter().chain(inner(node))).collect()
}

/// A sequence in which another expression has found something: what both say.
///
/// A search that does not begin at the text's beginning is laid over the first place where its text stands,
/// or put into the first gap; whitespace may be there or not.
pub(super) fn merge(known: &[Node], found: &[Node]) -> Result<Sequence, Refusal> {
    let anchored = matches!(found.first(), Some(Node { what: What::Start, .. }));
    let to_end = matches!(found.last(), Some(Node { what: What::End, .. }));
    let found: Sequence = found.iter().filter(|node| !is_empty(node)).cloned().collect();
    let known: Sequence = known.iter().filter(|node| !is_empty(node)).cloned().collect();
    let start = if anchored { 0 } else { start(&known, &found) };
    let (before, rest) = known.split_at_checked(start).unwrap_or((&known, &[]));
    let mut out = before.to_vec();
    lay_over(rest, &found, to_end, &mut out)?;
    Ok(out)
}

/// Where in a text what was found begins.
fn start(known: &[Node], found: &[Node]) -> usize {
    let fits = |at: usize| {
        let rest = known.get(at..).unwrap_or_default();
        let first = found.iter().zip(rest).take_while(|(found, known)| found.what == known.what);
        let same = first.count();
        let free = |node: Option<&Node>| {
            node.is_none_or(|node| is_gap(node) || captures(node) || is_space(node))
        };
        same > 0 && (free(found.get(same)) || free(rest.get(same)))
    };
    let gap = || known.iter().position(is_gap).unwrap_or(0);
    (0..known.len()).find(|at| fits(*at)).unwrap_or_else(gap)
}

/// Appends what both say. `to_end`: what was found goes to the end of the text.
fn lay_over(
    mut known: &[Node],
    mut found: &[Node],
    to_end: bool,
    out: &mut Sequence,
) -> Result<(), Refusal> {
    while let ([k, k_rest @ ..], [f, f_rest @ ..]) = (known, found) {
        // What is free here may have been found before.
        if k.what == f.what || is_gap(f) && captures(k) {
            out.push(k.clone());
            (known, found) = (k_rest, f_rest);
        } else if !is_space(k) && is_gap(k) {
            out.push(f.clone());
            found = f_rest;
            known = left_after(known, f, found, to_end);
        } else if is_space(k) || is_gap(f) {
            out.push(k.clone());
            known = k_rest;
        } else if is_space(f) {
            found = f_rest;
        } else {
            return Err(Refusal::new(f.at, "another text than the one it looks into"));
        }
    }
    out.extend_from_slice(known);
    out.extend_from_slice(found);
    Ok(())
}

/// What is left of a text that begins with a gap once `taken` stands in it.
fn left_after<'k>(known: &'k [Node], taken: &Node, found: &[Node], to_end: bool) -> &'k [Node] {
    let Some((_, rest)) = known.split_first() else { return known };
    if !(captures(taken) || is_gap(taken)) {
        return known;
    }
    let whole = |node: &Node| match &node.what {
        What::Group { ways, .. } => ways.iter().flatten().all(|node| match &node.what {
            What::Repeat { node, lazy: false, .. } => node.what == What::Class(Class::Any),
            _ => false,
        }),
        _ => false,
    };
    let next = rest.iter().find(|node| !is_space(node));
    let follows = match (next, found.first()) {
        (Some(next), Some(found)) => next.what == found.what,
        (None, Some(_)) => false,
        (_, None) => to_end || whole(taken),
    };
    if follows { rest } else { known }
}

#[cfg(test)]
mod tests;
