use alloc::collections::BTreeMap;
use alloc::string::String;
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
        assert!(from_value::<f64>(&value).is_err(), "{text}");
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
fn nesting_is_bounded() {
    let mut value = Value::Null;
    for _ in 0..1000 {
        value = Value::from(vec![value]);
    }
    assert!(from_value::<Value>(&value).is_err());
    assert!(to_value(&value).is_err());
}
