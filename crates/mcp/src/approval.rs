//! Whether a call may run: one asynchronous question.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::item::HostCall;

/// The answer to an [`Approval`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// The call runs.
    Approve,
    /// It does not; the model is told why.
    Refuse(String),
}

/// What [`Approval::decide`] gives.
pub type ApprovalFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// Decides about calls. Closures from a [`HostCall`] to a future of a [`Decision`] are approvals.
///
/// Calls wait for their answers side by side, and a call that waits does not count against
/// [`CallLimits::max_concurrent`](crate::CallLimits::max_concurrent). There is no time limit: people
/// answer when they answer. One that panics refuses.
pub trait Approval: Send + Sync {
    /// Decides about one call.
    fn decide<'a>(&'a self, call: &'a HostCall) -> ApprovalFuture<'a>;
}

/// Approves every call.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutoApprove;

impl Approval for AutoApprove {
    fn decide<'a>(&'a self, _call: &'a HostCall) -> ApprovalFuture<'a> {
        Box::pin(std::future::ready(Decision::Approve))
    }
}

impl<F, Fut> Approval for F
where
    F: Fn(HostCall) -> Fut + Send + Sync,
    Fut: Future<Output = Decision> + Send + 'static,
{
    fn decide<'a>(&'a self, call: &'a HostCall) -> ApprovalFuture<'a> {
        Box::pin(self(call.clone()))
    }
}

impl fmt::Debug for dyn Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approval")
    }
}
