//! Backslashes in quoted scalars that begin no escape: a path, a regular expression.

use super::WHITESPACE;

/// The text with those backslashes doubled, so that YAML keeps them (policy 33). None: there is none.
pub(super) fn keep_backslashes(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 8);
    let (mut quote, mut changed) = (None, false);
    // Whether a scalar may begin here.
    let mut begins = true;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(c);
        match quote {
            None => {
                if begins && matches!(c, '"' | '\'') {
                    quote = Some(c);
                }
                let whitespace = WHITESPACE.contains(&c);
                begins =
                    matches!(c, '\n' | ':' | '-' | '[' | '{' | ',' | '?') || begins && whitespace;
            }
            Some('"') if c == '\\' => {
                let escape = escape_len(chars.as_str());
                if escape == 0 {
                    out.push('\\');
                    changed = true;
                }
                for c in chars.by_ref().take(escape) {
                    out.push(c);
                }
            }
            Some(sign) if c == sign => (quote, begins) = (None, false),
            Some(_) => {}
        }
    }
    changed.then_some(out)
}

/// Characters of the escape after a backslash; 0: none.
fn escape_len(text: &str) -> usize {
    let digits = match text.chars().next() {
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(c) if "0abt\tnvfre \"/\\N_LP\n\r".contains(c) => return 1,
        _ => return 0,
    };
    let hex = text.chars().skip(1).take(digits).filter(char::is_ascii_hexdigit).count();
    if hex == digits { 1 + digits } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_that_begin_no_escape_are_doubled() {
        let kept = |text| keep_backslashes(text).unwrap_or_default();
        assert_eq!(kept(r#"a: "C:\Users\me""#), r#"a: "C:\\Users\\me""#);
        assert_eq!(kept(r#"a: ["\d\n", '\d', "\x4g"]"#), r#"a: ["\\d\n", '\d', "\\x4g"]"#);
        assert_eq!(kept(r#"a: "\u00e9 \" \q""#), r#"a: "\u00e9 \" \\q""#);
        assert_eq!(keep_backslashes(r#"a: C:\d "\d""#), None);
    }
}
