//! Output items: added, growing, done.

use crate::flow::{Channel, Shown, Step};

use super::ResponseReasoning;
use super::types::{OutputItem, OutputPart, ResponseEventKind as Kind};

/// The items of a response.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    reasoning: ResponseReasoning,
    done: Vec<OutputItem>,
    /// The index of the open or next item.
    index: u32,
    /// The id of the open item.
    id: String,
    /// The text of the open part.
    text: String,
}

type Out<'o> = &'o mut dyn FnMut(Kind);

/// The only part of its item.
const FIRST: u32 = 0;

impl Items {
    pub(super) fn new(reasoning: ResponseReasoning) -> Self {
        Self { reasoning, ..Self::default() }
    }

    /// The items that are done.
    pub(super) fn take(&mut self) -> Vec<OutputItem> {
        std::mem::take(&mut self.done)
    }

    pub(super) fn step(&mut self, step: &Step<'_>, out: Out<'_>) {
        let hidden = self.reasoning == ResponseReasoning::Hidden;
        match step {
            Step::Start { channel: Channel::Reasoning, .. }
            | Step::Delta { channel: Channel::Reasoning, .. }
            | Step::End { channel: Channel::Reasoning, .. }
                if hidden => {}
            Step::Start { channel, id } => self.start(*channel, id, out),
            Step::Delta { channel, delta, .. } => {
                self.text.push_str(delta);
                let event = self.delta(*channel, delta);
                out(event);
            }
            Step::End { channel, cut, .. } => self.end(*channel, *cut, out),
            Step::CallStart(call) => {
                self.id = item_id(call.id);
                self.added(call_item(&self.id, *call, "", "in_progress"), out);
            }
            Step::Args { delta, .. } => {
                let (item_id, output_index, delta) = self.place(delta);
                out(Kind::FunctionCallArgumentsDelta { item_id, output_index, delta });
            }
            Step::CallEnd { call, arguments } => {
                let (item_id, output_index, arguments) = self.place(arguments);
                let item = call_item(&item_id, *call, &arguments, "completed");
                let name = call.name.to_owned();
                out(Kind::FunctionCallArgumentsDone { item_id, output_index, name, arguments });
                self.item_done(item, out);
            }
            Step::CallCut { call, arguments, .. } => {
                self.item_done(call_item(&self.id, *call, arguments, "incomplete"), out);
            }
            Step::Begin | Step::Finish(_) => {}
        }
    }

    fn place(&self, text: &str) -> (String, u32, String) {
        (self.id.clone(), self.index, text.to_owned())
    }

    fn added(&self, item: OutputItem, out: Out<'_>) {
        out(Kind::OutputItemAdded { output_index: self.index, item });
    }

    fn item_done(&mut self, item: OutputItem, out: Out<'_>) {
        self.done.push(item.clone());
        out(Kind::OutputItemDone { output_index: self.index, item });
        self.index = self.index.saturating_add(1);
    }

    fn start(&mut self, channel: Channel, id: &str, out: Out<'_>) {
        id.clone_into(&mut self.id);
        self.text.clear();
        self.added(self.item(channel, None, "in_progress"), out);
        let (item_id, output_index) = (self.id.clone(), self.index);
        let part = self.part(channel, "");
        out(if self.is_summary(channel) {
            Kind::ReasoningSummaryPartAdded { item_id, output_index, summary_index: FIRST, part }
        } else {
            Kind::ContentPartAdded { item_id, output_index, content_index: FIRST, part }
        });
    }

    fn delta(&self, channel: Channel, delta: &str) -> Kind {
        let (item_id, output_index, delta) = self.place(delta);
        let content_index = FIRST;
        match channel {
            Channel::Text => {
                Kind::OutputTextDelta { item_id, output_index, content_index, delta, logprobs: [] }
            }
            Channel::Reasoning if self.is_summary(channel) => {
                let summary_index = FIRST;
                Kind::ReasoningSummaryTextDelta { item_id, output_index, summary_index, delta }
            }
            Channel::Reasoning => {
                Kind::ReasoningTextDelta { item_id, output_index, content_index, delta }
            }
        }
    }

    fn end(&mut self, channel: Channel, cut: bool, out: Out<'_>) {
        let whole = std::mem::take(&mut self.text);
        let part = self.part(channel, &whole);
        let item = self.item(channel, Some(&whole), if cut { "incomplete" } else { "completed" });
        let (item_id, output_index, text) = (self.id.clone(), self.index, whole);
        let content_index = FIRST;
        if self.is_summary(channel) {
            let (item_id_of_part, summary_index) = (item_id.clone(), FIRST);
            out(Kind::ReasoningSummaryTextDone { item_id, output_index, summary_index, text });
            let item_id = item_id_of_part;
            out(Kind::ReasoningSummaryPartDone { item_id, output_index, summary_index, part });
        } else {
            let item_id_of_part = item_id.clone();
            out(match channel {
                Channel::Text => Kind::OutputTextDone {
                    item_id,
                    output_index,
                    content_index,
                    text,
                    logprobs: [],
                },
                Channel::Reasoning => {
                    Kind::ReasoningTextDone { item_id, output_index, content_index, text }
                }
            });
            let item_id = item_id_of_part;
            out(Kind::ContentPartDone { item_id, output_index, content_index, part });
        }
        self.item_done(item, out);
    }

    fn is_summary(&self, channel: Channel) -> bool {
        channel == Channel::Reasoning && self.reasoning == ResponseReasoning::Summary
    }

    fn part(&self, channel: Channel, text: &str) -> OutputPart {
        let text = text.to_owned();
        match channel {
            Channel::Text => OutputPart::OutputText { text, annotations: [], logprobs: [] },
            Channel::Reasoning if self.is_summary(channel) => OutputPart::SummaryText { text },
            Channel::Reasoning => OutputPart::ReasoningText { text },
        }
    }

    fn item(&self, channel: Channel, text: Option<&str>, status: &'static str) -> OutputItem {
        let id = self.id.clone();
        let parts: Vec<OutputPart> =
            text.map(|text| self.part(channel, text)).into_iter().collect();
        match channel {
            Channel::Text => OutputItem::Message { id, status, role: "assistant", content: parts },
            Channel::Reasoning => {
                let (summary, content) = if self.is_summary(channel) {
                    (parts, Vec::new())
                } else {
                    (Vec::new(), parts)
                };
                OutputItem::Reasoning { id, status, summary, content }
            }
        }
    }
}

fn call_item(id: &str, call: Shown<'_>, arguments: &str, status: &'static str) -> OutputItem {
    OutputItem::FunctionCall {
        id: id.to_owned(),
        call_id: call.id.to_owned(),
        name: call.name.to_owned(),
        arguments: arguments.to_owned(),
        status,
    }
}

/// The id of the item of a call, which is not the id that its result quotes.
fn item_id(call_id: &str) -> String {
    format!("fc_{}", call_id.strip_prefix("call_").unwrap_or(call_id))
}
