//! What a segment decoder looks for, compiled once: marker sets, content ends, signatures.

use std::sync::Arc;

use toolweir_markers::SetError;

use super::class::{Classes, ContentClass};
use super::content::Ends;
use super::gate::SENTINEL;
use super::strategy::Strategy;
use crate::error::SpecError;
use crate::program::{Entries, ReasoningProgram, Role, Table, family_markers};
use crate::reasoning::Family;

/// A class with the ends of its content.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) class: ContentClass,
    /// Ends of `<TAG>` content, by tag.
    tags: Vec<(String, Ends)>,
    pub(super) marked: Option<Ends>,
}

impl Compiled {
    pub(super) fn tag_ends(&self, tag: &str) -> Option<&Ends> {
        self.tags.iter().find(|(own, _)| own.eq_ignore_ascii_case(tag)).map(|(_, ends)| ends)
    }
}

/// Everything that does not change while a stream is read.
#[derive(Debug)]
pub(super) struct Config {
    pub(super) order: Vec<Strategy>,
    pub(super) text: Table,
    pub(super) section: Option<ReasoningProgram>,
    pub(super) classes: Vec<Arc<Compiled>>,
    /// Names of opening tags, in lower case.
    pub(super) words: Vec<String>,
    /// Signatures of JSON calls, white space left out.
    pub(super) signatures: Vec<String>,
    pub(super) argument: Ends,
    pub(super) sentinel: Ends,
}

/// The name of the tag that names its tool.
pub(super) const TOOL: &str = "tool";

impl Config {
    pub(super) fn new(
        format: &str,
        order: &[Strategy],
        signatures: Vec<String>,
        classes: &Classes,
        family: Option<&Family<'_>>,
    ) -> Result<Self, SpecError> {
        let bad = |source| SpecError::Markers { format: format.to_owned(), source };
        let words: Vec<String> =
            classes.tags().chain([TOOL]).map(str::to_ascii_lowercase).collect();
        let leads: Entries = order.iter().flat_map(|s| leads(*s, &words, &signatures)).collect();
        let mut text: Entries = leads.clone();
        text.extend(family_markers(format, family, None)?);
        let section = family.map(|family| ReasoningProgram::new(format, family, None, leads));
        let classes: Result<_, SetError> = classes.iter().map(compile).collect();
        Ok(Self {
            order: order.to_vec(),
            text: Table::build(format, text)?,
            section: section.transpose()?,
            classes: classes.map_err(bad)?,
            words,
            signatures,
            argument: Ends::argument().map_err(bad)?,
            sentinel: Ends::literal("[[SEG_END]]").map_err(bad)?,
        })
    }

    /// The class of a tool name, in any letter case.
    pub(super) fn class_of_tool(&self, name: &str) -> Option<&Arc<Compiled>> {
        self.classes.iter().find(|compiled| compiled.class.is_called(name))
    }

    /// The class written as that tag.
    pub(super) fn class_of_tag(&self, tag: &str) -> Option<&Arc<Compiled>> {
        self.classes.iter().find(|compiled| compiled.tag_ends(tag).is_some())
    }
}

fn compile(class: &ContentClass) -> Result<Arc<Compiled>, SetError> {
    let tags = class.tags.iter().map(|tag| Ok((tag.clone(), Ends::tag(tag)?)));
    let marked = match &class.markers {
        Some((start, end)) => Some(Ends::marked(start, end)?),
        None => None,
    };
    Ok(Arc::new(Compiled { class: class.clone(), tags: tags.collect::<Result<_, _>>()?, marked }))
}

/// What a call of a strategy may begin with.
fn leads(strategy: Strategy, words: &[String], signatures: &[String]) -> Entries {
    let first = |word: &String| word.chars().next();
    let leads: Vec<String> = match strategy {
        Strategy::XmlTag => {
            let cases = |c: char| [format!("<{c}"), format!("<{}", c.to_ascii_uppercase())];
            words.iter().filter_map(first).flat_map(cases).collect()
        }
        Strategy::JsonTool => signatures.iter().filter_map(first).map(String::from).collect(),
        Strategy::Sentinel => vec![SENTINEL.to_owned()],
    };
    leads.into_iter().map(|lead| (lead, Role::Open { framing: 0, opener: 0 })).collect()
}
