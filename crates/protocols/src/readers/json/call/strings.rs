//! Strings as members of a call: its name, its id, arguments written as text, visible text.

use toolweir_rjson::{Kind, escape_into, unescape};

use super::{ArgsState, CallReader, Into, note_repeated};
use crate::diagnostics::LIMIT_NAME;
use crate::engine::{Ctx, Result};
use crate::program::{Keys, Member};

impl CallReader {
    pub(super) fn string_start(&mut self, at: u64, ctx: &mut Ctx<'_>) {
        self.text.clear();
        if self.slot == Member::NameOrWrapper && ctx.call.name.is_some() {
            note_repeated("name", ctx);
        }
        self.into = match std::mem::take(&mut self.slot) {
            Member::Name | Member::NameOrWrapper if ctx.call.name.is_none() => Into::Name,
            Member::Args if self.stray_argument(ctx) && ctx.call.name.is_some() => Into::Nothing,
            Member::Args => Into::ArgsText,
            Member::Text => Into::Visible,
            Member::Id if ctx.call.native_id.is_none() => Into::Id,
            _ => Into::Nothing,
        };
        if self.into == Into::ArgsText {
            self.begin_args(at, ctx);
            self.started = false;
        }
    }

    pub(super) fn string_text(&mut self, wire: &str, keys: &Keys, ctx: &mut Ctx<'_>) {
        let read = match self.into {
            Into::Name | Into::Id => {
                // C3: how much of a string comes at once depends on the chunk, so trouble in it
                // counts at the end of the object.
                let limit = ctx.request.limits.max_name_bytes;
                if self.text.len() <= limit {
                    self.text.push_str(&unescape(wire));
                }
                if self.text.len() > limit && self.into == Into::Name {
                    self.spoil(LIMIT_NAME, "a tool name is longer than the limit");
                }
                return;
            }
            Into::ArgsText => {
                let keeps = self.keeps_bare(false, keys, ctx);
                self.args_text(&unescape(wire), keeps, ctx)
            }
            Into::BareText => {
                // C3: the first piece was decoded to see what it is, so all are spelled anew.
                let mut spelled = String::new();
                escape_into(&mut spelled, &unescape(wire));
                self.piece(&Kind::StringDelta, &spelled, 0, ctx)
            }
            _ => return,
        };
        if let Err(fault) = self.resolve(read, keys, ctx) {
            self.fault.get_or_insert(fault);
        }
    }

    pub(super) fn string_end(&mut self, ctx: &mut Ctx<'_>) -> Result {
        match self.into {
            Into::Name => {
                self.into = Into::Nothing;
                if self.fault.is_none() {
                    ctx.set_name(self.text.clone())?;
                    self.release(ctx)?;
                }
            }
            Into::Id => {
                self.into = Into::Nothing;
                // An id beyond the limit of names is none; the call does not depend on it.
                if self.text.len() <= ctx.request.limits.max_name_bytes {
                    ctx.call.native_id = Some(self.text.clone());
                }
            }
            Into::Visible => self.into = Into::Nothing,
            Into::BareText => {
                self.into = Into::Nothing;
                let at = ctx.out.at;
                self.piece(&Kind::StringEnd, "\"", at, ctx)?;
                self.close_bare(at, ctx)?;
                self.args = ArgsState::Closed;
            }
            Into::ArgsText => {
                self.into = Into::Nothing;
                self.args = match self.started {
                    true => ArgsState::Closed,
                    false if self.strays.holds_arguments() => ArgsState::Missing,
                    false => ArgsState::Empty,
                };
                if self.started && ctx.call.name.is_some() {
                    self.check_inner(ctx);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
