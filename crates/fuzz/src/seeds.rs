//! Texts to begin from: the dictionary and the sample streams in `seeds/`.

use std::sync::OnceLock;

const DICTIONARY: &str = include_str!("../seeds/tokens.dict");

/// Whole streams, as models write them.
pub const STREAMS: &[&str] = &[
    include_str!("../seeds/hermes.txt"),
    include_str!("../seeds/qwen3-coder.txt"),
    include_str!("../seeds/damaged.txt"),
];

/// The tokens of the dictionary, which libFuzzer can also be given (`-dict=seeds/tokens.dict`).
pub fn tokens() -> &'static [String] {
    static TOKENS: OnceLock<Vec<String>> = OnceLock::new();
    TOKENS.get_or_init(|| DICTIONARY.lines().filter_map(token).collect())
}

/// A line `"text"`, with `\\`, `\"` and `\xHH` for bytes of UTF-8.
fn token(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        match (byte, byte == b'\\') {
            (_, true) => match rest.next()? {
                b'x' => {
                    let mut hex = || char::from(rest.next()?).to_digit(16);
                    bytes.push(u8::try_from(hex()? * 16 + hex()?).ok()?);
                }
                other => bytes.push(other),
            },
            (plain, false) => bytes.push(plain),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_is_read_whole() {
        let lines = DICTIONARY.lines().filter(|l| l.starts_with('"')).count();
        assert_eq!(tokens().len(), lines);
        assert!(tokens().iter().any(|t| t == "<tool_call>"));
        assert!(tokens().iter().any(|t| t == "\n\n"));
    }
}
