//! Brackets in text after which no call object can begin, told by the characters that follow.
//!
//! An object without a marker is judged by a lookahead that reads JSON (`object.rs`). Most brackets of a
//! text are none (`[see](…)`, `{x}`): for them that lookahead ends at the next character or word, and the
//! bracket and what it read are text. The same is said here without it, where those characters have come;
//! where they have not, or where JSON may go on, nothing is said.

use std::sync::LazyLock;

use toolweir_markers::Anchored;
use toolweir_rjson::{Machine, Mode, Options};

use super::object::pass_tokens;
use super::run::Run;
use super::tag::is_whitespace;
use crate::program::Program;

/// Characters that are looked at.
const WITHIN: usize = 64;

/// Classes of bytes: may follow `{`, may follow `[`, begins a key without quotes, goes on in one, shows after
/// one that no value follows.
const IN_OBJECT: u8 = 1;
const IN_LIST: u8 = 1 << 1;
const BEGINS_KEY: u8 = 1 << 2;
const IN_KEY: u8 = 1 << 3;
const ENDS_KEY: u8 = 1 << 4;

/// The classes of each byte.
static CLASSES: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let may_follow = |bracket: char, byte: u8| {
        let mut machine = Machine::new(Options::new(Mode::Relaxed));
        let text = format!("{bracket}{}", char::from(byte));
        pass_tokens(&mut machine, &mut &*text).is_ok()
    };
    let mut classes = [0; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut classes) {
        let begins = byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
        let ends = byte.is_ascii_graphic() && !matches!(byte, b':' | b'/' | b'#' | b'\\');
        for (is, bit) in [
            (!byte.is_ascii() || may_follow('{', byte), IN_OBJECT),
            (!byte.is_ascii() || may_follow('[', byte), IN_LIST),
            (begins, BEGINS_KEY),
            (begins || byte.is_ascii_digit(), IN_KEY),
            (ends, ENDS_KEY),
        ] {
            *class |= if is { bit } else { 0 };
        }
    }
    classes
});

/// How many bytes of a text are text from a place on where a bracket may begin a call object, the bracket
/// included; none where it may begin one after all. `run`: the text before this one.
#[inline(never)]
pub(super) fn text_at(program: &Program, run: &Run, text: &str, at: usize) -> usize {
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let [object, list] = &program.brackets;
    let (bracket, may_follow) = match rest.as_bytes().first() {
        Some(b'{') => (object, IN_OBJECT),
        Some(b'[') => (list, IN_LIST),
        _ => return 0,
    };
    let Some(bracket) = bracket else { return 0 };
    let After::Text(length) = after(may_follow, rest.as_bytes().get(1..).unwrap_or_default())
    else {
        return 0;
    };
    let is_alone = || {
        let marker = program.text.set.match_at(rest);
        matches!(marker, Anchored::Marker { len: 1, may_grow: false, .. })
    };
    let counts =
        (bracket.shared && !is_alone()) || (bracket.heads_lines && is_line_start(run, before));
    if counts { 0 } else { 1 + length }
}

/// Whether a line begins after a text.
fn is_line_start(run: &Run, text: &str) -> bool {
    let (_, whitespace) =
        text.split_at_checked(text.trim_end_matches(is_whitespace).len()).unwrap_or((text, ""));
    whitespace.contains('\n') || whitespace.len() == text.len() && run.is_line_start()
}

/// What follows a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// So many bytes that are text together with it, no marker beginning in them.
    Text(usize),
    /// The beginning of what may still turn out to be text.
    Undecided,
    /// What only the reader of JSON can tell.
    Json,
}

/// The same for the bracket of an object and two pieces of text.
pub(super) fn after_object_start(held: &str, text: &str) -> After {
    if held.is_empty() {
        return after(IN_OBJECT, text.as_bytes());
    }
    // So many bytes are examined at most, and one after them.
    let mut bytes = [0; 3 * WITHIN + 1];
    let mut length = 0;
    for piece in [held, text] {
        let fits = piece.len().min(bytes.len() - length);
        if let (Some(to), Some(from)) =
            (bytes.get_mut(length..length + fits), piece.as_bytes().get(..fits))
        {
            to.copy_from_slice(from);
        }
        length += fits;
    }
    match after(IN_OBJECT, bytes.get(..length).unwrap_or_default()) {
        After::Undecided if length < held.len() + text.len() => After::Json,
        after => after,
    }
}

#[inline]
fn after(may_follow: u8, bytes: &[u8]) -> After {
    let classes = &*CLASSES;
    let class = |byte: u8| classes.get(usize::from(byte)).copied().unwrap_or_default();
    let spaces = |from: usize| {
        let bytes = bytes.get(from..).unwrap_or_default().iter().take(WITHIN);
        from + bytes.take_while(|byte| **byte == b' ').count()
    };
    let start = spaces(0);
    let Some(first) = bytes.get(start).map(|byte| class(*byte)) else { return After::Undecided };
    if first & may_follow == 0 {
        return After::Text(start);
    }
    // Only a colon, or what may stand before one, goes on after a key without quotes.
    if may_follow != IN_OBJECT || first & BEGINS_KEY == 0 {
        return After::Json;
    }
    let word = bytes.get(start..).unwrap_or_default().iter().take(WITHIN);
    let key = start + word.take_while(|byte| class(**byte) & IN_KEY != 0).count();
    let end = spaces(key);
    let Some(after) = bytes.get(end).map(|byte| class(*byte)) else { return After::Undecided };
    let another = end > key || after & IN_KEY == 0;
    if after & ENDS_KEY != 0 && another { After::Text(end) } else { After::Json }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said to be text is none to the reader of JSON either.
    #[test]
    fn the_reader_of_json_says_so_too() {
        let signs =
            ["x", " ", "1", ":", "{", "}", "[", "]", "\"", "'", ",", "/", "*", "é", "\u{a0}", "#"];
        for bracket in ["{", "["] {
            for number in 0..signs.len().pow(4) {
                let place =
                    |at: u32| signs.get(number / signs.len().pow(at) % signs.len()).copied();
                let rest: String = (0..4).filter_map(place).collect();
                let may_follow = if bracket == "{" { IN_OBJECT } else { IN_LIST };
                let After::Text(length) = after(may_follow, rest.as_bytes()) else { continue };
                let text = format!("{bracket}{}", &rest[..length + 1]);
                let mut machine = Machine::new(Options::new(Mode::Relaxed));
                assert!(pass_tokens(&mut machine, &mut &*text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_json_is_text_up_to_there() {
        use After::{Json, Text, Undecided};
        for (bracket, rest, expected) in [
            (b'[', "see](x)", Text(0)),
            (b'[', "  x]", Text(2)),
            (b'[', "1]", Json),
            (b'[', "{", Json),
            (b'[', "true", Json),
            (b'[', "é", Json),
            (b'[', "", Undecided),
            (b'[', "   ", Undecided),
            (b'[', "]", Json),
            (b'{', "x}", Text(1)),
            (b'{', " x_1, y", Text(4)),
            (b'{', "x", Undecided),
            (b'{', "x :", Json),
            (b'{', "x ", Undecided),
            (b'{', "x  y: 1", Text(3)),
            (b'{', "x 1", Text(2)),
            (b'{', "x \"", Text(2)),
            (b'{', "x /* y", Json),
            (b'{', "x:", Json),
            (b'{', "xé", Json),
            (b'{', "x\\u0041", Json),
            (b'{', "x//", Json),
            (b'{', "\"x\"", Json),
            (b'{', "}", Json),
            (b'{', "{", Text(0)),
            (b'{', "1}", Text(0)),
            (b'{', "\n", Json),
        ] {
            let may_follow = if bracket == b'{' { IN_OBJECT } else { IN_LIST };
            assert_eq!(
                after(may_follow, rest.as_bytes()),
                expected,
                "{}{rest}",
                char::from(bracket)
            );
            for (cut, _) in rest.char_indices().filter(|_| bracket == b'{') {
                let (held, text) = rest.split_at(cut);
                assert_eq!(after_object_start(held, text), expected, "{held}|{text}");
            }
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_left_to_the_reader_of_json() {
        for rest in
            [" ".repeat(300), "x".repeat(300), format!("{}x{}", " ".repeat(60), " ".repeat(200))]
        {
            assert_eq!(after_object_start(&rest, ""), After::Json);
            assert_eq!(after_object_start(&rest[..100], &rest[100..]), After::Json);
        }
    }
}
