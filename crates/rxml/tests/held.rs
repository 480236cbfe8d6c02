//! What is known of tags is forgotten inside strings, and bounded where it cannot be.

#![allow(clippy::unwrap_used, clippy::string_slice, reason = "helpers of tests are tests too")]

mod common;

use common::{by_chunks, cases, properties, repairing};
use proptest::prelude::*;
use toolweir_rxml::{Error, Options, ParseErrorKind};
use toolweir_schema_coerce::Schema;

/// What a string holds that may or may not end it.
const INSIDE: &[&str] = &[
    "<k>",
    "</k>",
    "<k/>",
    "</K>",
    "</ k>",
    "</k",
    "<b>",
    "</b>",
    "<b/>",
    "<b x='1'>",
    "<m>",
    "</m>",
    "<o>",
    "</o>",
    "</c>",
    "<",
    "text",
    " ",
    "<![CDATA[",
    "]]>",
];

fn members() -> Schema {
    properties(
        "{k:{type:'string'},m:{type:'integer'},l:{type:'array',items:{type:'string'}},
          o:{type:'object',properties:{k:{type:'string'},m:{type:'integer'}}}}",
    )
}

fn limited(repair: bool, most: usize) -> Options {
    let mut options = if repair { repairing() } else { Options::default() };
    options.max_held = most;
    options
}

/// Pieces of so many characters.
fn cut(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}

fn same_at_every_size(text: &str, options: &Options) {
    let whole = by_chunks(&[text], &members(), options);
    for size in [1, 2, 3, 7, 20, 61] {
        let pieces = cut(text, size);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(whole, by_chunks(&pieces, &members(), options), "{text:?} by {size}");
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn forgetting_changes_nothing(
        picks in prop::collection::vec(prop::sample::select(INSIDE), 1..90),
        end in prop::sample::select(&["", "</k>", "</k><m>4</m>", "</o>", "</k></o><b>x</b>"][..]),
        repair: bool,
        limit in prop::sample::select(&[usize::MAX, 300, 64][..]),
    ) {
        let inside = picks.concat();
        for before in ["<k>", "<o><k>", "<l><item>", "<w><k>"] {
            same_at_every_size(&format!("{before}{inside}{end}"), &limited(repair, limit));
        }
    }
}

/// The error at any size of chunks.
fn refused(text: &str, options: &Options) -> Option<(ParseErrorKind, std::ops::Range<usize>)> {
    same_at_every_size(text, options);
    match by_chunks(&[text], &members(), options).0 {
        Err(Error::Parse { kind, span }) => Some((kind, span.as_range())),
        _ => None,
    }
}

#[test]
fn what_waits_for_its_end_has_a_limit() {
    let options = limited(true, 200);
    let long = "x".repeat(300);
    let held = Some((ParseErrorKind::TooLarge, 4..204));
    // A closing tag that nothing opened, and one of its own that another opening tag may be meant by.
    assert_eq!(refused(&format!("<k>a</b>{long}</k>"), &options), held);
    let own = Some((ParseErrorKind::TooLarge, 7..207));
    assert_eq!(
        refused(&format!("<k>a<k></k>{long}</k>"), &options),
        own.map(|(kind, _)| (kind, 7..207))
    );
    // A tag without its end.
    assert_eq!(refused(&format!("<k>a<b x=\"{long}\"></k>"), &options), held);
    // What is sure is not held, however long.
    for inside in [long.clone(), "<b>".repeat(200), "<b></b>".repeat(200), "<k>".repeat(200)] {
        let text = format!("<k>a{inside}</k>{}", if inside.contains("<k>") { "</k>" } else { "" });
        assert!(!matches!(refused(&text, &options), Some((ParseErrorKind::TooLarge, _))), "{text}");
    }
}

#[test]
fn tags_that_are_held_have_a_limit() {
    let options = limited(true, 320);
    let list = |entries: usize| format!("<l>{}</l>", "<item/>".repeat(entries));
    assert_eq!(refused(&list(5), &options), None);
    assert_eq!(refused(&list(20), &options), Some((ParseErrorKind::TooLarge, 0..320)));
}
