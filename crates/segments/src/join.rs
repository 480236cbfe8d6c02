//! The arguments document of a call, joined from events of either sort: `Args` fragments, or the
//! piped content of a content class with its facts.
//!
//! Laws: fragments only ever grow the document (C8); those of a call that may be run are one JSON
//! object, those of any other a prefix of one (C6); each event costs the length of its text (C12).

use alloc::string::String;

use toolweir_rjson::{escape_into, write_string};

use crate::{Event, MetaRole};

/// Follows a stream and says what each event adds to the arguments document of the open call.
///
/// A call whose content is piped has no `Args`: its document is made of the facts that are arguments
/// and of the content, in the order they came; a fact that comes after the content stands after
/// it.
///
/// ```
/// use toolweir_segments::{ArgumentsJoin, CallClass, Event, Kind, MetaRole, Span};
/// use toolweir_segments::{Outcome, Reason};
///
/// let (mut join, mut document) = (ArgumentsJoin::default(), String::new());
/// let span = Span::new(0, 25);
/// for event in [
///     Event::Start { kind: Kind::Call(CallClass::WriteFile), span },
///     Event::Name { name: "write_file".into(), native_id: None, body: Some("content".into()) },
///     Event::Meta { key: "path".into(), value: "/a.py".into(), role: MetaRole::Text },
///     Event::Delta("print(\"hi\")\n".into()),
///     Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span },
/// ] {
///     join.event(&event, &mut document);
/// }
/// assert_eq!(document, r#"{"path":"/a.py","content":"print(\"hi\")\n"}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ArgumentsJoin {
    /// The argument that the content fills, while such a call is open.
    body: Option<String>,
    /// Whether a member went out.
    any: bool,
    /// Whether the string of the content is open.
    in_body: bool,
    /// Members that wait for the end of the content.
    late: String,
}

impl ArgumentsJoin {
    /// Appends to `out` what the event adds to the document.
    pub fn event(&mut self, event: &Event<'_>, out: &mut String) {
        match event {
            Event::Start { .. } => self.begin(None),
            Event::Args(fragment) => out.push_str(fragment),
            Event::Name { body: Some(body), .. } => self.begin(Some(body)),
            Event::Meta { key, value, role } if self.body.is_some() => {
                self.meta(key, value, *role, out);
            }
            Event::Delta(text) if self.body.is_some() => {
                self.open_body(out);
                escape_into(out, text);
            }
            Event::End { outcome, .. } if self.body.is_some() => {
                if outcome.is_runnable() {
                    self.close(out);
                }
                self.body = None;
            }
            _ => {}
        }
    }

    fn begin(&mut self, body: Option<&str>) {
        self.body = body.map(Into::into);
        self.any = false;
        self.in_body = false;
        self.late.clear();
    }

    /// What stands before the next member.
    fn separator(&mut self) -> char {
        if core::mem::replace(&mut self.any, true) { ',' } else { '{' }
    }

    fn meta(&mut self, key: &str, value: &str, role: MetaRole, out: &mut String) {
        if matches!(role, MetaRole::Fact | MetaRole::Value) {
            return;
        }
        let separator = self.separator();
        let to = if self.in_body { &mut self.late } else { out };
        to.push(separator);
        write_string(to, key);
        to.push(':');
        match role {
            MetaRole::Literal => to.push_str(value),
            _ => write_string(to, value),
        }
    }

    fn open_body(&mut self, out: &mut String) {
        if core::mem::replace(&mut self.in_body, true) {
            return;
        }
        out.push(self.separator());
        write_string(out, self.body.as_deref().unwrap_or_default());
        out.push_str(":\"");
    }

    fn close(&mut self, out: &mut String) {
        self.open_body(out);
        out.push('"');
        out.push_str(&self.late);
        out.push('}');
    }
}
