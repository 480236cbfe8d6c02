//! The built-in wire formats that are rows, one file a family. A new format is one row in the file of its
//! family; a new family is one file and one line here.

mod agent_prompt;
mod agent_structured;
mod channels;
mod cline_xml;
mod edit_blocks;
mod expressions;
mod hermes;
mod host_json;
mod invoke;
mod json_blocks;
mod json_headers;
mod json_markers;
mod json_mix;
mod json_unmarked;
mod key_value;
mod morph_xml;
mod qwen3_coder;
#[cfg(feature = "yaml")]
mod yaml_xml;

use crate::spec::{CallPattern, FormatSpec, Special};

/// Every family of rows, in the order of the documentation.
const FAMILIES: &[fn() -> Vec<FormatSpec>] = &[
    hermes::rows,
    json_markers::rows,
    json_blocks::rows,
    json_headers::rows,
    json_unmarked::rows,
    json_mix::rows,
    morph_xml::rows,
    cline_xml::rows,
    qwen3_coder::rows,
    key_value::rows,
    invoke::rows,
    expressions::rows,
    channels::rows,
    edit_blocks::rows,
    #[cfg(feature = "yaml")]
    yaml_xml::rows,
    agent_prompt::rows,
    agent_structured::rows,
    host_json::rows,
];

/// Every built-in row, in the order of the documentation.
#[must_use]
pub fn specs() -> Vec<FormatSpec> {
    FAMILIES.iter().flat_map(|rows| rows()).collect()
}

/// The built-in row of that name or alias.
#[must_use]
pub fn spec(name: &str) -> Option<FormatSpec> {
    specs().into_iter().find(|spec| spec.name == name || spec.aliases.iter().any(|a| a == name))
}

/// A row that is all default but for these lines.
fn row(lines: &[Line]) -> FormatSpec {
    FormatSpec::default().with(lines)
}

/// A field of a row that is text or a list of words, or an entry of one that is a list of patterns.
///
/// Rows written so are data; a struct that is filled in is code, ten times the size.
#[derive(Clone, Copy)]
enum Line {
    Name(&'static str),
    Aliases(&'static [&'static str]),
    Models(&'static str),
    Call(&'static str),
    Wrap(&'static str),
    Between(&'static str),
    Message(&'static str),
    /// No text: markers without a place, or tokens that end the turn, which stand in the answer where
    /// special tokens are passed on.
    Strays(&'static [&'static str]),
    Reads(&'static str),
    Whitespace(&'static str),
    Prompt(&'static str),
    Reasoning(&'static str),
    Tools(&'static str),
    Response(&'static str),
    /// What is no text.
    Set(fn(&mut FormatSpec)),
}

impl FormatSpec {
    /// With these lines in the place of its own; entries of a list, which stand together, replace all of it.
    fn with(mut self, lines: &[Line]) -> Self {
        let mut before = None;
        for line in lines {
            let kind = std::mem::discriminant(line);
            let first = before.replace(kind) != Some(kind);
            let (place, text) = match *line {
                Line::Name(text) => (Place::Text(&mut self.name), text),
                Line::Models(text) => (Place::Text(&mut self.models), text),
                Line::Call(text) => (Place::Calls(&mut self.call), text),
                Line::Wrap(text) => (Place::List(&mut self.wrap), text),
                Line::Between(text) => (Place::Text(&mut self.between), text),
                Line::Message(text) => (Place::List(&mut self.message), text),
                Line::Reads(text) => (Place::List(&mut self.reads), text),
                Line::Whitespace(text) => (Place::List(&mut self.whitespace), text),
                Line::Prompt(text) => (Place::Text(&mut self.prompt), text),
                Line::Reasoning(text) => (Place::Text(&mut self.reasoning), text),
                Line::Tools(text) => (Place::Text(&mut self.tools), text),
                Line::Response(text) => (Place::Text(&mut self.response), text),
                Line::Aliases(words) => {
                    self.aliases = owned(words);
                    continue;
                }
                Line::Strays(words) => {
                    self.strays = owned(words);
                    continue;
                }
                Line::Set(set) => {
                    set(&mut self);
                    continue;
                }
            };
            match place {
                Place::Text(field) => text.clone_into(field),
                Place::List(list) => put(list, first, text),
                Place::Calls(list) => put(list, first, text),
            }
        }
        self
    }
}

/// What a line is put into.
enum Place<'s> {
    Text(&'s mut String),
    List(&'s mut Vec<String>),
    Calls(&'s mut Vec<CallPattern>),
}

/// The first line of a list replaces what stood there.
fn put<T: From<&'static str>>(list: &mut Vec<T>, first: bool, text: &'static str) {
    if first {
        list.clear();
    }
    list.push(T::from(text));
}

/// Special tokens that markers are, or hold.
fn tokens(texts: &[&str]) -> Special {
    Special::Tokens(owned(texts))
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
