//! What goes into a coercion beside value and schema, and what comes out of it.

mod policy;

pub use policy::{Change, Coerced, Rule};
pub use policy::{CoerceError, CoerceErrorKind};
pub use policy::{Loss, NullOptional, Policy, Undeclared};

use toolweir_rjson::Value;

use crate::fit;
use crate::schema::{Node, Schema};

impl Schema {
    /// Makes a value fit the schema; see [the rules](crate#values).
    ///
    /// # Errors
    /// [`CoerceError`] when nothing the policy allows makes it fit. No value that breaks the schema
    /// is ever given back, save a null that [`NullOptional::Keep`] leaves standing.
    ///
    /// ```
    /// use toolweir_rjson::{Mode, parse};
    /// use toolweir_schema_coerce::{Policy, Schema, SchemaLimits};
    ///
    /// let source = r#"{"type":"object","properties":{"shafts":{"type":"integer"},
    ///     "hues":{"type":"array","items":{"type":"string"}}}}"#;
    /// let source = parse(source, Mode::Strict)?.value;
    /// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
    /// let value = parse(r#"{"shafts":"8","hues":{"item":["weld","woad"]}}"#, Mode::Strict)?.value;
    /// let coerced = schema.coerce(value, &Policy::default())?;
    /// assert_eq!(coerced.value.to_string(), r#"{"shafts":8,"hues":["weld","woad"]}"#);
    /// assert_eq!(coerced.changes[0].path, "/shafts");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coerce(&self, value: Value, policy: &Policy) -> Result<Coerced, CoerceError> {
        self.root().coerce(value, policy)
    }

    /// Whether a value fits the schema as it stands: by the built-in check and, with the feature
    /// `validate`, by the `jsonschema` crate as well.
    ///
    /// # Errors
    /// The first keyword found to be broken.
    ///
    /// ```
    /// use toolweir_rjson::{Mode, parse};
    /// use toolweir_schema_coerce::{CoerceErrorKind, Schema, SchemaLimits};
    ///
    /// let source = parse(r#"{"items":{"maximum":8}}"#, Mode::Strict)?.value;
    /// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
    /// let error = schema.validate(&parse("[4, 9]", Mode::Strict)?.value).unwrap_err();
    /// assert_eq!(error.kind, CoerceErrorKind::Range);
    /// assert_eq!((&*error.instance_path, &*error.schema_path), ("/1", "/items/maximum"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self, value: &Value) -> Result<(), CoerceError> {
        self.root().validate(value)
    }

    /// [`validate`](Self::validate) by the built-in check alone, whatever the features.
    ///
    /// # Errors
    /// The first keyword found to be broken.
    pub fn check(&self, value: &Value) -> Result<(), CoerceError> {
        self.root().check(value)
    }
}

#[cfg(feature = "meter")]
impl Schema {
    /// The work of [`coerce`](Self::coerce): pairs of a schema and a value asked about, as often as
    /// they are; and its error. For tests of linear work.
    #[must_use]
    pub fn looks(&self, value: &Value, policy: &Policy) -> (u64, Option<CoerceError>) {
        fit::looks(self.root(), value, policy)
    }
}

impl Node<'_> {
    /// [`Schema::coerce`] for one schema of the document.
    ///
    /// # Errors
    /// As there; paths count from this value.
    pub fn coerce(self, value: Value, policy: &Policy) -> Result<Coerced, CoerceError> {
        fit::coerce(self, value, policy)
    }

    /// [`Schema::validate`] for one schema of the document; for one that is not the root by the
    /// built-in check alone.
    ///
    /// # Errors
    /// As there; paths count from this value.
    pub fn validate(self, value: &Value) -> Result<(), CoerceError> {
        fit::validate(self, value)
    }

    /// [`Schema::check`] for one schema of the document.
    ///
    /// # Errors
    /// As there; paths count from this value.
    pub fn check(self, value: &Value) -> Result<(), CoerceError> {
        fit::check(self, value, &Policy::default())
    }
}
