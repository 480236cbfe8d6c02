//! What a segment decoder looks for, compiled once: marker sets, content ends, signatures.

use std::sync::Arc;

use toolweir_markers::{MarkerId, MarkerSet, SetError};

use super::class::{Classes, ContentClass};
use super::content::Ends;
use super::gate::SENTINEL;
use super::strategy::Strategy;
use crate::error::SpecError;
use crate::reasoning::{Family, ToolEnds};

/// What a marker of a channel means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A call may begin here.
    Lead,
    /// The reasoning section opens.
    ReasonOpen,
    /// It closes.
    ReasonClose,
}

/// The markers of a channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) set: MarkerSet,
    roles: Vec<Role>,
}

impl Channel {
    fn build(entries: Vec<(String, Role)>) -> Result<Self, SetError> {
        let mut markers: Vec<String> = Vec::new();
        let mut roles = Vec::new();
        for (marker, role) in entries.into_iter().filter(|(marker, _)| !marker.is_empty()) {
            if !markers.contains(&marker) {
                markers.push(marker);
                roles.push(role);
            }
        }
        Ok(Self { set: MarkerSet::new(&markers)?, roles })
    }

    pub(super) fn role(&self, id: MarkerId) -> Role {
        self.roles.get(id.index()).copied().unwrap_or(Role::Lead)
    }
}

/// The reasoning section of a family.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) channel: Channel,
    pub(super) close: String,
    pub(super) after_open: String,
    pub(super) after_close: String,
    pub(super) tool_ends: ToolEnds,
}

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
    pub(super) text: Channel,
    pub(super) section: Option<Section>,
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
        Self::compile(order, signatures, classes, family)
            .map_err(|source| SpecError::Markers { format: format.to_owned(), source })
    }

    fn compile(
        order: &[Strategy],
        signatures: Vec<String>,
        classes: &Classes,
        family: Option<&Family<'_>>,
    ) -> Result<Self, SetError> {
        let words: Vec<String> =
            classes.tags().chain([TOOL]).map(str::to_ascii_lowercase).collect();
        let mut leads = Vec::new();
        for strategy in order {
            match strategy {
                Strategy::XmlTag => {
                    for first in words.iter().filter_map(|word| word.chars().next()) {
                        leads.push(format!("<{first}"));
                        leads.push(format!("<{}", first.to_ascii_uppercase()));
                    }
                }
                Strategy::JsonTool => {
                    leads.extend(
                        signatures.iter().filter_map(|s| s.chars().next()).map(String::from),
                    );
                }
                Strategy::Sentinel => leads.push(SENTINEL.to_owned()),
            }
        }
        let leads = || leads.iter().map(|lead| (lead.clone(), Role::Lead));
        let markers = |family: &Family<'_>| {
            [(family.open, Role::ReasonOpen), (family.close, Role::ReasonClose)]
                .map(|(marker, role)| (marker.to_owned(), role))
        };
        let text = leads().chain(family.into_iter().flat_map(markers)).collect();
        let section = match family {
            Some(family) => Some(section(family, leads().collect())?),
            None => None,
        };
        Ok(Self {
            order: order.to_vec(),
            text: Channel::build(text)?,
            section,
            classes: classes.iter().map(compile).collect::<Result<_, _>>()?,
            words,
            signatures,
            argument: Ends::argument()?,
            sentinel: Ends::literal("[[SEG_END]]")?,
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
        Some((_, end)) => Some(Ends::marked(end)?),
        None => None,
    };
    Ok(Arc::new(Compiled { class: class.clone(), tags: tags.collect::<Result<_, _>>()?, marked }))
}

fn section(family: &Family<'_>, leads: Vec<(String, Role)>) -> Result<Section, SetError> {
    let mut entries = vec![
        (format!("{}{}", family.before_close, family.close), Role::ReasonClose),
        (family.close.to_owned(), Role::ReasonClose),
        (family.open.to_owned(), Role::ReasonOpen),
    ];
    entries.extend(leads);
    Ok(Section {
        channel: Channel::build(entries)?,
        close: family.close.to_owned(),
        after_open: family.after_open.to_owned(),
        after_close: family.after_close.to_owned(),
        tool_ends: family.tool_ends,
    })
}
