//! Two views of one handle.
//!
//! There is still one channel. Whichever view is read takes the next item; an item of the other view is
//! put aside for it. The channel wakes one reader only, so it is given a waker that wakes both: a view
//! whose task has gone away can then not swallow the call to the other.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures_core::Stream;

use crate::handle::StreamingResponseHandle;
use crate::item::{ExecutedTool, HostItem, ProcessedToken};

pub(crate) fn split(
    handle: StreamingResponseHandle,
    placeholders: bool,
) -> (TokenStream, ToolStream) {
    let shared = Arc::new(Shared {
        both: Arc::default(),
        state: Mutex::new(State {
            handle: Some(handle),
            tokens: Some(VecDeque::new()),
            tools: Some(VecDeque::new()),
        }),
        placeholders,
    });
    (TokenStream(shared.clone()), ToolStream(shared))
}

struct Shared {
    both: Arc<Both>,
    state: Mutex<State>,
    placeholders: bool,
}

struct State {
    /// `None`: all has been read, or both views are gone.
    handle: Option<StreamingResponseHandle>,
    /// What is put aside for a view; `None` once the view is gone.
    tokens: Option<VecDeque<ProcessedToken>>,
    tools: Option<VecDeque<ExecutedTool>>,
}

/// The readers of both views, by view.
#[derive(Default)]
struct Both(Mutex<[Option<Waker>; 2]>);

impl Both {
    fn wake_one(&self, view: usize) {
        if let Some(waker) = lock(&self.0).get_mut(view).and_then(Option::take) {
            waker.wake();
        }
    }
}

impl Wake for Both {
    fn wake(self: Arc<Self>) {
        for waker in lock(&self.0).iter_mut().filter_map(Option::take) {
            waker.wake();
        }
    }
}

const TOKENS: usize = 0;
const TOOLS: usize = 1;

impl Shared {
    /// Reads until `take` finds something for its view.
    fn poll<T>(
        &self,
        view: usize,
        cx: &mut Context<'_>,
        take: impl Fn(&mut State) -> Option<T>,
    ) -> Poll<Option<T>> {
        // Before looking, so that what comes meanwhile is not missed.
        if let Some(place) = lock(&self.both.0).get_mut(view) {
            *place = Some(cx.waker().clone());
        }
        let waker = Waker::from(self.both.clone());
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = take(&mut state) {
                return Poll::Ready(Some(item));
            }
            let Some(handle) = &mut state.handle else { return Poll::Ready(None) };
            match Pin::new(handle).poll_next(&mut Context::from_waker(&waker)) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(item)) => self.put_aside(&mut state, item),
                // The end wakes the other view, too: it waits with the same waker.
                Poll::Ready(None) => state.handle = None,
            }
        }
    }

    fn put_aside(&self, state: &mut State, item: HostItem) {
        match item {
            HostItem::Narrative(text) => {
                put(&mut state.tokens, ProcessedToken::Narrative(text));
                self.both.wake_one(TOKENS);
            }
            HostItem::Call(call) if !self.placeholders => {
                put(&mut state.tokens, ProcessedToken::ToolCall(call.source.to_string()));
                self.both.wake_one(TOKENS);
            }
            HostItem::Executed(tool) => {
                put(&mut state.tools, tool);
                self.both.wake_one(TOOLS);
            }
            _ => {}
        }
    }

    fn leave(&self, view: usize) {
        let mut state = lock(&self.state);
        if view == TOKENS {
            state.tokens = None;
        } else {
            state.tools = None;
        }
        if state.tokens.is_none() && state.tools.is_none() {
            // Stops the stream and every tool.
            state.handle = None;
        }
    }
}

/// Keeps an item for its view, if that is still there.
fn put<T>(queue: &mut Option<VecDeque<T>>, item: T) {
    if let Some(queue) = queue {
        queue.push_back(item);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of an answer, and the sources of its calls as hidden tokens. See
/// [`StreamingResponseHandle::split`].
pub struct TokenStream(Arc<Shared>);

/// The executed tools of an answer. See [`StreamingResponseHandle::split`].
pub struct ToolStream(Arc<Shared>);

macro_rules! view {
    ($name:ident, $item:ty, $view:expr, $queue:ident) => {
        impl $name {
            /// The next one; `None` at the end. Losing the future loses nothing.
            pub async fn next(&mut self) -> Option<$item> {
                poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
            }
        }

        impl Stream for $name {
            type Item = $item;

            fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<$item>> {
                self.0.poll($view, cx, |state| state.$queue.as_mut()?.pop_front())
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.0.leave($view);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

view!(TokenStream, ProcessedToken, TOKENS, tokens);
view!(ToolStream, ExecutedTool, TOOLS, tools);
