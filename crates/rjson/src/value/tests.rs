use super::*;
use crate::{Mode, parse};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

fn value(text: &str) -> Value {
    parse(text, Mode::Strict).unwrap().value
}

#[test]
fn equality_takes_numbers_by_value_and_members_in_any_order() {
    assert_eq!(value(r#"{"a":1,"b":[2,{"c":null}]}"#), value(r#"{"b":[2.0,{"c":null}],"a":1e0}"#));
    for (left, right) in [
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        ("[1,1]", "[1]"),
        (r#"{"a":1}"#, r#"{"a":2}"#),
        (r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        ("null", "false"),
        ("[]", "{}"),
        (r#""1""#, "1"),
        ("[[[1]]]", "[[[2]]]"),
    ] {
        assert_ne!(value(left), value(right));
    }
}

#[test]
fn clones_are_equal_and_keep_order() {
    let text = r#"{"z":[1,[],{"y":{}},"s",true,null],"a":{"m":[[["x"]]],"b":1e400}}"#;
    let copy = value(text).clone();
    assert_eq!(copy, value(text));
    assert_eq!(copy.to_string(), text);
    assert_eq!(format!("{copy:?}"), text);
    assert_eq!(format!("{:?}", copy.as_object().unwrap()), text);
    assert_eq!(format!("{:?}", value("[1,{}]").as_array().unwrap()), "[1,{}]");
}

#[test]
fn members_are_found_at_every_size() {
    let mut object = Object::new();
    for count in 0..200usize {
        // A permutation of 0..199 keeps the keys from coming sorted.
        let key = format!("key{}", count * 67 % 199);
        let known = object.get(&key).is_some();
        assert_eq!(known, count == 199);
        object.insert(key.clone(), count);
        assert_eq!(object.get(&key).and_then(Value::as_u64), Some(count as u64));
        assert!(object.get("key").is_none() && object.get("zzz").is_none());
        for earlier in 0..count.min(198) {
            let key = format!("key{}", earlier * 67 % 199);
            assert!(object.position(&key) == Some(earlier), "{key} of {count}");
        }
    }
    assert_eq!(object.len(), 199);
    assert_eq!(object.remove("key67"), Some(Value::from(1)));
    assert_eq!(object.remove("key67"), None);
    assert_eq!(object.entry_at(1).map(|(key, _)| key), Some("key134"));
    assert_eq!(object.position("key134"), Some(1));
    assert_eq!(object.clone().position("key134"), Some(1));
}

#[test]
fn inserting_keeps_the_first_place_and_gives_the_last_value() {
    let object: Object = [("a", 1), ("b", 2), ("a", 3)].into_iter().collect();
    assert_eq!(Value::from(object.clone()).to_string(), r#"{"a":3,"b":2}"#);
    let keys: Vec<String> = object.into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "b"]);
}

#[test]
fn members_and_entries_can_be_changed() {
    let mut object: Object = [("a", 1), ("b", 2)].into_iter().collect();
    for (_, value) in object.iter_mut() {
        *value = Value::Null;
    }
    *object.get_mut("b").unwrap() = true.into();
    assert!(object.contains_key("a") && !object.is_empty());
    assert_eq!(object.values().filter(|value| value.is_null()).count(), 1);
    assert_eq!(object.iter().next_back().map(|(key, _)| key), Some("b"));
    assert_eq!((&object).into_iter().len(), 2);
    let mut array: Array = [1, 2].into_iter().collect();
    array.push("x");
    array.extend([Value::Null]);
    for value in &mut array {
        if value.is_null() {
            *value = object.clone().into();
        }
    }
    assert_eq!(Value::from(array.clone()).to_string(), r#"[1,2,"x",{"a":null,"b":true}]"#);
    assert_eq!((&array).into_iter().count(), array.into_iter().count());
}

#[test]
fn pointers_follow_rfc_6901() {
    let value = value(r#"{"":0,"a/b":1,"m~n":2,"~1":3,"list":[{"k":[4]}],"0":5}"#);
    for (pointer, found) in [
        ("/", Some(0)),
        ("/a~1b", Some(1)),
        ("/m~0n", Some(2)),
        ("/~01", Some(3)),
        ("/list/0/k/0", Some(4)),
        ("/0", Some(5)),
        ("/list/00", None),
        ("/list/1", None),
        ("/list/-", None),
        ("/list/+0", None),
        ("/list//", None),
        ("list", None),
        ("/none/x", None),
        ("/0/x", None),
    ] {
        assert_eq!(value.pointer(pointer).and_then(Value::as_i64), found, "{pointer}");
    }
    assert_eq!(value.pointer(""), Some(&value));
}

#[test]
fn each_value_is_only_what_it_is() {
    let all: [Value; 6] = [
        Value::default(),
        true.into(),
        1.into(),
        "s".into(),
        Value::from(Array::new()),
        Object::new().into(),
    ];
    let names = all.each_ref().map(Value::type_name);
    assert_eq!(names, ["null", "boolean", "number", "string", "array", "object"]);
    for (place, value) in all.iter().enumerate() {
        let is = [
            value.is_null(),
            value.as_bool().is_some(),
            value.as_number().is_some() && value.as_f64() == Some(1.0) && value.as_u64() == Some(1),
            value.as_str().is_some(),
            value.as_array().is_some() && value.clone().as_array_mut().is_some(),
            value.as_object().is_some() && value.clone().as_object_mut().is_some(),
        ];
        assert_eq!(is, core::array::from_fn(|other| other == place));
    }
    assert_eq!(Value::from(None::<bool>), Value::Null);
    assert_eq!(Value::from(Some(String::from("s"))), all[3]);
    assert_eq!(all[4].get("k"), None);
}
