//! Calls that do not run, as errors of rig.

use rig_core::error::{ErrorKind, ErrorReport, ProviderError};
use toolweir::middleware::engine::AnswerError;

/// What the code of an error of this crate begins with.
pub const CODE: &str = "toolweir::";

/// Why a reply is refused, where the error is one of this crate: `cut`, `undeclared`, `rejected` or
/// `too-much-waits`. Its message names the call.
///
/// ```
/// use rig_core::error::{ErrorReport, ProviderError};
///
/// fn may_ask_again(error: &ProviderError) -> bool {
///     toolweir_rig::refusal(&error.report()) == Some("cut")
/// }
/// # assert!(!may_ask_again(&ProviderError::Truncated));
/// ```
#[must_use]
pub fn refusal(error: &ErrorReport) -> Option<&str> {
    error.code.as_deref()?.strip_prefix(CODE)
}

/// The error with its code, which stays readable on every way through rig.
pub(crate) fn refused(error: &AnswerError) -> ProviderError {
    let report = ErrorReport::new(ErrorKind::Response, error.to_string());
    ProviderError::Relayed(Box::new(report.with_code(format!("{CODE}{}", error.code()))))
}
