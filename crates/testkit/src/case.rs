//! `.case` fixtures: a front matter in TOML, a line `---`, then the model's output as it comes.
//!
//! ```text
//! note = "an end tag inside a JSON string is data"
//! tools = [{ name = "echo" }]
//! ---
//! <tool_call>{"name": "echo", "arguments": {"text": "</tool_call>"}}</tool_call>
//! ```
//!
//! | key | meaning |
//! | --- | --- |
//! | `format` | the protocol's name; default: the name of the folder |
//! | `note`, `source` | for people |
//! | `end` | `stop` (default), `length` or `aborted` |
//! | `options` | table of policies, limits and format options, as [`Request::set`] takes them |
//! | `tools` | tables with `name`, `description`, `parameters`, `original_schema`, or the name of a shared file: `tools/NAME.toml` (key `tools`) or `tools/NAME.json` in a folder above |
//! | `special` | texts that came from special tokens: a string (every occurrence), or `{ text, nth }` (one occurrence or a list of them, counted from 1). Absent: the source does not attribute |
//! | `encoding` | `json`: the body is one JSON string literal, for control characters |
//!
//! The file's last line break is not part of the output. An unknown key is an error.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolweir_protocols::{Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse, to_string};
use toolweir_segments::StreamEnd;

use crate::json::from_toml;

/// One fixture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The file's name without `.case`.
    pub name: String,
    /// The protocol that decodes it.
    pub format: String,
    /// What the case shows.
    pub note: String,
    /// Why the stream ended.
    pub end: StreamEnd,
    /// Declared tools.
    pub tools: Vec<Tool>,
    /// Options in the order of their names, as [`Request::set`] takes them.
    pub options: Vec<(String, String)>,
    /// Byte ranges of the output that came from special tokens; `None`: not attributed.
    pub special: Option<Vec<Range<usize>>>,
    /// The model's output.
    pub text: String,
}

/// A fixture that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The file, as far as known.
    pub path: PathBuf,
    /// What is wrong, in one line.
    pub message: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for CaseError {}

impl Case {
    /// Reads the file `path`; shared tool files are looked for in the folders above it.
    ///
    /// # Errors
    /// [`CaseError`] when the file or a tool file cannot be read or holds something unknown.
    pub fn load(path: &Path) -> Result<Self, CaseError> {
        let source = std::fs::read_to_string(path).map_err(|e| error(path, e))?;
        Self::parse(path, &source)
    }

    /// Reads the text of a fixture; `path` gives its name, its default format and the folders
    /// for shared tools.
    ///
    /// ```
    /// use std::path::Path;
    /// use toolweir_testkit::Case;
    /// let case = Case::parse(Path::new("hermes/plain.case"), "note = \"prose\"\n---\nHello\n").unwrap();
    /// assert_eq!((case.format.as_str(), case.text.as_str()), ("hermes", "Hello"));
    /// ```
    ///
    /// # Errors
    /// [`CaseError`] when the front matter is no TOML or holds something unknown.
    pub fn parse(path: &Path, source: &str) -> Result<Self, CaseError> {
        let (front, body) = split_front(source)
            .ok_or_else(|| error(path, "no line `---` between front matter and output"))?;
        let front: toml::Table =
            front.parse().map_err(|e: toml::de::Error| error(path, e.message()))?;
        let folder = path.parent().and_then(Path::file_name);
        let mut case = Self {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            format: folder.unwrap_or_default().to_string_lossy().into_owned(),
            note: String::new(),
            end: StreamEnd::Stop,
            tools: Vec::new(),
            options: Vec::new(),
            special: None,
            text: body.strip_suffix('\n').unwrap_or(body).to_owned(),
        };
        if let Some(encoding) = front.get("encoding") {
            case.text = decode_body(path, encoding, &case.text)?;
        }
        for (key, value) in &front {
            case.read_key(path, key, value)?;
        }
        Ok(case)
    }

    /// The request that the case describes.
    ///
    /// # Errors
    /// A line that names the tool or the option at fault.
    pub fn request(&self) -> Result<Request, String> {
        let tools = ToolSet::new(self.tools.iter().cloned()).map_err(|e| e.to_string())?;
        let mut request = Request::new(tools);
        for (key, value) in &self.options {
            request.set(key, value).map_err(|e| e.to_string())?;
        }
        Ok(request)
    }

    fn read_key(&mut self, path: &Path, key: &str, value: &toml::Value) -> Result<(), CaseError> {
        let text = || {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| error(path, format!("`{key}` is not a string")))
        };
        match key {
            "encoding" | "source" => _ = text()?,
            "format" => self.format = text()?,
            "note" => self.note = text()?,
            "end" => self.end = text()?.parse().map_err(|e| error(path, e))?,
            "tools" => self.tools = read_tools(path, value)?,
            "special" => self.special = Some(read_special(path, value, &self.text)?),
            "options" => {
                let table = value.as_table().ok_or_else(|| error(path, "`options` is no table"))?;
                self.options = table.iter().map(|(k, v)| (k.clone(), option_text(v))).collect();
            }
            _ => return Err(error(path, format!("unknown key `{key}`"))),
        }
        Ok(())
    }
}

/// Every `.case` file below `folder`, sorted by path. No folder: none.
///
/// # Errors
/// An error of the file system.
pub fn find_cases(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "case") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn error(path: &Path, message: impl fmt::Display) -> CaseError {
    CaseError { path: path.to_owned(), message: message.to_string() }
}

fn split_front(source: &str) -> Option<(&str, &str)> {
    source.strip_prefix("---\n").map(|body| ("", body)).or_else(|| source.split_once("\n---\n"))
}

fn decode_body(path: &Path, encoding: &toml::Value, body: &str) -> Result<String, CaseError> {
    if encoding.as_str() != Some("json") {
        return Err(error(path, "`encoding` takes `json`"));
    }
    match parse(body, Mode::Strict).map(|parsed| parsed.value) {
        Ok(Value::String(text)) => Ok(text),
        Ok(_) => Err(error(path, "the body is no JSON string")),
        Err(e) => Err(error(path, format!("the body is no JSON string: {e}"))),
    }
}

fn option_text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| to_string(&from_toml(value)), str::to_owned)
}

fn read_tools(path: &Path, value: &toml::Value) -> Result<Vec<Tool>, CaseError> {
    let list = match value.as_str() {
        Some(name) => shared_tools(path, name)?,
        None => from_toml(value),
    };
    let Value::Array(list) = list else {
        return Err(error(path, "`tools` is neither a list nor the name of a tool file"));
    };
    list.iter()
        .map(|tool| read_tool(tool).ok_or_else(|| error(path, "a tool lacks a name")))
        .collect()
}

/// A tool as JSON: `name`, `description`, `parameters`, `original_schema`.
pub(crate) fn read_tool(value: &Value) -> Option<Tool> {
    let mut tool = Tool::new(value.get("name")?.as_str()?);
    tool.description = value.get("description").and_then(Value::as_str).map(str::to_owned);
    tool.parameters = value.get("parameters").cloned();
    tool.original_schema = value.get("original_schema").cloned();
    Some(tool)
}

fn shared_tools(path: &Path, name: &str) -> Result<Value, CaseError> {
    for folder in path.ancestors().skip(1) {
        let base = folder.join("tools");
        if let Ok(text) = std::fs::read_to_string(base.join(format!("{name}.toml"))) {
            let table: toml::Table =
                text.parse().map_err(|e: toml::de::Error| error(path, e.message()))?;
            return Ok(table.get("tools").map_or(Value::Null, from_toml));
        }
        if let Ok(text) = std::fs::read_to_string(base.join(format!("{name}.json"))) {
            return Ok(parse(&text, Mode::Strict).map_err(|e| error(path, e))?.value);
        }
    }
    Err(error(path, format!("no tool file `tools/{name}.toml` or `.json` in a folder above")))
}

fn read_special(
    path: &Path,
    value: &toml::Value,
    text: &str,
) -> Result<Vec<Range<usize>>, CaseError> {
    let list = value.as_array().ok_or_else(|| error(path, "`special` is no list"))?;
    let mut ranges = Vec::new();
    for item in list {
        let needle = item.as_str().or_else(|| item.get("text")?.as_str()).unwrap_or_default();
        let found: Vec<_> =
            text.match_indices(needle).map(|(at, _)| at..at + needle.len()).collect();
        if needle.is_empty() || found.is_empty() {
            return Err(error(path, format!("special token `{needle}` does not occur")));
        }
        match item.get("nth") {
            None => ranges.extend(found),
            Some(nth) => {
                for number in nth.as_array().map_or(std::slice::from_ref(nth), Vec::as_slice) {
                    let counted = number.as_integer().and_then(|n| usize::try_from(n).ok());
                    let index = counted.and_then(|n| n.checked_sub(1));
                    let range = index.and_then(|i| found.get(i)).cloned();
                    ranges.push(range.ok_or_else(|| error(path, "`nth` names no occurrence"))?);
                }
            }
        }
    }
    ranges.sort_by_key(|range| range.start);
    Ok(ranges)
}

#[cfg(test)]
mod tests;
