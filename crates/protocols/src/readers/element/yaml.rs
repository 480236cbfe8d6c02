//! A YAML body on its way to the arguments.

#[cfg(feature = "yaml")]
use toolweir_schema_coerce::Schema;
#[cfg(feature = "yaml")]
use toolweir_segments::Span;

use super::{ElementReader, Step, YamlBody, mended_tag, take};
use crate::diagnostics::LIMIT_HELD;
#[cfg(feature = "yaml")]
use crate::diagnostics::RAW_VALUE;
#[cfg(not(feature = "yaml"))]
use crate::diagnostics::UNREADABLE_CALL;
#[cfg(feature = "yaml")]
use crate::engine::shown;
use crate::engine::{Ctx, Fault, FloorBoundary};

impl ElementReader {
    /// A YAML body, read when it is whole.
    pub(super) fn yaml_body(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let limit = ctx.request.limits.max_held_bytes;
        while !input.is_empty() {
            let room = limit.saturating_sub(self.held.len());
            let end = input.find('>').map_or(input.len(), |at| at + 1);
            let end = if end > room { input.floor_char_boundary_up_to(room) } else { end };
            let (now, later) = input.split_at_checked(end).unwrap_or((input, ""));
            *input = later;
            #[cfg(feature = "meter")]
            {
                self.looked += now.len() as u64;
            }
            self.held.push_str(now);
            if let Some(bytes) = self.yaml.as_mut().and_then(|yaml| yaml.closed(&self.held)) {
                let source = std::mem::take(&mut self.held);
                take(&source, ctx);
                self.at = source.len();
                let body = source.get(..bytes).unwrap_or_default();
                let written = self.yaml_arguments(body, ctx);
                if written.is_ok() && self.yaml.as_ref().is_some_and(YamlBody::is_within) {
                    mended_tag(ctx);
                }
                return written.map_or_else(Step::NoCall, |()| Step::Closed);
            }
            if now.is_empty() {
                let message = "the body of the call is longer than the limit";
                take(&std::mem::take(&mut self.held), ctx);
                return Step::Failed(Fault::new(LIMIT_HELD, message));
            }
        }
        Step::More
    }

    #[cfg(feature = "yaml")]
    fn yaml_arguments(&mut self, body: &str, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        let schema = self.schema.take().unwrap_or_else(Schema::any);
        let read = crate::readers::yaml::read(body, &schema, ctx)?;
        for key in &read.raw {
            (ctx.call.repaired, ctx.call.noted) = (true, true);
            let message = format!("the value of `{}` is no YAML; it is taken as text", shown(key));
            ctx.note(RAW_VALUE, Span::empty(ctx.out.at), &message);
        }
        self.json(&read.json, ctx)
    }

    /// Formats with such bodies do not compile without the feature.
    #[cfg(not(feature = "yaml"))]
    fn yaml_arguments(&mut self, _body: &str, _ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        Err(Fault::new(UNREADABLE_CALL, "YAML is not built in"))
    }
}
