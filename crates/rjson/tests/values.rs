//! Values as a user of other JSON crates expects them: built, indexed, compared, converted, changed.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use toolweir_rjson::{
    Array, ConversionError, Diagnostic, Entry, Error, Machine, Mode, Number, Object, Options,
    PartialValue, SourceMachine, TreeBuilder, Value, Watch, json, parse,
};

fn hash(value: &Value) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

#[test]
fn the_macro_writes_what_the_text_says() {
    let (key, list) = ("k", vec![1, 2]);
    let value = json!({
        "null": null, "true": true, "n": -1.5e3, "s": "x", key: [null, [], {}, [1, [2]],],
        (format!("{key}{key}")): list.clone(), "len": [1, 2].len(), "call": list.iter().sum::<i32>(),
        "option": None::<u8>, "block": { "a": {"b": null} },
    });
    let text = concat!(
        r#"{"null":null,"true":true,"n":-1500.0,"s":"x","k":[null,[],{},[1,[2]]],"kk":[1,2],"#,
        r#""len":2,"call":3,"option":null,"block":{"a":{"b":null}}}"#
    );
    assert_eq!(value.to_string(), text);
    assert_eq!(json!(null), Value::Null);
    assert_eq!(json!([]), parse("[]", Mode::Strict).unwrap().value);
    assert_eq!(json!({}), Value::from(Object::new()));
    assert_eq!(json!("a"), "a");
    assert_eq!(json!({"a": 1, "b": 2, "a": 3}).to_string(), r#"{"a":3,"b":2}"#);
}

#[test]
fn reading_by_index_gives_null_where_nothing_is() {
    let value = json!({"a": [1, {"b": "c"}]});
    assert_eq!(value["a"][1]["b"], "c");
    assert_eq!(value[&String::from("a")][0], 1);
    for missing in [&value["x"], &value[0], &value["a"]["x"], &value["a"][2], &value["a"][0][0]] {
        assert!(missing.is_null());
    }
    assert_eq!(value.get("a").and_then(|a| a.get(0)), Some(&json!(1)));
    assert_eq!((value.get("a").unwrap().get("a"), value.get(0)), (None, None));
}

#[test]
fn writing_by_index_makes_members_and_objects() {
    let mut value = Value::Null;
    value["a"]["b"] = json!([1]);
    value["a"]["b"][0] = "x".into();
    *value.get_mut("a").unwrap().get_mut("b").unwrap().get_mut(0).unwrap() = 2.into();
    *value.pointer_mut("/a/b/0").unwrap() = json!({"~/": 3});
    *value.pointer_mut("/a/b/0/~0~1").unwrap() = 4.into();
    assert_eq!(value.to_string(), r#"{"a":{"b":[{"~/":4}]}}"#);
    for missing in ["/a/b/1", "/a/c", "a", "/a/b/0/~0~1/x", "/a/b/00"] {
        assert_eq!(value.pointer_mut(missing), None, "{missing}");
    }
    assert_eq!(value.pointer_mut("").map(|value| value.take()).unwrap()["a"]["b"][0]["~/"], 4);
    assert!(value.is_null());
}

#[test]
fn writing_by_index_where_no_place_is_panics_and_says_why() {
    let said = |run: fn()| {
        let panic = std::panic::catch_unwind(run).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap()
    };
    assert_eq!(said(|| json!("s")["k"] = Value::Null), "no member can be set in a string");
    assert_eq!(said(|| json!([1])["k"] = Value::Null), "no member can be set in an array");
    assert_eq!(said(|| json!([1])[1] = Value::Null), "no entry 1 in an array of 1");
    assert_eq!(said(|| json!({})[1] = Value::Null), "no entry 1 in an object");
    assert_eq!(said(|| json!(null)[0] = Value::Null), "no entry 0 in null");
}

#[test]
fn values_are_made_from_and_compared_with_rust_types() {
    assert!(json!(true) == true && true == json!(true) && json!(1) != true);
    assert!(json!(5) == 5_u8 && 5_i64 == json!(5) && json!(5.0) == 5 && json!(5.5) != 5);
    assert!(json!(u64::MAX) == u64::MAX && json!(u64::MAX) != -1 && json!(-1) != u64::MAX);
    assert!(json!(0.1) == 0.1 && 0.1 == json!(0.1) && json!("0.1") != 0.1);
    assert!(json!("s") == "s" && *"s" == json!("s"));
    assert!(&json!("s") == "s" && &json!(3) == 3);
    assert_eq!(Value::from(0.1_f32).to_string(), "0.1");
    assert_eq!(Value::from(1e300).to_string(), "1e300");
    assert_eq!((Value::from(f64::NAN), Value::from(f32::INFINITY)), (Value::Null, Value::Null));
    assert_eq!(Value::from(()), Value::Null);
    assert_eq!(Value::from('é'), "é");
    assert_eq!(Value::from(vec![Some("a"), None]), json!(["a", null]));
    assert_eq!(Value::from(&[1, 2][..]), Value::from([1, 2]));
    let map: BTreeMap<&str, i32> = [("b", 1), ("a", 2)].into();
    assert_eq!(Value::from(map.clone()).to_string(), r#"{"a":2,"b":1}"#);
    let hashed: HashMap<&str, i32> = map.iter().map(|(key, value)| (*key, *value)).collect();
    assert_eq!(Value::from(hashed), Value::from(map));
    assert_eq!((1..3).collect::<Value>(), json!([1, 2]));
    assert_eq!([("k", 1)].into_iter().collect::<Value>(), json!({"k": 1}));
    assert_eq!("[1]".parse::<Value>().unwrap(), json!([1]));
    assert_eq!("[1,]".parse::<Value>().unwrap_err().offset, 3);
    assert_eq!("1e400".parse::<Number>().unwrap().as_str(), "1e400");
}

#[test]
fn values_convert_to_rust_types_or_say_what_they_are() {
    let value = json!({"n": 300, "s": "x", "b": false, "f": 2.5, "a": [1], "o": {}});
    assert_eq!(u16::try_from(&value["n"]), Ok(300));
    assert_eq!(i128::try_from(&value["n"]), Ok(300));
    assert_eq!(f64::try_from(&value["f"]), Ok(2.5));
    assert_eq!(<&str>::try_from(&value["s"]), Ok("x"));
    assert_eq!(bool::try_from(&value["b"]), Ok(false));
    assert_eq!(<&Array>::try_from(&value["a"]).unwrap().len(), 1);
    let error: ConversionError = u8::try_from(&value["n"]).unwrap_err();
    assert_eq!((error.expected, error.found), ("u8", "number"));
    assert_eq!(error.to_string(), "number, expected u8");
    let found = |value: &Value| String::try_from(value.clone()).map_err(|error| error.found);
    assert_eq!(found(&value["s"]), Ok("x".to_owned()));
    assert_eq!(found(&value["o"]), Err("object"));
    assert!(Object::try_from(value["o"].clone()).unwrap().is_empty());
}

#[test]
fn kinds_and_sizes_of_numbers_go_by_value() {
    for (text, is) in [
        ("5", (true, true, false)),
        ("5.0", (true, true, false)),
        ("-5", (true, false, false)),
        ("18446744073709551615", (false, true, false)),
        ("18446744073709551616", (false, false, true)),
        ("0.5", (false, false, true)),
        ("1e400", (false, false, false)),
    ] {
        let value: Value = text.parse().unwrap();
        assert_eq!((value.is_i64(), value.is_u64(), value.is_f64()), is, "{text}");
        assert!(value.is_number() && !value.is_string() && value.as_null().is_none());
    }
    let big: Value = "170141183460469231731687303715884105727".parse().unwrap();
    assert_eq!((big.as_i128(), big.as_u64()), (Some(i128::MAX), None));
    let big: Value = "34e37".parse().unwrap();
    assert_eq!((big.as_u128(), big.as_i128()), (Some(34 * 10_u128.pow(37)), None));
    assert_eq!(json!(-1).as_u128(), None);
    assert!(json!(true).is_boolean() && json!([]).is_array() && json!({}).is_object());
}

#[test]
fn equal_values_hash_alike() {
    for (left, right) in [
        (r#"{"a":1,"b":[2,{"c":0}]}"#, r#"{"b":[2.0,{"c":-0.0}],"a":1e0}"#),
        ("100", "1e2"),
        ("1e1000000000000000000000000000000", "10e999999999999999999999999999999"),
        ("1e10000000000000000000000000000", "10e9999999999999999999999999999"),
    ] {
        let (left, right): (Value, Value) = (left.parse().unwrap(), right.parse().unwrap());
        assert_eq!((&left, hash(&left)), (&right, hash(&right)));
    }
    let different = ["1", "10", "-1", "[1]", "[[1]]", "{}", "[]", "null", "\"1\"", "{\"1\":1}"];
    let all: HashSet<Value> = different.iter().map(|text| text.parse().unwrap()).collect();
    let hashes: HashSet<u64> = all.iter().map(hash).collect();
    assert_eq!((all.len(), hashes.len()), (different.len(), different.len()));
    let options = Options::default().with_max_depth(usize::MAX);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = toolweir_rjson::parse_with(&deep, &options).unwrap().value;
    assert_eq!(hash(&deep), hash(&deep.clone()));
}

#[test]
fn entries_are_made_changed_and_taken_out_in_order() {
    let mut object = Object::with_capacity(2);
    for count in 0..40 {
        let place = object.entry(format!("k{}", count % 20)).or_insert(0);
        *place = (place.as_u64().unwrap() + count).into();
    }
    let shown = object.entry("k3").and_modify(|value| *value = "x".into()).or_insert(1).clone();
    assert_eq!((shown, object.len()), (json!("x"), 20));
    assert_eq!(object.entry("new").or_insert_with(Array::new), &json!([]));
    let Entry::Occupied(mut entry) = object.entry("k0") else { panic!("it is there") };
    assert_eq!((entry.key(), entry.get()), ("k0", &json!(20)));
    assert_eq!(entry.insert(1), 20);
    assert_eq!(entry.remove(), 1);
    let Entry::Vacant(entry) = object.entry("k0") else { panic!("it is gone") };
    assert_eq!(entry.key(), "k0");
    *entry.insert(5) = 6.into();
    assert_eq!(object.iter().next_back(), Some(("k0", &json!(6))));
    assert_eq!(object.position("k1"), Some(0));
}

#[test]
fn members_are_kept_moved_and_gone_through() {
    let mut object: Object = (0..50).map(|n| (format!("k{n}"), n)).collect();
    object.retain(|key, value| {
        *value = (value.as_i64().unwrap() * 10).into();
        key.ends_with('7') || key == "k3"
    });
    assert_eq!(object.keys().collect::<Vec<_>>(), ["k3", "k7", "k17", "k27", "k37", "k47"]);
    assert_eq!((object.get("k27"), object.get("k28")), (Some(&json!(270)), None));
    let mut more = Object::from_iter([("k7", 1), ("z", 2)]);
    object.append(&mut more);
    assert!(more.is_empty());
    assert_eq!((object.position("k7"), object.position("z")), (Some(1), Some(6)));
    for (key, value) in &mut object {
        if key == "z" {
            *value = Value::Null;
        }
    }
    object.values_mut().rev().take(2).for_each(|value| *value = true.into());
    assert_eq!(Value::from(object.clone())["z"], true);
    assert_eq!(object.clone().into_keys().next_back(), Some("z".to_owned()));
    assert_eq!(object.clone().into_values().next(), Some(json!(30)));
    assert_eq!(object.iter_mut().len(), 7);
    object.clear();
    assert_eq!((object.len(), object.get("z")), (0, None));
}

#[test]
fn everything_goes_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Value>();
    check::<Object>();
    check::<Array>();
    check::<Number>();
    check::<Error>();
    check::<Diagnostic>();
    check::<Options>();
    check::<Machine>();
    check::<SourceMachine>();
    check::<TreeBuilder>();
    check::<PartialValue>();
    check::<Watch>();
    #[cfg(feature = "serde")]
    check::<toolweir_rjson::SerdeError>();
}
