//! A call begins: what its header and the form of it say of its name, wrapper and payload.

use std::sync::Arc;

use toolweir_rxml::decode_references;
use toolweir_segments::{EventSink, Span};

use super::{Lookahead, Matched, Origin};
use crate::diagnostics::{BAD_ARGUMENTS, BAD_NAME, UNDECLARED_TOOL};
use crate::engine::call::Fault;
use crate::engine::{Begin, Engine, undeclared};
use crate::policy::Names;
use crate::program::{Found, PayloadProgram, Shape, Slot};

impl Engine {
    /// Whether a call that begins here is one too many. After an opener that has been asked already.
    pub(super) fn is_beyond_calls(
        &mut self,
        lookahead: &Lookahead,
        sink: &mut dyn EventSink,
    ) -> bool {
        lookahead.id.is_none() && lookahead.origin == Origin::Text && self.too_many_calls(sink)
    }

    /// A call begins whose payload is read by the form of its header.
    pub(super) fn begin_form(
        &mut self,
        mut lookahead: Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) {
        let Some(form) = self.program.calls.forms.get(matched.exit.form) else { return };
        if form.word.is_some() {
            return self.begin_worded(lookahead, matched, sink);
        }
        let (shape, reader, preset) = (form.shape, form.reader, form.name.clone());
        let (declared, closed, unreadable) = (form.declared, form.closed, form.unreadable);
        if shape == Shape::Line {
            let (start, len) = (self.out.at + self.withheld() as u64, matched.payload);
            if !self.counts(start, &lookahead.held) {
                return self.reject_opener(lookahead, sink);
            }
            self.call.trusted = self.intake.is_trusted(start, len);
        }
        if self.is_beyond_calls(&lookahead, sink) {
            return self.reject_opener(lookahead, sink);
        }
        let decoded = |name: &str| match self.program.calls.entities {
            true => decode_references(name),
            false => name.to_owned(),
        };
        let written = matched.slot(Slot::Name, &lookahead.held).map(decoded);
        let id = matched.slot(Slot::Id, &lookahead.held).map(str::to_owned);
        let name = preset.or(written).map(|name| self.request.tools.resolved(name));
        // An id that says no name is that of the only tool.
        let only = || self.request.tools.iter().next().filter(|_| self.request.tools.len() == 1);
        let nameless = id.as_ref().filter(|id| !id.contains('.'));
        let name = name.or_else(|| nameless.and_then(|_| only().map(|tool| tool.name.clone())));
        let any = self.request.policies.names == Some(Names::Any);
        // An object that names itself is asked when it does.
        let named = !self.program.is_call_object(reader);
        let inside = lookahead.origin == Origin::Section;
        let unmarked = declared && !inside;
        let is_declared = |name: &String| self.request.tools.contains(name);
        if unmarked && named && !any && !name.as_ref().is_some_and(is_declared) {
            // Text does not go on with an object of arguments after a name.
            let json = self.program.payloads.get(reader).is_some_and(PayloadProgram::is_json);
            if let Some(name) = name.filter(|_| json) {
                let start = self.out.at + self.withheld() as u64;
                let length = self.opener(&lookahead).len() + matched.payload;
                let span = Span::new(start, start + length as u64);
                self.out.diagnostic(UNDECLARED_TOOL, span, &undeclared(&name), sink);
            }
            return self.reject_opener(lookahead, sink);
        }
        let markup = self.enter(&mut lookahead, matched, sink);
        self.section |= matched.exit.section;
        self.opens_section = matched.exit.section;
        if self.opens_section && !inside {
            self.marked_section = !declared;
        }
        (self.marked, self.end_marker_due) = (true, closed);
        // After a call of a list without a mark, one of another tool is reported.
        self.asks_name = declared && (!named || inside && !self.marked_section);
        if unreadable {
            self.begin_call(&markup, sink);
            let named = name.map_or(Ok(()), |name| self.ctx(sink).set_name(name));
            let message = "the arguments of the call are no JSON object";
            let fault = named.err().unwrap_or_else(|| Fault::new(BAD_ARGUMENTS, message));
            return self.fail(fault, sink);
        }
        if !named {
            let list = matched.exit.found == Found::FirstOfList;
            self.begin_object(reader, &markup, list, sink);
        } else if name.is_some() {
            let begin = Begin { in_list: self.section, shape, ..Begin::default() };
            self.pending_id = id;
            self.begin_payload(reader, &markup, name, &begin, sink);
        } else {
            self.begin_call(&markup, sink);
            return self.fail(Fault::new(BAD_NAME, "a call has no readable name"), sink);
        }
        self.intake.recycle(markup);
    }

    /// A tag that is read freely has named a call.
    fn begin_worded(
        &mut self,
        mut lookahead: Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) {
        let program = Arc::clone(&self.program);
        let form = program.calls.forms.get(matched.exit.form);
        let Some((form, word)) = form.and_then(|form| Some((form, form.word.as_deref()?))) else {
            return;
        };
        let claim = matched.slot(Slot::Claim, &lookahead.held);
        let name = matched.slot(Slot::Name, &lookahead.held).or(claim).unwrap_or_default();
        let (name, section) = (name.to_owned(), matched.exit.section);
        let markup = self.enter(&mut lookahead, matched, sink);
        self.begin_tagged(&markup, name, word, form.shape, section, sink);
        self.intake.recycle(markup);
    }
}
