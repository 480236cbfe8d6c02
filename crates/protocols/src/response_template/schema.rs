//! The older description of answers, `response_schema`: a JSON Schema of the message whose members say by
//! expressions which text of the answer they are.
//!
//! Source of its meaning: huggingface/transformers, `docs/source/en/chat_response_parsing.md` and
//! `src/transformers/utils/chat_parsing_utils.py` (read in 2026, versions before the templates). Kept here:
//!
//! - An expression takes its text out of the whole answer, or its groups give texts to the properties of
//!   their names. What stands around a group is its opener and its end marker.
//! - Where one text is taken apart in steps, the expressions are laid over each other (`text.rs`). Each is a
//!   search there; here what it finds stands where the text around it leaves a gap, or at its edges.
//! - The order in which an expression has its groups is one of many: a format reads them in any.
//! - What stands after the last group closes the turn, and is dropped.
//! - A lookahead after a text says where it ends: the next opener or end marker, which ends it anyway.
//!
//! Where to read next: `reading.rs` (what is read and reported), `calls.rs`; `query.rs` (how JSON is taken apart).

mod calls;
mod query;
mod reading;
mod text;

use self::reading::Reading;
use self::text::Place;
use super::field::Edge;
use super::level::Level;
use super::lower::{self, Hole};
use super::regex::{Node, What};
use super::sections::{self, Body, Section};
use super::{Draft, Read, ResponseTemplateError as Error};
use crate::pattern::Part;
use crate::policy::TextPolicy;
use crate::spec::Header;

/// Adds what a schema says.
pub(super) fn add(root: &Level<'_>, draft: &mut Draft) -> Result<(), Error> {
    let mut reading = Reading::new(draft);
    reading.check(root, &["x-regex"]);
    let whole = reading.read(root, "x-regex");
    let whole = reading.or_report(whole)?.flatten().unwrap_or_default();
    let names: Vec<String> = whole.iter().flat_map(|way| text::names(way)).collect();
    let mut implicit = false;
    let mut properties = root.levels("properties")?;
    // What closes text may be the opener of a call or of reasoning, so that text comes last.
    properties.sort_by_key(|(name, _)| (*name != "tool_calls", Body::of(name) == Body::Text));
    for (name, level) in properties {
        if let Some(value) = level.value("const") {
            if name != "role" || value.as_str() != Some("assistant") {
                reading.report(level.path(), "a turn has no fixed members");
            }
            continue;
        }
        let is =
            |node: &Node| matches!(&node.what, What::Group { name: Some(of), .. } if of == name);
        let place = whole.iter().find_map(|way| text::place(way, &is));
        if place.is_none() && !names.is_empty() {
            reading.report(level.path(), "no group of `x-regex` has its name");
        } else {
            let read = match name {
                "tool_calls" => calls::add(&level, place, &mut reading).map(|()| false),
                _ => reading.section(name, &level, place),
            };
            implicit |= reading.or_report(read)?.unwrap_or_default();
        }
    }
    for way in &whole {
        reading.strays(text::tail(way), "x-regex");
    }
    let path = "properties.content.x-regex";
    sections::close_messages(path, reading.draft);
    if reading.draft.spec.header == Header::Harmony {
        // What stands between two messages there, which no property takes.
        let start = vec![Part::Literal("<|start|>assistant".into())];
        sections::add_stray("properties", start, reading.draft);
    }
    if !implicit {
        reading.report("properties", sections::DROPPED);
    }
    Ok(())
}

impl Reading<'_> {
    /// Adds a property that is not that of the calls; whether it is the text between the others.
    fn section(&mut self, name: &str, level: &Level<'_>, place: Option<Place>) -> Read<bool> {
        let body = Body::of(name);
        if body == Body::Other {
            self.report(level.path(), "a turn has no such part: it is left out");
        }
        self.check(level, &["x-regex"]);
        let own = self.read_one(level, "x-regex")?;
        let own = own.map(|own| self.accept(text::named(&own, name))).transpose()?;
        let own = own.and_then(|own| text::place(&own, &text::captures)).unwrap_or_default();
        let outer = place.unwrap_or_default();
        let before = [outer.before, own.before].concat();
        let after = [own.after, outer.after].concat();
        if body == Body::Text && before.last().or(after.first()).is_some_and(text::is_whitespace) {
            self.draft.spec.text = TextPolicy::TrimEdges;
        } else if body == Body::Text && text::begins_with_space(&after) {
            self.draft.framed = true;
        }
        let edges = before.len() + after.len();
        let before = text::trimmed(&before, text::is_whitespace);
        let after = text::trimmed(&after, text::is_whitespace);
        let strips = before.len() + after.len() < edges;
        let Edge { ways: mut opens, optional: without } = self.side(before);
        if body == Body::Text && without {
            // Text between the others, whatever stands at its edges.
            self.strays(before, &level.at("x-regex"));
            self.strays(after, &level.at("x-regex"));
            opens.clear();
        }
        if body == Body::Reasoning && without {
            let what = "reasoning that may begin without an opener: start the request inside it \
                        (start state)";
            self.report(level.path(), what);
        }
        let section = Section {
            body,
            opens,
            closes: self.side(after),
            strips,
            path: level.path().to_owned(),
            close_path: level.at("x-regex"),
        };
        section.add(self.draft);
        Ok(body == Body::Text && without)
    }

    /// The ways in which text at one side of a hole is written.
    fn side(&mut self, sequence: &[Node]) -> Edge {
        let (all, optional) = text::ways(sequence);
        let mut ways = Vec::new();
        for way in &all {
            let parts = self.accept(lower::parts(way, &|_| Hole::Unused));
            ways.extend(self.or_report(parts).ok().flatten());
        }
        Edge { ways, optional }
    }

    /// Adds text at an edge of other text that opens or closes nothing else.
    fn strays(&mut self, sequence: &[Node], path: &str) {
        for way in self.side(sequence).ways {
            if !way.contains(&Part::Skip) && !sections::is_known(&way, self.draft) {
                sections::add_stray(path, way, self.draft);
            }
        }
    }
}
