//! Places in values: by key, by position, by JSON Pointer; and the place of a key, with a value or without.

use alloc::format;
use alloc::string::String;
use core::mem;
use core::ops::{Index, IndexMut};

use self::sealed::Place;
use super::{Object, Value};

/// What stands where there is nothing.
static NULL: Value = Value::Null;

/// What [`Value::get`] and `value[…]` take: a key (`&str`, `String`) or a place in an array
/// (`usize`). Sealed.
pub trait ValueIndex: sealed::Sealed {}

impl ValueIndex for str {}
impl ValueIndex for String {}
impl ValueIndex for usize {}
impl<I: ValueIndex + ?Sized> ValueIndex for &I {}

mod sealed {
    use alloc::string::String;

    /// Where in a container.
    pub enum Place<'k> {
        Key(&'k str),
        Entry(usize),
    }

    pub trait Sealed {
        fn place(&self) -> Place<'_>;
    }

    macro_rules! places {
        ($(($($generic:tt)*) $type:ty, $index:ident => $place:expr;)*) => {$(
            impl<$($generic)*> Sealed for $type {
                #[inline]
                fn place(&self) -> Place<'_> {
                    let $index = self;
                    $place
                }
            }
        )*};
    }

    places! {
        () str, key => Place::Key(key);
        () String, key => Place::Key(key);
        () usize, place => Place::Entry(*place);
        (I: Sealed + ?Sized) &I, index => (**index).place();
    }
}

/// `value[key]` and `value[place]`: `null` where there is no such member or entry.
///
/// ```
/// use toolweir_rjson::json;
///
/// let value = json!({"items": [{"age": 31}]});
/// assert_eq!(value["items"][0]["age"], 31);
/// assert!(value["items"][7]["age"].is_null());
/// ```
impl<I: ValueIndex> Index<I> for Value {
    type Output = Self;

    fn index(&self, index: I) -> &Self {
        self.get(index).unwrap_or(&NULL)
    }
}

/// `value[key] = …`: a missing member is made, and `null` becomes an object for it.
///
/// # Panics
/// With a key where the value is neither an object nor `null`, and with a place where it is no array
/// or has no such entry, as for a vector. [`Value::get_mut`] and [`Value::pointer_mut`] never panic:
/// use them on values that come from outside.
///
/// ```
/// use toolweir_rjson::{Value, json};
///
/// let mut value = Value::Null;
/// value["owner"]["name"] = "Ada".into();
/// assert_eq!(value, json!({"owner": {"name": "Ada"}}));
/// ```
impl<I: ValueIndex> IndexMut<I> for Value {
    #[expect(clippy::panic, reason = "there is no other way to say it; `get_mut` does not panic")]
    fn index_mut(&mut self, index: I) -> &mut Self {
        let place = index.place();
        if self.is_null() && matches!(place, Place::Key(_)) {
            *self = Self::Object(Object::new());
        }
        match (self, place) {
            (Self::Object(object), Place::Key(key)) => object.entry(key).or_insert(Self::Null),
            (Self::Array(array), Place::Entry(place)) => {
                let length = array.len();
                match array.get_mut(place) {
                    Some(entry) => entry,
                    None => panic!("no entry {place} in an array of {length}"),
                }
            }
            (other, Place::Key(_)) => panic!("no member can be set in {}", with_article(other)),
            (other, Place::Entry(place)) => panic!("no entry {place} in {}", with_article(other)),
        }
    }
}

fn with_article(value: &Value) -> String {
    let name = value.type_name();
    match name {
        "null" => name.into(),
        "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

impl Value {
    /// The member of a key or the entry at a place; nothing if there is none, or if the value is no
    /// object or array.
    ///
    /// ```
    /// use toolweir_rjson::json;
    ///
    /// let value = json!({"tags": ["a", "b"]});
    /// assert_eq!(value.get("tags").and_then(|tags| tags.get(1)), Some(&json!("b")));
    /// assert_eq!(value.get(0), None);
    /// ```
    #[must_use]
    pub fn get<I: ValueIndex>(&self, index: I) -> Option<&Self> {
        match index.place() {
            Place::Key(key) => self.as_object()?.get(key),
            Place::Entry(place) => self.as_array()?.get(place),
        }
    }

    /// The same, to change.
    pub fn get_mut<I: ValueIndex>(&mut self, index: I) -> Option<&mut Self> {
        match index.place() {
            Place::Key(key) => self.as_object_mut()?.get_mut(key),
            Place::Entry(place) => self.as_array_mut()?.get_mut(place),
        }
    }

    /// The value at a JSON Pointer (RFC 6901), such as `/a/0`; the empty pointer is the value itself.
    #[must_use]
    pub fn pointer(&self, path: &str) -> Option<&Self> {
        pointer::tokens(path)?.try_fold(self, |value, token| match value {
            Self::Object(object) => object.get(&token),
            Self::Array(array) => array.get(pointer::place(&token)?),
            _ => None,
        })
    }

    /// The same, to change.
    ///
    /// ```
    /// use toolweir_rjson::json;
    ///
    /// let mut value = json!({"list": [{"k": 1}]});
    /// if let Some(place) = value.pointer_mut("/list/0/k") {
    ///     *place = 2.into();
    /// }
    /// assert_eq!(value, json!({"list": [{"k": 2}]}));
    /// ```
    pub fn pointer_mut(&mut self, path: &str) -> Option<&mut Self> {
        pointer::tokens(path)?.try_fold(self, |value, token| match value {
            Self::Object(object) => object.get_mut(&token),
            Self::Array(array) => array.get_mut(pointer::place(&token)?),
            _ => None,
        })
    }
}

/// The place of a key in an [`Object`]; see [`Object::entry`].
///
/// Complete: a place has a value or it has none.
#[derive(Debug)]
pub enum Entry<'a> {
    /// The key has a value.
    Occupied(OccupiedEntry<'a>),
    /// It has none.
    Vacant(VacantEntry<'a>),
}

/// A member that is there.
#[derive(Debug)]
pub struct OccupiedEntry<'a> {
    pub(super) object: &'a mut Object,
    /// Of a member that exists, for as long as the object is borrowed.
    pub(super) position: usize,
}

/// A member that is not there yet.
#[derive(Debug)]
pub struct VacantEntry<'a> {
    pub(super) object: &'a mut Object,
    pub(super) key: String,
}

impl<'a> Entry<'a> {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Occupied(entry) => entry.key(),
            Self::Vacant(entry) => entry.key(),
        }
    }

    /// The value, made from `value` if there was none.
    pub fn or_insert(self, value: impl Into<Value>) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// The value, made by `make` if there was none.
    pub fn or_insert_with<V: Into<Value>>(self, make: impl FnOnce() -> V) -> &'a mut Value {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut Value)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

impl<'a> OccupiedEntry<'a> {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        self.object.entry_at(self.position).map_or("", |(key, _)| key)
    }

    /// The value.
    #[must_use]
    pub fn get(&self) -> &Value {
        self.object.entry_at(self.position).map_or(&NULL, |(_, value)| value)
    }

    /// The value, to change.
    pub fn get_mut(&mut self) -> &mut Value {
        self.object.value_of_entry(self.position)
    }

    /// The value, to change for as long as the object is borrowed.
    #[must_use]
    pub fn into_mut(self) -> &'a mut Value {
        self.object.value_of_entry(self.position)
    }

    /// Sets the value and gives the old one.
    pub fn insert(&mut self, value: impl Into<Value>) -> Value {
        mem::replace(self.get_mut(), value.into())
    }

    /// Takes the member out, as [`Object::remove`] does.
    #[must_use]
    pub fn remove(self) -> Value {
        self.object.remove_at(self.position)
    }
}

impl<'a> VacantEntry<'a> {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Adds the member as the last one.
    pub fn insert(self, value: impl Into<Value>) -> &'a mut Value {
        self.object.push_new(&self.key, value.into());
        self.object.value_of_entry(self.object.len().saturating_sub(1))
    }
}

/// JSON Pointers (RFC 6901): how their reference tokens are written and read.
pub mod pointer {
    use alloc::borrow::Cow;
    use alloc::string::String;

    /// The reference tokens of a pointer, unescaped; none where the text is no pointer: it is neither
    /// empty nor begins with a slash.
    ///
    /// ```
    /// use toolweir_rjson::pointer::tokens;
    ///
    /// assert!(tokens("/a~1b/0").unwrap().eq(["a/b", "0"]));
    /// assert_eq!(tokens("").unwrap().count(), 0);
    /// assert!(tokens("a").is_none());
    /// ```
    #[must_use]
    pub fn tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let rest = if pointer.is_empty() { None } else { Some(pointer.strip_prefix('/')?) };
        Some(rest.into_iter().flat_map(|rest| rest.split('/')).map(unescape))
    }

    /// Appends a slash and the escaped text of a key, or the digits of a place.
    ///
    /// ```
    /// let mut path = String::from("/items");
    /// toolweir_rjson::pointer::push(&mut path, "a/b");
    /// assert_eq!(path, "/items/a~1b");
    /// ```
    pub fn push(pointer: &mut String, key: &str) {
        pointer.push('/');
        let mut rest = key;
        while let Some(at) = rest.find(['~', '/']) {
            let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
            pointer.push_str(plain);
            pointer.push_str(if special.starts_with('~') { "~0" } else { "~1" });
            rest = special.get(1..).unwrap_or_default();
        }
        pointer.push_str(rest);
    }

    /// The key that a reference token stands for.
    #[must_use]
    pub fn unescape(token: &str) -> Cow<'_, str> {
        match token.contains('~') {
            true => Cow::Owned(token.replace("~1", "/").replace("~0", "~")),
            false => Cow::Borrowed(token),
        }
    }

    /// The place in an array that a reference token names: digits without a leading zero.
    #[must_use]
    pub fn place(token: &str) -> Option<usize> {
        let plain = token.bytes().all(|byte| byte.is_ascii_digit());
        let place = plain && (token == "0" || !token.starts_with('0'));
        if place { token.parse().ok() } else { None }
    }
}
