//! The header of a parameter, in a call and inside a value, and the beginning of its value.

use std::sync::Arc;

use toolweir_rxml::decode_references;
use toolweir_segments::Span;

use super::{PatternReader, State};
use crate::diagnostics::{BAD_NAME, LIMIT_HELD, MISSING_OPENER};
use crate::engine::{Ctx, Fault, Match, Matched, Result, Step, shown};
use crate::program::{Params, Slot, Trim};
use crate::readers::typed::How;
use crate::readers::{Stepped, cut_value, next_char, refeed};
use crate::spec::Entities;

impl PatternReader {
    /// The header of a parameter; `next`: inside a value that has no closing delimiter.
    pub(super) fn header(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Stepped {
        let spec = Arc::clone(&self.spec);
        while let Some(c) = next_char(input) {
            let before = self.text.held.len();
            self.text.hold(c);
            if self.state == State::Next && self.is_closing_tag() {
                return Ok(Some(self.refuse(ctx)));
            }
            match self.matcher.feed(c, &self.text.held, before, &spec.code) {
                Match::More if self.text.held.len() <= ctx.request.limits.max_held_bytes => {}
                Match::More => {
                    let message = "a tag of the call is longer than the limit";
                    return Err(Fault::new(LIMIT_HELD, message));
                }
                Match::Done(matched) if self.state == State::Next && self.is_element(&matched) => {
                    self.element(ctx);
                    return Ok(None);
                }
                Match::Done(matched)
                    if self.state == State::Next && !self.may_be_next(&matched) =>
                {
                    let key = matched.slot(Slot::Key, &self.text.held).unwrap_or_default();
                    if self.opened || self.text.params.is_interrupted_by(key) {
                        self.text.doubt_value(ctx);
                    }
                    return Ok(Some(self.refuse(ctx)));
                }
                Match::Done(matched) => {
                    // What comes after a key is looked at to tell where it ends.
                    let beyond = self.text.held.split_off(matched.payload);
                    let begun = self.begin_value(&matched, ctx);
                    return match begun {
                        Ok(()) => Ok(refeed(beyond)),
                        Err(fault) => {
                            // C1: what was read is the stream's again.
                            self.text.held.push_str(&beyond);
                            Err(fault)
                        }
                    };
                }
                Match::None(_) if self.state == State::Next => {
                    self.refuse_token();
                    return Ok(Some(self.refuse(ctx)));
                }
                Match::None(_) => {
                    let message = "the opening tags of a parameter cannot be read";
                    return Err(Fault::new(BAD_NAME, message));
                }
            }
        }
        Ok(Some(Step::More))
    }

    /// Whether the opener of a parameter that is held ends an open value. Within a line it does not, unless it is
    /// a declared one after another closing tag: it is data, or the value's closing delimiter is damaged.
    fn may_be_next(&self, matched: &Matched) -> bool {
        let key = matched.slot(Slot::Key, &self.text.held).unwrap_or_default();
        matched.exit.form != Params::UNOPENED
            && (self.spec.next_anywhere
                || self.text.held.starts_with('\n')
                || self.text.is_closed_before(key, &self.spec.words))
    }

    /// Whether what began like the tag of a parameter is a closing tag, on a line of its own.
    fn is_closing_tag(&self) -> bool {
        let held = self.text.held.trim_start_matches('\n');
        self.spec.tags.as_ref().is_some_and(|tags| held == tags.close)
    }

    /// Whether a tag in a value is no parameter but an element of it, or data.
    fn is_element(&mut self, matched: &Matched) -> bool {
        if self.spec.tags.is_none() {
            return false;
        }
        let key = matched.slot(Slot::Key, &self.text.held).unwrap_or_default();
        let params = &self.text.params;
        if !params.is_nested() {
            let is_data = !params.declares(key) || key == params.key;
            if is_data {
                self.refuse_token();
            }
            return is_data;
        }
        self.depth += usize::from(key == params.key);
        true
    }

    fn begin_value(&mut self, matched: &Matched, ctx: &mut Ctx<'_>) -> Result {
        if self.state == State::Next {
            self.refuse_if_opened(ctx);
            self.text.end_at_opener(&self.spec.words, self.spec.framed, false, ctx)?;
        }
        let key = matched.slot(Slot::Key, &self.text.held).unwrap_or_default();
        let key = match self.spec.entities {
            Entities::Verbatim => key.to_owned(),
            _ => decode_references(key),
        };
        if key.is_empty() || self.spec.enclosed && !self.text.params.takes(&key) {
            return Err(Fault::new(BAD_NAME, "a parameter has no readable key"));
        }
        let is_text = self.spec.enclosed && self.spec.file_text.contains(&key);
        self.text.params.trim = if is_text { Trim::LINE_BREAKS } else { self.spec.trim };
        let how = match (matched.slot(Slot::Type, &self.text.held), &self.spec.types) {
            (None, _) if self.spec.nested => How::Nested,
            (None, _) => How::Schema,
            (Some(word), Some((text, _))) if word == text => How::Text,
            (Some(word), Some((_, json))) if word == json => How::Json,
            (Some("string"), None) => How::Text,
            (Some(_), None) => How::Json,
            (Some(_), Some(_)) => How::Schema,
        };
        self.text.take_source(ctx);
        self.unopened = matched.exit.form == Params::UNOPENED;
        (self.state, self.depth, self.opened) = (State::Lead, 0, self.unopened);
        if self.unopened {
            ctx.call.repaired = true;
            let message =
                format!("the value of the parameter `{}` has no opening tag", shown(&key));
            ctx.note(MISSING_OPENER, Span::empty(ctx.out.at), &message);
        }
        self.lead.clone_from(&self.spec.lead);
        if let Some(tags) = &self.spec.tags {
            self.lead.extend([key.as_str(), &tags.open_end]);
        }
        self.text.begin_value(&key, how, ctx)
    }

    /// A value that begins with its own opening tag, perhaps on the next line: that was written twice,
    /// or is the value's.
    pub(super) fn in_lead(&mut self, input: &mut &str) -> Option<Step> {
        if self.text.held.is_empty() && !input.starts_with([self.lead.chars().next()?, '\n']) {
            self.state = State::Value;
            return None;
        }
        while let Some(c) = next_char(input) {
            self.text.hold(c);
            let tag = self.text.held.strip_prefix('\n').unwrap_or(&self.text.held);
            let whole = tag == self.lead;
            if whole {
                self.text.params.refuse(cut_value());
            }
            if whole || !self.lead.starts_with(tag) {
                self.state = State::Value;
                return Some(Step::Refeed(std::mem::take(&mut self.text.held)));
            }
        }
        Some(Step::More)
    }
}
