//! `aider-diff`: edits as search-and-replace blocks.
//!
//! ````text
//! src/weave.rs
//! ```rust
//! <<<<<<< SEARCH
//!     left();
//! =======
//!     right();
//! >>>>>>> REPLACE
//! ```
//! ````
//!
//! Source of the format: the prompts and the parser of Aider-AI/aider (`aider/coders/editblock_*.py`, read
//! in 2026).
//!
//! Models: any, under the prompt of Aider.
//!
//! A block is a call of `search_replace` with `path`, `search` and `replace`; both texts have their final
//! line break. An empty `search` creates the file or appends to it: that is for the caller to do.
//!
//! Quirks:
//! - the path stands before the fence, inside it, or in a fence of its own; `#`, `*`, backticks and a colon
//!   around it do not count; with whitespace in it, it stands in backticks;
//! - a block without a path is one of the file before it; without any it is refused;
//! - the fence may be missing, and one may hold several blocks;
//! - a divider in the second text is data. In the first text it cannot stand.
//!
//! Lines before a block that belong to it are markup, and so is the fence after it. As only the lines after
//! them can tell, up to four lines that may be a path or a fence wait for them.
//!
//! Delicate here: C6 (a marker is a whole line of exactly seven signs) and C10 (see above; any other line goes
//! out as it comes).
//!
//! ```ebnf
//! out    = { text | block } ;
//! block  = [ front ], "<<<<<<< SEARCH", nl, { line }, "=======", nl, { line }, ">>>>>>> REPLACE", nl,
//!          [ fence ] ;
//! front  = path | path, fence | fence | fence, path | fence, path, fence, [ fence ] ;
//! path   = { mark }, ? no whitespace ?, { mark }, nl | { mark }, "`", ? any text ?, "`", { mark }, nl ;
//! mark   = "#" | "*" | "`" | ":" | ws ;
//! fence  = "```", { "`" }, [ word ], nl ;
//! ```
//!
//! Why it is written by hand: the path stands before every marker, and may be that of another block.

mod block;
mod call;
mod decoder;
mod line;

use std::sync::Arc;

use toolweir_rjson::{Mode, Object, Value, parse};

use self::block::Blocks;
use self::decoder::AiderDecoder;
use self::line::{DIVIDER, REPLACE, SEARCH, path_of};
use super::HandWritten;
use crate::decoder::Decoder;
use crate::error::{FormatError, OptionError, RequestError};
use crate::policy::TextPolicy;
use crate::protocol::{Protocol, ProtocolExt};
use crate::request::{Reasoning, Request};
use crate::spec_protocol::SpecProtocol;
use crate::tools::{Tool, ToolCall, ToolResponse};

/// `aider-diff`.
pub const FORMAT: HandWritten = HandWritten {
    name: "aider-diff",
    aliases: &["aider_diff", "search-replace", "editblock"],
    payload: "`path`, `search` and `replace` between lines of seven signs",
    reasoning: "think-tags",
    models: "any prompted model under Aider",
    protocol: || Arc::new(AiderDiff),
};

/// The tool that a block calls, and its arguments.
const TOOL: &str = "search_replace";
const KEYS: [&str; 3] = ["path", "search", "replace"];

/// The protocol of search-and-replace blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AiderDiff;

impl Protocol for AiderDiff {
    fn name(&self) -> &str {
        FORMAT.name
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        let lines: Vec<String> = tools.iter().map(|tool| tool.to_value().to_string()).collect();
        Ok(lines.join("\n"))
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        if call.name != TOOL {
            let (format, tool) = (FORMAT.name.to_owned(), call.name.clone());
            return Err(FormatError::Name { format, tool });
        }
        let Ok(Value::Object(arguments)) =
            parse(&call.arguments, Mode::Strict).map(|parsed| parsed.value)
        else {
            return Err(FormatError::NotAnObject { tool: call.name.clone() });
        };
        if let Some(key) = arguments.keys().find(|key| !KEYS.contains(key)) {
            let (format, key) = (FORMAT.name.to_owned(), key.to_owned());
            return Err(FormatError::Argument { format, key });
        }
        let [path, search, replace] = KEYS.map(|key| text(&arguments, key));
        let (path, search, replace) = (path?, search?, replace?);
        let path = written_path(path)?;
        let body = format!("{SEARCH}\n{search}{DIVIDER}\n{replace}{REPLACE}");
        let written = format!("{path}\n```\n{body}\n```");
        self.verify(&arguments, written)
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        Ok(response.to_value(Value::from(response.content.as_str())).to_string())
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        if let Some(key) = request.options.keys().next() {
            return Err(OptionError::unknown(key, &[]).into());
        }
        let inner = SpecProtocol::of_reasoning(request)?.map(|inner| {
            let mut own = Request { prefix: String::new(), ..request.clone() };
            // Text comes back as it is, and every byte of it is accounted for.
            own.policies.text = Some(TextPolicy::PreserveAll);
            own.emit.markup = true;
            inner.decoder(&own)
        });
        let inner = inner.transpose()?;
        Ok(Box::new(AiderDecoder::new(inner, Blocks::new(request))))
    }

    fn special_markers(&self) -> Vec<String> {
        [SEARCH, DIVIDER, REPLACE].map(str::to_owned).to_vec()
    }

    fn lookahead_lines(&self) -> usize {
        line::MAX_FRONT
    }
}

impl AiderDiff {
    /// Reads the call back: what other text would come of is refused.
    fn verify(self, arguments: &Object, written: String) -> Result<String, FormatError> {
        let request = Request { reasoning: Reasoning::None, ..Request::default() };
        let refused = |key: &str| bad_value(key, "a line that is a marker");
        let turn = self.parse(&written, &request).map_err(|_| refused("path"))?;
        let mut calls = turn.calls();
        let (Some(found), None) = (calls.next(), calls.next()) else {
            return Err(refused("search"));
        };
        let back = parse(found.arguments, Mode::Strict).map(|parsed| parsed.value);
        let back = back.as_ref().ok().and_then(Value::as_object);
        let differs = |key: &&&str| back.and_then(|back| back.get(key)) != arguments.get(key);
        match KEYS.iter().find(differs) {
            Some(key) => Err(refused(key)),
            None if turn.parts.len() > 1 => Err(refused("replace")),
            None => Ok(written),
        }
    }
}

fn bad_value(key: &str, what: &str) -> FormatError {
    FormatError::value(FORMAT.name, key, what)
}

/// The text of an argument: lines, but for the path.
fn text<'a>(arguments: &'a Object, key: &str) -> Result<&'a str, FormatError> {
    let missing = || FormatError::Missing { format: FORMAT.name.to_owned(), key: key.to_owned() };
    let value = arguments.get(key).ok_or_else(missing)?;
    let text = value.as_str().ok_or_else(|| bad_value(key, "a value that is no text"))?;
    let lines = text.is_empty() || text.ends_with('\n');
    if key != "path" && !lines {
        return Err(bad_value(key, "a last line without its line break"));
    }
    Ok(text)
}

/// A path on its line: in backticks where it could not be told from other text.
fn written_path(path: &str) -> Result<String, FormatError> {
    let quoted = format!("`{path}`");
    [path.to_owned(), quoted]
        .into_iter()
        .find(|line| path_of(line) == Some(path))
        .ok_or_else(|| bad_value("path", "what is no path on a line of its own"))
}
