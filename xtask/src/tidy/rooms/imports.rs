//! What a Rust file imports from other modules of its crate, read from its text.
//!
//! A path counts wherever it stands, in a `use` or in code, if it begins with `crate` or climbs with
//! `super`. Comments, strings and what is compiled for tests alone do not count.

/// Names from the crate's root down.
pub(crate) type Path = Vec<String>;

/// Every path in `text` that is given from the root or from a module above; `module` is the file's own.
/// A group in braces gives one path for each of its members; after an item is the name it gets by `as`.
pub(crate) fn paths(module: &[&str], text: &str) -> Vec<Path> {
    let code = without_tests(code(text));
    let inline = inline_modules(&code);
    let (mut found, mut read) = (Vec::new(), 0);
    for (at, word) in words(&code).filter(|(_, word)| matches!(*word, "crate" | "super")) {
        let rest = code.get(at + word.len()..).unwrap_or_default().trim_start();
        // A `crate` alone is a visibility; a `super` inside a path has been read with it.
        if at < read || !rest.starts_with("::") {
            continue;
        }
        let within = inline.iter().filter(|(range, _)| range.contains(&at));
        let here: Vec<&str> = module.iter().copied().chain(within.map(|(_, name)| *name)).collect();
        let (members, rest) = members(code.get(at..).unwrap_or_default());
        read = code.len() - rest.len();
        found.extend(members.into_iter().map(|path| from_root(&here, path)));
    }
    found
}

/// What the root of a crate gives on under a name of its own: the name, and the module it is from.
pub(crate) fn re_exports(root: &str) -> Vec<(String, String)> {
    let code = without_tests(code(root));
    let uses = words(&code).filter(|(_, word)| *word == "use");
    let members =
        uses.flat_map(|(at, word)| members(code.get(at + word.len()..).unwrap_or_default()).0);
    members
        .map(|path| from_root(&[], path.into_iter().skip_while(|word| word == "self").collect()))
        .filter_map(|path| Some((path.last()?.clone(), path.first()?.clone())))
        .collect()
}

/// The path as it stands in the module `here`, without `crate` and `super`.
fn from_root(here: &[&str], path: Path) -> Path {
    if path.first().is_some_and(|word| word == "crate") {
        return path.into_iter().skip(1).collect();
    }
    let up = path.iter().take_while(|word| *word == "super").count();
    let above = here.iter().take(here.len().saturating_sub(up)).map(|word| (*word).to_owned());
    above.chain(path.into_iter().skip(up)).collect()
}

/// The paths that `text` begins with, and the text after them.
fn members(text: &str) -> (Vec<Path>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut all = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if rest.is_empty() || rest.starts_with('}') {
                return (all, rest.get(1..).unwrap_or_default());
            }
            let (some, after) = members(rest);
            // Not the text of a path: nothing more can be read here.
            if after.len() == rest.len() {
                return (all, after);
            }
            all.extend(some);
            rest = after;
        }
    }
    let end = text.find(|c: char| !is_word(c) && c != '*').unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let after = rest.trim_start();
    let deeper = after.strip_prefix("::").map(str::trim_start);
    if let Some(deeper) = deeper.filter(|rest| rest.starts_with(|c| is_word(c) || "{*".contains(c)))
    {
        let (below, rest) = members(deeper);
        let with = |path: Path| std::iter::once(word.to_owned()).chain(path).collect();
        return (below.into_iter().map(with).collect(), rest);
    }
    if let Some(renamed) = after.strip_prefix("as ") {
        let renamed = renamed.trim_start();
        let rest = renamed.trim_start_matches(is_word);
        let name = renamed.strip_suffix(rest).unwrap_or_default();
        return (vec![vec![word.to_owned(), name.to_owned()]], rest);
    }
    (vec![vec![word.to_owned()]], rest)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a code, each with its place.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = code.char_indices().scan(false, |inside, (at, c)| {
        let first = is_word(c) && !*inside;
        *inside = is_word(c);
        Some((at, first))
    });
    starts.filter(|(_, first)| *first).map(|(at, _)| {
        let rest = code.get(at..).unwrap_or_default();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        (at, rest.get(..end).unwrap_or_default())
    })
}

/// Modules with a body in the file: where each body is, and its name.
fn inline_modules(code: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let named = words(code).filter(|(_, word)| *word == "mod").filter_map(|(at, word)| {
        let (place, name) = words(code.get(at + word.len()..)?).next()?;
        let start = at + word.len() + place;
        let body = start + name.len();
        let is_body = code.get(body..)?.trim_start().starts_with('{');
        is_body.then(|| (body..body + item(code.get(body..).unwrap_or_default()), name))
    });
    named.collect()
}

/// The length of the item that the code begins with: to its `;`, or to the end of its body.
fn item(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && c == '}' {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The code without items that only tests have.
fn without_tests(mut code: String) -> String {
    for attribute in ["#[cfg(test)]", "#[cfg(all(test,"] {
        while let Some(at) = code.find(attribute) {
            let rest = code.get(at..).unwrap_or_default();
            let marked = rest.find(']').map_or(rest.len(), |end| end + 1);
            let end = at + marked + item(rest.get(marked..).unwrap_or_default());
            code.replace_range(at..end, "");
        }
    }
    code
}

/// The text without comments, and with nothing in its strings and characters.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = out.ends_with(is_word);
        let (kept, length) = if rest.starts_with("//") {
            ("", rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (" ", block_comment(rest))
        } else if let Some(length) = (!word).then(|| raw_string(rest)).flatten() {
            ("\"\"", length)
        } else if c == '"' {
            ("\"\"", quoted(rest, '"').unwrap_or(rest.len()))
        } else if let Some(length) = (c == '\'').then(|| character(rest)).flatten() {
            ("' '", length)
        } else {
            (rest.get(..c.len_utf8()).unwrap_or_default(), c.len_utf8())
        };
        out.push_str(kept);
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// The length of the comment that the text begins with; comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the raw string that the text begins with.
fn raw_string(text: &str) -> Option<usize> {
    let letters = if text.starts_with('b') { 2 } else { 1 };
    let rest = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let signs = rest.len() - rest.trim_start_matches('#').len();
    let body = rest.get(signs..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(signs));
    Some(letters + signs + 1 + body.find(&close)? + close.len())
}

/// The length of what stands between two signs, which a backslash escapes.
fn quoted(text: &str, sign: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| {
        let ends = c == sign && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at + 1)
    })
}

/// The length of the character literal that the text begins with; none: it is a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.chars().skip(1);
    let first = chars.next()?;
    if first == '\\' {
        quoted(text, '\'')
    } else {
        (chars.next()? == '\'').then(|| 2 + first.len_utf8())
    }
}

#[cfg(test)]
mod tests;
