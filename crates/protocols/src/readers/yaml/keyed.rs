//! A body that is no YAML because a value is not: a program under `content:`, say, neither quoted nor
//! a block.
//!
//! Lines that begin with a declared key divide such a body. What stands between two of them is YAML
//! by itself, or the value as it stands, where its property takes a text. A key that was given is not
//! searched for again, as a value may well hold lines like those.

use toolweir_rjson::write_string;
use toolweir_schema_coerce::{Member, Node, Schema};

use super::{
    Arguments, Builder, Scope, Trouble, WHITESPACE, dedented, kept, node_text, takes_text, too_long,
};
use crate::engine::{Result, is_whitespace};
use crate::readers::declares;

/// A stretch of the body that a key begins.
struct Field<'a> {
    key: &'a str,
    node: Node<'a>,
    /// Its lines, the key's first.
    lines: Vec<&'a str>,
}

/// None: the body is no such one. `given`: keys of what stands before it.
pub(super) fn read(
    body: &str,
    given: &[String],
    scope: Scope<'_, '_>,
) -> Option<Result<Arguments>> {
    let fields = match divided(body, given, scope)? {
        Ok(fields) => fields,
        Err(fault) => return Some(Err(fault)),
    };
    let (mut out, mut raw, mut any_kept) = (String::from("{"), Vec::new(), false);
    let last = fields.len() - 1;
    let keys: Vec<&str> = fields.iter().map(|field| field.key).collect();
    let is_given = |key: &str| keys.contains(&key) || given.iter().any(|given| given == key);
    for (place, field) in fields.into_iter().enumerate() {
        let members = match Builder::new(scope).read(&field.lines.concat()) {
            Ok(json) => json.get(1..json.len() - 1).unwrap_or_default().to_owned(),
            Err(Trouble::Fault(fault)) => return Some(Err(fault)),
            Err(Trouble::Unreadable(_)) => match kept(&field.lines.concat(), scope) {
                Some(Err(fault)) => return Some(Err(fault)),
                Some(Ok(json)) => {
                    any_kept = true;
                    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
                }
                None if field.key.is_empty() => return None,
                None => {
                    let text = field.lines.iter().skip(1).copied();
                    let doubtful = field.is_doubtful() || holds_a_key(text, scope.schema, is_given);
                    let taken = takes_text(field.node) && !doubtful;
                    raw.push(taken.then(|| field.key.to_owned())?);
                    field.member(place == last)?
                }
            },
        };
        if out.len() > 1 && !members.is_empty() {
            out.push(',');
        }
        out.push_str(&members);
        if out.len() > scope.ctx.request.limits.max_held_bytes {
            return Some(Err(too_long()));
        }
    }
    out.push('}');
    Some(Ok(Arguments { json: out, raw, kept: any_kept }))
}

fn divided<'a>(
    body: &'a str,
    given: &[String],
    scope: Scope<'a, '_>,
) -> Option<Result<Vec<Field<'a>>>> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    for line in body.split_inclusive('\n') {
        let key = line.split_once(':').map_or("", |(key, _)| key.trim_end_matches([' ', '\t']));
        if let Err(fault) = scope.ctx.check_key(key) {
            return Some(Err(fault));
        }
        let mut all = given.iter().map(String::as_str).chain(fields.iter().map(|field| field.key));
        let is_given = all.any(|given| given == key);
        match scope.schema.root().member(key) {
            Member::Declared(node) if !is_given => {
                fields.push(Field { key, node, lines: vec![line] });
            }
            _ => match fields.last_mut() {
                Some(field) => field.lines.push(line),
                None if line.chars().all(is_whitespace) || line.trim_start().starts_with('#') => {}
                None if key.is_empty() || key.starts_with(is_whitespace) => return None,
                None if is_given || !given.is_empty() => return None,
                // What stands before them has to be YAML.
                None => {
                    fields.push(Field { key: "", node: scope.schema.root(), lines: vec![line] })
                }
            },
        }
    }
    let declared = fields.iter().any(|field| !field.key.is_empty());
    declared.then_some(Ok(fields))
}

/// Whether a line of a value may be that of another argument: a declared key that is given nowhere else, its
/// colon or one word after it, or a collection below it.
pub(super) fn holds_a_key<'t>(
    lines: impl Iterator<Item = &'t str>,
    schema: &Schema,
    is_given: impl Fn(&str) -> bool,
) -> bool {
    // The indent of a key without anything after it.
    let mut alone: Option<usize> = None;
    lines.filter(|line| !line.trim().is_empty()).any(|line| {
        let inner = line.trim_start_matches(WHITESPACE);
        let indent = line.len() - inner.len();
        if alone.take().is_some_and(|key| indent > key || inner.starts_with("- ")) {
            return true;
        }
        let line = inner.trim_matches(is_whitespace);
        let end = line.find(|c: char| is_whitespace(c) || c == ':').unwrap_or(line.len());
        let (key, rest) = line.split_at_checked(end).unwrap_or((line, ""));
        let key = key.trim_matches(['"', '\'']);
        let after = rest.trim_start_matches(is_whitespace);
        let value = after.strip_prefix(':');
        let colon = value.is_some_and(|value| value.is_empty() || value.starts_with(is_whitespace));
        let word = !after.is_empty() && !after.contains(is_whitespace);
        let is_key = || declares(schema.root(), key) && !is_given(key);
        alone = Some(indent).filter(|_| after.is_empty() && is_key());
        (colon || word) && is_key()
    })
}

/// Quotation marks without a backslash before them.
fn unescaped_quotes(text: &str) -> usize {
    let (mut chars, mut count) = (text.chars(), 0);
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '"' => count += 1,
            _ => {}
        }
    }
    count
}

impl Field<'_> {
    /// Whether the value looks quoted, but its quotes do not pair: it may be a text in quotes or one with
    /// them, or have been cut. An apostrophe before a letter is one. So does one that is quoted on its
    /// line, with lines below that are not.
    fn is_doubtful(&self) -> bool {
        let value = self.lines.concat();
        let value = value.split_once(':').map_or("", |(_, value)| value.trim());
        let mut chars = value.chars();
        let Some(quote @ ('"' | '\'')) = chars.next() else { return false };
        let rest = chars.as_str();
        let first = value.split('\n').next().unwrap_or_default();
        if self.ends_quoted(quote) && first.len() < value.len() {
            return true;
        }
        if quote == '"' && unescaped_quotes(value) % 2 == 1 {
            return true;
        }
        match rest.rfind(quote) {
            Some(at) => at + 1 == rest.len(),
            None => quote == '"' || !rest.starts_with(char::is_alphabetic),
        }
    }

    /// Whether the text on the line of the key begins and ends with the quote.
    fn ends_quoted(&self, quote: char) -> bool {
        let line = self.lines.first().and_then(|line| line.split_once(':'));
        let line = line.map_or("", |(_, value)| value.trim());
        line.len() > 1 && line.starts_with(quote) && line.ends_with(quote)
    }

    /// The member with its value as it stands: from after the colon and one space on. The line break
    /// before the next key is not part of it, nor is the one after a single line. None: it cannot be
    /// read as it stands.
    fn member(&self, last: bool) -> Option<String> {
        let value: String = self.lines.concat().replace("\r\n", "\n");
        let (_, value) = value.split_once(':').unwrap_or_default();
        let (first, rest) = value.split_once('\n').unwrap_or((value, ""));
        let first = first.strip_prefix([' ', '\t']).unwrap_or(first);
        if first.starts_with(['|', '>']) && !rest.trim().is_empty() {
            return self.block(first.trim_end(), rest);
        }
        let mut value = String::new();
        if !first.is_empty() {
            value.extend([first, "\n"]);
        }
        value.push_str(rest);
        let several = value.trim_end_matches('\n').contains('\n');
        if !last || !several {
            value.truncate(value.strip_suffix('\n').map_or(value.len(), str::len));
        }
        Some(self.written(&value))
    }

    /// A block whose lines are indented too little, or not at all: less their common indent.
    fn block(&self, header: &str, lines: &str) -> Option<String> {
        let dedented = dedented(lines);
        let filled = dedented.lines().map(|line| if line.trim().is_empty() { "" } else { line });
        let mut text = filled.collect::<Vec<_>>().join("\n").trim_end_matches('\n').to_owned();
        match header {
            "|" | "|+" => text.push('\n'),
            "|-" => {}
            _ => return None,
        }
        Some(self.written(&text))
    }

    fn written(&self, value: &str) -> String {
        let mut out = String::new();
        write_string(&mut out, self.key);
        out.push(':');
        out.push_str(&node_text(value, self.node));
        out
    }
}
