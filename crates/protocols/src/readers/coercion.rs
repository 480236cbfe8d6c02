//! What a schema may do to the arguments of a call, and what is said of it.

use toolweir_schema_coerce::{CoerceError, NullOptional, Policy, Undeclared as Keys};
use toolweir_segments::Severity;

use crate::diagnostics::{Code, INVALID_ARGUMENT};
use crate::engine::{Fault, Result, shown};
use crate::policy::{InvalidArguments, Undeclared};
use crate::request::Request;

/// How protocols coerce: a null stays, and what is dropped is for the request to say.
pub(crate) fn policy(request: &Request) -> Policy {
    let mut policy = Policy::default();
    policy.null_optional = NullOptional::Keep;
    policy.max_depth = request.limits.max_depth;
    if request.policies.undeclared == Undeclared::Drop {
        policy.undeclared = Keys::Drop;
    }
    policy
}

/// What is said of a value that does not fit, unless the request refuses it.
pub(crate) fn misfit(error: &CoerceError, request: &Request) -> Result<(Code, String)> {
    let place = match error.instance_path.as_str() {
        "" => "the arguments".to_owned(),
        path => format!("`{}`", shown(path)),
    };
    if request.policies.invalid_arguments == InvalidArguments::Reject {
        let message = format!("{place}: {}", error.kind);
        return Err(Fault::new(INVALID_ARGUMENT, message));
    }
    let code = Code { code: error.kind.as_str(), severity: Severity::Warning, summary: "" };
    Ok((code, format!("{place}: {}; passed on as written", error.kind)))
}

/// What is said of a key that the schema does not declare.
pub(crate) fn left_out(key: &str) -> String {
    format!("the undeclared argument `{}` was left out", shown(key))
}
