//! What the text of a key or of a value shows before it is read.

use toolweir_rjson::{ErrorKind, Machine, Mode, Options, write_string};
use toolweir_schema_coerce::Member;

use crate::diagnostics::AMBIGUOUS_CALL;
use crate::engine::{Ctx, Fault, is_whitespace, pass_tokens, shown};

/// Keys under which models put an object that is all the arguments.
const WHOLE: [&str; 3] = ["arguments", "input", "properties"];

/// A key as the tool declares it, where only signs at its edges keep it from that.
pub(crate) fn without_stray_signs(key: &str, declares: impl Fn(&str) -> bool) -> &str {
    let bare = key.trim_matches(|c| matches!(c, '=' | ':' | '"' | '\'') || is_whitespace(c));
    if bare.len() < key.len() && !declares(key) && declares(bare) { bare } else { key }
}

/// Whether a key is none of the tool's, but one under which models put all the arguments.
pub(super) fn undeclared_key(member: Option<Member<'_>>, key: &str) -> bool {
    !matches!(member, Some(Member::Declared(_))) && WHOLE.contains(&key)
}

/// The inside of double quotes that are the first and last of the value and its only ones.
pub(super) fn in_quotes(value: &str) -> Option<&str> {
    let text = value.trim_matches(is_whitespace).strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains('"')).then_some(text)
}

/// The inside of a `<value>` element that is the whole value. Where text is allowed it is text.
pub(super) fn in_value_element(value: &str) -> Option<&str> {
    let value = value.trim_matches(is_whitespace);
    let rest = value.strip_prefix('<')?.trim_start_matches(is_whitespace);
    let (word, rest) = rest.split_at_checked("value".len())?;
    let (rest, end) = rest.rsplit_once("</")?;
    let is_word = |text: &str| text.eq_ignore_ascii_case("value");
    let end = end.strip_suffix('>')?.trim_matches(is_whitespace);
    (is_word(word) && is_word(end))
        .then_some(rest.trim_start_matches(is_whitespace).strip_prefix('>'))?
}

pub(crate) fn unread_list(key: &str) -> Fault {
    let key = shown(key);
    let message = format!("`{key}` is a list that cannot be read, or the one text of a list");
    Fault::new(AMBIGUOUS_CALL, message)
}

/// Whether a text that is no JSON list is written like one: an entry in quotes stands at one of its
/// brackets, it begins and ends with them, or the first one is not closed and a number, object or list stands
/// after it. `[draft] A title` is none of these.
pub(crate) fn looks_like_list(text: &str) -> bool {
    let text = text.trim_matches(is_whitespace);
    let quoted = |(at, _): (usize, &str)| {
        let (before, after) = text.split_at(at);
        let after = after.get(1..).unwrap_or_default().trim_start_matches(is_whitespace);
        after.starts_with(['"', '\''])
            || before.trim_end_matches(is_whitespace).ends_with(['"', '\''])
    };
    let Some(entry) = text.strip_prefix('[') else {
        return text.match_indices(['[', ']']).any(quoted);
    };
    let is_value = |c: char| c.is_ascii_digit() || matches!(c, '{' | '[');
    let is_open = || text.matches('[').count() > text.matches(']').count();
    text.ends_with(']')
        || entry.trim_start_matches(is_whitespace).starts_with(is_value) && is_open()
        || text.match_indices(['[', ']']).any(quoted)
}

/// Whether the JSON is this text, or a list, or a list in one, that holds nothing else.
pub(super) fn is_one_text(json: &str, text: &str) -> bool {
    let inner = json.trim_start_matches('[').trim_end_matches(']');
    let mut own = String::new();
    write_string(&mut own, text);
    inner == own
}

/// Whether a container nests deeper than the limit.
pub(super) fn too_deep(text: &str, ctx: &Ctx<'_>) -> bool {
    let options = Options::new(Mode::Relaxed).with_max_depth(ctx.request.limits.max_depth);
    let (mut machine, mut input) = (Machine::new(options), text);
    pass_tokens(&mut machine, &mut input).is_err_and(|error| error.kind == ErrorKind::TooDeep)
}
