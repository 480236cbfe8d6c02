//! Making a value fit.
//!
//! Two questions are asked about a pair of schema and item: does it validate ([`check`]), and what
//! is the cheapest item that does ([`candidates`])? Answers are kept, so that each pair is examined
//! once however many branches ask. Nothing recurses: a rule that needs answers it does not have
//! notes the pairs and gives up with [`Pending`]; the loop in [`Engine::resolve`] finds those first
//! and runs the rule again. Rules make the same items each time (the arena interns them), so the
//! second run takes the same way.
//!
//! A fit that asks for itself (a list of itself wrapped around a scalar) has no answer: it fails
//! there. What was found with the help of such a failure is forgotten once the pair that was asked
//! for twice is resolved, as it may fit when asked for by itself.

mod arena;
mod array;
mod candidates;
mod check;
mod engine;
mod fast_path;
mod members;
mod scalar;
mod text;

use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::coerce::{CoerceError, CoerceErrorKind, Coerced, Loss, NullOptional, Policy};
use crate::schema::Node;
pub(crate) use members::match_names;

use engine::Engine;
use engine::{Counts, FaultId, Fit, FitId, Outcome, Part, Pending, Step, Task};

/// See [`Node::coerce`].
pub(crate) fn coerce(
    node: Node<'_>,
    value: Value,
    policy: &Policy,
) -> Result<Coerced, CoerceError> {
    // A null that is left standing may make one branch too many fit.
    let kept = policy.null_optional == NullOptional::Keep;
    if kept && check_strictly(node, &value, policy).is_ok() {
        gate(node, &value)?;
        return Ok(Coerced { value, changes: Vec::new() });
    }
    let mut value = value;
    let changes = if let Some(changes) = fast_path::fit(node, &mut value, policy) {
        changes
    } else {
        let mut engine = Engine::new(node.inner, policy, policy.allow);
        match engine.fit_value(node.id, &value) {
            Ok(fit) => {
                let made = (!engine.fit(fit).parts.is_empty()).then(|| engine.made(fit));
                let changes = engine.changes(fit);
                value = made.unwrap_or(value);
                changes
            }
            Err(error) => return Err(forbidden(node, &value, policy).unwrap_or(error)),
        }
    };
    // A null left standing breaks the schema as far as anybody else can tell.
    if cfg!(feature = "validate") && (!kept || check_strictly(node, &value, policy).is_ok()) {
        gate(node, &value)?;
    }
    Ok(Coerced { value, changes })
}

/// The last word, about whole documents.
#[cfg_attr(not(feature = "validate"), expect(unused_variables, clippy::unnecessary_wraps))]
fn gate(node: Node<'_>, value: &Value) -> Result<(), CoerceError> {
    #[cfg(feature = "validate")]
    if node.id == node.inner.root {
        return node.inner.gate.check(node, value);
    }
    Ok(())
}

/// The built-in check, no null left standing.
fn check_strictly(node: Node<'_>, value: &Value, policy: &Policy) -> Result<(), CoerceError> {
    check(node, value, &Policy { null_optional: NullOptional::Drop, ..policy.clone() })
}

/// The rule of a forbidden class by which the value would have fitted.
fn forbidden(node: Node<'_>, value: &Value, policy: &Policy) -> Option<CoerceError> {
    if policy.allow == Loss::Guess {
        return None;
    }
    let mut engine = Engine::new(node.inner, policy, Loss::Guess);
    let fit = engine.fit_value(node.id, value).ok()?;
    let changes = engine.changes(fit);
    let change = changes.into_iter().find(|change| change.loss > policy.allow)?;
    let kind = CoerceErrorKind::LossNotAllowed { rule: change.rule };
    Some(CoerceError { kind, instance_path: change.path, schema_path: node.inner.path(node.id) })
}

/// The answers that were asked for to find a fit, and why there is none.
#[cfg(feature = "meter")]
pub(crate) fn looks(node: Node<'_>, value: &Value, policy: &Policy) -> (u64, Option<CoerceError>) {
    let mut engine = Engine::new(node.inner, policy, policy.allow);
    let error = engine.fit_value(node.id, value).err();
    (engine.looks, error)
}

/// See [`Node::validate`].
pub(crate) fn validate(node: Node<'_>, value: &Value) -> Result<(), CoerceError> {
    check(node, value, &Policy::default())?;
    gate(node, value)
}

/// See [`Node::check`].
pub(crate) fn check(node: Node<'_>, value: &Value, policy: &Policy) -> Result<(), CoerceError> {
    if fast_path::accepts(node, value, policy) {
        return Ok(());
    }
    let mut engine = Engine::new(node.inner, policy, policy.allow);
    let item = engine.take(node.id, value, policy.max_depth)?;
    engine.resolve(Task::Check(node.id, item));
    match engine.checked(node.id, item) {
        Ok(None) => Ok(()),
        Ok(Some(fault)) => Err(engine.error(item, fault)),
        Err(Pending) => Err(engine.exhausted(node.id)),
    }
}
