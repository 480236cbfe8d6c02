//! What a conversation declares: tools of the caller, tools of the provider, and which one to use.

use toolweir_protocols::Tool;
use toolweir_rjson::{Mode, Object, Value, parse};

use crate::error::Warning;

/// A tool of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Declaration {
    /// A tool that the caller runs.
    Function {
        /// Its name, description and schema.
        tool: Tool,
        /// Arguments as they may look, each one JSON object.
        examples: Vec<Value>,
    },
    /// A tool that the provider runs. It cannot be called through text.
    Provider {
        /// Its id at the provider.
        id: String,
        /// Its name.
        name: String,
    },
}

impl Declaration {
    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Function { tool, .. } => &tool.name,
            Self::Provider { name, .. } => name,
        }
    }

    /// The tool, where the caller runs it.
    #[must_use]
    pub fn function(&self) -> Option<&Tool> {
        match self {
            Self::Function { tool, .. } => Some(tool),
            Self::Provider { .. } => None,
        }
    }
}

impl From<Tool> for Declaration {
    fn from(tool: Tool) -> Self {
        Self::Function { tool: unwrapped(tool), examples: Vec::new() }
    }
}

/// Which tools the model may or must use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Those it wants.
    #[default]
    Auto,
    /// None: nothing is injected, and the answer is text.
    None,
    /// At least one: the answer is one call, or with
    /// [`with_constraints`](crate::Middleware::with_constraints) calls in the wire format.
    Required,
    /// This one: the answer is one call of it.
    Named(String),
}

/// A tool as it travels through a provider's options: the schema is JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalTool {
    /// The tool's name.
    pub name: String,
    /// The schema of its arguments as the caller gave it.
    pub input_schema: String,
}

impl OriginalTool {
    pub(crate) fn of(tool: &Tool) -> Self {
        let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
        let schema = schema.map_or_else(|| "{\"type\":\"object\"}".to_owned(), Value::to_string);
        Self { name: tool.name.clone(), input_schema: schema }
    }

    /// The tools of such a list. A schema that cannot be read takes any object, with a warning.
    #[must_use]
    pub fn decode(list: &[Self]) -> (Vec<Tool>, Vec<Warning>) {
        let mut warnings = Vec::new();
        let mut tool = |entry: &Self| {
            let schema = match parse(&entry.input_schema, Mode::Strict) {
                Ok(parsed) => parsed.value,
                Err(error) => {
                    warnings.push(Warning::BadSchema {
                        tool: entry.name.clone(),
                        message: error.to_string(),
                    });
                    let mut any = Object::new();
                    any.insert("type".to_owned(), Value::from("object"));
                    Value::Object(any)
                }
            };
            unwrapped(Tool::new(entry.name.as_str()).parameters(schema))
        };
        let tools = list.iter().map(&mut tool).collect();
        (tools, warnings)
    }
}

/// A schema may come wrapped as `{"jsonSchema": …}`.
fn unwrapped(mut tool: Tool) -> Tool {
    for schema in [&mut tool.parameters, &mut tool.original_schema] {
        if let Some(Value::Object(object)) = schema
            && object.len() == 1
            && let Some(inner) = object.get("jsonSchema")
        {
            *schema = Some(inner.clone());
        }
    }
    tool
}
