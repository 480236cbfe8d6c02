//! Formats: which there are, which one it is, and how each writes.

#[cfg(feature = "complete")]
mod complete;

use toolweir::protocols::formats::specs;
use toolweir::protocols::{FAMILIES, FormatSpec};

#[cfg(feature = "complete")]
pub(crate) use self::complete::{detect, write, written};
use toolweir::rjson::{ArrayWriter, ObjectWriter, quoted};

/// The built-in formats in the order of the table, then the reasoning families.
pub(crate) fn list() -> String {
    let families = FAMILIES.iter().map(|family| {
        let record = ObjectWriter::new().text("name", family.name);
        record
            .list("aliases", family.aliases.iter().map(|alias| quoted(alias)))
            .text("kind", "reasoning")
            .end()
    });
    let rows = specs();
    let rows = rows.iter().map(row);
    #[cfg(feature = "complete")]
    let rows = rows.chain(complete::by_hand());
    ArrayWriter::joined(rows.chain(families))
}

fn row(spec: &FormatSpec) -> String {
    let line = spec.call.first().map(|call| call.pattern.as_str());
    ObjectWriter::new()
        .text("name", &spec.name)
        .list("aliases", spec.aliases.iter().map(|alias| quoted(alias)))
        .text("kind", "calls")
        .maybe("line", line)
        .maybe("wrap", spec.wrap.first().map(String::as_str))
        .text("reasoning", &spec.reasoning)
        .text("models", &spec.models)
        .end()
}
