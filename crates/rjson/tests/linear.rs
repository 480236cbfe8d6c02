//! Work in bytes looked at, for texts made to be hard: linear, and the same however they are cut.

#![cfg(feature = "meter")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use toolweir_rjson::{Machine, Mode, Options};

fn deep(open: &str, inside: &str, close: &str, count: usize) -> String {
    format!("{}{inside}{},", open.repeat(count), close.repeat(count))
}

/// Texts of about `size` bytes.
fn families(size: usize) -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(size / unit.len());
    let nest = |open: &str, inside: &str, close: &str| {
        deep(open, inside, close, size / (open.len() + close.len()))
    };
    vec![
        ("open square brackets", fill("[")),
        ("open braces", fill("{")),
        ("open round brackets", format!("[{}", fill("("))),
        ("open members", fill("{\"k\":")),
        ("open calls", format!("[{}", fill("f("))),
        ("double quotes", format!("{{\"k\":{}", fill("\""))),
        ("single quotes", format!("[{}", fill("'"))),
        ("typographic quotes", format!("[{}", fill("“‘"))),
        ("quotes and blanks", format!("{{\"k\":\"{}", fill("\" "))),
        ("quotes and lines", format!("{{\"k\":\"{}", fill("\"\n"))),
        ("quotes in words", format!("{{\"k\":\"{}\"}}", fill("a\"b "))),
        ("quotes before commas", format!("{{\"k\":\"{}\"}}", fill("a\", b "))),
        ("quotes before closers", format!("[{{\"k\":\"{}\"}}]", fill("a\"} b "))),
        ("inner strings", format!("[\"{}\"]", fill("say \"it\", "))),
        ("commas", format!("[{}", fill(","))),
        ("commas in text", format!("{{k:{}", fill("x,"))),
        ("line comments", format!("[1{}", fill("//\n"))),
        ("open line comment", format!("[1 //{}", fill("/"))),
        ("block comments", format!("[1{}]", fill("/**/"))),
        ("open block comment", format!("[1 /*{}", fill("*"))),
        ("comments in a string", format!("{{\"k\":\"{}", fill("\"//"))),
        ("comment lines in a string", format!("{{\"k\":\"{}", fill("\"#\"\n"))),
        ("blocks in a string", format!("{{\"k\":\"{}", fill("\"/*\"*/"))),
        ("square closers", fill("]")),
        ("wrong closers", format!("[{}", fill("}"))),
        ("round closers", format!("[{}", fill(")"))),
        ("closers in a string", format!("{{\"k\":\"{}", fill("}]"))),
        ("colons", format!("{{\"k\"{}", fill(":"))),
        ("other colons", format!("{{\"k\" {}", fill("=>"))),
        ("backslashes", format!("[\"{}", fill("\\"))),
        ("wrong escapes", format!("[\"{}\"]", fill("\\q"))),
        ("cut escapes", format!("[\"{}\"]", fill("\\u12"))),
        ("half pairs", format!("[\"{}\"]", fill("\\ud83c"))),
        ("escaped quotes", format!("[\"{}\"]", fill("\\\""))),
        ("escaped document", format!("[{}]", fill("\\\"a\\\",\\n"))),
        ("backticks", format!("[{}", fill("`"))),
        ("backticks in a string", format!("[\"{}", fill(" `"))),
        ("backticks in a key", format!("{{\"{}", fill(" `"))),
        ("bare words", format!("{{\"k\":{}", fill("word "))),
        ("bare brackets", format!("{{\"k\":x{}", fill("[a]("))),
        ("bare nests", format!("{{\"k\":x{}", fill(&format!("{})", "(".repeat(200))))),
        ("bare quotes", format!("{{\"k\":x{}", fill(" \"a"))),
        ("long bare word", format!("{{\"k\":{}", fill("w"))),
        ("key flood", format!("{{{}}}", fill("\"k\":1,"))),
        ("bare key flood", format!("{{{}}}", fill("k:v,"))),
        ("keys without values", format!("{{{}", fill("\"k\","))),
        ("quotes in a key", format!("{{\"{}", fill("x\"y"))),
        ("long key", format!("{{\"{}\":1}}", fill("k"))),
        ("escapes in a key", format!("{{\"{}\":1}}", fill("\\q"))),
        ("open string", format!("{{\"k\":\"{}", fill("text "))),
        ("open key", format!("{{\"{}", fill("text, "))),
        ("open everything", fill("{\"k\":[\"")),
        ("digits", format!("[{}", fill("9"))),
        ("separated digits", format!("[{}", fill("9_"))),
        ("numbers", format!("[{}", fill("-1.5e3,"))),
        ("numbers glued", format!("{{\"k\":{}", fill("1,1 "))),
        ("alternating brackets", fill("[{")),
        ("alternating containers", nest("[{\"k\":", "1", "}]")),
        ("alternating wrong", format!("[{}", fill("[}"))),
        ("sequences", format!("[{}", fill("(1,2),"))),
        ("nested sequences", format!("[{}", nest("(1,", "2", ")"))),
        ("deep sequences", format!("[{}", fill(&deep("(1,", "2", ")", 100)))),
        ("deep round brackets", format!("[{}", fill(&deep("(", "2,", ")", 100)))),
        ("deep sets", format!("[{}", fill(&deep("{7,", "8", "}", 100)))),
        ("deep objects", format!("[{}", fill(&deep("{\"k\":", "8", "}", 100)))),
        ("deep wrong closers", format!("[{}", fill(&deep("[{\"k\":", "8", "]", 60)))),
        ("implied nests", format!("[{}", fill(&deep("\"k\":[", "8", "]", 60)))),
        ("sets", format!("[{}", fill("{1,2},"))),
        ("nested sets", nest("{7,", "8", "}")),
        ("doubled braces", fill("{{\"k\":1}},")),
        ("prose with brackets", fill("see [a], {b} and (c). ")),
        ("prose with open brackets", fill("text {a ")),
        ("prose with quotes", fill("it's [\"so\" ")),
        ("prose words", fill("word ")),
        ("fences", fill("```json\n{\"k\":1}\n``` ")),
        ("fence words", fill("```a ")),
        ("roots", fill("{\"k\":1} ")),
        ("number roots", fill("1\n")),
        ("root text", fill("{} and ")),
        ("ellipses", format!("[{}", fill("...,"))),
        ("implied objects", format!("[{}]", fill("\"k\":1,"))),
        ("concatenation", format!("[{}]", fill("\"a\"+"))),
        ("blanks", format!("[1,{}", fill(" "))),
        (
            "whitespace after quotes",
            format!("{{\"k\":\"{}", fill(&format!("\"{}", " ".repeat(3000)))),
        ),
        ("zero-width blanks", format!("[{}", fill("\u{200b}"))),
        ("prefixes", format!("[{}", fill("ub"))),
        ("letters before quotes", format!("[{}", fill("b\","))),
        ("keys without closing quotes", format!("{{{}", fill("\"k: 1, "))),
        ("quotes in a key with a value", format!("{{\"k: {}{}", "t".repeat(300), fill("\"a"))),
        ("quotes in a key with blanks", format!("{{\"k:{}{}", " ".repeat(900), fill("\"a"))),
        ("strings without closing quotes", format!("{{{}", fill("\"k\":\"v, "))),
        ("strings in a row", format!("{{\"k\":{}", fill("\"a\" "))),
        ("strings in a row in brackets", format!("{{\"k\":({}", fill("\"a\"\n"))),
        ("two quotes", format!("[\"a\"b{}", fill("\"\" "))),
        ("numbers in a row", fill("1 ")),
        ("literals in a row", fill("true ")),
        ("blanks escaped", format!("{{{}", fill("\\n"))),
        ("lines escaped", format!("{{{}", fill("\\n  \\\"k\\\": 1,"))),
        ("words in brackets", fill("[word] ")),
        ("tags", format!("{{\"k\":{}", fill("<a x=1 y=\"2\"> "))),
        ("calls with more after", format!("[{}", fill("f(\"x\").g "))),
        ("objects in a row", format!("[{}", fill("{\"k\":\"v\""))),
        ("comments in prose", fill(&format!("{}\n", "{a//".repeat(50)))),
    ]
}

/// Texts in which many places ask for the same text after them, each about `size` bytes: comments,
/// whitespace, brackets and quotes that each lookahead reads again, up to its bound.
fn shared(size: usize) -> Vec<(&'static str, String)> {
    let fill = |before: &str, unit: &str| format!("{before}{}", unit.repeat(size / unit.len()));
    let blanks = " ".repeat(100);
    vec![
        ("tags before comments", fill("[", "<a 1//")),
        ("strings before blocks", fill("{a:", "<a '/*")),
        ("quotes between blanks", fill("{", &format!("{blanks}\"{blanks}"))),
        ("words before comments", fill("{a: ", "x // ")),
        ("words before blocks", fill("[", "a /* ")),
        ("numbers before hashes", fill("{a: ", "1 # ")),
        ("escapes before blocks", fill("{a:", "\n\\n/*")),
        ("addresses", fill("{a: ", "https://x.y ")),
        ("quotes before comments", fill("{a:'", "'//")),
        ("quotes before hashes in a key", fill("{\"a", "\"#")),
        ("comments", fill("{", "a/*")),
        ("comments in prose", fill("prose ", "{a//")),
        ("comments in round brackets", fill("[", "(//\n")),
        ("round brackets and blanks", fill("{a:", &format!("({blanks}"))),
        ("round brackets, blanks, escapes", fill("{a:", &format!("\\n({blanks}"))),
        ("round brackets and fences", fill("", "(```")),
        ("round brackets, words, fences", fill("prose ", "```a(")),
        ("braces and strings", fill("[", "{',")),
        ("braces and literals", fill("[", "{true,")),
        ("keys that hide the next one", fill("{", "k:```\\\"")),
        ("keys in hidden quotes", fill("{a:", "k:{\\\"")),
        ("colons in words", fill("", "1k:")),
        ("marks that are no key", fill("{", ")true")),
        ("equals signs for keys", fill("{", "=")),
        ("halves of comments in keys", fill("{", "*/\\n")),
        ("escaped quotes and blanks", fill("", &format!("\\\"{blanks}"))),
    ]
}

/// Relaxed JSON that was hard for others, each about `size` bytes.
fn accepted(size: usize) -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(size / unit.len());
    vec![
        ("prose", format!("{{\"k\":\"{}\"}}", fill("some words of prose, "))),
        ("escapes", format!("{{\"k\":\"{}\"}}", fill("\\n\\\"\\u00e9"))),
        ("pairs", format!("[\"{}\"]", fill("\\ud83c\\udf0a"))),
        ("line breaks", format!("[\"{}\"]", fill("\n"))),
        ("lines", format!("[\"{}\"]", fill("a line of forty characters, not more..\n"))),
        ("single", format!("['{}']", fill("say \"it\", "))),
        ("digits", format!("[{}]", fill("7"))),
        ("numbers", format!("[{}1]", fill("1,"))),
        ("hexadecimal", format!("[{}1]", fill("0xfff,"))),
        ("empty", format!("[{}[]]", fill("[],"))),
        ("members", format!("[{{{}}}]", fill("a:'',"))),
        ("key", format!("{{\"{}\":1}}", fill("key \\n"))),
        ("blanks", format!("[1,{}2]", fill(" "))),
        ("blocks", format!("{}1", fill("/***/"))),
        ("stars", format!("/*{}*/1", fill("*"))),
        ("lines of comment", format!("{}1", fill("// \u{20ac}\u{2014}\n"))),
        ("words", format!("[{}True]", fill("NaN,"))),
    ]
}

struct Work {
    input: u64,
    tokens: u64,
    examined: u64,
}

/// Reads a text in chunks of so many bytes, to its end or to an error.
fn work(text: &str, mode: Mode, chunk: usize, depth: usize) -> Work {
    let options = Options::new(mode).with_max_keys(usize::MAX).with_max_depth(depth);
    let mut machine = Machine::new(options);
    let (mut tokens, mut rest) = (0, text);
    let failed = loop {
        let at = (chunk.min(rest.len())..).find(|&at| rest.is_char_boundary(at)).unwrap();
        let (mut input, after) = rest.split_at(at);
        rest = after;
        let read = loop {
            match machine.next(&mut input) {
                Ok(Some(_)) => tokens += 1,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if read.and_then(|()| machine.trailing(&mut input)).is_err() {
            break true;
        }
        if rest.is_empty() {
            break false;
        }
    };
    while !failed && machine.finish().is_ok_and(|token| token.is_some()) {
        tokens += 1;
    }
    Work { input: text.len() as u64, tokens, examined: machine.examined() }
}

/// What a mode may spend: bytes looked at for each byte of input. In repair mode a byte that is in
/// doubt is part of several questions, and a question may be asked again when more has come.
fn most(mode: Mode, work: &Work) -> u64 {
    let factor = if mode == Mode::Repair { 4 } else { 3 };
    factor * work.input + 64 * work.tokens + 4096
}

const CHUNKS: [usize; 3] = [1, 16, usize::MAX];
const MODES: [Mode; 3] = [Mode::Strict, Mode::Relaxed, Mode::Repair];

#[test]
fn the_bytes_looked_at_are_bounded_for_every_way_of_cutting() {
    let mut wrong = Vec::new();
    for mode in MODES {
        for (name, text) in families(10_000) {
            for chunk in CHUNKS {
                let work = work(&text, mode, chunk, 128);
                let most = most(mode, &work);
                let Work { input, tokens, examined } = work;
                if examined > most {
                    wrong.push(format!(
                        "{name}, {mode:?} by {chunk}: {examined} of {input} in {tokens} tokens"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a lookahead passes is bounded, so a byte is read for so many of them at most.
#[test]
fn what_many_lookaheads_pass_is_read_a_bounded_number_of_times() {
    let mut wrong = Vec::new();
    for (name, text) in shared(8_192) {
        for chunk in [1, 4, 16, 64, usize::MAX] {
            let Work { input, tokens, examined } = work(&text, Mode::Repair, chunk, 128);
            if examined > 96 * input + 4096 {
                wrong.push(format!("{name} by {chunk}: {examined} of {input} in {tokens} tokens"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn twice_the_text_is_twice_the_work() {
    // What may be passed is much of the text where that is short.
    let families = |size| families(size).into_iter().chain(shared(2 * size));
    for mode in MODES {
        for ((name, once), (_, twice)) in families(8_000).zip(families(16_000)) {
            // A whole text is read in pieces of 16 KiB: where the last one ends may add its length.
            // Without a limit of depth, nesting is work like any other.
            let ways = [(1, 128), (usize::MAX, 128), (4096, usize::MAX)];
            for (chunk, depth) in ways {
                let small = work(&once, mode, chunk, depth).examined;
                let large = work(&twice, mode, chunk, depth).examined;
                assert!(
                    large * 10 <= small * 22 + 200_000,
                    "{name}, {mode:?} by {chunk}, depth {depth}: {small} became {large}"
                );
            }
        }
    }
}

/// What a grammar reads without looking ahead costs the same in any pieces.
#[test]
fn relaxed_text_costs_the_same_in_any_chunks() {
    for (size, factor) in [(20_000, 1), (200_000, 10)] {
        for ((name, text), (_, small)) in accepted(size).iter().zip(accepted(20_000)) {
            let whole = work(text, Mode::Relaxed, text.len(), 128);
            assert!(whole.examined <= 3 * whole.input + 64 * whole.tokens, "{name}");
            let small = work(&small, Mode::Relaxed, usize::MAX, 128).examined;
            assert!(whole.examined <= small * factor * 11 / 10, "{name}: {small}");
            for chunk in [1, 4, 64, text.len() / 400] {
                let cut = work(text, Mode::Relaxed, chunk, 128).examined;
                assert!(cut <= whole.examined * 3 / 2, "{name}, {chunk}: {cut}");
            }
        }
    }
}
