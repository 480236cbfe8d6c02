//! What a tool takes as the JSON Schema of its arguments: a value, a text, or a type.
//!
//! What cannot be read is kept as the reason and told by [`ToolSet::new`](super::ToolSet::new), where
//! schemas that cannot be compiled are told, so that declaring a tool never fails.

use toolweir_rjson::{Mode, Value, parse};

/// A JSON Schema in one of its forms: [`Value`], JSON text, with the feature `serde_json` a
/// `serde_json::Value`, with the feature `schemars` a `schemars::Schema`.
///
/// ```
/// use toolweir_protocols::{Tool, ToolSet};
///
/// let dice = Tool::new("dice").parameters(r#"{"type": "object", "required": ["sides"]}"#);
/// assert!(ToolSet::new([dice]).unwrap().schema("dice").is_some());
///
/// let torn = Tool::new("dice").parameters(r#"{"type": "object""#);
/// let error = ToolSet::new([torn]).unwrap_err().to_string();
/// assert!(error.starts_with("tool `dice`: the schema is not strict JSON:"), "{error}");
/// ```
pub trait IntoSchema {
    /// The schema as a value.
    ///
    /// # Errors
    /// Why it cannot be read, in one line without a full stop.
    fn into_schema(self) -> Result<Value, String>;
}

impl IntoSchema for Value {
    fn into_schema(self) -> Result<Value, String> {
        Ok(self)
    }
}

impl IntoSchema for &Value {
    fn into_schema(self) -> Result<Value, String> {
        Ok(self.clone())
    }
}

impl IntoSchema for &str {
    fn into_schema(self) -> Result<Value, String> {
        parse(self, Mode::Strict).map(|parsed| parsed.value).map_err(|error| {
            let (kind, (line, column)) = (&error.kind, error.line_column(self));
            format!("the schema is not strict JSON: {kind} at line {line} column {column}")
        })
    }
}

impl IntoSchema for String {
    fn into_schema(self) -> Result<Value, String> {
        self.as_str().into_schema()
    }
}

impl IntoSchema for &String {
    fn into_schema(self) -> Result<Value, String> {
        self.as_str().into_schema()
    }
}

#[cfg(feature = "serde_json")]
impl IntoSchema for serde_json::Value {
    fn into_schema(self) -> Result<Value, String> {
        (&self).into_schema()
    }
}

#[cfg(feature = "serde_json")]
impl IntoSchema for &serde_json::Value {
    fn into_schema(self) -> Result<Value, String> {
        toolweir_rjson::to_value(self)
            .map_err(|error| format!("the schema cannot be read: {error}"))
    }
}

#[cfg(feature = "schemars")]
impl IntoSchema for schemars::Schema {
    fn into_schema(self) -> Result<Value, String> {
        self.to_value().into_schema()
    }
}

/// The schema of a type, as prompts like it: everything in its place, no name of the dialect.
#[cfg(feature = "schemars")]
pub(super) fn of_type<T: schemars::JsonSchema>() -> schemars::Schema {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
mod tests {
    use super::super::{Tool, ToolSet};

    fn error(tool: Tool) -> String {
        ToolSet::new([tool]).unwrap_err().to_string()
    }

    #[test]
    fn a_text_that_is_no_schema_is_told_with_its_place() {
        let told = error(Tool::new("f").parameters("{\n \"type\" }"));
        assert!(told.starts_with("tool `f`: the schema is not strict JSON:"), "{told}");
        assert!(told.ends_with("at line 2 column 9"), "{told}");
        assert_eq!(error(Tool::new("f").parameters("[]")), "tool `f`: not a schema (at the root)");
        // The others are not lost by it, and the tool takes anything.
        let (set, errors) =
            ToolSet::lenient([Tool::new("f").parameters("{"), Tool::new("g").parameters("{}")]);
        assert_eq!((set.len(), errors.len()), (2, 1));
        assert!(set.contains("f") && set.schema("g").is_some());
    }

    #[test]
    fn a_reference_that_leads_nowhere_costs_no_other_type() {
        let schema = r##"{"properties":{"a":{"$ref":"#/gone"},"n":{"type":"integer"}}}"##;
        assert!(ToolSet::new([Tool::new("f").parameters(schema)]).is_err());
        let (set, errors) = ToolSet::lenient([Tool::new("f").parameters(schema)]);
        let root = set.schema("f").unwrap().root();
        assert_eq!((errors.len(), root.member("a").node().unwrap().is_untyped()), (1, true));
        assert!(!root.member("n").node().unwrap().allows_string());
    }

    #[test]
    fn a_later_schema_repairs_an_earlier_one() {
        let tool = Tool::new("f").parameters("{").parameters("{}");
        assert!(ToolSet::new([tool]).is_ok());
    }

    #[cfg(feature = "serde_json")]
    #[test]
    fn the_forms_of_a_schema_are_one() {
        let text = r#"{"type":"object","properties":{"sides":{"type":"integer","minimum":2}}}"#;
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let from_json = Tool::new("f").parameters(&json);
        assert_eq!(from_json.parameters, Tool::new("f").parameters(json).parameters);
        let from_text = Tool::new("f").parameters(text.to_owned()).parameters.unwrap();
        assert_eq!(from_json.parameters.unwrap().get("properties"), from_text.get("properties"));
    }

    #[cfg(feature = "schemars")]
    #[test]
    fn a_type_is_its_schema() {
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Dice {
            /// How many sides.
            sides: u8,
            colour: Option<Colour>,
        }
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        enum Colour {
            Red,
            Blue,
        }
        let tool = Tool::new("dice").parameters_of::<Dice>();
        let shown = tool.parameters.as_ref().unwrap().to_string();
        assert!(!shown.contains("$schema") && !shown.contains("$ref"), "{shown}");
        assert!(shown.contains("How many sides.") && shown.contains("Red"), "{shown}");
        let set = ToolSet::new([tool]).unwrap();
        let fits = |text: &str| {
            let value = toolweir_rjson::parse(text, toolweir_rjson::Mode::Strict).unwrap().value;
            set.schema("dice").unwrap().validate(&value).is_ok()
        };
        assert!(fits(r#"{"sides": 6}"#) && fits(r#"{"sides": 6, "colour": "Red"}"#));
        assert!(!fits(r#"{"colour": "Red"}"#) && !fits(r#"{"sides": "six"}"#));
    }
}
