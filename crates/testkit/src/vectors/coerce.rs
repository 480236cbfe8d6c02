//! Cases of kind `coerce`: a value, a schema, a policy.

use toolweir_rjson::{Value, to_string};
use toolweir_schema_coerce::{CoerceError, Coerced, NullOptional, Policy, Schema, SchemaLimits};

use super::vector::Vector;
use crate::json::same_value;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(vector: &Vector) -> Result<Result<(), String>, String> {
    let policy = policy(&vector.options)?;
    let Some(value) = vector.value.clone() else { return Err("the case has no value".into()) };
    let schema = match &vector.schema {
        None | Some(Value::Null) => Schema::any(),
        Some(source) => match Schema::compile(source, &SchemaLimits::default()) {
            Ok(compiled) => compiled.schema,
            Err(error) => return Ok(refused(vector, &format!("{:?}", error.kind), &error)),
        },
    };
    let result = schema.coerce(value.clone(), &policy);
    Ok(match result {
        Err(error) => refused(vector, &format!("{:?}", error.kind), &error),
        Ok(coerced) => accepted(vector, &schema, &value, coerced, &policy),
    })
}

/// The case ended in an error of this kind.
fn refused(vector: &Vector, kind: &str, error: &dyn std::fmt::Display) -> Result<(), String> {
    let kind = kind.split([' ', '{']).next().unwrap_or(kind);
    match &vector.expect_error_kind {
        _ if !vector.expect_error => Err(format!("expected a value, found: {error}")),
        Some(wanted) if !wanted.eq_ignore_ascii_case(kind) => {
            Err(format!("expected the error {wanted}, found {kind}: {error}"))
        }
        _ => Ok(()),
    }
}

/// The case ended in a value; the promises of the crate are checked before what is expected.
fn accepted(
    vector: &Vector,
    schema: &Schema,
    value: &Value,
    coerced: Coerced,
    policy: &Policy,
) -> Result<(), String> {
    let found = to_string(&coerced.value);
    if coerced.changes.is_empty() && found != to_string(value) {
        return Err(format!("without a change the value became {found}"));
    }
    if policy.null_optional == NullOptional::Drop {
        let broken = |e: CoerceError| format!("the result {found} breaks its schema: {e}");
        schema.validate(&coerced.value).map_err(broken)?;
    }
    let again = schema.coerce(coerced.value.clone(), policy);
    if again.as_ref().map(|again| to_string(&again.value)) != Ok(found.clone()) {
        return Err(format!("coercing {found} again gives {again:?}"));
    }
    match &vector.expect {
        _ if vector.expect_error => Err(format!("expected an error, found {found}")),
        Some(wanted) if !same_value(wanted, &coerced.value) => {
            Err(format!("expected {}, found {found}", to_string(wanted)))
        }
        _ => Ok(()),
    }
}

fn policy(options: &[(String, Value)]) -> Result<Policy, String> {
    let mut policy = Policy::default();
    for (key, value) in options {
        let word = value.as_str().unwrap_or_default();
        if !policy.set(key, word) {
            return Err(format!("coerce option {key} = {} is unknown", to_string(value)));
        }
    }
    Ok(policy)
}
