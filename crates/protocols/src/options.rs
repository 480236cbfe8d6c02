//! Options of single formats: what a request changes in a row before it is compiled.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::OptionError;
use crate::pattern::{Part, Pattern, one_of, parse};
use crate::policy::{flag, json_texts};
use crate::program::Changes;
use crate::request::{HOST_MODES, HOST_OPTIONS};
use crate::spec::{FormatSpec, Tags};

/// A row as a request wants it.
#[derive(Debug)]
pub(crate) struct Configured<'a> {
    pub(crate) spec: Cow<'a, FormatSpec>,
    pub(crate) changes: Changes,
    /// No call is looked for.
    pub(crate) passthrough: bool,
}

/// What the options that set markers take.
const MARKERS: &[&str] = &["a marker that is not blank", "a JSON list of such markers"];

/// One marker, or several as a JSON list of strings.
fn markers(key: &str, value: &str) -> Result<Vec<String>, OptionError> {
    // A list of anything else is a marker that looks like one.
    let markers = json_texts(value).unwrap_or_else(|| vec![value.to_owned()]);
    if markers.is_empty() || markers.iter().any(|marker| marker.trim().is_empty()) {
        return Err(OptionError::bad(key, value, MARKERS));
    }
    Ok(markers)
}

/// A row whose calls are written with the delimiters that a request sets; none where it sets none.
pub(crate) fn delimited(
    spec: &FormatSpec,
    options: &BTreeMap<String, String>,
) -> Result<Option<FormatSpec>, OptionError> {
    let given = |key: &str| options.get(key).map(|value| markers(key, value)).transpose();
    let (open, close) = (given("start_marker")?, given("end_marker")?);
    if !spec.own_markers || (open.is_none() && close.is_none()) {
        return Ok(None);
    }
    let mut written = spec.clone();
    for call in &mut written.call {
        // A row that does not parse does not compile either, and says so there.
        if let Ok(pattern) = parse(&call.pattern) {
            call.pattern = between(pattern, open.as_deref(), close.as_deref()).to_string();
        }
    }
    Ok(Some(written))
}

/// The pattern with other text around its holes.
fn between(pattern: Pattern, open: Option<&[String]>, close: Option<&[String]>) -> Pattern {
    let is_text = |part: &Part| matches!(part, Part::Literal(_) | Part::Space(_));
    let mut parts = pattern.parts;
    let after = parts.iter().rev().take_while(|part| is_text(part)).count();
    if let Some(close) = close {
        parts.truncate(parts.len() - after);
        parts.extend(one_of(literals(close)));
    }
    let before = parts.iter().take_while(|part| is_text(part)).count();
    if let Some(open) = open {
        parts.splice(..before, one_of(literals(open)));
    }
    Pattern::new(parts)
}

/// Each marker by itself.
fn literals(markers: &[String]) -> Vec<Vec<Part>> {
    markers.iter().map(|marker| vec![Part::Literal(marker.clone())]).collect()
}

impl<'a> Configured<'a> {
    /// The row with the options of a request.
    pub(crate) fn new(
        spec: &'a FormatSpec,
        options: &BTreeMap<String, String>,
    ) -> Result<Self, OptionError> {
        let mut configured =
            Self { spec: Cow::Borrowed(spec), changes: Changes::default(), passthrough: false };
        for (key, value) in options {
            configured.set(key, value)?;
        }
        Ok(configured)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        let elements = reads_elements(&self.spec);
        let switch = switches(&self.spec).any(|name| name == key);
        match key {
            _ if switch => self.changes.switches.push((key.to_owned(), flag(key, value)?)),
            "tag_suffix" if self.spec.tags == Tags::Suffix => {
                let word = value.trim_start_matches(':');
                if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(OptionError::bad(key, value, &["a word"]));
                }
                self.changes.suffix = Some(word.to_owned());
            }
            "repair" if elements => self.spec.to_mut().repair = flag(key, value)?,
            // Reading is one pass: how often the founding system reads again says only whether it
            // repairs at all.
            "max_reparses" if elements => {
                let times: Result<u32, _> = value.parse();
                let times = times.map_err(|_| OptionError::bad(key, value, &["a whole number"]))?;
                self.spec.to_mut().repair &= times > 0;
            }
            "start_marker" if self.spec.own_markers => {
                self.changes.open = Some(markers(key, value)?);
            }
            "end_marker" if self.spec.own_markers => {
                self.changes.close = Some(markers(key, value)?);
            }
            _ if self.spec.buffer.is_some() => self.set_host(key, value)?,
            _ => return Err(OptionError::unknown(key, &self.known())),
        }
        Ok(())
    }

    fn set_host(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        match key {
            "max_buffer_chars" => {
                let chars = value.parse().map_err(|_| OptionError::bad(key, value, &["a number"]));
                self.spec.to_mut().buffer = Some(chars?);
            }
            "mode" if HOST_MODES.contains(&value) => self.passthrough = value == "passthrough",
            "mode" => return Err(OptionError::bad(key, value, HOST_MODES)),
            // What stands for a call is for what shows the events to say.
            "placeholder_text" => {}
            _ => return Err(OptionError::unknown(key, HOST_OPTIONS)),
        }
        Ok(())
    }

    /// The options that the row has.
    fn known(&self) -> Vec<&str> {
        let mut known = Vec::new();
        if reads_elements(&self.spec) {
            known.extend(["repair", "max_reparses"]);
        }
        if self.spec.tags == Tags::Suffix {
            known.push("tag_suffix");
        }
        if self.spec.own_markers {
            known.extend(["start_marker", "end_marker"]);
        }
        known.extend(switches(&self.spec));
        known
    }
}

/// The options that switch calls on and off.
fn switches(spec: &FormatSpec) -> impl Iterator<Item = &str> {
    spec.call.iter().filter_map(|call| call.option.as_ref().map(|(name, _)| name.as_str()))
}

/// Whether some calls hold elements.
fn reads_elements(spec: &FormatSpec) -> bool {
    spec.call.iter().any(|call| call.pattern.contains("{args:elements}"))
}
