//! The macro that writes values in JSON's own notation.

/// A [`Value`](crate::Value) in JSON's own notation, with expressions of Rust in it.
///
/// An expression is anything that is `Into<Value>`; it is moved in, so a variable that is needed
/// again is to be cloned. A key is a literal, a name, or an expression in round brackets. Nothing can
/// fail. A key given twice keeps its first place and its last value.
///
/// ```
/// use toolweir_rjson::json;
///
/// let (name, key) = ("Ada", "born");
/// let value = json!({
///     "name": name,
///     (key.to_uppercase()): 1800 + 15,
///     "tags": ["a", null, {"deep": [true, -2.5]}],
///     "none": None::<bool>,
/// });
/// assert_eq!(
///     value.to_string(),
///     r#"{"name":"Ada","BORN":1815,"tags":["a",null,{"deep":[true,-2.5]}],"none":null}"#
/// );
/// ```
#[macro_export]
macro_rules! json {
    (null) => { $crate::Value::Null };
    ([]) => { $crate::Value::Array($crate::Array::new()) };
    ([$($entries:tt)+]) => {{
        let mut array = $crate::Array::new();
        $crate::__json_entries!(array $($entries)+);
        $crate::Value::Array(array)
    }};
    ({}) => { $crate::Value::Object($crate::Object::new()) };
    ({$($members:tt)+}) => {{
        let mut object = $crate::Object::new();
        $crate::__json_members!(object $($members)+);
        $crate::Value::Object(object)
    }};
    ($value:expr) => { $crate::Value::from($value) };
}

/// The entries of an array in [`json!`]: one, then the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_entries {
    ($array:ident) => {};
    ($array:ident null $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::Null);
        $crate::__json_entries!($array $($($rest)*)?);
    };
    ($array:ident [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $array.push($crate::json!([$($inner)*]));
        $crate::__json_entries!($array $($($rest)*)?);
    };
    ($array:ident {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $array.push($crate::json!({$($inner)*}));
        $crate::__json_entries!($array $($($rest)*)?);
    };
    ($array:ident $value:expr $(, $($rest:tt)*)?) => {
        $array.push($crate::Value::from($value));
        $crate::__json_entries!($array $($($rest)*)?);
    };
}

/// The members of an object in [`json!`]: one, then the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_members {
    ($object:ident) => {};
    ($object:ident $key:tt: null $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::Value::Null);
        $crate::__json_members!($object $($($rest)*)?);
    };
    ($object:ident $key:tt: [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!([$($inner)*]));
        $crate::__json_members!($object $($($rest)*)?);
    };
    ($object:ident $key:tt: {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::json!({$($inner)*}));
        $crate::__json_members!($object $($($rest)*)?);
    };
    ($object:ident $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $object.insert($key, $crate::Value::from($value));
        $crate::__json_members!($object $($($rest)*)?);
    };
}
