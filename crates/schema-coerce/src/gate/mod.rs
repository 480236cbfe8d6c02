//! The last word of the `jsonschema` crate, behind the feature `validate`.
//!
//! A value goes out only if it accepts it too. It is asked about whole documents, after the built-in
//! check has accepted, and only where both read the schema alike:
//!
//! - [`convert`] hands a schema or value over; what `jsonschema` reads otherwise, or `serde_json`
//!   cannot hold, is left to the built-in check ([`EXCUSES`] lists what and why);
//! - [`work`] bounds the work and the stack: `jsonschema` recurses and keeps no answers, so that a
//!   small schema can keep it busy for ever.
//!
//! So the feature only adds. Nothing is fetched: a reference out of the document has been refused
//! before, and what could resolve one is not compiled in. Patterns run on its linear-time engine.

#[cfg(feature = "validate")]
mod convert;

#[cfg(feature = "validate")]
pub use imp::EXCUSES;
pub(crate) use imp::Gate;

#[cfg(not(feature = "validate"))]
mod imp {
    use toolweir_rjson::Value;

    use crate::coerce::CoerceError;
    use crate::schema::Node;

    /// Nothing to ask.
    #[derive(Debug)]
    pub(crate) struct Gate;

    impl Gate {
        pub(crate) fn new(_: &Value) -> Self {
            Self
        }

        #[allow(clippy::unused_self, reason = "the same as with the feature")]
        pub(crate) fn stands(&self) -> bool {
            false
        }

        #[allow(clippy::unused_self, reason = "the same as with the feature")]
        pub(crate) fn check(&self, _: Node<'_>, _: &Value) -> Result<(), CoerceError> {
            Ok(())
        }
    }
}

#[cfg(feature = "validate")]
mod imp {
    extern crate std;

    use alloc::string::String;
    use core::fmt;
    use std::sync::OnceLock;

    use jsonschema::error::ValidationErrorKind as Of;
    use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
    use toolweir_rjson::Value;

    use super::convert;
    use crate::coerce::{CoerceError, CoerceErrorKind as Kind};
    use crate::schema::Node;

    pub use convert::EXCUSES;

    /// Most bytes a compiled pattern may take, as in the built-in check.
    const PATTERN_SIZE: usize = 1 << 20;

    /// The schema for `jsonschema`, compiled when it is first asked.
    pub(crate) struct Gate {
        document: Option<serde_json::Value>,
        compiled: OnceLock<Option<Validator>>,
    }

    impl fmt::Debug for Gate {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Gate").field("asked", &self.document.is_some()).finish_non_exhaustive()
        }
    }

    impl Gate {
        pub(crate) fn new(document: &Value) -> Self {
            Self { document: convert::schema(document), compiled: OnceLock::new() }
        }

        /// The validator; none where the schema is left to the built-in check.
        fn validator(&self) -> Option<&Validator> {
            let build = || {
                jsonschema::options()
                    .with_draft(Draft::Draft202012)
                    .should_validate_formats(false)
                    .with_pattern_options(
                        PatternOptions::regex()
                            .size_limit(PATTERN_SIZE)
                            .dfa_size_limit(PATTERN_SIZE),
                    )
                    .build(self.document.as_ref()?)
                    .ok()
            };
            self.compiled.get_or_init(build).as_ref()
        }

        /// Whether there may be a validator to ask.
        pub(crate) fn stands(&self) -> bool {
            self.document.is_some()
        }

        /// Whether there is a validator to ask.
        pub(crate) fn is_asked(&self) -> bool {
            self.validator().is_some()
        }

        /// Asks about a value that the built-in check accepts.
        pub(crate) fn check(&self, node: Node<'_>, value: &Value) -> Result<(), CoerceError> {
            if self.document.is_none() || !convert::is_bounded(node, value) {
                return Ok(());
            }
            let Some(value) = convert::value(value) else { return Ok(()) };
            let Some(validator) = self.validator() else { return Ok(()) };
            if validator.is_valid(&value) {
                return Ok(());
            }
            validator.validate(&value).map_err(|error| refusal(&error))
        }
    }

    /// Places and kind only: its messages hold values.
    fn refusal(error: &ValidationError<'_>) -> CoerceError {
        let kind = match error.kind() {
            Of::Type { .. } => Kind::Type,
            Of::Enum { .. } | Of::Constant { .. } => Kind::Enum,
            Of::Required { .. } => Kind::Required,
            Of::AdditionalProperties { .. }
            | Of::UnevaluatedProperties { .. }
            | Of::PropertyNames { .. } => Kind::UnknownKey,
            Of::OneOfMultipleValid { .. } => Kind::Ambiguous,
            Of::Minimum { .. }
            | Of::Maximum { .. }
            | Of::ExclusiveMinimum { .. }
            | Of::ExclusiveMaximum { .. }
            | Of::MultipleOf { .. } => Kind::Range,
            Of::MinLength { .. }
            | Of::MaxLength { .. }
            | Of::MinItems { .. }
            | Of::MaxItems { .. }
            | Of::MinProperties { .. }
            | Of::MaxProperties { .. }
            | Of::AdditionalItems { .. }
            | Of::UnevaluatedItems { .. }
            | Of::Contains => Kind::Length,
            Of::Pattern { .. } => Kind::Pattern,
            Of::UniqueItems => Kind::Unique,
            Of::AnyOf { .. } | Of::OneOfNotValid { .. } => Kind::Type,
            _ => Kind::NotAllowed,
        };
        let path = |location: &jsonschema::paths::Location| String::from(location.as_str());
        CoerceError {
            kind,
            instance_path: path(error.instance_path()),
            schema_path: path(error.schema_path()),
        }
    }
}
