//! The scan against a naive one of the whole text, at any chunking, with markers rejected at will.

#![expect(clippy::string_slice, reason = "tests may cut where they know the text")]

use proptest::prelude::*;
use toolweir_markers::{Anchored, MarkerId, MarkerSet, Piece, Scanner};

/// A piece of the result, adjoining text joined.
#[derive(Debug, PartialEq)]
enum Found {
    Text(String),
    Marker(usize),
}

fn add_text(found: &mut Vec<Found>, text: &str) {
    match found.last_mut() {
        Some(Found::Text(before)) => before.push_str(text),
        _ => found.push(Found::Text(text.to_owned())),
    }
}

/// Decides by its number whether a reported marker is rejected.
fn rejected(bits: u64, number: u32) -> bool {
    bits.rotate_right(number) & 1 == 1
}

/// The definition: at each place the longest marker, unless rejected; else a character of text.
fn reference(markers: &[String], text: &str, rejections: u64) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut at, mut number) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        let standing = markers.iter().enumerate().filter(|(_, m)| text[at..].starts_with(*m));
        let best = standing.max_by_key(|(_, marker)| marker.len());
        if let Some((index, marker)) = best {
            number += 1;
            if !rejected(rejections, number - 1) {
                found.push(Found::Marker(index));
                at += marker.len();
                continue;
            }
        }
        add_text(&mut found, &text[at..at + character.len_utf8()]);
        at += character.len_utf8();
    }
    found
}

/// Counts and checks around one run of the scanner.
struct Run<'s> {
    set: &'s MarkerSet,
    scanner: Scanner,
    found: Vec<Found>,
    /// Everything given out.
    given: String,
    rejections: u64,
    number: u32,
    rejects: u64,
}

impl Run<'_> {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => {
                assert!(!text.is_empty());
                self.given.push_str(text);
                add_text(&mut self.found, text);
            }
            Piece::Marker(id) => {
                self.number += 1;
                if rejected(self.rejections, self.number - 1) {
                    self.rejects += 1;
                    self.scanner.reject(self.set, id);
                } else {
                    self.given.push_str(self.set.marker(id));
                    self.found.push(Found::Marker(id.index()));
                }
            }
        }
    }

    /// Given out, then held, then the rest: always the stream.
    fn check_accounts(&self, stream: &str, rest: usize) {
        let held = self.scanner.held(self.set);
        let all = format!("{}{}{}", self.given, held[0], held[1]);
        assert_eq!(all, stream[..stream.len() - rest]);
        assert_eq!(self.scanner.held_len(self.set), held[0].len() + held[1].len());
        if self.scanner.is_idle() {
            assert_eq!(held, ["", ""]);
        }
    }
}

fn run(set: &MarkerSet, text: &str, cuts: &[usize], rejections: u64) -> Vec<Found> {
    let mut run = Run {
        set,
        scanner: Scanner::new(),
        found: Vec::new(),
        given: String::new(),
        rejections,
        number: 0,
        rejects: 0,
    };
    let mut start = 0;
    for end in cuts.iter().copied().chain([text.len()]) {
        let mut input = &text[start..end];
        start = end;
        while let Some(piece) = run.scanner.next(set, &mut input) {
            run.take(piece);
            run.check_accounts(text, text.len() - end + input.len());
        }
        assert_eq!(input, "");
        assert!(run.scanner.held_len(set) <= set.longest().saturating_sub(1));
        run.check_accounts(text, text.len() - end);
    }
    while let Some(piece) = run.scanner.finish(set) {
        run.take(piece);
        run.check_accounts(text, 0);
    }
    assert!(run.scanner.is_idle());
    #[cfg(feature = "meter")]
    {
        let again = run.rejects * set.longest() as u64;
        let most = 3 * (text.len() as u64 + again) + 8;
        let examined = run.scanner.examined();
        assert!(examined <= most, "{examined} of {} bytes, {} rejects", text.len(), run.rejects);
    }
    run.found
}

/// Characters that share bytes with one another, and plain ones that make repetitions likely.
fn word(lengths: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let letters = prop::sample::select(vec!['a', 'a', 'a', 'b', 'b', 'c', '｜', '｝', 'é', 'è']);
    prop::collection::vec(letters, lengths).prop_map(String::from_iter)
}

fn markers() -> impl Strategy<Value = Vec<String>> {
    let periodic = (word(1..3), 1..5_usize, word(0..2)).prop_map(|(unit, times, end)| {
        let mut marker = unit.repeat(times);
        marker.push_str(&end);
        marker
    });
    let marker = prop_oneof![word(1..3), word(1..8), periodic];
    prop::collection::vec(marker, 0..7).prop_map(|mut markers| {
        markers.sort();
        markers.dedup();
        markers
    })
}

/// A text made of words, markers and beginnings of markers, and where to cut it.
fn stream(markers: Vec<String>) -> impl Strategy<Value = (Vec<String>, String, Vec<usize>)> {
    let part = (word(0..6), any::<prop::sample::Index>(), 0..12_usize);
    (prop::collection::vec(part, 0..12), any::<u64>(), 0..4_u32).prop_map(
        move |(parts, seed, density)| {
            let mut text = String::new();
            for (word, which, cut) in &parts {
                text.push_str(word);
                if !markers.is_empty() {
                    text.extend(which.get(&markers).chars().take(*cut));
                }
            }
            let cut = |at: usize| match density {
                0 => true,
                1 => false,
                _ => (seed.rotate_right(at as u32 * 5) & 3) < u64::from(density - 1),
            };
            let cuts = text.char_indices().map(|(at, _)| at).filter(|at| cut(*at)).collect();
            (markers.clone(), text, cuts)
        },
    )
}

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times. Failures write no
/// files: they become tests.
#[allow(clippy::disallowed_methods, reason = "the number of cases is the caller's to choose")]
fn cases(otherwise: u32) -> ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn any_chunking_gives_what_the_definition_gives(
        (markers, text, cuts) in markers().prop_flat_map(stream),
        rejections in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()],
    ) {
        let set = MarkerSet::new(&markers).unwrap();
        let expected = reference(&markers, &text, rejections);
        prop_assert_eq!(run(&set, &text, &cuts, rejections), expected);
    }

    #[test]
    fn match_at_agrees_with_its_definition(markers in markers(), text in word(0..6)) {
        let set = MarkerSet::new(&markers).unwrap();
        let longer = markers.iter().any(|m| m.len() > text.len() && m.starts_with(&text));
        let best = markers.iter().filter(|m| text.starts_with(*m)).max_by_key(|m| m.len());
        match (set.match_at(&text), best) {
            (Anchored::Marker { id, len, may_grow }, Some(best)) => {
                prop_assert_eq!((set.marker(id), len, may_grow), (&**best, best.len(), longer));
            }
            (Anchored::Prefix, None) => prop_assert!(longer),
            (Anchored::None, None) => prop_assert!(!longer),
            (found, best) => prop_assert!(false, "{found:?} for {best:?}"),
        }
    }
}

#[test]
fn every_single_cut_of_a_hostile_text_gives_the_same() {
    let sets: [&[&str]; 5] = [
        &["<<<<<<<<X"],
        &["a", "aaaaaaab", "ba"],
        &["abababX", "bab", "ab", "babababY"],
        &["｜｜｜x", "｜｜", "<｜"],
        &["\n\nUser:", "\nUser:", "User:", "\n"],
    ];
    let texts = [
        "<<<<<<<<<<<<X<<",
        "aaaaaaaaaaaaaaba",
        "abababababababY",
        "<｜｜｜｜x<｝｜｜",
        "\n\n\nUser:\n\nUse",
    ];
    for (set, text) in sets.iter().flat_map(|set| texts.map(|text| (*set, text))) {
        let owned: Vec<String> = set.iter().map(|marker| (*marker).to_owned()).collect();
        let set = MarkerSet::new(set).unwrap();
        for rejections in [0, u64::MAX, 0b0110_1001] {
            let expected = reference(&owned, text, rejections);
            for cut in text.char_indices().map(|(at, _)| at) {
                assert_eq!(run(&set, text, &[cut], rejections), expected, "{text:?} cut at {cut}");
            }
        }
    }
}

#[test]
fn ids_are_ordered_like_the_list() {
    let set = MarkerSet::new(["b", "a"]).unwrap();
    let id = |text| match set.match_at(text) {
        Anchored::Marker { id, .. } => id,
        other => panic!("{other:?}"),
    };
    let ids: [MarkerId; 2] = [id("b"), id("a")];
    assert!(ids[0] < ids[1]);
}

/// Bytes looked at are at most three times the input, whatever the text and the chunk length.
#[cfg(feature = "meter")]
#[test]
fn work_is_linear_at_every_chunk_length() {
    let long_run = format!("{}b", "a".repeat(200));
    let sets: [&[&str]; 7] = [
        &["<<<<<<<<<<<<<<<<X"],
        &["a", &long_run],
        &["ab", "ababababababababX"],
        &["aab", "aaaaaaaaaaaaac"],
        &["｜｜｜｜｜｜x", "｝｜｝"],
        &["<tool_call>", "</tool_call>", "<think>"],
        &["a", "b", "c", "d", "e!"],
    ];
    let texts = ["<", "a", "ab", "aabaaaab", "｜", "｜｝", "<tool_call", "prose only ", "e"];
    for (set, unit) in sets.iter().flat_map(|set| texts.map(|unit| (*set, unit))) {
        let set = MarkerSet::new(set).unwrap();
        let text = unit.repeat(3_000);
        for step in [1, 4, 16, 64, text.len()] {
            let mut scanner = Scanner::new();
            let (mut start, mut end) = (0, 0);
            while end < text.len() {
                end = (end + step).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let mut input = &text[start..end];
                start = end;
                while scanner.next(&set, &mut input).is_some() {}
            }
            let (examined, most) = (scanner.examined(), 3 * text.len() as u64 + 8);
            assert!(examined <= most, "{unit:?} in steps of {step}: {examined} of {}", text.len());
        }
    }
}
