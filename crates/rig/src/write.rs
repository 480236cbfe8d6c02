//! Parts of an answer, written as the pieces of a reply of rig.

use rig_core::error::ProviderError;
use rig_core::message::{CallId, ToolName};
use rig_core::operation::{Block, Completion};
use rig_core::serde_json::Value;
use rig_core::wire::Out;
use toolweir::WholeCall;
use toolweir::middleware::engine::AnswerPart;

/// Writes one reply, for a decoder of a wire.
///
/// What is shown of a call is a start and arguments; only one that may run gets its end.
#[derive(Debug, Default)]
pub struct Writer {
    call: Option<Begun>,
}

/// A call whose end has not been written.
#[derive(Debug)]
struct Begun {
    index: usize,
    name: String,
    grown: bool,
}

impl Writer {
    /// Writes the next part.
    ///
    /// # Errors
    /// As the writer of rig: none for parts in the order of one answer.
    pub fn write(
        &mut self,
        part: AnswerPart,
        out: &mut Out<'_, Completion>,
    ) -> Result<(), ProviderError> {
        match part {
            AnswerPart::Text(text) => {
                self.call = None;
                out.run(Block::Text, &text).map(drop)
            }
            AnswerPart::Reasoning(text) => {
                self.call = None;
                out.run(Block::Reasoning { redacted: false }, &text).map(drop)
            }
            AnswerPart::CallStart { name, native_id } => {
                self.call = begin(name, native_id, out)?;
                Ok(())
            }
            AnswerPart::Args(fragment) => match &mut self.call {
                Some(call) => {
                    call.grown = true;
                    out.push(call.index, &fragment)
                }
                None => Ok(()),
            },
            AnswerPart::Call(call) => self.end(call, out),
            _ => Ok(()),
        }
    }

    fn end(&mut self, call: WholeCall, out: &mut Out<'_, Completion>) -> Result<(), ProviderError> {
        let begun = self.call.take().filter(|begun| begun.name == call.name);
        let begun = match begun {
            Some(begun) => Some(begun),
            None => begin(call.name, call.native_id, out)?,
        };
        let Some(begun) = begun else { return Ok(()) };
        if begun.grown {
            // An entry of a list has arguments of its own; else these are the fragments, joined.
            out.restate(begun.index, &call.arguments)?;
        } else {
            out.push(begun.index, &call.arguments)?;
        }
        out.finish(begun.index)
    }
}

fn begin(
    name: String,
    id: Option<String>,
    out: &mut Out<'_, Completion>,
) -> Result<Option<Begun>, ProviderError> {
    out.end_run()?;
    // A call without a name is refused before it is a call.
    let Ok(tool) = ToolName::new(name.as_str()) else { return Ok(None) };
    let index = out.fresh_index();
    let id = CallId::from_wire(id.unwrap_or_default());
    out.open(index, Block::Call { id, name: tool }, Value::Null)?;
    Ok(Some(Begun { index, name, grown: false }))
}
