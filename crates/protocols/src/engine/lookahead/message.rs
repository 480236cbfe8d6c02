//! The header of a message has ended: text, reasoning or a call begins.

use toolweir_schema_coerce::Member;
use toolweir_segments::{EventSink, Span};

use super::{Lookahead, Matched, Origin};
use crate::diagnostics::{MISSING_CLOSER, STRAY_TEXT};
use crate::engine::{Begin, Engine, ErrorRecovery, State};
use crate::program::{Message, MessageBody, PayloadProgram};

impl Engine {
    /// The header of a message that is read by hand has ended: its body begins.
    pub(super) fn resolve_channel(
        &mut self,
        mut lookahead: Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) {
        let Some(read) = self.program.header else { return };
        let opener = self.opener(&lookahead).to_owned();
        self.shorten(&mut lookahead, matched);
        let header = opener + &lookahead.held;
        let (message, fault) = read(&header);
        if matches!(message, Message::Call { .. }) && self.is_beyond_calls(&lookahead, sink) {
            return self.reject_opener(lookahead, sink);
        }
        let in_reasoning = lookahead.origin == Origin::Reasoning;
        let markup = self.enter(&mut lookahead, matched, sink);
        if in_reasoning {
            self.reasoning.resume = false;
            let message = "the end marker of a message of reasoning is missing";
            self.out.diagnostic(MISSING_CLOSER, Span::empty(self.out.at), message, sink);
        }
        if let Some(fault) = fault {
            let span = Span::new(self.out.at, self.out.at + markup.len() as u64);
            self.out.diagnostic(STRAY_TEXT, span, fault, sink);
        }
        match message {
            Message::Call { name, source } => {
                let name = self.request.tools.resolved(name);
                let source = source && self.takes_source(matched.exit.form + 1, &name);
                let form = self.program.calls.forms.get(matched.exit.form + usize::from(source));
                let reader = form.map_or(0, |form| form.reader);
                (self.marked, self.end_marker_due) = (true, true);
                self.asks_name = false;
                self.begin_payload(reader, &markup, Some(name), &Begin::default(), sink);
            }
            Message::Reasoning => self.begin_message(MessageBody::Reasoning, &markup, sink),
            Message::Text => self.begin_message(MessageBody::Text, &markup, sink),
        }
    }

    /// Whether a tool takes the argument that holds the source of such a call: one that is declared must have it.
    fn takes_source(&self, form: usize, name: &str) -> bool {
        let reader = self.program.calls.forms.get(form).map_or(0, |form| form.reader);
        let Some(PayloadProgram::Raw(raw)) = self.program.payloads.get(reader) else {
            return false;
        };
        let schema = self.request.tools.schema(name);
        schema.is_none_or(|schema| matches!(schema.root().member(&raw.key), Member::Declared(_)))
    }

    pub(super) fn begin_message(
        &mut self,
        body: MessageBody,
        markup: &str,
        sink: &mut dyn EventSink,
    ) {
        if body == MessageBody::Reasoning && self.program.reasoning.is_some() {
            self.run.end(&mut self.out, sink);
            self.out.close(sink);
            self.begin_reasoning(0, markup.len());
            self.reasoning.in_message = true;
            return;
        }
        self.state = State::Text;
        if body == MessageBody::Skip {
            self.error_recovery = ErrorRecovery::Skipped;
            self.skipped.bytes = markup.len();
            self.out.close(sink);
        } else {
            self.out.markup(markup.len(), sink);
        }
        self.run.reset(false);
    }
}
