//! The tags of declared tools, where those open calls.
//!
//! Their headers are code like any other. Each ends where a name that is none shows, and after an
//! opening tag where no body does (`body`). In inline code a tag is text.

use std::sync::Arc;

use toolweir_rjson::Value;
use toolweir_rxml::{WriteOptions, stringify};
use toolweir_schema_coerce::Schema;

use super::body::Body;
use super::code::{Ahead, Argument, Exit, Found, Op, Shape, Slot};
use super::forms::{Form, Forms, Opener};
use crate::tools::ToolSet;

/// The declared tools whose tags open calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolTags {
    /// Sorted.
    names: Arc<[Box<str>]>,
    longest: usize,
    tools: ToolSet,
    /// A line with the name alone opens a call too.
    line: bool,
}

impl ToolTags {
    pub(super) fn new(tools: &ToolSet, line: bool) -> Self {
        // What is no name of an element could not be closed.
        let options = WriteOptions::default();
        let is_name = |name: &str| stringify(name, &Value::Null, &options).is_ok();
        let names = tools.sorted_names().filter(|name| is_name(name));
        let mut names: Vec<Box<str>> = names.map(Into::into).collect();
        names.dedup();
        let longest = names.iter().map(|name| name.len()).max().unwrap_or_default();
        Self { names: names.into(), longest, tools: tools.clone(), line }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| (**known).cmp(name)).is_ok()
    }

    /// Whether a name begins with the text.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let at = self.names.partition_point(|known| **known < *text);
        self.names.get(at).is_some_and(|known| known.starts_with(text))
    }

    /// Bytes of the longest name.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    pub(crate) fn schema(&self, name: &str) -> Option<&Schema> {
        self.tools.schema(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Sorted.
    pub(crate) fn shared(&self) -> Arc<[Box<str>]> {
        Arc::clone(&self.names)
    }

    /// Lines that may begin a call, without their line break.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|_| self.line)
    }

    /// What begins or ends a call.
    pub(crate) fn markers(&self) -> Vec<String> {
        let tags = self.iter().flat_map(|name| [format!("<{name}"), format!("</{name}>")]);
        let lines = self.lines().map(str::to_owned);
        let spaced = ["< ", "<\t", "<\n", "<\r"].into_iter().filter(|_| !self.names.is_empty());
        tags.chain(lines).chain(spaced.map(str::to_owned)).collect()
    }

    /// Lowers the headers.
    pub(super) fn lower(self, forms: &mut Forms, reader: usize, body: Body) {
        if self.names.is_empty() {
            forms.code.names = Some(self);
            return;
        }
        if body == Body::Params {
            return self.lower_exact(forms, reader);
        }
        let first = forms.forms.len();
        for shape in [Shape::Enclosed, Shape::Empty, Shape::InTag, Shape::Line] {
            forms.forms.push(Form { shape, ..Form::of(reader) });
        }
        let exit = |form| Exit { form: first + form, found: Found::Payload, section: false };
        let code = &mut forms.code;
        let tag = code.here();
        code.space();
        code.push(Op::Declared(Slot::Name));
        code.space();
        let fork = code.here();
        code.push(Op::Fork(Vec::new()));
        let mut ways = vec![code.here()];
        code.literal(">");
        code.body(body, exit(0));
        ways.push(code.here());
        code.literal("/>");
        code.push(Op::Exit(exit(1)));
        if let Some(argument) = body.inside() {
            ways.push(code.here());
            code.extend([Op::Char('\n'), Op::Mark, Op::Inline]);
            code.extend(match body {
                Body::Elements { .. } => {
                    vec![Op::Char('<'), Op::Argument(argument), Op::Exit(exit(2))]
                }
                _ => vec![Op::Argument(argument), Op::Ahead(Ahead::Space, exit(2))],
            });
        }
        code.patch(fork, Op::Fork(ways));
        if self.line {
            forms.line = Some(code.here());
            code.extend([Op::Declared(Slot::Name), Op::Inline]);
            code.optional(|code| code.push(Op::Char(':')));
            code.extend([Op::Inline, Op::Char('\n')]);
            code.space();
            let argument = Op::Argument(Argument::Element { any: true });
            code.extend([Op::Mark, Op::Char('<'), argument, Op::Exit(exit(3))]);
        }
        self.open(forms, tag);
    }

    /// The same where tags are read as they are spelled.
    fn lower_exact(self, forms: &mut Forms, reader: usize) {
        let exit = Exit { form: forms.forms.len(), found: Found::Payload, section: false };
        forms.forms.push(Form::of(reader));
        let tag = forms.code.here();
        forms.code.extend([Op::Declared(Slot::Name), Op::Char('>')]);
        forms.code.body(Body::Params, exit);
        self.open(forms, tag);
    }

    fn open(self, forms: &mut Forms, tag: usize) {
        forms.openers.push(Opener {
            block: false,
            outside_code: true,
            always_ends_reasoning: true,
            ..Opener::new("<", tag)
        });
        forms.code.names = Some(self);
    }
}
