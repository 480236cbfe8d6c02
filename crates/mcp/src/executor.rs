//! Whoever can run a call.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::error::ToolFailure;
use crate::output::ToolOutput;

/// What [`Executor::call`] gives.
pub type ToolFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'a>>;

/// Runs calls. Object-safe; [`Servers`](crate::Servers) is one, [`executor_fn`] makes one of a closure.
///
/// A call may be dropped at any await: that is how it is cancelled. It may panic: that is a failure
/// of the call and of nothing else.
pub trait Executor: Send + Sync {
    /// Runs the tool of that name. `arguments` is the text of one JSON value, an object for every
    /// ordinary tool, that fits the schema of the tool.
    fn call<'a>(&'a self, name: &'a str, arguments: &'a str) -> ToolFuture<'a>;
}

impl<E: Executor + ?Sized> Executor for Arc<E> {
    fn call<'a>(&'a self, name: &'a str, arguments: &'a str) -> ToolFuture<'a> {
        (**self).call(name, arguments)
    }
}

/// An executor made of a closure; see [`executor_fn`].
#[derive(Clone)]
pub struct FnExecutor<F>(F);

impl<F> fmt::Debug for FnExecutor<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnExecutor")
    }
}

/// An executor that calls `f` with the name and the arguments.
///
/// ```
/// use toolweir_mcp::{Executor, ToolFailure, ToolOutput, executor_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let executor = executor_fn(|name: String, _arguments| async move {
///     match name.as_str() {
///         "tide" => Ok(ToolOutput::new("1.2 m")),
///         _ => Err(ToolFailure::Tool("no such gauge".into())),
///     }
/// });
/// assert_eq!(executor.call("tide", "{}").await.unwrap().content, "1.2 m");
/// # }
/// ```
pub fn executor_fn<F, Fut>(f: F) -> FnExecutor<F>
where
    F: Fn(String, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
{
    FnExecutor(f)
}

impl<F, Fut> Executor for FnExecutor<F>
where
    F: Fn(String, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
{
    fn call<'a>(&'a self, name: &'a str, arguments: &'a str) -> ToolFuture<'a> {
        Box::pin((self.0)(name.to_owned(), arguments.to_owned()))
    }
}
