//! What a tool returned, as the prompt shows it.

use toolweir_rjson::{Mode, Value, parse};
use toolweir_rxml::stringify;

use super::args::element_options;
use super::{Format, Written};
use crate::error::FormatError;
use crate::pattern::{AttributeValue, Part, Pattern, Tag};
use crate::spec::ResponseBody;
use crate::tools::ToolResponse;

/// Writes responses by the pattern of a spec.
#[derive(Debug)]
pub(super) struct ResponseWriter {
    pattern: Pattern,
}

/// The text before the content and, once that was met, after it.
#[derive(Default)]
struct Frame {
    before: String,
    after: Option<String>,
}

impl ResponseWriter {
    /// An empty pattern shows the content alone.
    pub(super) fn new(pattern: Pattern) -> Self {
        Self { pattern }
    }

    pub(super) fn write(
        &self,
        format: &Format,
        response: &ToolResponse,
    ) -> Result<String, FormatError> {
        let mut frame = Frame::default();
        frame.parts(&self.pattern.parts, format, response)?;
        let (before, after) = (frame.before, frame.after.unwrap_or_default());
        let body = match format.body {
            ResponseBody::Content => response.content.clone(),
            ResponseBody::Elements => elements(format, response)?,
            ResponseBody::Object => hide_marker(format.json(&response.read_value()), after.trim()),
        };
        format.refuse_marker(&body, after.trim())?;
        Ok(format!("{before}{body}{after}"))
    }
}

impl Frame {
    fn out(&mut self) -> &mut String {
        self.after.as_mut().unwrap_or(&mut self.before)
    }

    fn parts(&mut self, parts: &[Part], format: &Format, response: &ToolResponse) -> Written {
        for part in parts {
            match part {
                Part::Literal(text) | Part::Space(text) => self.out().push_str(text),
                Part::Name => self.out().push_str(&response.name),
                Part::Id(_) => {
                    let id = response.native_id.as_deref();
                    self.out().push_str(id.ok_or_else(|| format.bad_id(&response.name))?);
                }
                // The number of a response is that of its call, which only the call knows.
                Part::Index => return Err(format.bad_id(&response.name)),
                Part::ResponseContent => self.after = Some(String::new()),
                Part::Any(patterns) => {
                    let first = patterns.first().map_or(&[][..], |pattern| &pattern.parts);
                    self.parts(first, format, response)?;
                }
                Part::Opt(pattern) if says(pattern, response) => {
                    self.parts(&pattern.parts, format, response)?;
                }
                Part::Tag(tag) => self.tag(tag, format, response)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Attributes in double quotes.
    fn tag(&mut self, tag: &Tag, format: &Format, response: &ToolResponse) -> Written {
        self.out().push_str(&tag.open);
        for attribute in &tag.attributes {
            self.out().extend([&attribute.space, &attribute.key, "=\""]);
            let start = self.out().len();
            match &attribute.value {
                AttributeValue::Fixed(text) => self.out().push_str(text),
                AttributeValue::Hole(hole) => {
                    self.parts(std::slice::from_ref(&**hole), format, response)?;
                }
            }
            let ends = |c: char| c.is_control() || matches!(c, '"' | '<' | '>');
            if self.out().get(start..).is_some_and(|text| text.contains(ends)) {
                if matches!(&attribute.value, AttributeValue::Hole(hole) if matches!(**hole, Part::Id(_)))
                {
                    return Err(format.bad_id(&response.name));
                }
                let (format, tool) = (format.name.clone(), response.name.clone());
                return Err(FormatError::Name { format, tool });
            }
            self.out().push('"');
        }
        self.out().push_str(&tag.close);
        Ok(())
    }
}

/// Whether a group has something to say.
fn says(pattern: &Pattern, response: &ToolResponse) -> bool {
    let no_id = response.native_id.is_none();
    !pattern.any(|part| matches!(part, Part::Index) || no_id && matches!(part, Part::Id(_)))
}

/// The name and the result as elements; a result that is a JSON object or list is one of elements, too.
fn elements(format: &Format, response: &ToolResponse) -> Result<String, FormatError> {
    let options = element_options();
    let content = parse(&response.content, Mode::Strict).map(|parsed| parsed.value);
    let nested = content.ok().filter(|v| matches!(v, Value::Object(_) | Value::Array(_)));
    let text = || Value::from(response.content.as_str());
    let name = Value::from(response.name.as_str());
    let mut out = String::from("\n");
    for (tag, value) in [("tool_name", name), ("result", nested.unwrap_or_else(text))] {
        // What elements cannot say is shown as text.
        let written = stringify(tag, &value, &options);
        let written = written.or_else(|_| stringify(tag, &text(), &options));
        out.push_str(&written.map_err(|error| format.bad_value(tag, error.kind.to_string()))?);
        out.push('\n');
    }
    Ok(out)
}

/// JSON text in which the marker does not stand: its first character, which JSON has nowhere but in
/// strings, is written as an escape.
fn hide_marker(json: String, marker: &str) -> String {
    let Some(first) = marker.chars().next().filter(|c| matches!(c, '<' | '`' | '|')) else {
        return json;
    };
    let rest = marker.get(first.len_utf8()..).unwrap_or_default();
    json.replace(marker, &format!("\\u{:04x}{rest}", u32::from(first)))
}
