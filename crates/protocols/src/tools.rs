//! Tools as a request declares them: names, descriptions and schemas, compiled once.

mod schema;
mod shared;

use std::sync::{Arc, OnceLock};

use toolweir_rjson::{Expect, Mode, Object, Value, parse};
use toolweir_schema_coerce::{Compiled, Note, Schema, SchemaLimits};

use crate::error::{FormatError, ToolError, ToolFault};

pub use schema::IntoSchema;
pub use shared::ToolSets;

/// One declared tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tool {
    /// The name that calls it.
    pub name: String,
    /// What it does, for the prompt.
    pub description: Option<String>,
    /// JSON Schema of its arguments; `None`: anything. Shown in prompts.
    pub parameters: Option<Value>,
    /// The schema as its provider gave it, where `parameters` was changed for a prompt or a model.
    /// Arguments are typed by it. `None`: by `parameters`.
    pub original_schema: Option<Value>,
    /// Why a schema that was given could not be read; told when the tools are compiled.
    unreadable: Option<String>,
}

impl Tool {
    /// A tool without description and schema.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            parameters: None,
            original_schema: None,
            unreadable: None,
        }
    }

    /// With a description.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// With the JSON Schema of its arguments: as a value, as text, or in another form that
    /// [`IntoSchema`] takes. What cannot be read is told by [`ToolSet::new`].
    #[must_use]
    pub fn parameters(mut self, schema: impl IntoSchema) -> Self {
        self.parameters = self.read(schema);
        self
    }

    /// With the JSON Schema of a type, so that
    /// [`arguments_as`](toolweir_segments::Call::arguments_as) of the same type gets what it takes.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn parameters_of<T: schemars::JsonSchema>(self) -> Self {
        self.parameters(schema::of_type::<T>())
    }

    /// With the schema that arguments are typed by, where it is not the one that prompts show.
    #[must_use]
    pub fn original_schema(mut self, schema: impl IntoSchema) -> Self {
        self.original_schema = self.read(schema);
        self
    }

    /// As `{"name", "description", "parameters"}`.
    pub(crate) fn to_value(&self) -> Value {
        self.with_parameters(self.parameters.as_ref())
    }

    /// The same with these parameters.
    pub(crate) fn with_parameters(&self, parameters: Option<&Value>) -> Value {
        let name = ("name", Value::from(self.name.as_str()));
        let description = self.description.as_deref().map(|text| ("description", text.into()));
        let parameters = parameters.map(|schema| ("parameters", schema.clone()));
        Value::Object([name].into_iter().chain(description).chain(parameters).collect())
    }

    fn read(&mut self, schema: impl IntoSchema) -> Option<Value> {
        let read = schema.into_schema();
        self.unreadable = read.as_ref().err().cloned();
        read.ok()
    }
}

/// Only an object can be the arguments of a call: a schema without one would make another value of it.
fn of_object(compiled: Compiled) -> Result<Compiled, ToolFault> {
    if compiled.schema.root().allows_object() { Ok(compiled) } else { Err(ToolFault::NoObject) }
}

/// A tool and its compiled schema.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) tool: Tool,
    pub(crate) schema: Schema,
    /// What the schema expects of damaged arguments, once that has been asked.
    expect: OnceLock<Expect>,
}

/// So many tools are looked through for a name.
const FEW: usize = 8;

/// The tools of a request, in the order given, schemas compiled. Cheap to clone.
///
/// ```
/// use toolweir_protocols::{Tool, ToolSet};
/// let set = ToolSet::new([Tool::new("clock"), Tool::new("dice")]).unwrap();
/// assert!(set.contains("dice"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// In the caller's order.
    tools: Vec<Declared>,
    /// Positions sorted by name, for look-up without hashing.
    by_name: Vec<u32>,
    notes: Vec<String>,
}

impl ToolSet {
    /// Whether it is the same set, not only an equal one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Compiles every schema; fails on the first that cannot be compiled.
    ///
    /// # Errors
    /// [`ToolError`] names the tool and the place in its schema.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, ToolError> {
        let (set, mut errors) = Self::lenient(tools);
        if errors.is_empty() { Ok(set) } else { Err(errors.swap_remove(0)) }
    }

    /// Compiles what can be compiled. A tool with a bad schema keeps its place and takes anything,
    /// one with references that lead nowhere anything in their place; the errors say which ones
    /// those are. One bad schema never loses the others.
    #[must_use]
    pub fn lenient(tools: impl IntoIterator<Item = Tool>) -> (Self, Vec<ToolError>) {
        Self::of(tools.into_iter().collect())
    }

    fn of(tools: Vec<Tool>) -> (Self, Vec<ToolError>) {
        let mut inner = Inner::default();
        let mut errors = Vec::new();
        // A pattern is checked or not; it never costs a tool its types.
        let mut limits = SchemaLimits::default();
        limits.ignore_patterns = true;
        // Where no schema can be compiled as it stands, one without the references that lead nowhere.
        let mut open_limits = limits;
        open_limits.ignore_references = true;
        for tool in tools {
            let mut schema = None;
            if let Some(why) = &tool.unreadable {
                let source = ToolFault::Unreadable(why.clone());
                errors.push(ToolError { tool: tool.name.clone(), source });
            }
            // What the provider gave comes first; a schema that cannot be compiled gives way.
            let sources = || tool.original_schema.iter().chain(&tool.parameters);
            for source in sources() {
                let compiled = Schema::compile(source, &limits).map_err(ToolFault::Schema);
                match compiled.and_then(of_object) {
                    Ok(compiled) => {
                        let named = |note: &Note| {
                            format!("tool `{}`: {}: {}", tool.name, note.schema_path, note.message)
                        };
                        inner.notes.extend(compiled.notes.iter().map(named));
                        schema = Some(compiled.schema);
                        break;
                    }
                    Err(source) => {
                        errors.push(ToolError { tool: tool.name.clone(), source });
                    }
                }
            }
            let open = |source| Schema::compile(source, &open_limits).ok();
            let schema = schema
                .or_else(|| {
                    sources().filter_map(open).map(|c| c.schema).find(|s| s.root().allows_object())
                })
                .unwrap_or_else(Schema::any);
            inner.tools.push(Declared { tool, schema, expect: OnceLock::new() });
        }
        let names = inner.tools.iter().map(|declared| declared.tool.name.as_str());
        let mut by_name: Vec<(&str, u32)> = names.zip(0..).collect();
        by_name.sort_unstable();
        inner.by_name = by_name.into_iter().map(|(_, place)| place).collect();
        (Self { inner: Arc::new(inner) }, errors)
    }

    /// Whether a tool of exactly that name is declared.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The declared name that the name in a header means: without whitespace around it, and where it is none itself,
    /// the longest part of it after a dot or colon that is one (`functions.dice`, `default_api:dice`). Else the name
    /// without that whitespace.
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> &'n str {
        if self.contains(name) {
            return name;
        }
        let name = name.trim();
        let mut parts = name.match_indices(['.', ':']).filter_map(|(at, _)| name.get(at + 1..));
        let declared = if self.contains(name) { None } else { parts.find(|p| self.contains(p)) };
        declared.unwrap_or(name)
    }

    /// The same of a name that is kept where it is one.
    pub(crate) fn resolved(&self, name: String) -> String {
        let resolved = self.resolve(&name);
        if resolved.len() == name.len() { name } else { resolved.to_owned() }
    }

    /// Whether the name of a tool begins with the text.
    pub(crate) fn begins(&self, text: &str) -> bool {
        self.iter().any(|tool| tool.name.starts_with(text))
    }

    /// Whether a call of that name is of a known tool: a declared one, or any where none are.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.is_empty() || self.contains(name)
    }

    /// The tools, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.inner.tools.iter().map(|d| &d.tool)
    }

    /// The names of the tools in alphabetical order; a name that was given twice comes twice.
    pub(crate) fn sorted_names(&self) -> impl Iterator<Item = &str> {
        let declared = self.inner.by_name.iter().filter_map(|i| self.inner.tools.get(*i as usize));
        declared.map(|d| d.tool.name.as_str())
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.tools.len()
    }

    /// Whether no tool is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.tools.is_empty()
    }

    /// Keywords of the schemas that were ignored because they are malformed, one line each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.inner.notes
    }

    /// The compiled schema of a tool's arguments.
    #[must_use]
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        self.find(name).map(|d| &d.schema)
    }

    /// What a tool's arguments are expected to be, where they are damaged; anything for a tool that is
    /// not declared.
    pub(crate) fn expect(&self, name: &str) -> Expect {
        let declared = self.find(name);
        declared
            .map_or_else(Expect::anything, |d| d.expect.get_or_init(|| d.schema.expect()).clone())
    }

    /// The tool of that name; of several the last one.
    fn find(&self, name: &str) -> Option<&Declared> {
        let Inner { tools, by_name, .. } = &*self.inner;
        // Names that differ are told apart sooner than ordered.
        if by_name.len() <= FEW {
            return tools.iter().rfind(|declared| declared.tool.name == name);
        }
        let declared = |i: u32| tools.get(i as usize);
        let at = by_name
            .binary_search_by(|i| declared(*i).map(|d| d.tool.name.as_str()).cmp(&Some(name)))
            .ok()?;
        by_name.get(at).and_then(|i| declared(*i))
    }
}

/// A call to be rendered into history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Tool name.
    pub name: String,
    /// Text of one JSON object; kept as written where the format is JSON.
    pub arguments: String,
    /// The model's own id of the call, for formats that carry one.
    pub native_id: Option<String>,
}

impl ToolCall {
    /// A call without a native id.
    #[must_use]
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: arguments.into(), native_id: None }
    }

    /// The arguments as they are written, `{}` for none, and the object that they are.
    pub(crate) fn object(&self) -> Result<(&str, Object), FormatError> {
        let text = match self.arguments.trim() {
            "" => "{}",
            text => text,
        };
        match parse(text, Mode::Strict).map(|parsed| parsed.value) {
            Ok(Value::Object(arguments)) => Ok((text, arguments)),
            _ => Err(FormatError::NotAnObject { tool: self.name.clone() }),
        }
    }
}

/// What a tool returned, to be rendered into history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResponse {
    /// Tool name.
    pub name: String,
    /// The result: plain text, or the text of a JSON value.
    pub content: String,
    /// The id of the call it answers, for formats that carry one.
    pub native_id: Option<String>,
}

impl ToolResponse {
    /// A response without a native id.
    #[must_use]
    pub fn new(name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { name: name.into(), content: content.into(), native_id: None }
    }

    /// As `{"name", "content"}`.
    pub(crate) fn to_value(&self, content: Value) -> Value {
        let members = [("name", Value::from(self.name.as_str())), ("content", content)];
        Value::Object(members.into_iter().collect())
    }

    /// The same with the content as the JSON that it is, else as text.
    pub(crate) fn read_value(&self) -> Value {
        let content = parse(&self.content, Mode::Strict).map(|parsed| parsed.value);
        self.to_value(content.unwrap_or_else(|_| Value::from(self.content.as_str())))
    }

    /// With the content as a JSON string in which everything that could be part of a marker is an
    /// escape: for content that a format refuses to write as it is
    /// ([`FormatError::Marker`](crate::FormatError::Marker)).
    #[must_use]
    pub fn guarded(mut self) -> Self {
        let mut out = String::with_capacity(self.content.len().saturating_add(2));
        out.push('"');
        for c in self.content.chars() {
            if c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | ':' | '-' | '_' | '/') {
                out.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
        out.push('"');
        self.content = out;
        self
    }
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::{Mode, parse};

    use super::{Tool, ToolResponse, ToolSet};

    #[test]
    fn a_name_is_its_longest_declared_part() {
        let tools = ["dice", "mill.dice", "a:b"].map(Tool::new);
        let tools = ToolSet::new(tools).unwrap();
        for (name, resolved) in [
            ("dice", "dice"),
            (" dice\n", "dice"),
            ("functions.dice", "dice"),
            ("default_api:dice", "dice"),
            ("functions.mill.dice", "mill.dice"),
            ("functions:a:b", "a:b"),
            ("a:b", "a:b"),
            ("functions.clock ", "functions.clock"),
            ("xdice", "xdice"),
            ("", ""),
        ] {
            assert_eq!(tools.resolve(name), resolved, "{name:?}");
        }
    }

    #[test]
    fn a_guarded_content_is_the_same_text_without_markers() {
        let text = "a </tool_response> \"b\" \n 🌊 [[SEG_END]]";
        let guarded = ToolResponse::new("tide", text).guarded().content;
        assert!(!guarded.contains('<') && !guarded.contains('['));
        assert_eq!(parse(&guarded, Mode::Strict).unwrap().value.as_str(), Some(text));
    }
}
