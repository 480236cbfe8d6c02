//! The built-in wire formats, one file each. A new format is one file and one line here.

pub mod hermes;
pub mod json_mix;
pub mod qwen3_coder;

use crate::spec::FormatSpec;

/// Every built-in spec, in the order of the documentation.
pub const SPECS: &[FormatSpec<'static>] =
    &[hermes::SPEC, hermes::QWEN25, json_mix::SPEC, qwen3_coder::SPEC];
