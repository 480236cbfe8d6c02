//! A call as a pattern says it: a guess, for a first fixture.
//!
//! It knows the notation of wire patterns (`crates/protocols/src/pattern`) only as far as one call of
//! the tool `dice` needs it. What can be absent is, unless it is text alone.

const ARGS: &str = r#"{"sides": 20}"#;

/// One call of `dice` with 20 `sides`.
pub(super) fn of(pattern: &str) -> String {
    let mut out = String::new();
    write(pattern, &mut out);
    out.trim_start_matches('\n').to_owned()
}

fn write(pattern: &str, out: &mut String) {
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let next = after.chars().next();
        rest = match (c, next) {
            ('\\', Some(escaped)) => {
                out.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                });
                after.get(escaped.len_utf8()..).unwrap_or_default()
            }
            ('{', Some('{')) | ('}', Some('}')) => {
                out.push(c);
                after.get(1..).unwrap_or_default()
            }
            ('{', _) => {
                let (hole, rest) = split_hole(after);
                write_hole(hole, out);
                rest
            }
            _ => {
                out.push(c);
                after
            }
        };
    }
}

/// What stands up to the brace that closes the hole, and what comes after it.
fn split_hole(text: &str) -> (&str, &str) {
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' if depth == 0 => {
                let (hole, rest) = text.split_at_checked(at).unwrap_or((text, ""));
                return (hole, rest.get(1..).unwrap_or_default());
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

fn write_hole(hole: &str, out: &mut String) {
    match hole.split_once(':').unwrap_or((hole, "")) {
        ("name", _) => out.push_str("dice"),
        ("id", "") => out.push_str("call_0"),
        ("id", pattern) => write(pattern, out),
        ("index", _) => out.push('0'),
        ("args", "") => out.push_str(ARGS),
        ("args", "python") => out.push_str("sides=20"),
        ("args", "yaml") => out.push_str("sides: 20"),
        ("args", "elements") => out.push_str("<sides>20</sides>"),
        ("args", gemma) if gemma.starts_with("gemma ") => out.push_str("{sides:20}"),
        ("args", pattern) => write(pattern, out),
        ("key", _) => out.push_str("sides"),
        ("value" | "arg", _) => out.push_str("20"),
        ("type", words) => out.push_str(words.split_once("||").map_or("number", |(_, json)| json)),
        ("call", "") => out.push_str(&object()),
        ("calls", _) => out.push_str(&format!("[{}]", object())),
        ("call", json) => template(json, out),
        ("any", ways) => write(first_way(ways), out),
        ("opt", text) if !text.contains('{') => write(text, out),
        // What may be absent, is not written, or takes no text.
        _ => {}
    }
}

fn object() -> String {
    format!(r#"{{"name": "dice", "arguments": {ARGS}}}"#)
}

/// The first of some alternatives.
fn first_way(ways: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in ways.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && ways.get(at..).is_some_and(|rest| rest.starts_with("||")) => {
                return ways.get(..at).unwrap_or_default();
            }
            _ => {}
        }
    }
    ways
}

/// The JSON of a call with its holes, the unquoted words, filled.
fn template(json: &str, out: &mut String) {
    let mut pieces = json.split('"');
    if let Some(first) = pieces.next() {
        words(first, out);
    }
    // Quoted and not by turns.
    let mut quoted = true;
    for piece in pieces {
        out.push('"');
        if quoted {
            out.push_str(piece)
        } else {
            words(piece, out)
        }
        quoted = !quoted;
    }
}

fn words(text: &str, out: &mut String) {
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end.max(c.len_utf8())).unwrap_or((rest, ""));
        out.push_str(match word {
            "name" => "\"dice\"",
            "args" => ARGS,
            "id" => "\"call_0\"",
            "text" => "\"Let me look.\"",
            other => other,
        });
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_call_is_what_the_pattern_looks_like() {
        for (pattern, call) in [
            (
                r"\n<a>\n{call}\n</a>",
                "<a>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 20}}\n</a>",
            ),
            ("<a>{calls}</a>", "<a>[{\"name\": \"dice\", \"arguments\": {\"sides\": 20}}]</a>"),
            ("[T]{name}{opt:[I]{id}}{opt:[A]}{args}", "[T]dice[A]{\"sides\": 20}"),
            ("<b>{!}{id:{opt:f.}{name}:{index}}<c>{args}", "<b>f.dice:0<c>{\"sides\": 20}"),
            (
                r"<f={name}>\n{args:<p={key}>\n{value}\n</p>\n}</f>{also:x}",
                "<f=dice>\n<p=sides>\n20\n</p>\n</f>",
            ),
            (
                r#"<i name="{name}">{args:<p name="{key}" t="{type:a||b}">{value}</p>}</i>"#,
                r#"<i name="dice"><p name="sides" t="b">20</p></i>"#,
            ),
            ("{any:<a>||<b>}{name}({args:python})", "<a>dice(sides=20)"),
            (r#"<x>:{name}{args:gemma <|"|>}"#, "<x>:dice{sides:20}"),
            (
                r#"<a>{call:[\n {"tool": name, "id": id, "args": args}\n]}"#,
                "<a>[\n {\"tool\": \"dice\", \"id\": \"call_0\", \"args\": {\"sides\": 20}}\n]",
            ),
            (r#"<a>{call:{name: args}}\}{{"#, "<a>{\"dice\": {\"sides\": 20}}}{"),
        ] {
            assert_eq!(of(pattern), call, "{pattern}");
        }
    }
}
