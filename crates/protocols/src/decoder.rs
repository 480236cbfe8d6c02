//! The trait that reads one stream: implemented by the engine and by decoders written by hand.

use toolweir_segments::{EventSink, StreamEnd};

pub use toolweir_markers::Chunk;

/// Turns one stream into events. Cannot fail: trouble is a diagnostic (C7).
pub trait Decoder: Send {
    /// Takes the next chunk. Any division of the stream into chunks gives the same turn (C3).
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink);

    /// Ends the stream. Everything held comes out, the last event is `Finish`.
    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink);

    /// Bytes examined so far, with feature `meter`.
    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        0
    }
}
