//! Time on a processor.

use std::hint::black_box;

use cpu_time::ThreadTime;

/// Nanoseconds of one of `times` runs: time of this thread on a processor, in which nobody else has a
/// part.
pub fn time<T>(times: usize, mut run: impl FnMut() -> T) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..times {
        black_box(run());
    }
    start.elapsed().as_secs_f64() * 1e9 / times.max(1) as f64
}

/// One look at each byte, one call a chunk: the byte searched for does not occur. The list is hidden
/// from the compiler once, not each chunk of it.
#[must_use]
pub fn floor(chunks: &[&str]) -> usize {
    black_box(chunks)
        .iter()
        .map(|chunk| memchr::memchr(0, chunk.as_bytes()).map_or(0, |at| at + 1))
        .sum()
}
