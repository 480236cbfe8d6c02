//! The lines in which two listings differ, as a unified diff without line numbers.

/// Lines of context on either side of a change.
const CONTEXT: usize = 3;

/// Above this many pairs of lines the middle is shown as removed and added whole.
const PAIRS: usize = 4_000_000;

/// `-` for lines of `left` alone, `+` for lines of `right` alone, a space for both; `…` where lines
/// that are the same are left out.
pub(super) fn unified(left: &str, right: &str) -> String {
    let (left, right): (Vec<_>, Vec<_>) = (left.lines().collect(), right.lines().collect());
    let steps = steps(&left, &right);
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        steps.iter().skip(from).take(at + CONTEXT + 1 - from).any(|(mark, _)| *mark != ' ')
    };
    let mut out = String::new();
    let mut left_out = false;
    for (at, (mark, line)) in steps.iter().enumerate() {
        if near(at) {
            out.push_str(if left_out { "…\n" } else { "" });
            out.push(*mark);
            out.push_str(&format!(" {line}\n"));
            left_out = false;
        } else {
            left_out = true;
        }
    }
    out
}

/// Every line of both, marked, in order.
fn steps<'t>(left: &[&'t str], right: &[&'t str]) -> Vec<(char, &'t str)> {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let rest = left.len().min(right.len()) - head;
    let tail = left.iter().rev().zip(right.iter().rev()).take(rest).take_while(|(a, b)| a == b);
    let tail = tail.count();
    let middle = |lines: &[&'t str]| -> Vec<&'t str> {
        lines.iter().take(lines.len() - tail).skip(head).copied().collect()
    };
    let mut steps: Vec<_> = left.iter().take(head).map(|line| (' ', *line)).collect();
    steps.extend(changed(&middle(left), &middle(right)));
    steps.extend(left.iter().skip(left.len() - tail).map(|line| (' ', *line)));
    steps
}

/// By a longest common subsequence.
fn changed<'t>(left: &[&'t str], right: &[&'t str]) -> Vec<(char, &'t str)> {
    let (rows, columns) = (left.len(), right.len());
    if rows.saturating_mul(columns) > PAIRS {
        let removed = left.iter().map(|line| ('-', *line));
        return removed.chain(right.iter().map(|line| ('+', *line))).collect();
    }
    // `longest[i][j]`: of what is left from line i and line j on.
    let mut longest = vec![vec![0_u32; columns + 1]; rows + 1];
    let at = |table: &[Vec<u32>], i: usize, j: usize| {
        table.get(i).and_then(|row| row.get(j)).copied().unwrap_or_default()
    };
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let value = if left.get(i) == right.get(j) {
                at(&longest, i + 1, j + 1) + 1
            } else {
                at(&longest, i + 1, j).max(at(&longest, i, j + 1))
            };
            if let Some(cell) = longest.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = value;
            }
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::new());
    loop {
        match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) if a == b => {
                steps.push((' ', *a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || at(&longest, i + 1, j) >= at(&longest, i, j + 1) => {
                steps.push(('-', *a));
                i += 1;
            }
            (_, Some(b)) => {
                steps.push(('+', *b));
                j += 1;
            }
            (_, None) => return steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn lines_of_one_side_are_marked() {
        assert_eq!(unified("a\nb\nc", "a\nx\nc"), "  a\n- b\n+ x\n  c\n");
        assert_eq!(unified("a\nc", "a\nb\nc"), "  a\n+ b\n  c\n");
        assert_eq!(unified("a\na", "a\na\na"), "  a\n  a\n+ a\n");
        assert_eq!(unified("", "a"), "+ a\n");
        assert_eq!(unified("a", "a"), "");
    }

    #[test]
    fn two_changes_far_apart_leave_out_what_is_between() {
        let left = "a\n1\n2\n3\n4\n5\n6\n7\n8\nb";
        let right = "A\n1\n2\n3\n4\n5\n6\n7\n8\nB";
        assert_eq!(unified(left, right), "- a\n+ A\n  1\n  2\n  3\n…\n  6\n  7\n  8\n- b\n+ B\n");
    }

    #[test]
    fn very_long_texts_are_shown_whole() {
        let (left, right) = ("a\n".repeat(3_000), "b\n".repeat(3_000));
        assert_eq!(unified(&left, &right).lines().count(), 6_000);
    }
}
