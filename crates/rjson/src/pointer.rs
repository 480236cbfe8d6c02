//! JSON Pointers (RFC 6901): how their reference tokens are written and read.

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
