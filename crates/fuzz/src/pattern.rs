//! Wire patterns, good and broken, and text that fits one.
//!
//! Patterns are built from a grammar of parts, so that most are readable and many fit their role; a
//! few are damaged as text. Nothing here knows what compiles.

use toolweir_protocols::pattern::{Args, AttributeValue, Part, Pattern, Tag};

use crate::Source;
use crate::json::{self, Style};
use crate::tools::{KEYS, NAMES};

/// Pieces that markers are made of, so that they begin, end and hold one another.
const PIECES: &[&str] = &[
    "<a>",
    "</a>",
    "<b",
    "b>",
    "[",
    "]",
    "<tool_call>",
    "</tool_call>",
    "=",
    "{{",
    "}}",
    "ä",
    "<think>",
    "<|x|>",
    "```",
    "<",
    ":",
];
/// Whitespace, as it is spelled in a pattern.
const SPACES: &[&str] = &["", r"\n", " ", r"\n\n", r"\t"];
/// What is put into a pattern to break it.
const DAMAGE: &[&str] =
    &["{", "}", "{name}", "{nmae}", "{arg:", r"\", "{*}", "{opt:", "||", "{value}"];

fn marker(source: &mut Source<'_>) -> String {
    (0..=source.below(3)).map(|_| source.word(PIECES)).collect()
}

fn space(source: &mut Source<'_>) -> &'static str {
    SPACES[source.below(SPACES.len())]
}

/// A marker, perhaps one of several, there or not.
fn literal(source: &mut Source<'_>) -> String {
    let text = marker(source);
    match source.below(10) {
        6 => format!("{{any:{text}||{}}}", marker(source)),
        7 => format!("{{opt:{text}}}"),
        8 => format!("{{also:{text}}}"),
        9 => String::new(),
        _ => text,
    }
}

/// Where the name of a call stands, if the payload does not say it.
fn name(source: &mut Source<'_>) -> String {
    let name = source.word(NAMES);
    match source.below(8) {
        0 | 1 => "{name}".to_owned(),
        2 => format!("{{name={name}}}"),
        3 => format!("{{id:{{opt:functions.}}{{name}}{}{{index}}}}", source.word(&[":", "", "-"])),
        4 => format!("{{name}}{}{{id}}", literal(source)),
        5 => format!("<{} name=\"{{name}}\">", source.word(&["invoke", "a", "f"])),
        6 => "{index}".to_owned(),
        _ => "{name}{!}".to_owned(),
    }
}

/// The arguments.
fn payload(source: &mut Source<'_>) -> String {
    match source.below(12) {
        0..4 => "{args}".to_owned(),
        4..7 => format!("{{args:{}}}", parameter(source)),
        7 => "{args:python}".to_owned(),
        8 => format!("{{args:gemma {}}}", source.word(&["<|\"|>", "'", "\""])),
        9 => source.word(&["{args:elements}", "{args:yaml}"]).to_owned(),
        10 => format!("{{arg:{}}}", source.word(KEYS)),
        _ => {
            format!("{{arg:{}:{}{{value}}{}}}", source.word(KEYS), literal(source), literal(source))
        }
    }
}

fn parameter(source: &mut Source<'_>) -> String {
    let value =
        source.word(&["{value}", "{value}", "{value:trim}", r"\n{value}\n", "{value:nested}"]);
    let after = space(source);
    match source.below(5) {
        0 => format!("<p={{key}}>{value}</p>{after}"),
        1 => format!("<k>{{key}}</k>{}<v>{value}</v>{after}", space(source)),
        2 => {
            let types = source.word(&["", " type=\"{type}\"", " string=\"{type:true||false}\""]);
            format!("<p name=\"{{key}}\"{types}>{value}</p>{after}")
        }
        3 => format!("<{{key}}>{value}</{{key}}>{after}"),
        _ => {
            let (open, close) = (literal(source), literal(source));
            format!("{open}{{key}}{}{value}{close}{after}", literal(source))
        }
    }
}

/// A JSON object or a list that holds the name too.
fn object(source: &mut Source<'_>) -> &'static str {
    const OBJECTS: &[&str] = &[
        "{call}",
        "{call}",
        "{calls}",
        r#"{call:{"tool": name, "params": args}}"#,
        r#"{call:[{"name": name, "arguments": args, "id": id}]}"#,
        r#"{call:{"content": text, "call": {"name": name, "args": args}}}"#,
        r"{call:{name: args}}",
        r#"{call:{"tool_calls": [{"function": {"name": name, "arguments": args}}]}}"#,
        r#"{call:{"type": "function", "name": name}}"#,
    ];
    OBJECTS[source.below(OBJECTS.len())]
}

fn damaged(source: &mut Source<'_>, pattern: String) -> String {
    if !source.one_in(8) {
        return pattern;
    }
    let places: Vec<usize> =
        pattern.char_indices().map(|(at, _)| at).chain([pattern.len()]).collect();
    let at = *source.pick(&places);
    let (before, after) = pattern.split_at(at);
    match source.below(4) {
        0 => before.to_owned(),
        1 => after.to_owned(),
        _ => format!("{before}{}{after}", source.word(DAMAGE)),
    }
}

/// A pattern of one call, or what is left of one.
pub fn call(source: &mut Source<'_>) -> String {
    let mut out = if source.one_in(6) { space(source).to_owned() } else { String::new() };
    out += &literal(source);
    out += space(source);
    if source.one_in(3) {
        out += &name(source);
        out += space(source);
        out += &literal(source);
        out += space(source);
        out += &payload(source);
    } else if source.one_in(8) {
        out += source
            .word(&[r"<{name}>\n{args:elements}\n</{name}>", r"{at:line}{name}\n{args:yaml}"]);
    } else {
        out += object(source);
    }
    out += space(source);
    out += &literal(source);
    damaged(source, out)
}

/// A pattern around the calls of a turn.
pub fn wrap(source: &mut Source<'_>) -> String {
    let (framing, at) = (space(source), source.word(&["", "", "", "{at:line}", "{also:<w>}"]));
    let before = format!("{framing}{at}{}{}", literal(source), space(source));
    let out = format!("{before}{{*}}{}{}", space(source), literal(source));
    damaged(source, out)
}

/// A pattern of visible text, reasoning or markup.
pub fn message(source: &mut Source<'_>) -> String {
    let hole =
        source.word(&["{text}", "{text}", "{reasoning}", "{skip}", r#"{call:{"say": text}}"#]);
    let out = format!("{}{hole}{}", literal(source), literal(source));
    damaged(source, out)
}

/// A marker that is dropped where it stands.
pub fn stray(source: &mut Source<'_>) -> String {
    let out = literal(source);
    damaged(source, out)
}

/// Text that fits the pattern, nearly always. `calls`: what stands for `{*}`.
pub fn sample(source: &mut Source<'_>, pattern: &Pattern, calls: &str, out: &mut String) {
    for part in &pattern.parts {
        one(source, part, calls, out);
    }
}

fn one(source: &mut Source<'_>, part: &Part, calls: &str, out: &mut String) {
    match part {
        Part::Literal(text) => out.push_str(text),
        Part::Space(text) => out.push_str(if source.one_in(5) { " " } else { text }),
        Part::Name => out.push_str(source.word(NAMES)),
        Part::Id(None) => out.push_str(source.word(&["call_1", "x"])),
        Part::Id(Some(pattern)) => sample(source, pattern, calls, out),
        Part::Index => out.push_str(source.word(&["0", "12"])),
        Part::Key => out.push_str(source.word(KEYS)),
        Part::Type(None) => out.push_str(source.word(&["string", "number"])),
        Part::Type(Some((text, json))) => out.push_str(if source.one_in(2) { text } else { json }),
        Part::Value(_) | Part::Content | Part::Text | Part::Reasoning | Part::Arg { .. } => {
            out.push_str(source.word(&["8", "a b", "\n x\n", "{\"a\": 1}", "[1]", "<b", ""]));
        }
        Part::Args(args) => arguments(source, args, calls, out),
        Part::Call(template) => {
            let object = json::object(source, Style::Strict, &words(), 1);
            let name = source.word(NAMES);
            out.push_str(&template.render(name, &object, source.one_in(3).then_some("call_1")));
        }
        Part::Any(ways) => {
            let way = source.pick(ways);
            sample(source, way, calls, out);
        }
        Part::Opt(pattern) | Part::Also(pattern) if source.one_in(2) => {
            sample(source, pattern, calls, out);
        }
        Part::Skip => out.push_str(source.word(&["", "to=f", "x y"])),
        Part::Tag(tag) => tag_text(source, tag, calls, out),
        Part::Calls => out.push_str(calls),
        _ => {}
    }
}

/// What strings hold now and then.
fn words() -> Vec<String> {
    ["<b", "</a>", "<tool_call>"].map(str::to_owned).to_vec()
}

fn arguments(source: &mut Source<'_>, args: &Args, calls: &str, out: &mut String) {
    match args {
        Args::Json => out.push_str(&json::object(source, Style::Relaxed, &words(), 2)),
        Args::Pattern(pattern) => {
            for _ in 0..source.below(4) {
                sample(source, pattern, calls, out);
            }
        }
        Args::Python => {
            out.push_str(source.word(&["a=1", "", "a=\"x\", b=[1, {\"a\": None}]", "a=(1)"]))
        }
        Args::Gemma(quote) => {
            out.push_str(&format!("{{a:{quote}x{quote},b:[1,true]}}"));
        }
        Args::Yaml => out.push_str(source.word(&["a: 1", "a: |\n  x\nb: [1]\n", "- a"])),
        Args::Elements => out.push_str(source.word(&["<a>x</a>", "<b>1</b>", "<a>"])),
    }
}

fn tag_text(source: &mut Source<'_>, tag: &Tag, calls: &str, out: &mut String) {
    out.push_str(&tag.open);
    for attribute in &tag.attributes {
        out.push_str(&attribute.space);
        out.push_str(&attribute.key);
        let quote = source.word(&["\"", "'", ""]);
        out.push('=');
        out.push_str(quote);
        match &attribute.value {
            AttributeValue::Hole(part) => one(source, part, calls, out),
            AttributeValue::Fixed(text) => out.push_str(text),
        }
        out.push_str(quote);
    }
    out.push_str(&tag.close);
}
