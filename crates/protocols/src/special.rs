//! The special tokens of a row all of whose markers are: read off its patterns.

use crate::pattern::{Args, Part, parse};
use crate::spec::{FormatSpec, Special};

/// Each special token once, in the order of the patterns.
pub(crate) fn tokens(spec: &FormatSpec) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    match &spec.special {
        Special::None => {}
        Special::Tokens(tokens) => tokens.iter().for_each(|token| add(&mut out, token)),
        Special::All => {
            let calls = spec.call.iter().map(|call| &call.pattern);
            let lines = spec.wrap.iter().chain(calls).chain(&spec.message).chain(&spec.strays);
            let patterns = lines.filter_map(|line| parse(line).ok());
            patterns.for_each(|pattern| gather(&pattern.parts, &mut out));
        }
    }
    out
}

fn gather(parts: &[Part], out: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Literal(text) => split(text, out),
            Part::Args(Args::Gemma(delimiter)) => split(delimiter, out),
            // The token ends before the attributes.
            Part::Tag(tag) => {
                add(out, &tag.open);
                split(&tag.close, out);
            }
            // What is only read is what models write in the place of a token.
            Part::Also(_) | Part::Arg { .. } => {}
            part => part.inner().into_iter().for_each(|inner| gather(inner, out)),
        }
    }
}

fn add(out: &mut Vec<String>, token: &str) {
    if !out.iter().any(|known| known == token) {
        out.push(token.to_owned());
    }
}

/// The texts in brackets, angular or, around a word in capitals, square ones.
fn split(text: &str, out: &mut Vec<String>) {
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        let from = rest.get(at..).unwrap_or_default();
        let square = from.starts_with('[');
        let word = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '/') || c.is_ascii_digit();
        let end = from.find(if square { ']' } else { '>' });
        let inside = end.and_then(|end| from.get(1..end)).unwrap_or_default();
        let whole = match square {
            true => inside.chars().all(word) || inside.starts_with("unused"),
            false => !inside.contains(['<', ' ']),
        };
        let length = end.filter(|_| whole && !inside.is_empty()).map_or(1, |end| end + 1);
        if length > 1 {
            add(out, from.get(..length).unwrap_or_default());
        }
        rest = from.get(length..).unwrap_or_default();
    }
}
