//! Replacing a marked region of a text; pure.

const END: &str = "<!-- end generated -->";

/// `text` with the region `name` holding `body`, a blank line on either side of it. Everything
/// else stays byte for byte.
///
/// Fails if the region is not there once, or does not end before another begins.
pub(crate) fn replace(text: &str, name: &str, body: &str) -> Result<String, String> {
    let begin = format!("<!-- generated: {name} -->");
    let mut lines = text.split_inclusive('\n');
    let mut out = String::with_capacity(text.len() + body.len());
    let mut found = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.trim_end() != begin {
            continue;
        }
        if found {
            return Err(format!("the region `{name}` is there twice"));
        }
        found = true;
        let rest = lines.by_ref().find(|l| l.trim_end() == END || l.starts_with("<!-- generated:"));
        let Some(end) = rest.filter(|l| l.trim_end() == END) else {
            return Err(format!("the region `{name}` has no `{END}`"));
        };
        let body = body.trim_matches('\n');
        if !body.is_empty() {
            out.push_str(&format!("\n{body}\n\n"));
        }
        out.push_str(end);
    }
    if found { Ok(out) } else { Err(format!("there is no region `{name}`")) }
}

/// The first line in which two texts differ, with its number; `None` if they are equal.
pub(crate) fn first_difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let (mut olds, mut news) = (old.lines(), new.lines());
    let mut number = 1usize;
    loop {
        let pair = (olds.next(), news.next());
        if pair.0 != pair.1 || pair == (None, None) {
            let show = |line: Option<&str>| line.unwrap_or("(end of the file)").to_owned();
            return Some(format!("line {number}\n- {}\n+ {}", show(pair.0), show(pair.1)));
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{first_difference, replace};

    const PAGE: &str = "# A\n\n<!-- generated: x -->\nold\n<!-- end generated -->\nafter";

    #[test]
    fn only_the_region_changes() {
        let new = replace(PAGE, "x", "| a |\n").unwrap();
        let expected = "# A\n\n<!-- generated: x -->\n\n| a |\n\n<!-- end generated -->\nafter";
        assert_eq!(new, expected);
        assert_eq!(replace(&new, "x", "| a |").unwrap(), new);
    }

    #[test]
    fn an_empty_body_leaves_an_empty_region() {
        let new = replace(PAGE, "x", "").unwrap();
        assert_eq!(new, "# A\n\n<!-- generated: x -->\n<!-- end generated -->\nafter");
    }

    #[test]
    fn a_region_missing_twice_or_open_is_an_error() {
        assert!(replace(PAGE, "y", "").is_err());
        assert!(replace(&format!("{PAGE}\n{PAGE}"), "x", "").is_err());
        let open = "<!-- generated: x -->\n<!-- generated: y -->\n<!-- end generated -->\n";
        assert!(replace(open, "x", "").is_err());
        assert!(replace("<!-- generated: x -->\n", "x", "").is_err());
    }

    #[test]
    fn the_first_difference_has_its_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n").unwrap(), "line 2\n- b\n+ c");
        assert_eq!(first_difference("a\n", "a\nb\n").unwrap(), "line 2\n- (end of the file)\n+ b");
        assert!(first_difference("a", "a\n").unwrap().starts_with("line 2"));
    }
}
