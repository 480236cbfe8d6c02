//! Writes tools, calls, turns of calls and responses from the patterns of a spec.
//!
//! C11: what is written decodes to the same call. What a pattern cannot carry unchanged is refused
//! with a [`FormatError`], never altered.
//!
//! A call is written by the first pattern that fits it. One with `{name=WORD}` fits its own tool only,
//! one without a hole for arguments a call without any; one that depends on an option, and what stands
//! in `{also:…}`, is read, never written. A name that the first such pattern cannot carry is refused,
//! even if a later one could. Whitespace that a wrapper or a call pattern begins with is framing, which
//! belongs after text: it is not written here.
//!
//! `call` writes one call, `args` the readers' syntaxes, `params` one parameter after the other, `raw`
//! text that nothing escapes, `stops` says where a reader would take such text to end, `id` composes
//! and checks ids, `whole` checks arguments that hold their own literals; `tools` and `response` stand
//! for themselves.
//!
//! Absent on purpose: schemas (values are written as they are; without a schema, formats without types
//! read all of them as text) and content classes (`{arg}` takes the only argument, which is text).

mod args;
mod call;
mod id;
mod params;
mod raw;
mod response;
pub(crate) mod stops;
mod tools;
mod whole;

#[cfg(test)]
mod tests;

use toolweir_rjson::{Object, Style, Value, WriteOptions, to_string_with};

pub(crate) use self::args::{
    Spelling, in_order, is_element, is_keyword, is_unquoted, quoted, yaml_key,
};
use self::call::CallWriter;
pub(crate) use self::call::{After, carries_name, is_attribute, is_name_char, is_tag_name};
pub(crate) use self::params::is_text_key;
pub(crate) use self::raw::{cdata, escaped};
use self::response::ResponseWriter;
use self::stops::Run;
use self::tools::ToolsWriter;
use crate::error::{FormatError, SpecError};
use crate::pattern::{AttributeValue, Part, Pattern, Role};
use crate::program::{Patterns, around, bad_pattern, read_pattern, unframed};
use crate::spec::{Entities, FormatSpec, ResponseBody, Tags};
use crate::tools::{Tool, ToolCall, ToolResponse};

/// What became of something to be written.
type Written = Result<(), FormatError>;

/// Writes tools, calls and responses of one spec.
#[derive(Debug)]
pub(crate) struct Renderer {
    format: Format,
    calls: Vec<Form>,
    /// Written before and after the calls of a turn.
    wrap: (String, String),
    tools: ToolsWriter,
    response: ResponseWriter,
}

/// What every writer knows of the format.
#[derive(Debug)]
pub(crate) struct Format {
    name: String,
    between: String,
    /// Tags are read in any letter case.
    any_case: bool,
    entities: Entities,
    /// Keys whose values stand between line breaks of their own.
    file_text: Vec<String>,
    style: Style,
    body: ResponseBody,
    /// What ends the calls of a turn, in any wrapper.
    ends: Vec<Run>,
    /// What begins a wrapper, a call or a message.
    openers: Vec<Run>,
}

/// A call pattern that may be written.
#[derive(Debug)]
struct Form {
    pattern: Pattern,
    /// The heads of other patterns that say more than its own: a call that begins like one is another.
    others: Vec<String>,
    /// The only tool that it is for.
    tool: Option<String>,
    /// It takes all calls of a turn in one list.
    list: bool,
}

/// A call with its arguments read.
#[derive(Debug)]
struct Prepared<'a> {
    call: &'a ToolCall,
    /// The arguments as the caller wrote them.
    json: &'a str,
    args: Object,
    /// The number of the call, from zero on.
    index: usize,
}

impl Renderer {
    /// Reads the patterns of a spec. The patterns that only reading needs may be empty; so may `tools`
    /// and `response`, which then write nothing and the content alone.
    ///
    /// # Errors
    /// [`SpecError::Pattern`] for a pattern that is none or does not fit its place.
    pub(crate) fn new(spec: &FormatSpec) -> Result<Self, SpecError> {
        let read_any = |field, text: &str, role| match text {
            "" => Ok(Pattern::default()),
            text => read_pattern(spec, field, text, role),
        };
        let mut patterns = Patterns::read(spec, str::to_owned)?;
        let tools = ToolsWriter::new(&read_any("tools", &spec.tools, Role::Tools)?)
            .map_err(|error| bad_pattern(spec, "tools", &spec.tools, error))?;
        let response = ResponseWriter::new(read_any("response", &spec.response, Role::Response)?);

        let heads: Vec<String> = patterns.heads().collect();
        let (ends, openers, wrap) = (patterns.ends(), patterns.openers(), patterns.around());
        patterns.retain_calls(spec, |call| call.option.is_none());
        Ok(Self {
            format: Format {
                name: spec.name.clone(),
                between: spec.between.clone(),
                any_case: spec.tags == Tags::Words,
                entities: spec.entities,
                file_text: spec.file_text.clone(),
                style: if spec.spaced { Style::Spaced } else { Style::Compact },
                body: spec.response_body,
                ends,
                openers,
            },
            calls: patterns.calls.into_iter().map(|call| Form::new(call, &heads)).collect(),
            wrap,
            tools,
            response,
        })
    }

    /// The tools as the prompt lists them.
    pub(crate) fn tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        self.tools.write(&self.format, tools)
    }

    /// The tools that patterns name.
    pub(crate) fn tools_named(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().filter_map(|form| form.tool.as_deref())
    }

    /// A turn of calls; nothing for none.
    pub(crate) fn calls(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        let prepared = calls.iter().enumerate().map(|(at, call)| Prepared::new(call, at));
        let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
        let mut chosen =
            prepared.iter().map(|call| self.single(call)).collect::<Result<Vec<_>, _>>()?;
        if chosen.is_empty() {
            return Ok(String::new());
        }
        // The entries of one list are calls of one pattern.
        let entries = self.format.between.contains(',');
        if entries && chosen.chunk_by(|a, b| a.0 == b.0).nth(1).is_some() {
            let mut any = self.calls.iter().enumerate().filter(|(_, form)| form.tool.is_none());
            let all = |(at, _)| prepared.iter().map(|call| self.by(at, call)?.ok()).collect();
            chosen = any.find_map(all).unwrap_or(chosen);
        }
        let list = |form: usize| self.calls.get(form).is_some_and(|form| form.list);
        let mut rest = prepared.as_slice();
        let mut written = Vec::with_capacity(chosen.len());
        for group in chosen.chunk_by(|a, b| a.0 == b.0 && list(a.0)) {
            let (calls, after) = rest.split_at_checked(group.len()).unwrap_or((rest, &[]));
            rest = after;
            match group {
                [(_, text)] => written.push(text.clone()),
                [(form, _), ..] => written.push(self.write(*form, calls)?),
                [] => {}
            }
        }
        let (before, after) = &self.wrap;
        Ok(format!("{before}{}{after}", written.join(&self.format.between)))
    }

    /// What a tool returned.
    pub(crate) fn response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.response.write(&self.format, response)
    }

    /// A call by the first pattern that fits it, and which one that is.
    fn single(&self, call: &Prepared<'_>) -> Result<(usize, String), FormatError> {
        let mut refused = None;
        for (at, form) in self.calls.iter().enumerate() {
            if form.tool.as_ref().is_some_and(|tool| *tool != call.call.name) {
                continue;
            }
            let error = match self.by(at, call) {
                Some(Ok(written)) => return Ok(written),
                // Another pattern would show a name that is no name of the format.
                Some(Err(error @ FormatError::Name { .. })) => return Err(error),
                Some(Err(error)) => error,
                None => self.format.bad_name(call.call),
            };
            refused.get_or_insert(error);
        }
        let none = FormatError::NoCalls { format: self.format.name.clone() };
        let name = || self.format.bad_name(call.call);
        Err(refused.unwrap_or_else(|| if self.calls.is_empty() { none } else { name() }))
    }

    /// A call by one of the patterns, unless it would be read as another one.
    fn by(&self, at: usize, call: &Prepared<'_>) -> Option<Result<(usize, String), FormatError>> {
        match self.write(at, std::slice::from_ref(call)) {
            Ok(text) if self.calls.get(at)?.reads_as_another(&text) => None,
            written => Some(written.map(|text| (at, text))),
        }
    }

    fn write(&self, form: usize, calls: &[Prepared<'_>]) -> Result<String, FormatError> {
        let parts = self.calls.get(form).map_or(&[][..], |form| &form.pattern.parts);
        CallWriter::write(&self.format, unframed(parts), calls)
    }
}

impl Patterns {
    /// What each begins with.
    pub(crate) fn heads(&self) -> impl Iterator<Item = String> {
        let all = self.calls.iter().chain(&self.wraps).chain(&self.messages);
        all.map(|pattern| head(unframed(&pattern.parts)))
    }

    /// What begins a wrapper, a call or a message.
    pub(crate) fn openers(&self) -> Vec<Run> {
        self.heads().map(|head| Run::new(head.trim())).filter(Run::is_telling).collect()
    }

    /// What ends the calls of a turn, in any wrapper.
    pub(crate) fn ends(&self) -> Vec<Run> {
        let after = |wrap: &Pattern| stops::runs(around(wrap).1, None, None);
        self.wraps.iter().flat_map(after).filter(Run::is_telling).collect()
    }

    /// What is written before and after the calls of a turn.
    pub(crate) fn around(&self) -> (String, String) {
        let (before, after) = self.wraps.first().map(around).unwrap_or_default();
        (fixed(unframed(before)), fixed(after))
    }
}

impl Form {
    fn new(pattern: Pattern, heads: &[String]) -> Self {
        let head = head(unframed(&pattern.parts));
        let others = heads.iter().filter(|h| h.len() > head.len() && h.starts_with(&head));
        let others = others.map(|h| spaced(h)).collect();
        let list = pattern.any(|part| matches!(part, Part::Call(template) if template.is_list()));
        Self { others, tool: pattern.tool(), list, pattern }
    }

    /// Whether a call written by this pattern begins as another pattern does, the hole after the head
    /// spelling out what the other has there.
    fn reads_as_another(&self, text: &str) -> bool {
        let longest = self.others.iter().map(String::len).max().unwrap_or_default();
        let mut end = longest.saturating_mul(2).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let text = spaced(text.get(..end).unwrap_or_default());
        self.others.iter().any(|other| text.starts_with(other))
    }
}

impl<'a> Prepared<'a> {
    fn new(call: &'a ToolCall, index: usize) -> Result<Self, FormatError> {
        let (json, args) = call.object()?;
        Ok(Self { call, json, args, index })
    }
}

impl Format {
    /// JSON written anew.
    fn json(&self, value: &Value) -> String {
        to_string_with(value, &WriteOptions::new(self.style))
    }

    fn bad_name(&self, call: &ToolCall) -> FormatError {
        FormatError::Name { format: self.name.clone(), tool: call.name.clone() }
    }

    fn no_arguments(&self, call: &ToolCall) -> FormatError {
        FormatError::NoArguments { format: self.name.clone(), tool: call.name.clone() }
    }

    fn bad_value(&self, key: &str, what: impl Into<String>) -> FormatError {
        FormatError::value(&self.name, key, what)
    }

    fn missing(&self, key: &str) -> FormatError {
        FormatError::Missing { format: self.name.clone(), key: key.to_owned() }
    }

    fn bad_id(&self, tool: &str) -> FormatError {
        FormatError::Id { format: self.name.clone(), tool: tool.to_owned() }
    }

    /// Text that would close what stands around it.
    fn refuse_marker(&self, text: &str, marker: &str) -> Written {
        if !marker.is_empty() && text.contains(marker) {
            let marker = marker.to_owned();
            return Err(FormatError::Marker { format: self.name.clone(), marker });
        }
        Ok(())
    }
}

/// The text that is written for parts without holes.
pub(crate) fn fixed(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Literal(text) | Part::Space(text) => out.push_str(text),
            Part::Any(patterns) => {
                out.extend(patterns.first().map(|pattern| fixed(&pattern.parts)));
            }
            Part::Opt(pattern) if !pattern.any(|part| *part == Part::Skip) => {
                out.push_str(&fixed(&pattern.parts));
            }
            Part::Tag(tag) => {
                out.push_str(&tag.open);
                for attribute in &tag.attributes {
                    if let AttributeValue::Fixed(text) = &attribute.value {
                        out.extend([&attribute.space, &attribute.key, "=\"", text, "\""]);
                    }
                }
                out.push_str(&tag.close);
            }
            _ => {}
        }
    }
    out
}

/// The text that is written before the first hole.
pub(crate) fn head(parts: &[Part]) -> String {
    let mut out = String::new();
    head_into(parts, &mut out);
    out
}

/// Appends the text up to the first hole; false if there is one.
fn head_into(parts: &[Part], out: &mut String) -> bool {
    parts.iter().all(|part| match part {
        Part::Literal(text) | Part::Space(text) => {
            out.push_str(text);
            true
        }
        Part::NameIs(_) | Part::Commit | Part::At(_) | Part::Also(_) => true,
        Part::Any(patterns) => patterns.first().is_none_or(|p| head_into(&p.parts, out)),
        // Text before a hole in it may be missing.
        Part::Opt(pattern) => {
            let mut inner = String::new();
            let whole = head_into(&pattern.parts, &mut inner);
            if whole {
                out.push_str(&inner);
            }
            whole
        }
        Part::Tag(tag) => {
            out.push_str(&tag.open);
            false
        }
        _ => false,
    })
}

/// The text with each whitespace run as one space.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}
