//! The markers of each channel, as a spec and the tools of a request make them.

use super::table::{Entries, Role, add_openers, leads};
use super::{Build, ToolTags, family_markers};
use crate::engine::Words;
use crate::spec::{CallGate, FormatSpec, Payload, Wrap};

/// What is looked for where.
#[derive(Default)]
pub(super) struct Channels {
    pub(super) text: Entries,
    /// Behind a call.
    pub(super) between: Entries,
    /// What may end an open reasoning section.
    pub(super) reasoning: Entries,
}

/// White space that goes with an opener.
struct Framings<'a> {
    text: Vec<&'a str>,
    reasoning: [&'a str; 2],
}

impl Channels {
    pub(super) fn of(
        spec: &FormatSpec<'_>,
        build: Build<'_>,
        blocks: &Wrap<'_>,
        words: Option<&Words>,
        tags: Option<&ToolTags>,
    ) -> Self {
        let newline = build.framing_newline.then_some("\n");
        let framings = Framings {
            text: [spec.framing.first].into_iter().chain(newline).collect(),
            reasoning: [spec.framing.first, spec.framing.next],
        };
        let mut channels = Self::default();
        match words.filter(|words| words.free) {
            Some(words) => channels.add_free_tags(words, &framings),
            None => channels.add_blocks(blocks, words, &framings),
        }
        if let Some(tags) = tags {
            tags.add(&mut channels.text, &framings.text);
            tags.add_openers(&mut channels.reasoning, &framings.reasoning);
        }
        if spec.gate == CallGate::CallObject {
            let list = matches!(spec.payload, Payload::Json { list: true, .. }).then_some("[");
            let leads = ["{"].into_iter().chain(list);
            channels.text.extend(leads.map(|lead| (lead.to_owned(), Role::Object)));
        }
        channels.between.extend(closers(blocks).map(|closer| (closer.to_owned(), Role::Close)));
        add_openers(&mut channels.between, blocks.open, &[], |framing| Role::Open { framing });
        channels.text.extend(family_markers(build.family));
        channels
    }

    /// Tags in any spelling: their beginnings.
    fn add_free_tags(&mut self, words: &Words, framings: &Framings<'_>) {
        let lead = |framing| Role::Lead { framing };
        let outer: Vec<&str> = words.wrap.iter().chain(&words.call).map(String::as_str).collect();
        add_openers(&mut self.text, &leads("<", &outer), &framings.text, lead);
        self.text.extend(leads("</", &outer).into_iter().map(|lead| (lead, Role::CloseLead)));
        let wrap: Vec<&str> = words.wrap.iter().map(String::as_str).collect();
        add_openers(&mut self.reasoning, &leads("<", &wrap), &framings.reasoning, lead);
    }

    /// Blocks by their fixed markers, and calls that may stand without one.
    fn add_blocks(&mut self, blocks: &Wrap<'_>, words: Option<&Words>, framings: &Framings<'_>) {
        let open = |framing| Role::Open { framing };
        add_openers(&mut self.text, blocks.open, &framings.text, open);
        if let Some(word) = words.and_then(|words| words.call.first()) {
            let tag = |framing| Role::TagOpen { framing };
            add_openers(&mut self.text, &[format!("<{word}=")], &framings.text, tag);
        }
        let stray = |closer: &str| (closer.to_owned(), stray_role(closer, blocks.open));
        self.text.extend(closers(blocks).map(stray));
        add_openers(&mut self.reasoning, blocks.open, &framings.reasoning, open);
    }
}

/// End markers without the blanks that a payload may stand in anyway.
fn closers<'a>(blocks: &Wrap<'a>) -> impl Iterator<Item = &'a str> {
    blocks.close.iter().map(|closer| closer.trim_start())
}

/// What an end marker means in text, where none is due. One that an opener begins with begins other
/// things as well, and so may one that is no word.
fn stray_role(closer: &str, openers: &[&str]) -> Role {
    let begins_opener = openers.iter().any(|opener| opener.trim_start().starts_with(closer));
    let names_nothing = !closer.chars().any(char::is_alphanumeric);
    if begins_opener || names_nothing { Role::MayClose } else { Role::Close }
}
