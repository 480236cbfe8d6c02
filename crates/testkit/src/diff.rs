//! A small line diff for reports: the common head and tail are cut to a few lines of context.

use std::fmt::Write as _;

/// Lines of context on either side.
const CONTEXT: usize = 3;

/// The lines of `left` (marked `-`) and `right` (marked `+`) where they differ, with context.
///
/// ```
/// use toolweir_testkit::diff::lines;
/// assert_eq!(lines("a\nb\nc", "a\nx\nc"), "  a\n- b\n+ x\n  c\n");
/// ```
#[must_use]
pub fn lines(left: &str, right: &str) -> String {
    let (left, right): (Vec<_>, Vec<_>) = (left.lines().collect(), right.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut left.iter().zip(&right));
    let rest = left.len().min(right.len()) - head;
    let tail = same(&mut left.iter().rev().zip(right.iter().rev())).min(rest);
    let mut out = String::new();
    let mut show = |mark: &str, lines: &[&str], from: usize, to: usize| {
        for line in lines.iter().take(to).skip(from) {
            // Writing to a String cannot fail.
            _ = writeln!(out, "{mark} {line}");
        }
    };
    show(" ", &left, head.saturating_sub(CONTEXT), head);
    show("-", &left, head, left.len() - tail);
    show("+", &right, head, right.len() - tail);
    show(" ", &left, left.len() - tail, (left.len() - tail + CONTEXT).min(left.len()));
    out
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn equal_texts_show_only_context() {
        assert!(!lines("a\nb", "a\nb").contains(['-', '+']));
        assert_eq!(lines("", ""), "");
    }

    #[test]
    fn insertion_and_deletion_are_marked() {
        assert_eq!(lines("a\nc", "a\nb\nc"), "  a\n+ b\n  c\n");
        assert_eq!(lines("a\nb\nc", "a\nc"), "  a\n- b\n  c\n");
        assert_eq!(lines("a\na", "a\na\na"), "  a\n  a\n+ a\n");
    }

    #[test]
    fn context_is_cut() {
        let left = "1\n2\n3\n4\n5\nx\n6\n7\n8\n9";
        let right = "1\n2\n3\n4\n5\ny\n6\n7\n8\n9";
        assert_eq!(lines(left, right), "  3\n  4\n  5\n- x\n+ y\n  6\n  7\n  8\n");
    }
}
