//! The markers of each channel, as the forms of a format and the tools of a request make them.

use super::Build;
use super::forms::{Among, Forms};
use super::parts::with_suffix;
use super::section::ANY_OPENER;
use super::table::{Entries, Role, add_openers, has_word};
use super::words::Words;

/// What is looked for where.
#[derive(Default)]
pub(super) struct Channels {
    pub(super) text: Entries,
    /// After a call.
    pub(super) between: Entries,
    /// What may end an open reasoning section.
    pub(super) reasoning: Entries,
}

/// Whitespace that goes with an opener.
struct Framings<'a> {
    text: Vec<&'a str>,
    reasoning: Vec<&'a str>,
}

impl Channels {
    pub(super) fn of(forms: &Forms, family: Entries, build: Build<'_>) -> Self {
        let newline = build.framing_newline.then_some("\n");
        let (first, next) = (forms.framing.0.as_str(), forms.framing.1.as_str());
        let others = || forms.framings.iter().map(String::as_str);
        let framings = Framings {
            text: [first].into_iter().chain(others()).chain(newline).collect(),
            reasoning: [first, next].into_iter().chain(others()).collect(),
        };
        let mut channels = Self::default();
        channels.add_leads(forms, &framings);
        if let Some(words) = &forms.words {
            channels.add_wrap(words);
        }
        channels.add_headers(forms, build, &framings);
        if let Some(tags) = &forms.code.names {
            let end_markers = tags.iter().map(|name| (format!("</{name}>"), Role::Close));
            channels.text.extend(end_markers);
            let lines = tags.lines().map(|name| (format!("\n{name}"), Role::LineOpen));
            channels.text.extend(lines);
        }
        channels.text.extend(family);
        channels
    }

    /// Openers that stand in one channel each.
    fn add_leads(&mut self, forms: &Forms, framings: &Framings<'_>) {
        for (index, lead) in forms.leads.iter().enumerate() {
            let open = |framing| Role::Open { framing, opener: forms.openers.len() + index };
            let (channel, framings) = match lead.among {
                Among::Text => (&mut self.text, framings.text.as_slice()),
                Among::Unframed => (&mut self.text, &[][..]),
                Among::Reasoning => (&mut self.reasoning, framings.reasoning.as_slice()),
            };
            add_openers(channel, &lead.spelled, framings, open);
        }
    }

    /// The wrapper of tags that are read freely, after a call.
    fn add_wrap(&mut self, words: &Words) {
        let wrap: Vec<&str> = words.wrap.iter().map(String::as_str).collect();
        let tags = |lead: &str, end: &str| -> Vec<String> {
            wrap.iter().map(|word| format!("{lead}{word}{end}")).collect()
        };
        self.between
            .extend(tags("</", ">").into_iter().map(|end_marker| (end_marker, Role::Close)));
        let open = |framing| Role::Open { framing, opener: 0 };
        add_openers(&mut self.between, &tags("<", ">"), &[], open);
    }

    /// Openers of headers, and what closes their calls.
    fn add_headers(&mut self, forms: &Forms, build: Build<'_>, framings: &Framings<'_>) {
        let listed = build.family.map_or(&[][..], |family| family.tool_openers);
        let suffixed = listed.iter().filter_map(|own| Some(with_suffix(own, build.suffix?)));
        let suffixed: Vec<String> = suffixed.collect();
        // Whitespace in a listed one may end the opener.
        let begins = |opener: &str, own: &str| {
            opener.starts_with(own)
                || own.starts_with(opener) && opener.contains(char::is_alphanumeric)
        };
        let own = |opener: &str| {
            listed.iter().any(|own| begins(opener, own))
                || suffixed.iter().any(|own| begins(opener, own))
        };
        // A family that lists others only means those.
        let any = listed.is_empty() || listed.contains(&ANY_OPENER);
        for (opener, header) in forms.openers.iter().enumerate() {
            let open = |framing| Role::Open { framing, opener };
            let text = std::slice::from_ref(&header.text);
            add_openers(&mut self.text, text, &framings.text, open);
            if header.always_ends_reasoning || header.ends_reasoning && any || own(&header.text) {
                add_openers(&mut self.reasoning, text, &framings.reasoning, open);
            } else if header.ends_reasoning && has_word(&header.text) {
                // It is data there, which is reported where the section is not closed.
                self.reasoning.push((header.text.clone(), Role::CallOpen));
            }
        }
        let after_calls = || forms.openers.iter().enumerate().filter(|(_, o)| o.block);
        let openers: Vec<&str> = after_calls().map(|(_, opener)| opener.text.as_str()).collect();
        let end_markers = || {
            forms
                .end_markers
                .iter()
                .map(|end_marker| (end_marker.text.trim_start(), end_marker.inner))
        };
        self.text.extend(forms.strays.iter().map(|stray| (stray.clone(), Role::Stray)));
        // What opens a message ends the section as an opener of calls would.
        let ends = forms.strays.iter().filter(|stray| own(stray));
        self.reasoning.extend(ends.map(|stray| (stray.clone(), Role::Stray)));
        let closes = |end_marker: &String| (end_marker.clone(), Role::ReasonClose(0));
        self.reasoning.extend(forms.reason_end_markers.iter().map(closes));
        let wrong = forms.wrong_reason_end_markers.iter();
        self.reasoning.extend(wrong.map(|end_marker| (end_marker.clone(), Role::Close)));
        let first = |stray: &String| (stray.clone(), Role::FirstStray);
        self.text.extend(forms.first_strays.iter().map(first));
        let stray = |(end_marker, _): (&str, bool)| {
            // What begins with a marker that is never text begins nothing else.
            let reserved = forms.strays.iter().any(|stray| end_marker.starts_with(stray));
            let role = if reserved { Role::Close } else { stray_role(end_marker, &openers) };
            (end_marker.to_owned(), role)
        };
        self.text.extend(end_markers().map(stray));
        let role = |inner| if inner { Role::CloseInner } else { Role::Close };
        self.between
            .extend(end_markers().map(|(end_marker, inner)| (end_marker.to_owned(), role(inner))));
        for (opener, header) in after_calls() {
            let open = |framing| Role::Open { framing, opener };
            add_openers(&mut self.between, std::slice::from_ref(&header.text), &[], open);
        }
    }
}

/// What an end marker means in text, where none is due. One that an opener begins with begins other
/// things as well, and so may one that is no word.
fn stray_role(end_marker: &str, openers: &[&str]) -> Role {
    let begins_opener = openers.iter().any(|opener| opener.trim_start().starts_with(end_marker));
    let names_nothing = !end_marker.chars().any(char::is_alphanumeric);
    if begins_opener || names_nothing { Role::MayClose } else { Role::Close }
}
