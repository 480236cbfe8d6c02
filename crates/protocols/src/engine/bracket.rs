//! Brackets in text after which no call object can begin, told by the characters that follow.
//!
//! An object without a marker is judged by a lookahead that reads JSON (`object.rs`). Most brackets of a
//! text are none (`[see](…)`, `{x}`): for them that lookahead ends at the next character or word, and the
//! bracket and what it read are text. The same is said here without it, where those characters have come;
//! where they have not, or where JSON may go on, nothing is said.

use std::sync::LazyLock;

use toolweir_rjson::{Machine, Mode, Options};

/// Characters that are looked at.
const WITHIN: usize = 64;

/// The ASCII characters that may follow each of the two brackets in relaxed JSON.
static MAY_FOLLOW: LazyLock<[u128; 2]> = LazyLock::new(|| {
    let may_follow = |bracket: char, c: char| {
        let mut machine = Machine::new(Options::new(Mode::Relaxed));
        let text = format!("{bracket}{c}");
        let mut text = text.as_str();
        loop {
            match machine.next(&mut text) {
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    };
    ['{', '['].map(|bracket| {
        let all = (0..128_u8).filter(|byte| may_follow(bracket, char::from(*byte)));
        all.fold(0, |set, byte| set | 1 << byte)
    })
});

/// How many bytes of what follows a bracket are text together with it, nothing in them being a marker.
#[inline]
pub(super) fn text_after(bracket: u8, rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let whitespace = bytes.iter().take(WITHIN).take_while(|byte| **byte == b' ').count();
    let first = *bytes.get(whitespace)?;
    let set = MAY_FOLLOW.get(usize::from(bracket == b'['))?;
    if !first.is_ascii() || first == b' ' {
        return None;
    }
    if set & 1 << first == 0 {
        return Some(whitespace);
    }
    // Only a colon, or what may stand before one, goes on after a key without quotes.
    let begins = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    if bracket != b'{' || !begins(first) {
        return None;
    }
    let word = bytes.get(whitespace..)?.iter().take(WITHIN);
    let word = word.take_while(|byte| byte.is_ascii_digit() || begins(**byte)).count();
    let key = whitespace + word;
    let spaces = bytes.get(key..)?.iter().take(WITHIN).take_while(|byte| **byte == b' ').count();
    let after = *bytes.get(key + spaces)?;
    let decides = after.is_ascii_graphic() && !matches!(after, b':' | b'/' | b'#' | b'\\');
    let another = spaces > 0 || !begins(after) && !after.is_ascii_digit();
    (decides && another).then_some(key + spaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said to be text is none to the reader of JSON either.
    #[test]
    fn the_reader_of_json_says_so_too() {
        let signs =
            ["x", " ", "1", ":", "{", "}", "[", "]", "\"", "'", ",", "/", "*", "-", "\\", "#"];
        for bracket in ["{", "["] {
            for number in 0..signs.len().pow(4) {
                let place =
                    |at: u32| signs.get(number / signs.len().pow(at) % signs.len()).copied();
                let rest: String = (0..4).filter_map(place).collect();
                let Some(length) = text_after(bracket.as_bytes()[0], &rest) else { continue };
                let text = format!("{bracket}{}", &rest[..length + 1]);
                let mut machine = Machine::new(Options::new(Mode::Relaxed));
                let mut input = text.as_str();
                while let Ok(Some(_)) = machine.next(&mut input) {}
                assert!(machine.next(&mut input).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_json_is_text_up_to_there() {
        for (bracket, rest, length) in [
            (b'[', "see](x)", Some(0)),
            (b'[', "  x]", Some(2)),
            (b'[', "1]", None),
            (b'[', "{", None),
            (b'[', "true", None),
            (b'[', "é", None),
            (b'[', "", None),
            (b'[', "   ", None),
            (b'[', "]", None),
            (b'{', "x}", Some(1)),
            (b'{', " x_1, y", Some(4)),
            (b'{', "x", None),
            (b'{', "x :", None),
            (b'{', "x ", None),
            (b'{', "x  y: 1", Some(3)),
            (b'{', "x 1", Some(2)),
            (b'{', "x \"", Some(2)),
            (b'{', "x /* y", None),
            (b'{', "x:", None),
            (b'{', "xé", None),
            (b'{', "x\\u0041", None),
            (b'{', "x//", None),
            (b'{', "\"x\"", None),
            (b'{', "}", None),
            (b'{', "{", Some(0)),
            (b'{', "1}", Some(0)),
            (b'{', "\n", None),
        ] {
            assert_eq!(text_after(bracket, rest), length, "{}{rest}", char::from(bracket));
        }
    }
}
