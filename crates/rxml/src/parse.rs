//! Whole texts: push and finish in one call.

use toolweir_schema_coerce::Schema;

use crate::error::Error;
use crate::machine::{Machine, Parsed};
use crate::options::Options;

/// Reads the inside of a call, a row of elements, as the object the schema asks for.
///
/// ```
/// use toolweir_rjson::{Mode, parse as json};
/// use toolweir_rxml::{Options, parse};
/// use toolweir_schema_coerce::{Schema, SchemaLimits};
///
/// let source = r#"{"type":"object","properties":{
///     "content":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}}}"#;
/// let source = json(source, Mode::Strict)?.value;
/// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
///
/// let text = "<content>if a < b { <b>x</b> }</content><lines>3</lines><lines>4</lines>";
/// let value = parse(text, &schema, &Options::default())?.value;
/// assert_eq!(value.to_string(), r#"{"content":"if a < b { <b>x</b> }","lines":[3,4]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error`]: markup that cannot be read, a string property given twice, or a value that cannot be
/// made to fit.
pub fn parse(inner: &str, schema: &Schema, options: &Options) -> Result<Parsed, Error> {
    let mut machine = Machine::quiet(schema.clone(), options.clone());
    machine.push(inner, |_| {})?;
    machine.end(|_| {})
}

/// Reads elements without a schema: text is a string, child elements are members, repeated names a
/// list.
///
/// ```
/// use toolweir_rxml::{Options, parse_without_schema};
///
/// let text = r#"<n id="1">about <k>4</k></n><n/>"#;
/// let value = parse_without_schema(text, &Options::default())?.value;
/// assert_eq!(value.to_string(), r##"{"n":[{"@_id":"1","k":"4","#text":"about"},""]}"##);
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`].
pub fn parse_without_schema(text: &str, options: &Options) -> Result<Parsed, Error> {
    parse(text, &Schema::any(), options)
}
