//! C12: bytes examined are linear in the stream, at every length of chunks.

use crate::case::{Breach, Case};
use crate::source::Rng;
use crate::{Source, shrink};

/// The longest stream that a short one is repeated to, in bytes.
const LONGEST: usize = 16 << 10;

/// Tries one input; panics on a finding.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let (repeat, length) = (1 + source.below(64), 1 + source.below(200));
    let mut case = Case::builtin(&mut source);
    if repeat > 4 {
        let mut rng = Rng::new(case.text.len() as u64);
        let from = rng.below(case.text.chars().count().max(1));
        let part: String = case.text.chars().skip(from).take(length).collect();
        let times = repeat.min(LONGEST / part.len().max(1));
        case.text.push_str(&part.repeat(times));
    }
    case.special = None;
    case.cuts.clear();
    shrink::require(case, check);
}

fn check(case: &Case) -> Result<(), Breach> {
    let mut whole = 0;
    for length in [usize::MAX, 64, 16, 4, 1] {
        let mut cut = case.clone();
        cut.cuts = case.text.char_indices().map(|(at, _)| at).step_by(length).skip(1).collect();
        let Some(decoded) = cut.decode() else { return Ok(()) };
        let (input, examined) = (case.text.len() as u64, decoded.examined);
        let most = 3 * input + 64 * decoded.events as u64 + 4096;
        if examined > most {
            let message = format!(
                "{examined} of {input} bytes examined, at most {most} allowed, in chunks of {length}"
            );
            return Err(Breach::new("C12 bytes", message));
        }
        whole = if length == usize::MAX { examined } else { whole };
        if examined > whole + whole / 2 + 4096 {
            let message =
                format!("{examined} bytes examined in chunks of {length}, {whole} in one");
            return Err(Breach::new("C12 chunks", message));
        }
    }
    Ok(())
}
