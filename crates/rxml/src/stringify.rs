//! Values as elements, such that reading them by their schema gives the value back.

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::name::QName;
use quick_xml::writer::Writer;
use toolweir_rjson::{Value, pointer};

use crate::text::{is_name, is_space, is_whitespace};

/// How elements are written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// One line an element, two spaces for each level, never inside text. Default: true.
    pub format: bool,
    /// Whether elements without content are `<a/>` instead of `<a></a>`. Default: false.
    pub suppress_empty: bool,
    /// Whether only `&`, `<` and the `>` of `]]>` are escaped instead of all five characters of XML.
    /// Default: false.
    pub minimal_escaping: bool,
    /// The key whose value is the text of the element. Default: `#text`.
    pub text_node_name: String,
    /// Elements inside one another. Default: 1,024.
    pub max_depth: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            format: true,
            suppress_empty: false,
            minimal_escaping: false,
            text_node_name: "#text".to_owned(),
            max_depth: 1024,
        }
    }
}

/// A value that no elements can say. Holds the place, as a JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at {})", if path.is_empty() { "the root" } else { path.as_str() })]
#[non_exhaustive]
pub struct WriteError {
    /// What is wrong.
    pub kind: WriteErrorKind,
    /// The key or value.
    pub path: String,
}

/// Why a value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// A key, or the name of the root, that is no name of an element or attribute.
    #[error("not a name")]
    Name,
    /// A list or object as the value of an attribute or of the text beside elements.
    #[error("not a scalar")]
    NotAScalar,
    /// More elements inside one another than [`WriteOptions::max_depth`].
    #[error("too many levels")]
    TooDeep,
}

/// Writes a value as one element. Members are elements, lists repeated elements (one entry, or lists
/// in lists: `<item>`), `@_name` attributes, `null` and `""` elements without content.
///
/// ```
/// use toolweir_rjson::{Mode, parse};
/// use toolweir_rxml::{WriteOptions, stringify};
///
/// let value = parse(r#"{"path":"a<b","n":[1,2],"o":{"@_id":7}}"#, Mode::Strict)?.value;
/// let mut options = WriteOptions::default();
/// options.format = false;
/// let text = stringify("call", &value, &options)?;
/// assert_eq!(text, r#"<call><path>a&lt;b</path><n>1</n><n>2</n><o id="7"></o></call>"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] for what elements cannot say; a value is never changed to fit.
pub fn stringify(root: &str, value: &Value, options: &WriteOptions) -> Result<String, WriteError> {
    let writer = match options.format {
        true => Writer::new_with_indent(Vec::new(), b' ', 2),
        false => Writer::new(Vec::new()),
    };
    let mut out = Out { writer, options };
    let root = Element { name: root, value, step: Step(None, None) };
    let mut waiting = vec![Task::Element(root)];
    let mut open: Vec<Element<'_>> = Vec::new();
    while let Some(task) = waiting.pop() {
        match task {
            Task::Close => {
                if let Some(Element { name, .. }) = open.pop() {
                    out.event(Event::End(BytesEnd::new(name)));
                }
            }
            Task::Element(element) => {
                let fault =
                    |(kind, step)| WriteError { kind, path: path(&open, element.step, step) };
                if open.len() >= options.max_depth {
                    return Err(fault((WriteErrorKind::TooDeep, Step(None, None))));
                }
                if out.element(element, &mut waiting).map_err(fault)? {
                    open.push(element);
                }
            }
        }
    }
    Ok(String::from_utf8(out.writer.into_inner()).unwrap_or_default())
}

/// An element to write.
#[derive(Clone, Copy)]
struct Element<'v> {
    name: &'v str,
    value: &'v Value,
    step: Step<'v>,
}

/// From a value to one inside it: a key, a place, or a key and a place in its list.
#[derive(Clone, Copy)]
struct Step<'v>(Option<&'v str>, Option<usize>);

/// What is wrong, and where inside the element.
type Fault<'v> = (WriteErrorKind, Step<'v>);

enum Task<'v> {
    Element(Element<'v>),
    Close,
}

/// The JSON Pointer of what is at a step inside an element.
fn path(open: &[Element<'_>], own: Step<'_>, inside: Step<'_>) -> String {
    let mut path = String::new();
    for Step(key, place) in open.iter().map(|element| element.step).chain([own, inside]) {
        if let Some(key) = key {
            pointer::push(&mut path, key);
        }
        if let Some(place) = place {
            path.push('/');
            path.push_str(&place.to_string());
        }
    }
    path
}

struct Out<'o> {
    writer: Writer<Vec<u8>>,
    options: &'o WriteOptions,
}

impl Out<'_> {
    fn event(&mut self, event: Event<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.writer.write_event(event);
    }

    /// Writes an element, or what comes first of it: whether it is still open.
    fn element<'v>(
        &mut self,
        element: Element<'v>,
        waiting: &mut Vec<Task<'v>>,
    ) -> Result<bool, Fault<'v>> {
        const HERE: Step<'static> = Step(None, None);
        if !is_name(element.name) {
            return Err((WriteErrorKind::Name, HERE));
        }
        let mut start = BytesStart::new(element.name);
        let mut inside = Vec::new();
        let mut text = None;
        match element.value {
            Value::Object(members) => {
                for (key, member) in members.iter() {
                    let step = Step(Some(key), None);
                    if let Some(attribute) = key.strip_prefix("@_") {
                        self.attribute(&mut start, attribute, member)
                            .map_err(|kind| (kind, step))?;
                    } else if *key == *self.options.text_node_name {
                        text = Some(scalar(member).map_err(|kind| (kind, step))?);
                    } else {
                        repeat(key, member, &mut inside);
                    }
                }
            }
            Value::Array(entries) => {
                for (place, value) in entries.iter().enumerate() {
                    let step = Step(None, Some(place));
                    inside.push(Task::Element(Element { name: "item", value, step }));
                }
            }
            other => text = Some(scalar(other).map_err(|kind| (kind, HERE))?),
        }
        Ok(self.begin(start, text.as_deref().unwrap_or(""), inside, waiting))
    }

    fn begin<'v>(
        &mut self,
        start: BytesStart<'_>,
        text: &str,
        inside: Vec<Task<'v>>,
        waiting: &mut Vec<Task<'v>>,
    ) -> bool {
        if text.is_empty() && inside.is_empty() && self.options.suppress_empty {
            self.event(Event::Empty(start));
            return false;
        }
        self.event(Event::Start(start));
        if !text.is_empty() || inside.is_empty() {
            // Text, even without characters, keeps the writer from indenting the closing tag.
            let escaped = self.escaped(text);
            self.event(Event::Text(BytesText::from_escaped(escaped)));
        }
        waiting.push(Task::Close);
        waiting.extend(inside.into_iter().rev());
        true
    }

    fn attribute(
        &self,
        start: &mut BytesStart<'_>,
        name: &str,
        value: &Value,
    ) -> Result<(), WriteErrorKind> {
        if !is_name(name) {
            return Err(WriteErrorKind::Name);
        }
        let text = scalar(value)?;
        let mut escaped = String::with_capacity(text.len());
        escape_into(&mut escaped, &text, |c| {
            matches!(c, '"' | '\n' | '\r' | '\t') || c == '\'' && !self.options.minimal_escaping
        });
        start.push_attribute(Attribute { key: QName(name), value: escaped.into() });
        Ok(())
    }

    /// Text with the characters escaped that would be read otherwise; whitespace at the ends too.
    fn escaped(&self, text: &str) -> String {
        let inner = text.trim_matches(is_space);
        let lead = text.len() - text.trim_start_matches(is_space).len();
        let mut out = String::with_capacity(text.len());
        let (before, after) = (text.get(..lead), text.get(lead + inner.len()..));
        escape_into(&mut out, before.unwrap_or(""), |c| is_whitespace(c as u8));
        let minimal = self.options.minimal_escaping;
        escape_into(&mut out, inner, |c| c == '\r' || !minimal && matches!(c, '"' | '\''));
        escape_into(&mut out, after.unwrap_or(""), |c| is_whitespace(c as u8));
        if minimal {
            // Only the end of a section matters.
            return out.replace("]]>", "]]&gt;");
        }
        out.replace('>', "&gt;")
    }
}

/// Appends text with `&`, `<` and what `more` names escaped.
fn escape_into(out: &mut String, text: &str, more: impl Fn(char) -> bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            c if !more(c) => out.push(c),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push_str(&format!("&#{};", u32::from(c))),
        }
    }
}

/// The element or elements of a member.
fn repeat<'v>(name: &'v str, member: &'v Value, inside: &mut Vec<Task<'v>>) {
    match member.as_array() {
        // With one entry, repeating would look like a single value.
        Some(entries) if entries.len() > 1 => {
            for (place, value) in entries.iter().enumerate() {
                let step = Step(Some(name), Some(place));
                inside.push(Task::Element(Element { name, value, step }));
            }
        }
        _ => {
            let step = Step(Some(name), None);
            inside.push(Task::Element(Element { name, value: member, step }));
        }
    }
}

/// The text of a scalar; `null` is none.
fn scalar(value: &Value) -> Result<String, WriteErrorKind> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err(WriteErrorKind::NotAScalar),
    }
}
