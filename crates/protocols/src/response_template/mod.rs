//! A format from the response template of a checkpoint.
//!
//! Checkpoints may carry a `response_template`, in `tokenizer_config.json` or a file of its own: by field
//! of the message how its text opens and closes, and how what stands between is read. This module says
//! the same as a [`FormatSpec`], and lists what a spec cannot say.
//!
//! Source of the template's meaning: huggingface/transformers, `docs/source/en/chat_response_parsing.md`
//! (read in 2026). Kept here: nothing of a template is left out silently. What it says is in the spec,
//! reported as [`Unsaid`], or a choice that the spec's reader makes for every format (below).
//!
//! - `thinking` (`reasoning_content`, `reasoning`) becomes a reasoning family with the same markers, else a
//!   message. Of families with the same markers the one is taken that calls do not end and, where the text
//!   is stripped, that drops the most whitespace.
//! - `tool_calls` becomes `call`, `content` a message, or without an opener `strays`. Any other field is
//!   a message of markup, and reported.
//! - An opener that may be absent before each call and an end marker that may be absent after it are a wrapper.
//! - An opening tag in the header that the closing text leaves open (`<tool_call>`, `<function=…>`,
//!   `</tool_call>`) is closed where it has to be.
//! - What a group may hold is the hole's own rule, and so is which damage is forgiven. Repeated sections
//!   add up, where a template keeps the last one.
//! - Whitespace around reasoning is dropped as the family has it.
//!
//! Bounded, as checkpoints come from anywhere: 64 fields, texts of a list, patterns, and spellings of a pattern;
//! 4 KiB an expression.
//!
//! The older `response_schema` is read where there is no template (`schema.rs`).
//!
//! Absent on purpose: where the turn begins in the prompt, which is the request's; how tools and responses
//! are shown, of which neither says anything.
//!
//! Where to read next: `field.rs` (the template), `calls.rs`, `sections.rs`, and below them `transform.rs`,
//! `lower.rs` (expressions as parts), `regex.rs`.

mod calls;
mod class;
mod error;
mod field;
mod level;
mod lower;
mod payload;
mod regex;
mod schema;
mod sections;
mod transform;

pub use error::ResponseTemplateError;

use self::field::{Description, Field};
use self::level::Level;
use crate::error::{RequestError, SpecError, Unsaid};
use crate::pattern::{Pattern, Role};
use crate::protocol::Protocol;
use crate::request::{Reasoning, Request};
use crate::spec::{CallPattern, FormatSpec};
use crate::spec_protocol::SpecProtocol;

/// Ways in which alternatives and options let a pattern be written.
const MAX_SPELLINGS: usize = 64;

/// Patterns of a format: each is compiled with those before it.
const MAX_PATTERNS: usize = 64;

/// A format from a response template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FromTemplate {
    /// The format. It works: it has been compiled.
    pub spec: FormatSpec,
    /// What of the template it does not say.
    pub unsaid: Vec<Unsaid>,
}

impl FormatSpec {
    /// The format named `name` that a response template describes, or the older response schema: the
    /// description itself, or a file with the member `response_template` or `response_schema`.
    ///
    /// ```
    /// use toolweir_protocols::FormatSpec;
    ///
    /// let file = r#"{"response_template": {"start_anchor": "<|im_start|>assistant\n", "fields": {
    ///     "tool_calls": {"open": "<call>", "close": "</call>", "repeats": true, "content": "json"},
    ///     "content": {"close": "<|im_end|>"}
    /// }}}"#;
    /// let read = FormatSpec::from_response_template("own", file)?;
    /// assert_eq!(read.spec.call[0].pattern, "<call>{call}</call>");
    /// assert_eq!((read.spec.strays.as_slice(), read.unsaid.len()), (&["<|im_end|>".to_owned()][..], 0));
    /// # Ok::<(), toolweir_protocols::ResponseTemplateError>(())
    /// ```
    ///
    /// # Errors
    /// [`ResponseTemplateError`]: there is no template, it is not of the shape of one, or its calls give
    /// no working format.
    pub fn from_response_template(
        name: &str,
        text: &str,
    ) -> Result<FromTemplate, ResponseTemplateError> {
        let mut draft = Draft::new(name);
        let Description { root, prefix, is_schema } = Description::read(text)?;
        let template = Level::root(&root, prefix)?;
        if is_schema {
            schema::add(&template, &mut draft)?;
            return draft.compile();
        }
        template.check(&mut draft.report)?;
        let fields = template.fields(&mut draft.report)?;
        // The calls first: without them there is no format.
        let (calls, others): (Vec<&Field<'_>>, _) =
            fields.iter().partition(|field| field.name() == "tool_calls");
        for field in calls {
            let added = calls::add(field, &mut draft);
            draft.report.or_report(added)?;
        }
        for field in others {
            sections::add(field, &mut draft)?;
        }
        sections::add_surrounding(&fields, &template.anchors(), &mut draft)?;
        draft.compile()
    }
}

/// What a format does not say, so far.
#[derive(Debug, Default)]
struct Report(Vec<Unsaid>);

impl Report {
    fn add(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.push(Unsaid { path: path.into(), what: what.into() });
    }

    fn push(&mut self, unsaid: Unsaid) {
        if self.0.last() != Some(&unsaid) {
            self.0.push(unsaid);
        }
    }

    /// What was read; nothing where it cannot be said, which is reported.
    fn or_report<T>(&mut self, read: Read<T>) -> Result<Option<T>, ResponseTemplateError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Stop::Unsaid(unsaid)) => {
                self.push(unsaid);
                Ok(None)
            }
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

/// Why a part of a description is not read to its end.
enum Stop {
    /// A format cannot say it; the other parts are read.
    Unsaid(Unsaid),
    /// There is no format.
    Error(ResponseTemplateError),
}

type Read<T> = Result<T, Stop>;

impl From<ResponseTemplateError> for Stop {
    fn from(error: ResponseTemplateError) -> Self {
        Self::Error(error)
    }
}

fn unsaid(path: impl Into<String>, what: impl Into<String>) -> Stop {
    Stop::Unsaid(Unsaid { path: path.into(), what: what.into() })
}

/// A format and the patterns that are to go into it, each with the member that says it.
#[derive(Debug, Default)]
struct Draft {
    spec: FormatSpec,
    patterns: Vec<(Role, String, String)>,
    /// The reasoning family is that of a field.
    has_family: bool,
    /// What closes its messages of text.
    end_markers: Vec<String>,
    /// The whitespace between text and a call belongs to the call.
    framed: bool,
    /// What it leaves out.
    report: Report,
}

impl Draft {
    fn new(name: &str) -> Self {
        let spec = FormatSpec { name: name.to_owned(), ..FormatSpec::default() };
        Self { spec, ..Self::default() }
    }

    fn add(&mut self, role: Role, path: String, pattern: &Pattern) {
        if self.patterns.len() >= MAX_PATTERNS {
            self.report.add(path, format!("more than {MAX_PATTERNS} patterns in all"));
        } else if lower::spellings(&pattern.parts) > MAX_SPELLINGS {
            self.report.add(path, format!("more than {MAX_SPELLINGS} spellings"));
        } else {
            self.patterns.push((role, path, pattern.to_string()));
        }
    }

    /// The format with every pattern that works beside those before it; calls first.
    fn compile(self) -> Result<FromTemplate, ResponseTemplateError> {
        let Self { mut spec, mut patterns, mut report, .. } = self;
        let outer = patterns.iter().map(|(role, ..)| *role).find(|role| *role == Role::Wrap);
        let outer = outer.unwrap_or(Role::Call);
        for (.., pattern) in patterns.iter_mut().filter(|(role, ..)| self.framed && *role == outer)
        {
            pattern.insert_str(0, r"\n");
        }
        let mut failed = None;
        for role in [Role::Call, Role::Wrap, Role::Message, Role::Marker] {
            for (_, path, pattern) in patterns.iter().filter(|(of, ..)| *of == role) {
                let mut with = spec.clone();
                match role {
                    Role::Call => with.call.push(CallPattern::from(pattern.as_str())),
                    Role::Wrap => with.wrap.push(pattern.clone()),
                    Role::Message => with.message.push(pattern.clone()),
                    _ => with.strays.push(pattern.clone()),
                }
                match works(&with) {
                    Ok(()) => spec = with,
                    Err(error) => {
                        report.add(path, format!("its pattern does not work: {error}"));
                        failed.get_or_insert(error);
                    }
                }
            }
            if spec.call.is_empty() {
                let unsaid = report.0;
                return Err(match failed {
                    Some(error) => ResponseTemplateError::Spec { error, unsaid },
                    None => ResponseTemplateError::NoCalls { unsaid },
                });
            }
        }
        Ok(FromTemplate { spec, unsaid: report.0 })
    }
}

/// Whether the format works, with and without its reasoning.
fn works(spec: &FormatSpec) -> Result<(), SpecError> {
    let protocol = SpecProtocol::new(spec)?;
    for reasoning in [Reasoning::Default, Reasoning::None] {
        let request = Request { reasoning, ..Request::default() };
        if let Err(RequestError::Spec(error)) = protocol.decoder(&request) {
            return Err(error);
        }
    }
    Ok(())
}
