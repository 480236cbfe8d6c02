//! The reader's end of one answer.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;

use crate::item::HostItem;
use crate::split::{self, TokenStream, ToolStream};

/// Gives the items of one answer as they come. Dropping it stops the model's stream and every tool.
///
/// It is also a [`Stream`].
#[derive(Debug)]
pub struct StreamingResponseHandle {
    items: Receiver<HostItem>,
    /// Ends by itself when nobody takes the items any more.
    task: JoinHandle<()>,
    /// Whether calls are shown by a placeholder.
    placeholders: bool,
}

impl StreamingResponseHandle {
    pub(crate) fn new(items: Receiver<HostItem>, task: JoinHandle<()>, placeholders: bool) -> Self {
        Self { items, task, placeholders }
    }

    /// The next item; `None` after [`HostItem::Finished`]. Losing the future loses no item.
    pub async fn next(&mut self) -> Option<HostItem> {
        self.items.recv().await
    }

    /// Stops the model's stream and every tool, and waits until both are dropped.
    pub async fn cancel(mut self) {
        // The task sees it, drops all it holds, and ends.
        self.items.close();
        let _ = self.task.await;
    }

    /// The text and the executed tools apart, each to be read by itself, by whichever task.
    ///
    /// Reading one can never wait for the other: what comes for the other is kept for it, or let go of
    /// once that one is dropped. All that is kept for a view that lives and is not read is at most the
    /// whole answer.
    #[must_use]
    pub fn split(self) -> (TokenStream, ToolStream) {
        let placeholders = self.placeholders;
        split::split(self, placeholders)
    }
}

impl Stream for StreamingResponseHandle {
    type Item = HostItem;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<HostItem>> {
        self.items.poll_recv(cx)
    }
}
