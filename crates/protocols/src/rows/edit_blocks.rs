//! Edits as blocks of lines: `apply-patch`.
//!
//! # `apply-patch`
//!
//! A patch of several files, for the tool `apply_patch` of Codex.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/weave.rs
//! @@ fn shuttle()
//! -    left();
//! +    right();
//! *** Add File: notes.txt
//! +Threads are counted twice.
//! *** End Patch
//! ```
//!
//! Source of the format: the instructions and the parser of openai/codex (`codex-rs/apply-patch`, read in
//! 2026).
//!
//! Models: GPT-5 and its coding models, gpt-oss, and others under the same prompt.
//!
//! It is one call, `apply_patch`, whose argument `input` is the whole patch from its first line to its last
//! one. [`crate::patch`] reads the operations and lines in it.
//!
//! Quirks:
//! - whitespace at the edges of the first and of the last line does not count;
//! - the first line is text where no header of a file follows: a patch that is quoted in prose mostly has
//!   none;
//! - a shell here-document around it is text, and so is a fence.
//!
//! Delicate here: C6 (a line of the patch that only holds the last line, after its `+`, ends nothing) and
//! C10 (what may be the last line waits for its line break).
//!
//! ```ebnf
//! out    = { text | patch } ;
//! patch  = "*** Begin Patch", nl, { file }, "*** End Patch" ;
//! file   = "*** Add File: ", path, nl, { "+", line, nl }
//!        | "*** Delete File: ", path, nl
//!        | "*** Update File: ", path, nl, [ "*** Move to: ", path, nl ], { hunk } ;
//! hunk   = [ "@@", [ " ", line ], nl ], { ( " " | "-" | "+" ), line, nl }, [ "*** End of File", nl ] ;
//! ```
//!
//! Only the first line, the beginning of the next one and the last line are looked at while it is decoded.

use super::Line::{Aliases, Call, Models, Name};
use super::row;
use crate::spec::FormatSpec;

/// Every row of the family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![apply_patch()]
}

fn apply_patch() -> FormatSpec {
    row(&[
        Name("apply-patch"),
        Aliases(&[
            "apply_patch",
            "codex-patch", // As engines call apply_patch.
        ]),
        Models("GPT-5 and its coding models, gpt-oss; others under the same prompt"),
        Call(concat!(
            r"{name=apply_patch}{arg:input:{at:line}*** Begin Patch\n",
            r"{any:*** Add File\:||*** Delete File\:||*** Update File\:}",
            r"{value}{at:line}*** End Patch}",
        )),
    ])
}
