use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use ::serde::{Deserialize, Serialize};

use super::*;
use crate::parse::parse;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Call {
    name: String,
    line: Option<u32>,
    kind: Kind,
    rest: Vec<Kind>,
    map: BTreeMap<u8, f64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    New(i64),
    Pair(bool, char),
    Named { a: (), b: u128 },
}

#[test]
fn types_go_through_values_and_back() {
    let call = Call {
        name: "a \"b\"".into(),
        line: None,
        kind: Kind::Unit,
        rest: vec![Kind::New(-7), Kind::Pair(true, 'é'), Kind::Named { a: (), b: u128::MAX }],
        map: [(3, 0.5), (200, -1e300)].into(),
    };
    let value = to_value(&call).unwrap();
    assert_eq!(from_value::<Call>(&value).unwrap(), call);
    let text = crate::to_string(&value);
    assert_eq!(from_str::<Call>(&text, Mode::Strict).unwrap(), call);
    // Another implementation agrees about the shape.
    let other = serde_json::to_value(value.pointer("/rest/1")).unwrap();
    assert_eq!(other["Pair"][0], serde_json::Value::Bool(true));
}

#[test]
fn values_come_from_and_go_to_other_formats() {
    let text = r#"{"k":[1,-2,2.5,true,null,"x",18446744073709551615],"m":{}}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value, parse(text, Mode::Strict).unwrap().value);
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
}

#[test]
fn what_does_not_fit_is_an_error_and_never_another_number() {
    for text in ["1e400", "123456789012345678901234567890123456789012345"] {
        let value = parse(text, Mode::Strict).unwrap().value;
        assert!(from_value::<i128>(&value).is_err(), "{text}");
        assert!(serde_json::to_string(&value).is_err(), "{text}");
    }
    assert!(from_str::<u8>("256", Mode::Strict).is_err());
    assert!(from_str::<u8>("5.5", Mode::Strict).is_err());
    assert_eq!(
        from_str::<u128>("300000000000000000000", Mode::Strict).unwrap(),
        300_000_000_000_000_000_000
    );
    assert!(matches!(from_str::<u8>("[", Mode::Strict), Err(SerdeError::Parse(_))));
    assert!(to_value(&f64::NAN).is_err());
}

#[test]
fn where_a_double_is_asked_for_a_long_integer_is_the_nearest_one() {
    for long in [
        "18446744073709551617",
        "-9223372036854775809",
        "12345678901234567890123456789012345678901234",
    ] {
        let nearest = long.parse::<f64>().unwrap();
        assert_eq!(from_str::<f64>(long, Mode::Strict).unwrap(), nearest);
        assert_eq!(from_value::<f64>(&from_str(long, Mode::Strict).unwrap()).unwrap(), nearest);
        assert_eq!(from_str::<f32>(long, Mode::Strict).unwrap(), nearest as f32);
        assert!(from_str::<i64>(long, Mode::Strict).is_err());
    }
    for text in ["1e400", "-1e400"] {
        assert!(from_str::<f64>(text, Mode::Strict).is_err());
        assert!(from_value::<f64>(&from_str(text, Mode::Strict).unwrap()).is_err());
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Meters(f64);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Nothing;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Odd {
    length: Meters,
    nothing: Nothing,
    both: (i128, u128),
    half: f32,
    some: Option<Option<bool>>,
    flags: BTreeMap<bool, char>,
    kinds: BTreeMap<Key, Meters>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Key {
    Warp,
    Weft,
}

#[test]
fn less_usual_types_go_through_values_and_back() {
    let odd = Odd {
        length: Meters(1.25),
        nothing: Nothing,
        both: (i128::MIN, u128::MAX),
        half: 0.5,
        some: Some(Some(true)),
        flags: [(false, 'n'), (true, 'y')].into(),
        kinds: [(Key::Warp, Meters(2.0)), (Key::Weft, Meters(3.0))].into(),
    };
    let value = to_value(&odd).unwrap();
    let text = crate::to_string(&value);
    assert_eq!(
        text,
        concat!(
            r#"{"length":1.25,"nothing":null,"both":[-170141183460469231731687303715884105728,"#,
            r#"340282366920938463463374607431768211455],"half":0.5,"some":true,"#,
            r#""flags":{"false":"n","true":"y"},"kinds":{"Warp":2.0,"Weft":3.0}}"#
        )
    );
    assert_eq!(from_value::<Odd>(&value).unwrap(), odd);
    // Numbers beyond 64 bits keep all digits on their way to another format.
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
}

#[test]
fn enums_want_a_name_or_one_member() {
    let read = |text| from_str::<Kind>(text, Mode::Strict);
    assert_eq!(read("\"Unit\"").unwrap(), Kind::Unit);
    assert_eq!(read(r#"{"New":3}"#).unwrap(), Kind::New(3));
    for text in ["{}", r#"{"New":3,"Unit":null}"#, "3", "null", "\"Else\"", "\"New\""] {
        assert!(matches!(read(text), Err(SerdeError::Data(_))), "{text}");
    }
}

#[test]
fn keys_are_texts_numbers_or_booleans() {
    let keys: BTreeMap<Vec<u8>, u8> = [(vec![1], 2)].into();
    assert_eq!(to_value(&keys).unwrap_err().to_string(), "a key that is no text");
    assert!(from_str::<BTreeMap<u8, u8>>(r#"{"x":1}"#, Mode::Strict).is_err());
    assert!(to_value(&f32::INFINITY).is_err());
}

#[test]
fn an_error_says_what_it_is_and_has_its_cause() {
    use core::error::Error as _;
    let broken = from_str::<u8>("[1", Mode::Strict).unwrap_err();
    let cause = broken.source().unwrap();
    assert_eq!(cause.to_string(), broken.to_string());
    let other = from_str::<u8>("\"x\"", Mode::Strict).unwrap_err();
    assert!(other.source().is_none() && other.to_string().contains("expected u8"), "{other}");
}

#[test]
fn nesting_is_bounded() {
    let mut value = Value::Null;
    for _ in 0..1000 {
        value = Value::from(vec![value]);
    }
    assert!(from_value::<Value>(&value).is_err());
    assert!(to_value(&value).is_err());
    assert!(serde_json::to_string(&value).is_err());
}
