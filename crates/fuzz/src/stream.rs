//! Model output: prose, markers whole and cut, calls good and bad, mixed and then damaged.

use crate::Source;
use crate::json::{self, Style};
use crate::seeds;
use crate::tools::{KEYS, NAMES};

/// The words of a format that streams are made of.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Markers that open a block.
    pub open: Vec<String>,
    /// Markers that close it.
    pub close: Vec<String>,
    /// The words of the tags of a call and of a parameter, where the format has them.
    pub words: Option<(String, String)>,
    /// The tags of the tools open calls, with elements or YAML inside.
    pub elements: bool,
    /// Everything above, and markers of reasoning: what may stand anywhere.
    pub all: Vec<String>,
}

impl Vocabulary {
    /// From the markers a protocol names.
    #[must_use]
    pub fn of_markers(markers: &[String]) -> Self {
        let closes = |m: &&String| m.starts_with("</");
        let tag = markers.iter().find_map(|m| m.strip_prefix('<')?.strip_suffix('='));
        let words = tag.map(|call| (call.to_owned(), "parameter".to_owned()));
        let open = markers.iter().filter(|m| !closes(m) && !m.ends_with('=')).cloned().collect();
        let elements = markers.iter().any(|m| m.strip_prefix('<') == NAMES.first().copied());
        let close = markers.iter().filter(closes).cloned().collect();
        Self { elements, ..Self::new(open, close, words) }
    }

    /// From openers, closing delimiters and the words of the tags.
    #[must_use]
    pub fn new(open: Vec<String>, close: Vec<String>, words: Option<(String, String)>) -> Self {
        let mut all: Vec<String> = open.iter().chain(&close).cloned().collect();
        all.extend(["<think>", "</think>"].map(str::to_owned));
        if let Some((call, param)) = &words {
            all.extend([format!("<{call}="), format!("</{call}>"), format!("<{param}=")]);
            all.push(format!("</{param}>"));
        }
        Self { open, close, words, elements: false, all }
    }
}

const PROSE: &[&str] = &[
    "Let me look.",
    " ",
    "a",
    "\n",
    "Größe 🌊",
    "x < y",
    "\n\n",
    "`code`",
    "\u{0}",
    "\u{1b}[31m",
    "\t",
    "  \n ",
    "\r\n",
    "e\u{301}",
    "{",
    "}",
    "\"",
    "\u{200b}",
    "</",
    "<",
    ">",
    "]",
    ",",
    "\u{feff}",
    "name",
];

/// Longest stream that is made, in bytes; damage may double a part of it.
const LONGEST: usize = 3000;

/// A stream; reads the source to its end.
pub fn stream(source: &mut Source<'_>, words: &Vocabulary) -> String {
    let damages = source.below(8).saturating_sub(4);
    let cuts: Vec<(usize, usize, usize)> =
        (0..damages).map(|_| (source.below(3), source.below(1 << 16), source.below(24))).collect();
    let mut text = String::new();
    if source.one_in(10) {
        let seed = source.word(seeds::STREAMS);
        text.push_str(&slice_of(source, seed));
    }
    while !source.is_empty() && text.len() < LONGEST {
        piece(source, words, &mut text);
    }
    for (how, at, length) in cuts {
        text = damage(&text, how, at, length);
    }
    text
}

fn slice_of(source: &mut Source<'_>, text: &str) -> String {
    let from = source.below(text.len());
    let length = source.below(text.len());
    text.chars().skip(from).take(length).collect()
}

/// One piece of a stream.
pub fn piece(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    match source.below(16) {
        0..3 => out.push_str(source.word(PROSE)),
        3 => out.push_str(source.word(&words.all)),
        4 => {
            let marker = source.word(&words.all);
            let keep = source.below(marker.chars().count());
            out.extend(marker.chars().take(keep));
        }
        5 => {
            let marker = source.word(&words.all);
            let skip = source.below(marker.chars().count());
            out.extend(marker.chars().skip(skip));
        }
        6 => out.push_str(source.word(seeds::tokens())),
        7 => {
            let style = *source.pick(&[Style::Strict, Style::Relaxed, Style::Broken]);
            out.push_str(&json::value(source, style, &words.all, 2));
        }
        8 => tag(source, words, out),
        _ => block(source, words, out),
    }
}

/// One tag of the format, perhaps with blanks and quotes.
fn tag(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    let Some((call, param)) = &words.words else {
        return out.push_str(source.word(&words.all));
    };
    let word = if source.one_in(2) { call } else { param };
    let name = source.word(NAMES);
    out.push_str(&match source.below(6) {
        0 => format!("<{word}={name}>"),
        1 => format!("</{word}>"),
        2 => format!("< {word} = \"{name}\" >"),
        3 => format!("\n<{word}={name}>"),
        4 => format!("<{word}="),
        _ => format!("<{word}=a b>"),
    });
}

/// A block with its calls; now and then something of it is missing.
pub fn block(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    if words.elements && !source.one_in(8) {
        return element_call(source, words, out);
    }
    if let (false, Some(open)) = (source.one_in(12), some(source, &words.open)) {
        out.push_str(open);
    }
    blank(source, out);
    match &words.words {
        Some((call, param)) => {
            for _ in 0..=source.below(3) / 2 {
                tagged_call(source, words, call, param, out);
                blank(source, out);
            }
        }
        None => json_calls(source, words, out),
    }
    blank(source, out);
    if let (false, Some(close)) = (source.one_in(8), some(source, &words.close)) {
        out.push_str(close);
    }
}

fn some<'t>(source: &mut Source<'_>, list: &'t [String]) -> Option<&'t String> {
    if list.is_empty() { None } else { Some(source.pick(list)) }
}

fn blank(source: &mut Source<'_>, out: &mut String) {
    out.push_str(source.word(&["\n", "", " ", "\n\n", "\r\n"]));
}

fn json_calls(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    if !source.one_in(4) {
        return json_call(source, words, out);
    }
    out.push('[');
    for _ in 0..source.below(4) {
        json_call(source, words, out);
        out.push_str(source.word(&[",", ", ", "", " ,\n"]));
    }
    out.push_str(if source.one_in(6) { "" } else { "]" });
}

fn json_call(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    let style = *source.pick(&[Style::Strict, Style::Strict, Style::Relaxed, Style::Broken]);
    let name_key =
        if source.one_in(6) { source.word(&["tool", "tool_name", "function"]) } else { "name" };
    let name = format!("\"{name_key}\": \"{}\"", source.word(NAMES));
    let key =
        if source.one_in(5) { source.word(&["parameters", "args", "input"]) } else { "arguments" };
    let arguments = format!("\"{key}\": {}", arguments(source, style, words));
    let mut members = vec![name, arguments];
    if source.one_in(4) {
        members.swap(0, 1);
    }
    if source.one_in(8) {
        members.remove(source.below(2));
    }
    if source.one_in(8) {
        let again = members[0].clone();
        members.push(again);
    }
    if source.one_in(6) {
        let more = format!("\"id\": {}", json::value(source, style, &words.all, 1));
        members.insert(source.below(members.len() + 1), more);
    }
    let object = format!("{{{}}}", members.join(source.word(&[", ", ",", ",\n  "])));
    match source.below(12) {
        9 => out.push_str(&format!("{{\"function\": {object}}}")),
        10 => out.push_str(object.trim_end_matches('}')),
        11 => out.push_str(&format!("{{\"type\": \"function\", \"tool_call\": {object},}}")),
        _ => out.push_str(&object),
    }
}

fn arguments(source: &mut Source<'_>, style: Style, words: &Vocabulary) -> String {
    match source.below(10) {
        7 => {
            let inner = json::object(source, style, &words.all, 1);
            serde_json::Value::from(inner).to_string()
        }
        8 => json::value(source, style, &words.all, 2),
        9 => (source.word(&["null", "\"\"", "\"{\"", "\" {} \"", "\"{} x\""])).to_owned(),
        _ => json::object(source, style, &words.all, 2),
    }
}

fn tagged_call(
    source: &mut Source<'_>,
    words: &Vocabulary,
    call: &str,
    param: &str,
    out: &mut String,
) {
    let name = source.word(NAMES);
    out.push_str(&format!("<{call}={name}>"));
    for _ in 0..source.below(4) {
        blank(source, out);
        out.push_str(&format!("<{param}={}>", source.word(KEYS)));
        out.push_str(source.word(&["\n", "", "\n\n", "\r\n"]));
        value(source, words, out);
        out.push_str(source.word(&["\n", "", "\n\n", " "]));
        if !source.one_in(6) {
            out.push_str(&format!("</{param}>"));
        }
    }
    blank(source, out);
    if !source.one_in(7) {
        out.push_str(&format!("</{call}>"));
    }
}

/// A call as an element, or a line and elements, with members of either kind.
fn element_call(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    let name = source.word(NAMES);
    out.push_str(&match source.below(12) {
        0 => format!("\n{name}\n"),
        1 => format!("\n{name}: \n"),
        2 => format!("< {name} >"),
        3 => format!("<{name}/>"),
        _ => format!("<{name}>"),
    });
    let yaml = source.one_in(3);
    for _ in 0..source.below(5) {
        blank(source, out);
        let key = source.word(KEYS);
        if yaml {
            let lead = source.word(&["", "", "- ", "  ", "&x ", "*x "]);
            let sign = source.word(&[": ", ":\n  ", ": |\n  ", ": &x ", ": *x\n", ": \"", " "]);
            out.push_str(&format!("{lead}{key}{sign}"));
            value(source, words, out);
            out.push_str(source.word(&["\n", "\n", "\n", "\"\n", ""]));
            continue;
        }
        out.push_str(&match source.below(10) {
            0 => format!("<{key}/>"),
            1 => format!("<{key} a='1'>"),
            2 => format!("<{}>", key.to_uppercase()),
            _ => format!("<{key}>"),
        });
        let inner = source.word(&["", "", "", "<item>", "<0>", "<a>", "<![CDATA[", "<!--"]);
        out.push_str(inner);
        value(source, words, out);
        out.push_str(source.word(&["", "", "", "</item>", "</0>", "</a>", "]]>", "-->"]));
        if !source.one_in(6) {
            out.push_str(&format!("</{key}>"));
        }
    }
    blank(source, out);
    if !source.one_in(7) {
        let close = source.word(&["</", "</", "</ "]);
        out.push_str(&format!("{close}{name}>"));
    }
}

/// The text between two parameter tags.
fn value(source: &mut Source<'_>, words: &Vocabulary, out: &mut String) {
    match source.below(8) {
        0..3 => out.push_str(source.word(&["8", "red", "true", "None", "", "007", "3.0", "x y"])),
        3 | 4 => out.push_str(&json::value(source, Style::Relaxed, &words.all, 2)),
        5 => out.push_str(source.word(&words.all)),
        _ => {
            for _ in 0..source.below(4) {
                out.push_str(source.word(PROSE));
            }
        }
    }
}

/// Deletes, doubles or cuts off a part.
fn damage(text: &str, how: usize, at: usize, length: usize) -> String {
    let count = text.chars().count().max(1);
    let at = at % count;
    let head: String = text.chars().take(at).collect();
    let part: String = text.chars().skip(at).take(length).collect();
    let tail: String = text.chars().skip(at + length).collect();
    match how {
        0 => format!("{head}{tail}"),
        1 => format!("{head}{part}{part}{tail}"),
        _ => head,
    }
}
