//! From a schema document to nodes.
//!
//! 1. [`scan`] walks the document breadth first, one node for each schema, each place once, and
//!    follows references to their place; nothing recurses.
//! 2. [`facts`] refuses cycles that never descend into the value and works out which types each
//!    node allows, and how high it stands over what it refers to.
//! 3. [`shapes`] merges members and entries through references and combinators, the lower nodes
//!    first.
//!
//! Nothing recurses.

mod assertions;
mod keywords;
mod pointer;
mod scan;
mod shapes;

pub(crate) use pointer::Paths;

use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::error::{Note, SchemaError, SchemaErrorKind, SchemaLimits};
use crate::schema::{Id, NodeData};

/// The nodes of a document, the root among them, and where they stand.
pub(crate) struct Nodes {
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) root: Id,
    pub(crate) paths: Paths,
}

/// Compiles an unwrapped document to nodes, with notes.
pub(crate) fn compile(
    document: &Value,
    limits: &SchemaLimits,
) -> Result<(Nodes, Vec<Note>), SchemaError> {
    let (Nodes { mut nodes, root, paths }, notes) = scan::scan(document, limits)?;
    keywords::resolve(&mut nodes, limits.max_depth)
        .map_err(|(kind, id)| SchemaError::new(kind, paths.path(id)))?;
    let nodes = shapes::resolve(nodes, limits)
        .map_err(|id| SchemaError::new(SchemaErrorKind::TooLarge, paths.path(id)))?;
    Ok((Nodes { nodes, root, paths }, notes))
}

/// `{"jsonSchema": S}` stands for `S` when no schema keyword is beside it.
pub(crate) fn unwrapped(document: &Value) -> &Value {
    let Value::Object(object) = document else { return document };
    match object.get("jsonSchema") {
        Some(inner) if !object.iter().any(|(key, _)| keywords::is_keyword(key)) => inner,
        _ => document,
    }
}
