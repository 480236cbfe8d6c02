//! Any stream of any built-in format, under any request: no panic, and every law that one decoding
//! can show.

use crate::case::{Breach, Case, laws};
use crate::{Source, shrink};

/// Tries one input; panics on a finding.
pub fn target(data: &[u8]) {
    shrink::require(Case::builtin(&mut Source::new(data)), check);
}

/// Decodes and holds the result against the laws.
pub(crate) fn check(case: &Case) -> Result<(), Breach> {
    case.decode().map_or(Ok(()), |decoded| laws::hold(case, &decoded))
}
