//! The marker scanner against its definition: leftmost, then longest, some markers rejected or
//! left behind, at any split.

use toolweir_markers::{MarkerSet, Piece, Scanner};

use crate::Source;
use crate::case;
use crate::source::Rng;

const LETTERS: &[&str] = &["a", "b", "<", "/", "ä", "<a", "ab"];

/// What is done about each marker found, by its number among them.
type Plan = Vec<u8>;

/// Tries one input; panics on a finding.
///
/// # Panics
/// When the scanner and the definition differ.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let count = 1 + source.below(5);
    let markers: Vec<String> = (0..count).map(|_| letters(&mut source, 5)).collect();
    let plan: Plan = (0..source.below(6)).map(|_| source.byte() % 4).collect();
    let (how, seed) = (source.below(4), source.seed());
    let mut text = String::new();
    while !source.is_empty() && text.len() < 600 {
        if source.one_in(3) {
            text.push_str(source.word(&markers));
        } else {
            text.push_str(source.word(LETTERS));
        }
    }
    let Ok(set) = MarkerSet::new(&markers) else { return };
    let wanted = naive(&markers, &plan, &text);
    let cuts = case::cuts(&text, how, &mut Rng::new(seed));
    let (found, examined) = scan(&set, &plan, &text, &cuts);
    let report = format!("markers {markers:?}, plan {plan:?}, text {text:?}, cuts {cuts:?}");
    assert_eq!(found, wanted, "pieces of {report}");
    if plan.iter().all(|what| *what == 0) {
        let most = 3 * text.len() as u64;
        assert!(examined <= most, "examined {examined} of at most {most}: {report}");
    }
}

fn letters(source: &mut Source<'_>, most: usize) -> String {
    (0..=source.below(most)).map(|_| source.word(LETTERS)).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Text(String),
    Marker(usize),
}

fn text_to(seen: &mut Vec<Seen>, text: &str) {
    match seen.last_mut() {
        Some(Seen::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => seen.push(Seen::Text(text.to_owned())),
    }
}

/// Whether the plan takes the marker of that number as none.
fn rejects(plan: &Plan, number: usize) -> bool {
    !plan.is_empty() && plan[number % plan.len()] == 1
}

/// Whether the plan goes on with a fresh scanner after it.
fn leaves(plan: &Plan, number: usize) -> bool {
    !plan.is_empty() && plan[number % plan.len()] == 2
}

fn naive(markers: &[String], plan: &Plan, text: &str) -> Vec<Seen> {
    let (mut seen, mut number, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let here = markers.iter().enumerate().filter(|(_, m)| rest.starts_with(m.as_str()));
        match here.max_by_key(|(_, m)| m.len()) {
            Some((id, marker)) => {
                number += 1;
                if rejects(plan, number) {
                    text_to(&mut seen, &rest[..c.len_utf8()]);
                    at += c.len_utf8();
                } else {
                    seen.push(Seen::Marker(id));
                    at += marker.len();
                }
            }
            None => {
                text_to(&mut seen, &rest[..c.len_utf8()]);
                at += c.len_utf8();
            }
        }
    }
    seen
}

fn scan(set: &MarkerSet, plan: &Plan, text: &str, cuts: &[usize]) -> (Vec<Seen>, u64) {
    let mut scanner = Scanner::new();
    let (mut seen, mut number, mut from) = (Vec::new(), 0, 0);
    for end in cuts.iter().copied().chain([text.len()]) {
        let mut queue = vec![text[from..end].to_owned()];
        from = end;
        while let Some(chunk) = queue.pop() {
            let mut input = chunk.as_str();
            while let Some(piece) = scanner.next(set, &mut input) {
                if take(set, plan, piece.into(), &mut scanner, &mut seen, &mut number) {
                    let held = scanner.held(set).concat();
                    scanner.reset();
                    queue.push(input.to_owned());
                    queue.push(held);
                    break;
                }
            }
        }
        assert!(scanner.held_len(set) < set.longest().max(1), "withheld too much of {text:?}");
    }
    while let Some(piece) = scanner.finish(set) {
        if take(set, plan, piece.into(), &mut scanner, &mut seen, &mut number) {
            // Nothing follows: what is held is given out by the same scanner.
            continue;
        }
    }
    assert!(scanner.is_idle(), "something is held after the end of {text:?}");
    (seen, scanner.examined())
}

/// A piece that does not borrow from the scanner's input.
enum Found {
    Text(String),
    Marker(toolweir_markers::MarkerId),
}

impl From<Piece<'_>> for Found {
    fn from(piece: Piece<'_>) -> Self {
        match piece {
            Piece::Text(text) => Self::Text(text.to_owned()),
            Piece::Marker(id) => Self::Marker(id),
        }
    }
}

/// Notes a piece; whether the scanner is to be left after it.
fn take(
    set: &MarkerSet,
    plan: &Plan,
    piece: Found,
    scanner: &mut Scanner,
    seen: &mut Vec<Seen>,
    number: &mut usize,
) -> bool {
    match piece {
        Found::Text(text) => {
            assert!(!text.is_empty(), "an empty piece of text");
            text_to(seen, &text);
            false
        }
        Found::Marker(id) => {
            *number += 1;
            if rejects(plan, *number) {
                scanner.reject(set, id);
                return false;
            }
            seen.push(Seen::Marker(id.index()));
            leaves(plan, *number)
        }
    }
}
