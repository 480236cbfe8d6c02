//! Depth, work and memory: what must hold for hostile input.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

#[cfg(feature = "serde")]
use toolweir_rjson::SerdeError;
use toolweir_rjson::{
    Error, ErrorKind, Machine, Mode, Object, Options, PartialValue, Style, Value, Watch,
    WriteOptions, parse, parse_many, parse_with, stringify, to_string, to_string_with,
    transform_with,
};

/// Runs on a thread whose stack holds 64 KiB.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap();
    thread.join().unwrap();
}

const MODES: [Mode; 3] = [Mode::Strict, Mode::Relaxed, Mode::Repair];

/// A million containers that strict JSON has too: open, closed, in turns, with something between.
fn nests() -> Vec<String> {
    let open = |text: &str| text.repeat(1_000_000 / text.matches(['[', '{']).count());
    let closed = |left: &str, right: &str| format!("{}1{}", open(left), right.repeat(1_000_000));
    vec![
        open("["),
        open("{\"k\":"),
        open("[{\"k\":"),
        open("[1,{\"k\":2,\"m\":"),
        closed("[", "]"),
        closed("{\"k\":", "}"),
        open("[ \n"),
    ]
}

/// What is listed of a flood does not grow with it.
#[test]
fn floods_of_damage_are_listed_in_part() {
    for text in [
        "{".repeat(1 << 18),
        "[{".repeat(1 << 17),
        "{} ".repeat(1 << 17),
        "[".to_owned() + &",".repeat(1 << 18),
    ] {
        let options = Options::new(Mode::Repair);
        let parsed = parse_with(&text, &options).unwrap();
        assert_eq!(parsed.diagnostics.len(), options.max_diagnostics + 1);
        let last = parsed.diagnostics.last().unwrap();
        assert_eq!(last.code, "rjson::more-diagnostics");
        assert!(last.span.start < last.span.end && last.span.end <= text.len() as u64);
        let many = parse_many(&text, &options.with_max_diagnostics(3)).unwrap();
        assert_eq!(many.diagnostics.len(), 4);
    }
}

/// A million containers that only repair mode sees.
fn damaged_nests() -> Vec<String> {
    let open = |text: &str| text.repeat(1_000_000);
    let closed = |left: &str, right: &str| format!("{}1{}", open(left), open(right));
    vec![
        closed("[", "}"),
        closed("{\"k\":", "]"),
        format!("[{}", open("(")),
        format!("[{}", closed("(1,", ")")),
        format!("{{\"k\":{}", open("(")),
        open("{k:"),
        open("{“k”:"),
        open("{\\\"k\\\":"),
        open("[\\\"a\\\","),
        open("{{\"k\":"),
        open("[\"k\":"),
        open("{\"k\" "),
        open("[,"),
        format!("answer: {}", open("[1 ")),
        format!("```json\n{}", open("[")),
        format!("call({}", open("[")),
        format!("{{}} {}", open("[")),
    ]
}

/// Every way into a text, and the error of each.
fn refusals(text: &str, mode: Mode) -> Vec<(&'static str, Option<ErrorKind>)> {
    let options = Options::new(mode);
    let kind = |error: Error| error.kind;
    let machine = || {
        let (mut machine, mut input) = (Machine::new(options.clone()), text);
        let mut watch = Watch::new("/0/k/0").unwrap();
        let read = loop {
            match machine.next(&mut input) {
                Ok(Some(token)) => drop(watch.text(&token)),
                Ok(None) => break machine.finish().err(),
                Err(error) => break Some(error),
            }
        };
        assert!(machine.depth() <= 128);
        read.map(kind)
    };
    let partial = || {
        let mut partial = PartialValue::new(&options);
        let error = partial.push(text).err().or_else(|| partial.finish().err());
        assert!(partial.value().is_none_or(|value| to_string(value).len() < text.len()));
        error.map(kind)
    };
    let mut all = vec![
        ("parse", parse_with(text, &options).err().map(kind)),
        ("parse_many", parse_many(text, &options).err().map(kind)),
        ("machine and watch", machine()),
        ("partial value", partial()),
        ("transform", transform_with(text, &options).err().map(kind)),
    ];
    #[cfg(feature = "serde")]
    all.push((
        "from_str",
        match toolweir_rjson::from_str_with::<serde::de::IgnoredAny>(text, &options) {
            Err(SerdeError::Parse(error)) => Some(error.kind),
            _ => None,
        },
    ));
    all.retain(|(_, kind)| kind.is_none_or(|kind| kind != ErrorKind::TooDeep));
    all
}

#[test]
fn a_million_containers_meet_the_limit_on_a_small_stack() {
    on_a_small_stack(|| {
        for text in nests() {
            let shown: String = text.chars().take(20).collect();
            for mode in MODES {
                assert_eq!(refusals(&text, mode), [], "{shown} {mode:?}");
            }
        }
        for text in damaged_nests() {
            let shown: String = text.chars().take(20).collect();
            assert_eq!(refusals(&text, Mode::Repair), [], "{shown}");
            for mode in [Mode::Strict, Mode::Relaxed] {
                assert!(parse(&text, mode).is_err(), "{shown} {mode:?}");
            }
        }
    });
}

#[test]
fn brackets_that_are_text_are_no_depth_on_a_small_stack() {
    on_a_small_stack(|| {
        for unit in ["x(", "Name(", "a[b](", "]", ")"] {
            for text in [format!("{{k: x{}", unit.repeat(1_000_000)), unit.repeat(1_000_000)] {
                // Text without quotes may be held up to a limit, and prose is no value.
                if let Err(error) = parse(&text, Mode::Repair) {
                    let known = matches!(error.kind, ErrorKind::TooLarge | ErrorKind::NoValue);
                    assert!(known, "{unit}: {error}");
                }
            }
        }
        let string = format!("[\"{}\"]", "[{(".repeat(1_000_000));
        assert_eq!(parse(&string, Mode::Repair), parse(&string, Mode::Strict));
    });
}

#[test]
fn a_deep_value_made_by_hand_is_printed_copied_compared_and_dropped_on_a_small_stack() {
    on_a_small_stack(|| {
        let mut value = Value::from(1);
        let levels = if cfg!(debug_assertions) { 200_000 } else { 1_000_000 };
        for level in 0..levels {
            let mut object = Object::new();
            object.insert("k".to_owned(), value);
            value =
                if level % 2 == 0 { Value::from(vec![Value::from(object)]) } else { object.into() };
        }
        let copy = value.clone();
        assert!(copy == value);
        let sorted = WriteOptions::new(Style::Compact).with_sort_keys(true);
        assert!(stringify(&copy, &sorted) == to_string(&value));
        drop(copy);
        let json = to_string(&value);
        let options = Options::new(Mode::Repair).with_max_depth(usize::MAX);
        assert!(parse_with(&json, &options).unwrap().value == value);
        assert_eq!(parse(&json, Mode::Strict).unwrap_err().kind, ErrorKind::TooDeep);
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
    let parsed = parse_with(&same, &options.with_max_diagnostics(count)).unwrap();
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
