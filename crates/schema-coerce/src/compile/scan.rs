//! The walk over the document: one node for each schema, references resolved.
//!
//! Definitions are visited only when a reference leads there.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolweir_rjson::{Object, Value};

use super::Nodes;
use super::keywords::{self, Speaks};
use super::pointer::{Paths, Place, Step, resolve};
use crate::error::{Note, SchemaError, SchemaErrorKind, SchemaLimits};
use crate::rules::Types;
use crate::schema::{ANY, Declared, Entries, Id, NEVER, NodeData, Rest, Table, fixed_nodes};

/// Schemas that there is room for at first.
const FEW: usize = 16;

/// Walks the document: its nodes, with notes.
pub(super) fn scan(root: &Value, limits: &SchemaLimits) -> Result<(Nodes, Vec<Note>), SchemaError> {
    if !matches!(root, Value::Object(_) | Value::Bool(_)) {
        return Err(SchemaError::new(SchemaErrorKind::NotASchema, String::new()));
    }
    let mut scan = Scan {
        root,
        nodes: Vec::with_capacity(FEW),
        pending: Vec::with_capacity(FEW),
        places: BTreeMap::new(),
        paths: Paths::with_capacity(FEW),
        notes: Vec::new(),
        max_depth: limits.max_depth,
        max_nodes: limits.max_nodes,
        ignore_patterns: limits.ignore_patterns,
        ignore_references: limits.ignore_references,
    };
    for node in fixed_nodes() {
        scan.nodes.push(node);
        scan.pending.push(Pending::default());
        scan.paths.push(Place::At(Box::default()));
    }
    let id = scan.node(root, || Place::At(Box::default()), 0)?;
    let mut next = 0;
    while let Some(pending) = scan.pending.get(next).copied() {
        if let (Some(object), Ok(id)) = (pending.object, Id::try_from(next)) {
            let node = scan.read(id, object, pending.depth)?;
            if let Some(slot) = scan.nodes.get_mut(next) {
                *slot = node;
            }
        }
        next = next.saturating_add(1);
    }
    Ok((Nodes { nodes: scan.nodes, root: id, paths: scan.paths }, scan.notes))
}

/// A node whose keywords are still to be read.
#[derive(Clone, Copy, Default)]
struct Pending<'v> {
    object: Option<&'v Object>,
    depth: usize,
}

pub(super) struct Scan<'v> {
    root: &'v Value,
    nodes: Vec<NodeData>,
    pending: Vec<Pending<'v>>,
    /// The node of each object, by the address of the object: each place is visited once.
    places: BTreeMap<usize, Id>,
    paths: Paths,
    notes: Vec<Note>,
    max_depth: usize,
    max_nodes: usize,
    pub(super) ignore_patterns: bool,
    ignore_references: bool,
}

impl<'v> Scan<'v> {
    /// The node of a schema at a place, made when it is met for the first time.
    pub(super) fn node(
        &mut self,
        value: &'v Value,
        place: impl FnOnce() -> Place,
        depth: usize,
    ) -> Result<Id, SchemaError> {
        let object = match value {
            Value::Object(object) => object,
            Value::Bool(true) => return Ok(ANY),
            Value::Bool(false) => return Ok(NEVER),
            _ => {
                self.note(&place(), "expected a schema");
                return Ok(ANY);
            }
        };
        let address = core::ptr::from_ref(value).addr();
        if let Some(id) = self.places.get(&address) {
            return Ok(*id);
        }
        // The two fixed nodes are not the document's.
        let count = self.nodes.len().saturating_sub(2);
        let id = match Id::try_from(self.nodes.len()) {
            Ok(id) if count < self.max_nodes => id,
            _ => return Err(self.error(SchemaErrorKind::TooLarge, &place())),
        };
        if depth > self.max_depth {
            return Err(self.error(SchemaErrorKind::TooDeep, &place()));
        }
        self.places.insert(address, id);
        self.nodes.push(NodeData::plain(Types::ALL, Types::NONE));
        self.pending.push(Pending { object: Some(object), depth });
        self.paths.push(place());
        Ok(id)
    }

    pub(super) fn error(&self, kind: SchemaErrorKind, place: &Place) -> SchemaError {
        SchemaError::new(kind, self.paths.path_at(place))
    }

    pub(super) fn note(&mut self, place: &Place, expected: &str) {
        let schema_path = self.paths.path_at(place);
        self.notes.push(Note { schema_path, message: expected.to_string() });
    }

    /// Something well-formed that is not checked.
    pub(super) fn unchecked(&mut self, place: &Place, why: &str) {
        self.note(place, why);
    }

    pub(super) fn note_keyword(&mut self, id: Id, keyword: &'static str, expected: &str) {
        self.note(&Place::Below(id, Step::Key(keyword)), expected);
    }

    /// Reads the keywords of one schema and meets the schemas in it.
    fn read(&mut self, id: Id, object: &'v Object, depth: usize) -> Result<NodeData, SchemaError> {
        let mut malformed = Vec::new();
        let speaks = Speaks::of(object);
        let mut node = keywords::read(object, speaks, &mut |keyword, expected| {
            malformed.push((keyword, expected));
        });
        for (keyword, expected) in malformed {
            self.note_keyword(id, keyword, expected);
        }
        let at = At { id, object, depth: depth.saturating_add(1) };
        if speaks.joins {
            node.all.extend(self.reference(&at)?);
            node.all.extend(self.list(&at, "allOf")?);
            for keyword in ["anyOf", "oneOf"] {
                let branches = self.list(&at, keyword)?;
                if !branches.is_empty() {
                    node.one = (keyword == "oneOf").then_some(node.any.len());
                    node.any.push(branches);
                }
            }
        }
        if speaks.about.meets(Types::OBJECT) {
            node.shape.table = self.members(&at)?;
        }
        if speaks.about.meets(Types::ARRAY) {
            node.shape.entries = self.entries(&at)?;
        }
        (node.rules, node.maybe) = self.assertions(&at, &node, speaks)?;
        Ok(node)
    }

    /// The target of `$ref`.
    fn reference(&mut self, at: &At<'v>) -> Result<Option<Id>, SchemaError> {
        let place = &Place::Below(at.id, Step::Key("$ref"));
        let pointer = match at.object.get("$ref") {
            Some(Value::String(reference)) if reference.is_empty() => "",
            Some(Value::String(reference)) => match reference.strip_prefix('#') {
                Some(pointer) => pointer,
                None => return self.without_target(SchemaErrorKind::RemoteRef, place),
            },
            Some(_) => {
                self.note(place, "expected a string");
                return Ok(None);
            }
            None => return Ok(None),
        };
        let target = match pointer {
            "" => Some(self.root),
            pointer if pointer.starts_with('/') => resolve(self.root, pointer),
            _ => None,
        };
        match target {
            Some(target) => self.node(target, || Place::At(pointer.into()), 0).map(Some),
            None => self.without_target(SchemaErrorKind::UnknownRef, place),
        }
    }

    /// A reference without a target.
    fn without_target(
        &mut self,
        kind: SchemaErrorKind,
        place: &Place,
    ) -> Result<Option<Id>, SchemaError> {
        if !self.ignore_references {
            return Err(self.error(kind, place));
        }
        self.note(place, "expected a place in this schema");
        Ok(None)
    }

    /// The schemas of a keyword that takes a list.
    fn list(&mut self, at: &At<'v>, keyword: &'static str) -> Result<Vec<Id>, SchemaError> {
        match at.object.get(keyword) {
            Some(Value::Array(list)) if !list.is_empty() => (0..)
                .zip(list.iter())
                .map(|(index, value)| {
                    let place = || Place::Below(at.id, Step::Index(keyword, index));
                    self.node(value, place, at.depth)
                })
                .collect(),
            Some(_) => {
                self.note_keyword(at.id, keyword, "expected a list with at least one schema");
                Ok(Vec::new())
            }
            None => Ok(Vec::new()),
        }
    }

    /// The schema of a keyword that takes one.
    pub(super) fn single(
        &mut self,
        at: &At<'v>,
        keyword: &'static str,
    ) -> Result<Option<Id>, SchemaError> {
        let place = || Place::Below(at.id, Step::Key(keyword));
        at.object.get(keyword).map(|value| self.node(value, place, at.depth)).transpose()
    }

    /// What `properties` and its kin say.
    fn members(&mut self, at: &At<'v>) -> Result<Option<Arc<Table>>, SchemaError> {
        self.check_required(at);
        let mut members = Vec::new();
        match at.object.get("properties") {
            Some(Value::Object(properties)) => {
                members.reserve_exact(properties.len());
                for (key, value) in properties.iter() {
                    let key: Arc<str> = key.into();
                    let place = || Place::Below(at.id, Step::Member("properties", key.clone()));
                    let id = self.node(value, place, at.depth)?;
                    members.push(Declared::new(key, id));
                }
                members = Table::sorted(&members);
            }
            Some(_) => self.note_keyword(at.id, "properties", "expected an object"),
            None => {}
        }
        let rest = match self.single(at, "additionalProperties")? {
            Some(id) => Some(id),
            None => self.single(at, "unevaluatedProperties")?,
        };
        let mut rest = match rest {
            Some(NEVER) => Rest::Closed,
            None => Rest::Open,
            // Said aloud, it tells more than nothing: undeclared members are welcome.
            Some(id) => Rest::Schema(id),
        };
        match at.object.get("patternProperties") {
            Some(Value::Object(patterns)) if !patterns.is_empty() => rest = Rest::Schema(ANY),
            Some(Value::Object(_)) | None => {}
            Some(_) => self.note_keyword(at.id, "patternProperties", "expected an object"),
        }
        // An empty list of properties is a list, too.
        let listed = matches!(at.object.get("properties"), Some(Value::Object(_)));
        let says = listed || rest != Rest::Open;
        Ok(says.then(|| Arc::new(Table { members, rest })))
    }

    fn check_required(&mut self, at: &At<'v>) {
        let good = match at.object.get("required") {
            Some(Value::Array(names)) => names.iter().all(|name| matches!(name, Value::String(_))),
            Some(_) => false,
            None => true,
        };
        if !good {
            self.note_keyword(at.id, "required", "expected a list of member names");
        }
    }

    /// What `items` and its kin say.
    fn entries(&mut self, at: &At<'v>) -> Result<Option<Arc<Entries>>, SchemaError> {
        let by_place = matches!(at.object.get("items"), Some(Value::Array(_)));
        let (prefix, rest) = match (by_place, at.object.get("prefixItems")) {
            (false, _) => (self.list(at, "prefixItems")?, self.single(at, "items")?),
            (true, None) => (self.list(at, "items")?, self.single(at, "additionalItems")?),
            (true, Some(_)) => {
                self.note_keyword(at.id, "items", "expected a schema beside prefixItems");
                (self.list(at, "prefixItems")?, None)
            }
        };
        let says = !prefix.is_empty() || rest.is_some();
        Ok(says.then(|| Arc::new(Entries { prefix, rest })))
    }
}

/// The schema that is being read, and the depth of those in it.
pub(super) struct At<'v> {
    pub(super) id: Id,
    pub(super) object: &'v Object,
    pub(super) depth: usize,
}
