//! What a schema makes of a value before its end is known.

use alloc::string::String;
use alloc::vec::Vec;

use toolweir_rjson::{Kind, pointer};

use super::state::Keys;
use crate::coerce::CoerceErrorKind;
use crate::rules::Types;
use crate::schema::{Id, Member, Node, NodeData, NodeId};

/// What to do with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// It fits whatever comes, or nothing is known about it.
    Pass,
    /// Its members or entries are values of their own.
    Open,
    /// It waits for its end.
    Hold,
}

/// The plan for a value that begins with this token, strings apart.
pub(super) fn of(node: Node<'_>, kind: &Kind<'_>, wire: &str, root: bool) -> Plan {
    if node.is_untyped() && node.data().is_silent() {
        return Plan::Pass;
    }
    let opens = match kind {
        Kind::ObjectStart => opens_object(node, root),
        Kind::ArrayStart => opens_array(node),
        _ => return if fits_plainly(node.data(), kind, wire) { Plan::Pass } else { Plan::Hold },
    };
    if opens { Plan::Open } else { Plan::Hold }
}

/// Schemas that hold for the same value: a node, and what its `$ref` and `allOf` name. Most nodes name
/// none, for which nothing is allocated.
pub(super) struct Holding {
    node: Id,
    more: Vec<Id>,
}

impl Holding {
    const MOST: usize = 64;

    #[inline]
    pub(super) fn of(node: Node<'_>) -> Self {
        let all = &node.data().all;
        let mut more = if all.is_empty() { Vec::new() } else { all.clone() };
        let mut next = 0;
        while let Some(id) = more.get(next).copied()
            && more.len() < Self::MOST
        {
            more.extend_from_slice(&node.inner.get(id).all);
            next = next.saturating_add(1);
        }
        Self { node: node.id, more }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = Id> + '_ {
        core::iter::once(self.node).chain(self.more.iter().copied())
    }

    fn len(&self) -> usize {
        self.more.len().saturating_add(1)
    }
}

/// The schemas that all hold for the same value; none when there is a choice among them, or they are too
/// many.
fn all_of(node: Node<'_>) -> Option<Holding> {
    let all = Holding::of(node);
    let chooses = |id| {
        let data = node.inner.get(id);
        !data.any.is_empty() || !data.maybe.is_empty() || data.literals.is_some()
    };
    let resolved = all.len() <= Holding::MOST && !all.ids().any(chooses);
    resolved.then_some(all)
}

/// Whether a type can come of nothing but itself, so that a value of it is taken member by member.
fn is_plain(node: Node<'_>, id: Id, of: Types) -> bool {
    let types = node.inner.get(id).types.as_deref();
    types.is_none_or(|types| types.iter().all(|t| *t == of || *t == Types::NULL))
}

fn opens_object(node: Node<'_>, root: bool) -> bool {
    let allowed = node.facts().allowed.meets(Types::OBJECT);
    allowed && (root || is_settled_by_members(node))
}

/// Whether an object whose members fit, that has those it must have and not too many, fits.
pub(super) fn is_settled_by_members(node: Node<'_>) -> bool {
    let Some(all) = all_of(node) else { return false };
    all.ids().all(|id| {
        let rules = &node.inner.get(id).rules().object;
        let simple = rules.patterns.is_empty() && rules.names.is_none() && rules.needs.is_empty();
        // What another one declares is undeclared for one that says something of such members.
        let known = |name: &str| rules.property(name).is_some();
        let alone = all.len() == 1 || rules.rest.is_none() || node.property_names().all(known);
        simple && alone && is_plain(node, id, Types::OBJECT)
    })
}

fn opens_array(node: Node<'_>) -> bool {
    let Some(all) = all_of(node) else { return false };
    node.facts().allowed.meets(Types::ARRAY)
        && all.ids().all(|id| {
            let rules = &node.inner.get(id).rules().array;
            let simple = !rules.unique && rules.contains.is_none();
            simple && is_plain(node, id, Types::ARRAY)
        })
}

/// Whether a number or literal fits by types alone. No is no verdict: it is then looked at whole.
fn fits_plainly(data: &NodeData, kind: &Kind<'_>, wire: &str) -> bool {
    let of = match kind {
        Kind::Number => Types::of_number(wire),
        Kind::True | Kind::False => Types::BOOLEAN,
        Kind::Null => Types::NULL,
        _ => return false,
    };
    let rules = &data.rules().number;
    let unbounded = rules.minimum.is_none()
        && rules.maximum.is_none()
        && rules.above.is_none()
        && rules.below.is_none()
        && rules.multiple.is_none();
    let listed = data.types.as_ref().is_none_or(|types| types.iter().any(|t| t.meets(of)));
    data.stands_alone() && data.own.meets(of) && data.literals.is_none() && unbounded && listed
}

/// Whether every string fits: it can pass as it comes.
pub(super) fn accepts_every_string(node: Node<'_>) -> bool {
    let own = |data: &NodeData| {
        data.own.meets(Types::STRING)
            && data.literals.is_none()
            && data.maybe.is_empty()
            && data.rules().string.is_open()
    };
    if node.data().stands_alone() {
        return own(node.data());
    }
    let order = node.inner.below(node.id, |id, stack| stack.extend(node.inner.get(id).edges()));
    let every = node.inner.bottom_up(&order, |id, known| {
        let data = node.inner.get(id);
        let yes = |id: &Id| known(*id).unwrap_or(false);
        let never = |id: &Id| !node.inner.get(*id).facts.allowed.meets(Types::STRING);
        let groups = data.any.iter().enumerate().all(|(index, group)| {
            if data.one == Some(index) {
                let open = group.iter().filter(|id| yes(id)).count();
                return open == 1 && group.iter().all(|id| yes(id) || never(id));
            }
            group.iter().any(yes)
        });
        own(data) && groups && data.all.iter().all(yes)
    });
    every.unwrap_or(false)
}

/// The schema of a member, if there is one; none at all for a key that a closed schema does not
/// know.
pub(super) fn member(node: Node<'_>, key: &str) -> Option<Option<NodeId>> {
    let rules = &node.data().rules().object;
    if !rules.patterns.is_empty()
        && let [(only, _)] = rules.of_member(key).as_slice()
        && *only != crate::schema::NEVER
    {
        return Some(Some(node.at(*only).id()));
    }
    match node.member(key) {
        Member::Closed => None,
        other => Some(other.node().map(Node::id)),
    }
}

/// Whether the object has to have the member.
pub(super) fn requires(node: Node<'_>, key: &str) -> bool {
    Holding::of(node).ids().any(|id| node.inner.get(id).rules().object.requires(key))
}

/// Whether the keys of the object have to be remembered.
pub(super) fn needs_keys(node: Node<'_>) -> bool {
    let counts = |id| {
        let rules = &node.inner.get(id).rules().object;
        !rules.required.is_empty() || rules.min.is_some() || rules.max.is_some()
    };
    node.is_closed() || Holding::of(node).ids().any(counts)
}

/// What is broken about an object or list that has ended: members missing, too few or too many.
pub(super) fn broken_at_end(
    node: Node<'_>,
    is_array: bool,
    count: u64,
    keys: Option<&Keys>,
) -> Option<(CoerceErrorKind, String)> {
    for id in Holding::of(node).ids() {
        let data = node.inner.get(id);
        let (object, array) = (&data.rules().object, &data.rules().array);
        let missing =
            keys.is_some_and(|keys| object.required.iter().any(|k| !keys.contains(node, k)));
        let of_object = !is_array;
        let (min, max) = if of_object { (object.min, object.max) } else { (array.min, array.max) };
        let keyword = match () {
            () if missing => "required",
            () if min.is_some_and(|min| count < min) => {
                if of_object {
                    "minProperties"
                } else {
                    "minItems"
                }
            }
            () if max.is_some_and(|max| count > max) => {
                if of_object {
                    "maxProperties"
                } else {
                    "maxItems"
                }
            }
            () => continue,
        };
        let mut path = node.inner.path(id);
        pointer::push(&mut path, keyword);
        let kind = if missing { CoerceErrorKind::Required } else { CoerceErrorKind::Length };
        return Some((kind, path));
    }
    None
}
