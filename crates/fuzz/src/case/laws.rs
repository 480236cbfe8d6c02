//! The laws that need the input or JSON, beyond what `Check` sees in the events.

use std::sync::OnceLock;

use toolweir_protocols::{Deltas, formats};
use toolweir_rjson::{Machine, Mode, Options, Value, parse_with};
use toolweir_segments::{Kind, Outcome, Part};

use super::{Breach, Case, Decoded};

/// The first law that the decoded stream breaks.
///
/// # Errors
/// The breach.
pub fn hold(case: &Case, decoded: &Decoded) -> Result<(), Breach> {
    if let Some(breach) = decoded.breaches.first() {
        return Err(breach.clone());
    }
    for part in &decoded.turn.parts {
        bytes(case, part)?;
        if part.kind.is_call() {
            arguments(case, part)?;
        }
    }
    calls(case, decoded)
}

/// The built-in formats whose deltas are the source.
fn as_source() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let specs = formats::specs().into_iter().filter(|spec| spec.deltas == Deltas::Source);
        specs.map(|spec| spec.name).collect()
    })
}

fn setting<'c>(case: &'c Case, key: &str) -> Option<&'c str> {
    let mut found = case.settings.iter().rev().filter(|(k, _)| k == key);
    found.next().map(|(_, value)| value.as_str())
}

fn limit(case: &Case, key: &str, default: usize) -> usize {
    setting(case, key).and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// C1, C5: text is its bytes, reasoning a part of them.
fn bytes(case: &Case, part: &Part) -> Result<(), Breach> {
    let Some(source) = case.text.get(part.span.as_range()) else {
        return Err(Breach::new("C1", format!("span {} is not on char boundaries", part.span)));
    };
    let decodes = || case.request().is_some_and(|request| case.protocol.decodes_text(&request));
    let same = match part.kind {
        Kind::Text => part.text == source || decodes(),
        Kind::Reasoning => is_subsequence(&part.text, source),
        Kind::Call(_) => true,
    };
    if same {
        return Ok(());
    }
    let message = format!("{} {} says {:?} of {source:?}", part.kind, part.span, part.text);
    Err(Breach::new("C1 bytes", message))
}

fn is_subsequence(inner: &str, outer: &str) -> bool {
    let mut rest = outer.chars();
    inner.chars().all(|c| rest.any(|o| o == c))
}

fn unlimited() -> Options {
    let mut options = Options::new(Mode::Strict);
    options.max_depth = usize::MAX;
    options.max_keys = usize::MAX;
    options.max_held_bytes = usize::MAX;
    options
}

/// C6: one strict object where the call may run, a prefix of one where it may not.
fn arguments(case: &Case, part: &Part) -> Result<(), Breach> {
    if part.outcome.is_some_and(Outcome::is_runnable) {
        let own = part.invocations.first().and_then(|i| i.resolved.as_deref());
        let document = own.unwrap_or(&part.args);
        return match parse_with(document, &unlimited()).map(|p| p.value) {
            Ok(Value::Object(_)) => Ok(()),
            Ok(_) => Err(Breach::new("C6 object", format!("arguments are {document:?}"))),
            Err(e) => Err(Breach::new("C6 strict", format!("{e}: arguments are {document:?}"))),
        };
    }
    let own = as_source().iter().any(|name| name == case.protocol.name()).then_some("source");
    if setting(case, "deltas").or(own) == Some("source") {
        return Ok(());
    }
    let mut machine = Machine::new(unlimited());
    let mut rest = part.args.as_str();
    loop {
        match machine.next(&mut rest) {
            Ok(Some(_)) => {}
            Ok(None) if rest.is_empty() => return Ok(()),
            Ok(None) => {
                let message = format!("{rest:?} stands after arguments {:?}", part.args);
                return Err(Breach::new("C6 prefix", message));
            }
            Err(e) => {
                let message = format!("{e}: {:?} is no prefix of a document", part.args);
                return Err(Breach::new("C6 prefix", message));
            }
        }
    }
}

/// Every runnable call has one invocation, no other has any, and limits hold.
fn calls(case: &Case, decoded: &Decoded) -> Result<(), Breach> {
    for part in &decoded.turn.parts {
        let runnable = part.kind.is_call() && part.outcome.is_some_and(Outcome::is_runnable);
        // A segment may be whole and run nothing, or be a list of calls.
        let segments = case.protocol.name().starts_with("segments-");
        if part.invocations.len() != usize::from(runnable) && !(segments && runnable) {
            let count = part.invocations.len();
            return Err(Breach::new("C8", format!("{count} invocations of {}", part.span)));
        }
        // A forced call has a name even where the model gave none.
        let made_up = case.protocol.name() == "tool-choice";
        let longest =
            limit(case, "max_name_bytes", 256).max(if made_up { "unknown".len() } else { 0 });
        if part.name.as_ref().is_some_and(|n| n.len() > longest || n.is_empty()) {
            return Err(Breach::new("limit", format!("the name {:?}", part.name)));
        }
        if part.kind.is_call()
            && part.span.len() > limit(case, "max_call_bytes", 16 << 20) as u64
            && runnable
        {
            return Err(Breach::new("limit", format!("a call of {} bytes", part.span.len())));
        }
    }
    let (calls, most) = (decoded.turn.every_call().count(), limit(case, "max_calls", 1024));
    // A forced call is one whatever the limit.
    if calls > most && case.protocol.name() != "tool-choice" {
        return Err(Breach::new("limit", format!("{calls} calls where {most} are allowed")));
    }
    // What says that the text looks like another format stands beside the count: it is one a stream.
    let counted = decoded.turn.diagnostics.iter().filter(|d| d.code != "engine::other-format");
    let (notes, most) = (counted.count(), limit(case, "max_diagnostics", 100));
    if notes > most + 1 {
        return Err(Breach::new("limit", format!("{notes} diagnostics where {most} are allowed")));
    }
    Ok(())
}
