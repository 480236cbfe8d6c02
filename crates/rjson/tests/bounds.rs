//! Depth, work and memory: what must hold for hostile input.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use toolweir_rjson::{
    ErrorKind, Machine, Mode, Object, Options, Style, Value, WriteOptions, parse, parse_with,
    to_string, to_string_with,
};

/// Runs on a thread whose stack holds 64 KiB.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap();
    thread.join().unwrap();
}

#[test]
fn a_million_brackets_meet_the_limit_on_a_small_stack() {
    on_a_small_stack(|| {
        for mode in [Mode::Strict, Mode::Relaxed] {
            for open in ["[", "{\"k\":", "[{\"k\":"] {
                let error = parse(&open.repeat(1_000_000), mode).unwrap_err();
                assert_eq!(error.kind, ErrorKind::TooDeep);
            }
        }
    });
}

#[test]
fn a_million_open_containers_are_built_used_and_dropped_on_a_small_stack() {
    on_a_small_stack(|| {
        let options = Options::new(Mode::Relaxed).with_max_depth(usize::MAX);
        for (open, leaf, close) in [("[", "1", "]"), ("{\"k\":[0,", "{}", "]}")] {
            let text = format!("{}{leaf}{}", open.repeat(500_000), close.repeat(500_000));
            let value = parse_with(&text, &options).unwrap().value;
            let copy = value.clone();
            assert!(copy == value);
            drop(copy);
            assert!(to_string(&value) == text);
            assert!(format!("{value:?}") == text);
            let sorted = WriteOptions::new(Style::Spaced).with_sort_keys(true);
            assert!(to_string_with(&value, &sorted).len() >= text.len());
            let mut inside = value;
            if let Some(object) = inside.as_object_mut() {
                let taken = object.remove("k").unwrap();
                assert!(object.is_empty());
                inside = taken;
            }
            assert!(inside.as_array().is_some());
        }
    });
}

#[test]
fn many_keys_take_neither_a_hash_nor_a_square() {
    let options = Options::default().with_max_keys(usize::MAX);
    let count = 200_000;
    for key in [|i: usize| format!("k{i:06}"), |i: usize| format!("k{:06}", 999_999 - i)] {
        let members: Vec<String> = (0..count).map(|i| format!("\"{}\":{i}", key(i))).collect();
        let value = parse_with(&format!("{{{}}}", members.join(",")), &options).unwrap().value;
        let object: &Object = value.as_object().unwrap();
        assert_eq!(object.len(), count);
        for i in (0..count).step_by(997) {
            assert_eq!(object.get(&key(i)), Some(&Value::from(i)));
        }
    }
    let same = format!("{{{}}}", vec!["\"k\":1"; count].join(","));
    let parsed = parse_with(&same, &options).unwrap();
    assert_eq!(parsed.value.to_string(), "{\"k\":1}");
    assert_eq!(parsed.diagnostics.len(), count - 1);
}

#[test]
fn strings_are_never_held() {
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    let chunk = "text \\n\ntext \\u00e9 ".repeat(100);
    let mut input = "'";
    while machine.next(&mut input).unwrap().is_some() {}
    for _ in 0..1000 {
        let mut input = chunk.as_str();
        while let Some(token) = machine.next(&mut input).unwrap() {
            assert!(token.wire.len() <= 4096);
        }
        assert_eq!(machine.held_bytes(), 0);
    }
}

/// Texts that were hard for others, each about `size` bytes.
#[cfg(feature = "meter")]
fn hostile(size: usize) -> Vec<(&'static str, String)> {
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

#[cfg(feature = "meter")]
fn examined(text: &str, chunk: usize) -> (u64, u64) {
    let options = Options::new(Mode::Relaxed).with_max_keys(usize::MAX);
    let mut machine = Machine::new(options);
    let (mut tokens, mut rest) = (0, text);
    while !rest.is_empty() {
        let at = (chunk.min(rest.len())..).find(|&at| rest.is_char_boundary(at)).unwrap();
        let (mut input, after) = rest.split_at(at);
        while machine.next(&mut input).unwrap().is_some() {
            tokens += 1;
        }
        rest = after;
    }
    (machine.examined(), tokens)
}

#[cfg(feature = "meter")]
#[test]
fn work_is_linear_and_does_not_depend_on_chunks() {
    for (size, factor) in [(20_000, 1), (400_000, 20)] {
        for ((name, text), (_, small)) in hostile(size).iter().zip(hostile(20_000)) {
            let (whole, tokens) = examined(text, text.len());
            let input = text.len() as u64;
            assert!(whole <= 3 * input + 64 * tokens, "{name}: {whole} for {input}");
            let (small, _) = examined(&small, small.len());
            assert!(whole <= small * factor * 11 / 10, "{name}: {small} became {whole}");
            for chunk in [1, 4, 64, text.len() / 400] {
                let (cut, _) = examined(text, chunk);
                println!("{name}, {size}, chunks of {chunk}: {cut} beside {whole}");
                assert!(cut <= whole * 3 / 2, "{name}, {chunk}: {cut}, {whole}");
            }
        }
    }
}
