use super::*;
use std::string::{String, ToString};
use std::vec::Vec;

fn set(markers: &[&str]) -> MarkerSet {
    MarkerSet::new(markers).unwrap()
}

/// All pieces, a marker in `{}`, each chunk's pieces and the end of the stream apart.
fn pieces(set: &MarkerSet, chunks: &[&str]) -> Vec<Vec<String>> {
    let mut scanner = Scanner::new();
    let show = |piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Marker(id) => std::format!("{{{}}}", set.marker(id)),
    };
    let mut all = Vec::new();
    for chunk in chunks {
        let mut input = *chunk;
        let mut found = Vec::new();
        while let Some(piece) = scanner.next(set, &mut input) {
            found.push(show(piece));
        }
        assert_eq!(input, "");
        all.push(found);
    }
    let mut found = Vec::new();
    while let Some(piece) = scanner.finish(set) {
        found.push(show(piece));
    }
    assert!(scanner.is_idle());
    all.push(found);
    all
}

/// The id of the next piece, which is a marker.
fn marker(set: &MarkerSet, scanner: &mut Scanner, input: &mut &str) -> MarkerId {
    match scanner.next(set, input) {
        Some(Piece::Marker(id)) => id,
        other => panic!("no marker: {other:?}"),
    }
}

#[test]
fn a_chunk_without_a_candidate_is_one_borrowed_piece() {
    let set = set(&["<a>", "[b]"]);
    for chunk in ["x", "a few words", "a longer chunk, beyond the short loop \u{e9}"] {
        let mut scanner = Scanner::new();
        let mut input = chunk;
        let Some(Piece::Text(text)) = scanner.next(&set, &mut input) else { panic!("{chunk}") };
        assert!(core::ptr::eq(text, chunk));
        assert_eq!(input, "");
        assert_eq!(scanner.next(&set, &mut input), None);
    }
}

#[test]
fn candidates_that_fail_inside_a_chunk_do_not_cut_it() {
    let set = set(&["<tool>", "｜x"]);
    assert_eq!(pieces(&set, &["1 <t 2 <<too ｜ ｝ é <"])[0], ["1 <t 2 <<too ｜ ｝ é "]);
}

#[test]
fn the_empty_set_and_the_empty_chunk_give_nothing_but_the_text() {
    let set = set(&[]);
    assert_eq!(pieces(&set, &["", "a", "", "<b>"]), [&[][..], &["a"], &[], &["<b>"], &[]]);
}

#[test]
fn only_a_real_beginning_is_held() {
    let set = set(&["<tool>"]);
    assert_eq!(pieces(&set, &["a <to", "ol", ">b"]), [&["a "][..], &[], &["{<tool>}", "b"], &[]]);
    assert_eq!(pieces(&set, &["a <to", "day"]), [&["a "][..], &["<to", "day"], &[]]);
    assert_eq!(pieces(&set, &["a <to"]), [&["a "][..], &["<to"]]);
}

#[test]
fn a_failed_beginning_comes_out_as_one_piece() {
    let set = set(&["<<<<X"]);
    assert_eq!(pieces(&set, &["<<<", "y"]), [&[][..], &["<<<", "y"], &[]]);
    assert_eq!(pieces(&set, &["<<<<", "<", "<"]), [&[][..], &["<"], &["<"], &["<<<<"]]);
}

#[test]
fn the_longest_marker_at_a_place_wins() {
    let set = set(&["name", "name:", "nam"]);
    let whole = pieces(&set, &["name:name nam"]);
    assert_eq!(whole, [&["{name:}", "{name}", " "][..], &["{nam}"]]);
    assert_eq!(pieces(&set, &["name", ":"]), [&[][..], &["{name:}"], &[]]);
}

#[test]
fn the_leftmost_marker_wins_over_a_longer_one() {
    let set = set(&["ab", "bcdef"]);
    assert_eq!(pieces(&set, &["abcdef"])[0], ["{ab}", "cdef"]);
}

#[test]
fn a_marker_may_be_the_end_or_the_middle_of_another() {
    let set = set(&["User:", "\nUser:", "er"]);
    let found = pieces(&set, &["\nUser:\nUsers User: er\nU"]);
    assert_eq!(found, [&["{\nUser:}", "\nUs", "{er}", "s ", "{User:}", " ", "{er}"][..], &["\nU"]]);
}

#[test]
fn a_covered_marker_is_reported_when_the_longer_one_fails() {
    let set = set(&["ab", "abcd"]);
    assert_eq!(pieces(&set, &["abcX"])[0], ["{ab}", "c", "X"]);
    assert_eq!(pieces(&set, &["abc", "abcd"]), [&[][..], &["{ab}", "c", "{abcd}"], &[]]);
    assert_eq!(pieces(&set, &["..abc"]), [&[".."][..], &["{ab}", "c"]]);
}

#[test]
fn text_read_beyond_a_covered_marker_is_scanned_for_more_markers() {
    let set = set(&["a", "aaaab", "ab!"]);
    assert_eq!(pieces(&set, &["aaaaX"])[0], ["{a}", "{a}", "{a}", "{a}", "X"]);
    assert_eq!(pieces(&set, &["aaaaaab"])[0], ["{a}", "{a}", "{aaaab}"]);
    assert_eq!(pieces(&set, &["aaa", "b!"])[1], ["{a}", "{a}", "{ab!}"]);
}

#[test]
fn an_inner_covered_marker_is_not_read_again() {
    let set = set(&["ab", "abcd", "bcEf", "xabcEY"]);
    assert_eq!(pieces(&set, &["xabcEf"])[0], ["x", "{ab}", "cE", "f"]);
    assert_eq!(pieces(&set, &["xabc", "Ef"])[1], ["x", "{ab}", "cE", "f"]);
}

#[test]
fn text_before_an_inner_marker_joins_the_text_before_the_candidate() {
    let set = set(&["xyabcZ", "ab"]);
    assert_eq!(pieces(&set, &["..xyabcY"])[0], ["..xy", "{ab}", "c", "Y"]);
    assert_eq!(pieces(&set, &["xya", "bcY"]), [&[][..], &["xy", "{ab}", "c", "Y"], &[]]);
}

#[test]
fn characters_that_share_bytes_with_a_marker_stay_whole() {
    let set = set(&["｜｜a", "<｜"]);
    assert_eq!(pieces(&set, &["｜｝"])[0], ["｜｝"]);
    assert_eq!(pieces(&set, &["｜", "｝"]), [&[][..], &["｜", "｝"], &[]]);
    assert_eq!(pieces(&set, &["<", "｝"]), [&[][..], &["<", "｝"], &[]]);
    assert_eq!(pieces(&set, &["｜｜", "｜a"]), [&[][..], &["｜", "{｜｜a}"], &[]]);
}

#[test]
fn input_is_advanced_to_right_behind_a_marker() {
    let set = set(&["<a>"]);
    let mut scanner = Scanner::new();
    let mut input = "x<a>{\"k\": \"<a>\"}";
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("x")));
    marker(&set, &mut scanner, &mut input);
    assert_eq!(input, "{\"k\": \"<a>\"}");
    assert!(scanner.is_idle());
    assert_eq!(scanner.held_len(&set), 0);
}

#[test]
fn a_caller_may_know_that_no_marker_begins_at_a_place() {
    let set = set(&["{", "<a>"]);
    let empty = |text: &str, at: usize| usize::from(text[at..].starts_with("{}")) * 2;
    let mut scanner = Scanner::new();
    let mut input = "{} é{}{}<{} {}<a>{}{";
    let mut pieces = Vec::new();
    while let Some(piece) = scanner.next_where(&set, &mut input, empty) {
        pieces.push(match piece {
            Piece::Text(text) => String::from(text),
            Piece::Marker(id) => std::format!("#{}", id.index()),
        });
    }
    assert_eq!(pieces, ["{} é{}{}<{} {}", "#1", "{}", "#0"]);
    // What is held may be a marker whatever comes.
    assert_eq!(scanner.next_where(&set, &mut "<", empty), None);
    let mut input = "{}";
    assert_eq!(scanner.next_where(&set, &mut input, empty), Some(Piece::Text("<")));
    marker(&set, &mut scanner, &mut input);
    assert_eq!(input, "}");
}

#[test]
fn a_caller_can_take_over_what_was_read_beyond_a_marker() {
    let set = set(&["ab", "abcd"]);
    let mut scanner = Scanner::new();
    assert_eq!(scanner.next(&set, &mut "abc"), None);
    assert_eq!(scanner.held(&set), ["abc", ""]);
    let mut input = "Xab";
    marker(&set, &mut scanner, &mut input);
    assert_eq!((scanner.held(&set), scanner.held_len(&set), input), (["c", ""], 1, "Xab"));
    assert!(!scanner.is_idle());
    scanner.reset();
    assert!(scanner.is_idle());
    assert_eq!(scanner.held(&set), ["", ""]);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("X")));
}

#[test]
fn a_rejected_marker_gives_its_first_character_and_the_scan_goes_on() {
    let set = set(&["｜｜", "｜x"]);
    let mut scanner = Scanner::new();
    let mut input = ".｜｜xy";
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text(".")));
    let first = marker(&set, &mut scanner, &mut input);
    scanner.reject(&set, first);
    assert_eq!(scanner.held(&set), ["｜｜", ""]);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("｜")));
    assert_eq!(marker(&set, &mut scanner, &mut input).index(), 1);
    assert_eq!(input, "y");
}

#[test]
fn rejecting_a_covered_marker_keeps_what_was_read_beyond_it() {
    let set = set(&["ab", "abcd", "bc"]);
    let mut scanner = Scanner::new();
    let mut input = "abcX";
    let covered = marker(&set, &mut scanner, &mut input);
    assert_eq!(covered.index(), 0);
    scanner.reject(&set, covered);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("a")));
    assert_eq!(marker(&set, &mut scanner, &mut input).index(), 2);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("X")));
}

#[test]
fn rejecting_an_inner_marker_reads_the_rest_of_the_candidate_again() {
    let set = set(&["xababZ", "ab", "ba!", "bab"]);
    let mut scanner = Scanner::new();
    let mut input = "xabab!";
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("x")));
    let inner = marker(&set, &mut scanner, &mut input);
    scanner.reject(&set, inner);
    assert_eq!(scanner.held(&set), ["ab", "ab"]);
    assert_eq!(scanner.held_len(&set), 4);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("a")));
    assert_eq!(marker(&set, &mut scanner, &mut input).index(), 3);
    assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("!")));
}

#[test]
fn rejecting_works_at_the_end_of_the_stream() {
    let set = set(&["ab", "abcd", "c"]);
    let mut scanner = Scanner::new();
    assert_eq!(scanner.next(&set, &mut "abc"), None);
    let Some(Piece::Marker(id)) = scanner.finish(&set) else { panic!() };
    scanner.reject(&set, id);
    assert_eq!(scanner.finish(&set), Some(Piece::Text("ab")));
    assert!(matches!(scanner.finish(&set), Some(Piece::Marker(id)) if id.index() == 2));
    assert_eq!(scanner.finish(&set), None);
}

#[test]
fn rejecting_at_any_other_time_does_nothing() {
    let set = set(&["a", "bc"]);
    let mut scanner = Scanner::new();
    let mut input = "abc";
    let first = marker(&set, &mut scanner, &mut input);
    let second = marker(&set, &mut scanner, &mut input);
    scanner.reject(&set, first);
    assert!(scanner.is_idle());
    assert_eq!(scanner.next(&set, &mut input), None);
    scanner.reject(&set, second);
    assert!(scanner.is_idle());
    assert_eq!(scanner.finish(&set), None);
}

#[test]
fn a_scanner_used_with_another_set_loses_what_it_held_but_never_panics() {
    let (large, small) = (set(&["｜｜｜｜abc", "｜｜", "q｜｜é!", "q"]), set(&["é", "x"]));
    for text in ["｜｜｜", "q｜｜é", "q｜", "｜｜｜｜ab"] {
        for other in ["é", "｝x", "abc", ""] {
            let mut scanner = Scanner::new();
            let mut input = text;
            while let Some(piece) = scanner.next(&large, &mut input) {
                if let Piece::Marker(id) = piece {
                    scanner.reject(&small, id);
                }
            }
            let mut input = other;
            let count = core::iter::from_fn(|| scanner.next(&small, &mut input)).take(99).count();
            let rest = core::iter::from_fn(|| scanner.finish(&small)).take(99).count();
            assert!(count < 99 && rest < 99);
        }
    }
}
