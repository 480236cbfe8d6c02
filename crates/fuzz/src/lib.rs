//! Fuzz targets of toolweir as plain functions, with one generator for structured input.
//!
//! Every target is `fn(&[u8])`: the bytes are choices ([`Source`]) from which a case is made, so
//! both libFuzzer (`fuzz_targets/`) and the stable harness (`smoke`) can drive it. A finding is a
//! panic whose message is the case, already made small, as text that can be replayed by hand.
//!
//! Where to read next: [`stream`] makes model output, [`pattern`] formats, [`case`] decodes it and knows the laws,
//! [`targets`] holds one file a target, [`harness`] runs them without libFuzzer.

#![forbid(unsafe_code)]

pub mod case;
pub mod harness;
pub mod json;
pub mod pattern;
pub mod request;
pub mod seeds;
pub mod shrink;
pub mod source;
pub mod stream;
pub mod targets;
pub mod tools;

pub use source::Source;

/// A target by name.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its module and of its libFuzzer binary.
    pub name: &'static str,
    /// Tries one input; panics on a finding.
    pub run: fn(&[u8]),
    /// Runs of a smoke test: some twenty seconds on a machine of 2026. A number of runs, not a
    /// time: one seed then finds the same on every machine.
    pub smoke: u64,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "markers_vs_naive", run: targets::markers_vs_naive::target, smoke: 1_000_000 },
    Target { name: "rjson_vs_serde", run: targets::rjson_vs_serde::target, smoke: 1_500_000 },
    Target { name: "rjson_repair", run: targets::rjson_repair::target, smoke: 300_000 },
    Target { name: "coerce_any", run: targets::coerce_any::target, smoke: 250_000 },
    Target { name: "rxml_any", run: targets::rxml_any::target, smoke: 350_000 },
    Target { name: "decode_any", run: targets::decode_any::target, smoke: 200_000 },
    Target { name: "split_agree", run: targets::split_agree::target, smoke: 100_000 },
    Target { name: "pattern_roundtrip", run: targets::pattern_roundtrip::target, smoke: 100_000 },
    Target { name: "roundtrip", run: targets::roundtrip::target, smoke: 100_000 },
    Target { name: "linear", run: targets::linear::target, smoke: 20_000 },
    Target { name: "read_any", run: targets::read_any::target, smoke: 100_000 },
    Target { name: "spec_any", run: targets::spec_any::target, smoke: 50_000 },
];

/// The binary of one target: libFuzzer's entry under cargo-fuzz, else a replay of the files named
/// on the command line.
#[macro_export]
macro_rules! entry {
    ($name:ident) => {
        #[cfg(fuzzing)]
        ::libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::targets::$name::target(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::harness::replay_files($crate::targets::$name::target)
        }
    };
}
