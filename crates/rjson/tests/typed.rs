//! Types from texts: straight from strict JSON, by way of a value from all else, with the same result.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use proptest::prelude::*;
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer};
use serde::{Deserialize, Serialize};
use toolweir_rjson::{
    DataError, Deserializer, Duplicates, ErrorKind, Mode, Number, Object, Options, SerdeError,
    Value, from_reader, from_slice, from_str, from_str_with, from_value, json, parse, parse_with,
    to_value, to_writer,
};

/// What a text is as a type by way of a value.
fn through_a_value<T: DeserializeOwned>(text: &str, options: &Options) -> Result<T, SerdeError> {
    from_value(&parse_with(text, options).map_err(SerdeError::Parse)?.value)
}

/// Both ways give the same, in every mode, from kept values and from given ones.
fn same<T: DeserializeOwned + Debug + PartialEq>(text: &str) {
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Repair] {
        let options = Options::new(mode);
        let expected = through_a_value::<T>(text, &options);
        assert_eq!(from_str::<T>(text, mode), expected, "{text}");
        assert_eq!(from_slice::<T>(text.as_bytes(), mode), expected, "{text}");
        if let Ok(parsed) = parse(text, mode) {
            assert_eq!(T::deserialize(parsed.value), expected, "{text}");
        }
    }
    // Alone, what gives no key twice.
    let parsed = parse(text, Mode::Strict);
    if parsed.is_ok_and(|parsed| !parsed.diagnostics.iter().any(|note| note.related.is_some())) {
        same_alone::<T>(text);
    }
}

fn same_alone<T: DeserializeOwned + Debug + PartialEq>(text: &str) {
    let expected = through_a_value::<T>(text, &Options::default());
    let mut alone = Deserializer::from_str(text);
    let found = T::deserialize(&mut alone).and_then(|data| alone.end().map(|()| data));
    match (found, &expected) {
        (Ok(found), Ok(expected)) => assert_eq!(&found, expected, "{text}"),
        (Err(SerdeError::Data(found)), Err(SerdeError::Data(expected))) => {
            assert_eq!(found.path(), expected.path(), "{text}");
        }
        (found, expected) => assert_eq!(found.as_ref(), expected.as_ref(), "{text}"),
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    items: Vec<Item>,
    #[serde(default)]
    note: Option<String>,
    #[serde(flatten)]
    rest: HashMap<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    name: String,
    age: u8,
    #[serde(default)]
    size: f64,
    #[serde(default)]
    kind: Kind,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
enum Kind {
    #[default]
    Plain,
    Wide(u32),
    Pair(i8, String),
    Named {
        a: Option<bool>,
    },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Item(Item),
    Map(BTreeMap<String, i32>),
    Any(Value),
}

const ITEM: &str = r#"{"name":"a\n\"b","age":31,"size":0.30000000000000004,"kind":{"Wide":7}}"#;

#[test]
fn all_kinds_of_types_are_read_both_ways() {
    for text in [
        ITEM,
        r#" { "name" : "x" , "age" : 3 , "unknown" : [ { "deep" : [ 1e5 , "\u00e9" , null ] } ] } "#,
        r#"{"name":"a","name":"b","age":1}"#,
        r#"{"name":"a","age":1,"x":1,"x":2}"#,
        r#"{"na\u006de":"a","age":1,"kind":{"Pair":[-3,"p"]}}"#,
        r#"{"name":"a","age":1,"kind":{"Named":{"a":null}}}"#,
        r#"{"name":"a","age":1,"kind":{"Named":{},"Wide":1}}"#,
        r#"{"name":"a","age":1,"kind":{}}"#,
        r#"{"name":"a","age":1,"kind":{"Plain":null}}"#,
        r#"{"name":"a","age":1,"kind":{"Plain":1}}"#,
        r#"{"name":"a","age":1,"kind":"Wide"}"#,
        r#"{"name":"a","age":1,"kind":"None"}"#,
        r#"{"name":"a","age":1,"kind":5}"#,
        r#"["x",3,0.5,"Plain"]"#,
        r#"["x",3,0.5,"Plain",1]"#,
        r#"{"name":"a","age":300}"#,
        r#"{"name":"a"}"#,
        r#"{"name":"a","age":1,}"#,
        r#"{"name":"a","age":1"#,
        r#"{"name":"a","age":01}"#,
        "{'name':'a',age:0x10}",
        "Sure: {name: a, age: 3",
    ] {
        same::<Item>(text);
        same::<Either>(text);
        same::<Vec<Option<Item>>>(&format!("[{text},null]"));
        same::<Order>(&format!("{{\"id\":1,\"items\":[{text}],\"more\":{text}}}"));
        same::<Value>(text);
        same::<BTreeMap<String, Value>>(text);
    }
}

#[test]
fn numbers_are_the_same_both_ways() {
    for text in [
        "0",
        "-0",
        "-0.0",
        "5",
        "-5",
        "5.0",
        "5e0",
        "1e2",
        "1E-2",
        "0.1",
        "-2.5",
        "255",
        "256",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "1e400",
        "1e-400",
        "-9223372036854775809",
        "123456789012345678",
        "1234567890123456789",
        "0.30000000000000004",
        "123456789012345678901234567890",
        "123456789012345678901234.0",
        "1234567890123456789e5",
        "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "1 2",
        "1x",
    ] {
        same::<u8>(text);
        same::<i64>(text);
        same::<u64>(text);
        same::<f64>(text);
        same::<i128>(text);
        same::<u128>(text);
        same::<Option<f32>>(text);
        same::<Value>(text);
        same::<IgnoredAny2>(text);
        same::<BTreeMap<i64, bool>>(&format!("{{\"{text}\":true}}"));
    }
}

/// Ignores what it reads, and is equal to all of its kind.
#[derive(Debug)]
struct IgnoredAny2;

impl PartialEq for IgnoredAny2 {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<'de> Deserialize<'de> for IgnoredAny2 {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

#[test]
fn errors_say_where_and_what() {
    let message = |text: &str| from_str::<Order>(text, Mode::Strict).unwrap_err().to_string();
    let order = |items: &str| format!("{{\"id\":1,\"items\":[{ITEM},{items}]}}");
    for (items, expected) in [
        (r#"{"name":"b","age":300}"#, "/items/1/age: invalid value 300, expected u8"),
        (r#"{"name":"b","age":-1}"#, "/items/1/age: invalid value -1, expected u8"),
        (r#"{"name":"b","age":"31"}"#, "/items/1/age: invalid type string of 2 bytes, expected u8"),
        (r#"{"name":[],"age":1}"#, "/items/1/name: invalid type array, expected a string"),
        (r#"{"name":null,"age":1}"#, "/items/1/name: invalid type null, expected a string"),
        (r#"{"name":"b"}"#, "/items/1: missing field `age`"),
        (
            r#"{"age":1,"name":"b","kind":{"Pair":[1,2]}}"#,
            "/items/1/kind/Pair/1: invalid type 2, expected a string",
        ),
        (r#"["b",1,2.5,"Plain",9]"#, "/items/1: invalid length 5, expected 4"),
        ("7", "/items/1: invalid type 7, expected struct Item"),
    ] {
        assert_eq!(message(&order(items)), expected);
    }
    let map = from_str::<BTreeMap<String, u8>>(r#"{"a/b~":"x"}"#, Mode::Strict).unwrap_err();
    assert_eq!(map.to_string(), "/a~1b~0: invalid type string of 1 bytes, expected u8");
    let whole = from_str::<u8>("[1]", Mode::Strict).unwrap_err();
    assert_eq!(whole.to_string(), "invalid type array, expected u8");
    let error: DataError = match to_value(&BTreeMap::from([("k", [f64::NAN])])) {
        Err(SerdeError::Data(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!((error.path(), error.message()), ("/k/0", "a number that is not finite"));
    assert!(format!("{error:?}").contains("/k/0"));
}

#[test]
fn limits_and_policies_hold_on_the_straight_way_too() {
    let read = |text: &str, options: &Options| from_str_with::<Value>(text, options);
    let kind = |result: Result<Value, SerdeError>| match result {
        Err(SerdeError::Parse(error)) => error.kind,
        other => panic!("{other:?}"),
    };
    let options = Options::default;
    assert_eq!(kind(read("[[1]]", &options().with_max_depth(1))), ErrorKind::TooDeep);
    assert!(read("[[1]]", &options().with_max_depth(2)).is_ok());
    let two = r#"{"a":1,"b":2}"#;
    assert_eq!(kind(read(two, &options().with_max_keys(1))), ErrorKind::TooManyKeys);
    assert_eq!(kind(read(r#"{"abc":1}"#, &options().with_max_held_bytes(2))), ErrorKind::TooLarge);
    assert_eq!(kind(read("[123]", &options().with_max_held_bytes(2))), ErrorKind::TooLarge);
    let twice = r#"{"a":1,"a":2}"#;
    let error = options().with_duplicates(Duplicates::Error);
    assert_eq!(kind(read(twice, &error)), ErrorKind::DuplicateKey);
    let first = options().with_duplicates(Duplicates::First);
    assert_eq!(read(twice, &first).unwrap(), json!({"a": 1}));
    assert_eq!(read(twice, &options()).unwrap(), json!({"a": 2}));
    let skipped =
        |text: &str, options: &Options| from_str_with::<IgnoredAny2>(text, options).is_ok();
    assert!(!skipped("[[1]]", &options().with_max_depth(1)) && skipped("[[1]]", &options()));
    assert!(!skipped(two, &options().with_max_keys(1)) && skipped(two, &options()));
    let deep = format!("{}{}", "[".repeat(600), "]".repeat(600));
    let error = read(&deep, &options().with_max_depth(1000)).unwrap_err();
    assert!(error.to_string().ends_with("nested too deeply"));
}

/// Members as they come, each key as often as it is given.
#[derive(Debug, PartialEq)]
struct Pairs(Vec<(String, u8)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("pairs")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[test]
fn a_key_given_twice_counts_once_whatever_reads_it() {
    let read = |text: &str| from_str::<Pairs>(text, Mode::Strict).unwrap().0;
    assert_eq!(read(r#"{"a":1,"b":2,"a":3}"#), [("a".to_owned(), 3), ("b".to_owned(), 2)]);
    assert_eq!(read(r#"{"a":1,"\u0061":3}"#), [("a".to_owned(), 3)]);
    let many: Vec<String> = (0..100).map(|n| format!("\"k{}\":{}", n % 90, n % 250)).collect();
    let pairs = read(&format!("{{{}}}", many.join(",")));
    assert_eq!((pairs.len(), pairs[3].1, pairs[50].1), (90, 93, 50));
    let nested = format!("[{{\"a\":{{{}}},\"b\":{{\"a\":1}},\"k1\":{{}}}}]", many[..80].join(","));
    same::<Vec<BTreeMap<String, Value>>>(&nested);
}

#[test]
fn types_may_borrow_from_the_text_and_stop_at_its_end() {
    let mut deserializer = Deserializer::from_str("[\"a\", \"b\"] ");
    let texts = <Vec<&str>>::deserialize(&mut deserializer).unwrap();
    deserializer.end().unwrap();
    assert_eq!(texts, ["a", "b"]);
    let mut deserializer = Deserializer::from_str("1 2");
    assert_eq!(u8::deserialize(&mut deserializer), Ok(1));
    let Err(SerdeError::Parse(error)) = deserializer.end() else { panic!("2 follows") };
    assert_eq!((error.kind, error.offset), (ErrorKind::TrailingData, 2));
    let mut deserializer = Deserializer::from_str("[1,,2]");
    let Err(SerdeError::Parse(error)) = <Vec<u8>>::deserialize(&mut deserializer) else { panic!() };
    assert_eq!(error.offset, 3);
}

#[test]
fn readers_and_writers_serve_and_say_what_failed() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::TimedOut.into())
        }
    }
    let error = from_reader::<Value>(Broken, Mode::Strict).unwrap_err();
    assert_eq!(error, SerdeError::Io(std::io::ErrorKind::TimedOut));
    assert_eq!(error.to_string(), "timed out");
    let error = from_reader::<Value>(&b"[\xff]"[..], Mode::Strict).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), &error),
        ("not UTF-8 at byte 1", &SerdeError::Utf8 { offset: 1 })
    );
    let error = to_writer(&mut [0_u8; 2][..], "long").unwrap_err();
    assert!(matches!(error, SerdeError::Io(_)));
    let order: Order =
        from_str(&format!("{{\"id\":1,\"items\":[{ITEM}],\"x\":[1]}}"), Mode::Strict).unwrap();
    let mut out = Vec::new();
    to_writer(&mut out, &order).unwrap();
    assert_eq!(from_slice::<Order>(&out, Mode::Strict).unwrap(), order);
    let object: Object = from_str(r#"{"b":1,"a":[2]}"#, Mode::Strict).unwrap();
    assert_eq!(toolweir_rjson::serde::to_string(&object).unwrap(), r#"{"b":1,"a":[2]}"#);
    assert!(from_str::<Object>("[]", Mode::Strict).is_err());
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\"\\\\/\n\u{e9}]{0,6}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-d\n]{0,2}", inner), 0..6)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Held {
    name: String,
    arguments: Value,
    exact: Number,
}

#[test]
fn values_keep_their_numbers_as_they_are_written() {
    let large = "1234567890123456789012345678901234567890123456789";
    let text = format!(
        r#"{{"name":"weave","arguments":{{"rows":[1.10,-0,1e400,{large}],"again":{{"1":5.0}}}},"exact":2.50}}"#
    );
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Repair] {
        let held: Held = from_str(&text, mode).unwrap();
        assert_eq!(held.exact.as_str(), "2.50");
        assert_eq!(to_value(&held).unwrap().to_string(), text);
        assert_eq!(toolweir_rjson::serde::to_string(&held).unwrap(), text);
        let value: Value = from_str(&text, mode).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(from_value::<Value>(&value).unwrap().to_string(), text);
        assert_eq!(from_value::<Held>(&value).unwrap(), held);
        assert_eq!(to_value(&value).unwrap().to_string(), text);
        assert_eq!(Value::deserialize(value).unwrap().to_string(), text);
    }
    // A key given twice keeps its place, and the last value counts.
    let value: Value = from_str(r#"{"a":1.0,"b":2,"a":3.0}"#, Mode::Strict).unwrap();
    assert_eq!(value.to_string(), r#"{"a":3.0,"b":2}"#);
}

#[test]
fn other_formats_give_and_take_the_first_type_that_holds_a_number() {
    let value: Value = "[1.10,18446744073709551615,-7]".parse().unwrap();
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(text, "[1.1,18446744073709551615,-7]");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    let large: Value = "1e400".parse().unwrap();
    assert!(serde_json::to_string(&large).is_err());
    // A text is no number, and bytes are no value.
    let text: Value =
        Deserialize::deserialize(IntoDeserializer::<SerdeError>::into_deserializer("12")).unwrap();
    assert_eq!(text, Value::from("12"));
}

proptest! {
    #![proptest_config(common::cases(2_000))]

    #[test]
    fn any_text_is_the_same_both_ways(text in "[\\[\\]{}:,\"\\\\ntrue0-9.eE \u{e9}a-c-]{0,40}") {
        same::<Value>(&text);
        same::<IgnoredAny2>(&text);
        same::<Vec<Option<f64>>>(&text);
        same::<BTreeMap<String, Vec<i8>>>(&text);
    }

    #[test]
    fn any_value_is_the_same_both_ways(value in value()) {
        let text = value.to_string();
        same::<Value>(&text);
        same::<IgnoredAny2>(&text);
        same::<Either>(&text);
    }
}
