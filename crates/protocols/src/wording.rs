//! How errors and evidence spell what they speak of: texts on one line, and known names near a wrong one.

/// The text with its line breaks and other control characters spelled out.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// The known names nearest to `name`, best first, at most three.
pub(crate) fn near_names<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> Vec<String> {
    nearest(name, &mut known)
}

/// The same for all kinds of iterators, for size.
fn nearest(name: &str, known: &mut dyn Iterator<Item = &str>) -> Vec<String> {
    let wanted = name.to_ascii_lowercase();
    let mut scored: Vec<(usize, &str)> =
        known.filter_map(|k| Some((nearness(&wanted, k)?, k))).collect();
    let mut near = Vec::new();
    while let (Some(&best), true) = (scored.iter().min(), near.len() < 3) {
        scored.retain(|known| *known != best);
        near.push(best.1.to_owned());
    }
    near
}

/// How far from a known name the name in lower case is, if it may be that one misspelled.
pub(crate) fn nearness(wanted: &str, known: &str) -> Option<usize> {
    let distance = edit_distance(wanted, known);
    let close = distance <= 1 + wanted.len().min(known.len()) / 3;
    let part = wanted.len() >= 3 && (known.contains(wanted) || wanted.contains(known));
    (close || part).then_some(if part { distance.min(1) } else { distance })
}

/// Levenshtein distance, on the bytes of at most 64-byte names.
fn edit_distance(a: &str, b: &str) -> usize {
    let a = a.as_bytes().iter().take(64);
    let b: Vec<u8> = b.bytes().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_finds_typos_and_parts() {
        let known = ["hermes", "qwen25", "qwen3-coder", "json-mix"];
        assert_eq!(near_names("hermse", known.into_iter()), ["hermes"]);
        assert_eq!(near_names("qwen3", known.into_iter()), ["qwen3-coder", "qwen25"]);
        assert!(near_names("zzz", known.into_iter()).is_empty());
    }

    #[test]
    fn edit_distance_counts_changes() {
        assert_eq!(edit_distance("abc", "abc"), 0);
        assert_eq!(edit_distance("abc", "abd"), 1);
        assert_eq!(edit_distance("", "ab"), 2);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
