//! JSON values for tests: from TOML, and compared the way vector files ask for.

use toolweir_rjson::{Array, Number, Object, Value};

/// A TOML value as JSON. Tables come in the order of their keys; dates as text.
#[must_use]
pub fn from_toml(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => Value::Number(Number::from(*number)),
        toml::Value::Float(number) => Number::from_text(&format!("{number:?}"))
            .map_or_else(|_| Value::String(number.to_string()), Value::Number),
        toml::Value::Boolean(flag) => Value::Bool(*flag),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => Value::Array(items.iter().map(from_toml).collect::<Array>()),
        toml::Value::Table(table) => {
            let members = table.iter().map(|(key, item)| (key.clone(), from_toml(item)));
            Value::Object(members.collect::<Object>())
        }
    }
}

/// Whether two values are the same by the rule of the vector files: objects whatever the order of
/// their keys; numbers when their exact decimal values are equal or, where either is written with
/// a point or an exponent, when both are the same double.
///
/// Both values are as shallow as the parser's depth limit allows, so the recursion is bounded.
///
/// ```
/// use toolweir_rjson::{Mode, parse};
/// use toolweir_testkit::json::same_value;
/// let value = |text| parse(text, Mode::Strict).unwrap().value;
/// assert!(same_value(&value(r#"{"a": 5, "b": 1}"#), &value(r#"{"b": 1, "a": 5.0}"#)));
/// assert!(!same_value(&value("9007199254740993"), &value("9007199254740992")));
/// ```
#[must_use]
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same_value(a, b)))
        }
        _ => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    let spelled = |n: &Number| n.as_str().contains(['.', 'e', 'E']);
    a == b || ((spelled(a) || spelled(b)) && a.as_f64().is_some() && a.as_f64() == b.as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolweir_rjson::{Mode, parse, to_string};

    fn value(text: &str) -> Value {
        parse(text, Mode::Strict).unwrap().value
    }

    #[test]
    fn toml_tables_become_objects() {
        let table: toml::Table = "a = 1\nb = [true, 'x']\nc = { d = 1.5 }".parse().unwrap();
        let json = to_string(&from_toml(&toml::Value::Table(table)));
        assert_eq!(json, r#"{"a":1,"b":[true,"x"],"c":{"d":1.5}}"#);
    }

    #[test]
    fn numbers_compare_by_value_or_as_doubles() {
        for (a, b, same) in [
            ("5", "5.0", true),
            ("1e2", "100", true),
            ("0.1", "0.1000000000000000055511151231257827", true),
            ("9007199254740993", "9007199254740992", false),
            ("5", "6", false),
        ] {
            assert_eq!(same_value(&value(a), &value(b)), same, "{a} {b}");
        }
    }

    #[test]
    fn objects_compare_without_order_and_arrays_with_it() {
        assert!(same_value(&value(r#"{"a":1,"b":[1]}"#), &value(r#"{"b":[1.0],"a":1}"#)));
        assert!(!same_value(&value("[1,2]"), &value("[2,1]")));
        assert!(!same_value(&value(r#"{"a":1}"#), &value(r#"{"a":1,"b":2}"#)));
        assert!(!same_value(&value("1"), &value("\"1\"")));
    }
}
