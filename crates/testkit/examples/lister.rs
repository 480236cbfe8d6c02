//! Decodes jobs and writes down the events: one side of a comparison of two builds.
//!
//! `lister JOBS OUT` reads the lines that [`toolweir_testkit::jobs`] writes. For each text it writes
//! a line `== JOB.VARIANT`, then one line an event. A panic, a request that is refused and a format
//! that is not there are lines too; a text that comes to no end stops the program.
//!
//! This file is also built in the tree of an older commit, where it is put in the same place. So it
//! names as little of the API as it can, and nothing of `toolweir_testkit`. Where the two trees need
//! different code, the part that differs goes into [`api`], in two variants to choose by hand.
#![allow(clippy::print_stderr, reason = "a program that says why it stops")]

use std::error::Error;
use std::fs::{File, read_to_string};
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use api::Listed;
use toolweir_protocols::{Registry, Request, ToolSet};
use toolweir_rjson::{Mode, Value, parse};

/// What no text takes: they are short.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [jobs, out] = words.as_slice() else {
        return Err("usage: lister JOBS OUT".into());
    };
    // A panic is a line of the listing.
    std::panic::set_hook(Box::new(|_| {}));
    let at = Arc::new(AtomicU64::new(0));
    let watched = Arc::clone(&at);
    std::thread::spawn(|| watch(watched));
    let registry = Registry::builtin();
    let mut out = BufWriter::new(File::create(out)?);
    for (number, line) in (0_u64..).zip(read_to_string(jobs)?.lines()) {
        let job = parse(line, Mode::Strict)?.value;
        for (variant, text) in (0_u64..).zip(items(&job, "variants")) {
            at.store(number << 16 | variant, Ordering::Relaxed);
            let listing = catch_unwind(AssertUnwindSafe(|| list(&registry, &job, text)));
            let listing = listing.unwrap_or_else(|panic| Err(format!("panic {:?}", said(&*panic))));
            let listing = listing.unwrap_or_else(|why| format!("{why}\n"));
            write!(out, "== {number}.{variant}\n{listing}")?;
        }
    }
    out.flush()?;
    Ok(())
}

/// `Err` is a line that stands in place of the events.
fn list(registry: &Registry, job: &Value, variant: &Value) -> Listed {
    let protocol = registry.get(text(job, "format")).map_err(|_| "unknown format".to_owned())?;
    let mut request = Request::new(ToolSet::lenient(items(job, "tools").map(api::tool)).0);
    for option in items(job, "options") {
        let word = |n| option.as_array().and_then(|a| a.get(n)).and_then(Value::as_str);
        let set = request.set(word(0).unwrap_or_default(), word(1).unwrap_or_default());
        set.map_err(|e| format!("request {:?}", e.to_string()))?;
    }
    let all = variant.get("all_events").and_then(Value::as_bool) == Some(true);
    let special = variant.get("special").is_some().then(|| ranges(variant));
    let lengths = items(variant, "chunks").filter_map(number);
    let chunks = chunks(text(variant, "text"), lengths, special.as_deref());
    api::decode(&**protocol, request, all, &chunks, text(job, "end"))
}

/// A chunk, with the ranges in it that came from special tokens where the source says so.
type Chunk<'t> = (&'t str, Option<Vec<Range<usize>>>);

fn chunks<'t>(
    text: &'t str,
    lengths: impl Iterator<Item = usize>,
    special: Option<&[Range<usize>]>,
) -> Vec<Chunk<'t>> {
    let mut start = 0;
    let chunk = |length| {
        let (from, to) = (start, start + length);
        start = to;
        let inside = |range: &Range<usize>| {
            let (a, b) = (range.start.max(from), range.end.min(to));
            (a < b).then(|| a - from..b - from)
        };
        let special = special.map(|ranges| ranges.iter().filter_map(inside).collect());
        (text.get(from..to).unwrap_or_default(), special)
    };
    lengths.map(chunk).collect()
}

fn items<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value.get(key).and_then(Value::as_array).into_iter().flat_map(|array| array.iter())
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_i64()?).ok()
}

fn ranges(variant: &Value) -> Vec<Range<usize>> {
    let range = |value: &Value| {
        let mut ends = value.as_array()?.iter().filter_map(number);
        Some(ends.next()?..ends.next()?)
    };
    items(variant, "special").filter_map(range).collect()
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default().to_owned()
}

/// Ends the program when one text takes longer than [`PATIENCE`].
fn watch(text: Arc<AtomicU64>) {
    let (mut last, mut since) = (0, Instant::now());
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let at = text.load(Ordering::Relaxed);
        if at != last {
            (last, since) = (at, Instant::now());
        } else if since.elapsed() > PATIENCE {
            eprintln!("no end after {PATIENCE:?}: text {} of job {}", at & 0xffff, at >> 16);
            std::process::exit(1);
        }
    }
}

/// What is most likely to change from one commit to another.
mod api {
    use toolweir_protocols::{Chunk, Protocol, Request, Tool};
    use toolweir_rjson::Value;
    use toolweir_segments::{Coalesce, Listing, StreamEnd};

    use super::text;

    /// The listing, or a line that stands in its place.
    pub(crate) type Listed = Result<String, String>;

    /// A declared tool.
    pub(crate) fn tool(value: &Value) -> Tool {
        let mut tool = Tool::new(text(value, "name"));
        tool.description = value.get("description").and_then(Value::as_str).map(str::to_owned);
        tool.parameters = value.get("parameters").cloned();
        tool.original_schema = value.get("original_schema").cloned();
        tool
    }

    /// The events of the chunks, `Markup` among them; with `all`, whatever can be asked for.
    pub(crate) fn decode(
        protocol: &dyn Protocol,
        mut request: Request,
        all: bool,
        chunks: &[super::Chunk<'_>],
        end: &str,
    ) -> Listed {
        request.emit.markup = true;
        request.emit.raw = all;
        request.emit.field = all;
        let end: StreamEnd = end.parse().map_err(|_| "unknown end".to_owned())?;
        let mut decoder =
            protocol.decoder(&request).map_err(|e| format!("request {:?}", e.to_string()))?;
        let mut sink = Coalesce::new(Listing::new());
        for (text, special) in chunks {
            let chunk = match special {
                Some(special) => Chunk::attributed(text, special),
                None => Chunk::text(text),
            };
            decoder.push(chunk, &mut sink);
        }
        decoder.finish(end, &mut sink);
        Ok(sink.into_inner().into_string())
    }
}
