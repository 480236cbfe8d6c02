//! Changes to the tokens of a text. Each says whether there was something to change.

use super::Format;
use super::write::{Role, Token};
use crate::dice::Dice;

pub(super) fn twice(text: &str) -> String {
    text.repeat(2)
}

pub(super) fn capital(text: &str) -> String {
    let at = text.find(|c: char| c.is_alphabetic()).unwrap_or(0);
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    let mut after = after.chars();
    let first = after.next().map(|c| c.to_ascii_uppercase());
    before.chars().chain(first).chain(after).collect()
}

/// The places of the tokens with one of the roles, inside calls.
fn places(tokens: &[Token], roles: &[Role]) -> Vec<usize> {
    let found = tokens.iter().enumerate().filter(|(_, token)| roles.contains(&token.role));
    found.map(|(at, _)| at).collect()
}

pub(super) fn edit(
    dice: &mut Dice,
    tokens: &mut [Token],
    roles: &[Role],
    change: impl Fn(&str) -> String,
) -> bool {
    let at = dice.pick(&places(tokens, roles)).copied();
    let Some(token) = at.and_then(|at| tokens.get_mut(at)) else { return false };
    let new = change(&token.text);
    let changed = new != token.text;
    token.text = new;
    changed
}

/// Changes the opener and the closer of one call.
pub(super) fn around(
    dice: &mut Dice,
    tokens: &mut [Token],
    change: impl Fn(&str, &str) -> (String, String),
) -> bool {
    let opener = dice.pick(&places(tokens, &[Role::Open])).copied();
    let text = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|t| t.text.clone());
    let call = opener.and_then(|at| tokens.get(at)).map(|token| token.call);
    let closer = tokens.iter().position(|t| t.role == Role::Close && Some(t.call) == call);
    let (Some(before), Some(after)) = (text(opener), text(closer)) else { return false };
    let (before, after) = change(&before, &after);
    for (at, new) in [(opener, before), (closer, after)] {
        if let Some(token) = at.and_then(|at| tokens.get_mut(at)) {
            token.text = new;
        }
    }
    true
}

pub(super) fn remove(dice: &mut Dice, tokens: &mut Vec<Token>, roles: &[Role]) -> bool {
    let at = dice.pick(&places(tokens, roles)).copied();
    at.map(|at| tokens.remove(at)).is_some()
}

/// The text ends inside its last call.
pub(super) fn cut(dice: &mut Dice, tokens: &mut Vec<Token>) -> bool {
    let last = tokens.iter().rposition(|token| token.role == Role::Close);
    let Some(call) = last.and_then(|at| tokens.get(at)).map(|token| token.call) else {
        return false;
    };
    let first = tokens.iter().position(|t| t.call == call && t.role != Role::Prose).unwrap_or(0);
    let at = first + dice.below(last.unwrap_or(first) + 1 - first);
    tokens.truncate(at + 1);
    if let Some(token) = tokens.last_mut() {
        let length = token.text.chars().count();
        let kept = 1 + dice.below(length.saturating_sub(1));
        let cut: String = token.text.chars().take(kept.min(length.saturating_sub(1))).collect();
        token.text = cut;
    }
    true
}

pub(super) fn single_quotes(dice: &mut Dice, tokens: &mut [Token]) -> bool {
    let at = dice.pick(&places(tokens, &[Role::Quote])).copied();
    let Some(call) = at.and_then(|at| tokens.get(at)).map(|token| token.call) else {
        return false;
    };
    for token in tokens.iter_mut().filter(|token| token.call == call) {
        match token.role {
            Role::Quote => token.text = "'".to_owned(),
            Role::Text => token.text = token.text.replace("\\\"", "\"").replace('\'', "\\'"),
            _ => {}
        }
    }
    true
}

pub(super) fn unquoted_key(dice: &mut Dice, tokens: &mut Vec<Token>) -> bool {
    let at = dice.pick(&places(tokens, &[Role::Key])).copied().unwrap_or(0);
    let quoted = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.role == Role::Quote)
    };
    if !quoted(at.checked_sub(1)) || !quoted(Some(at + 1)) {
        return false;
    }
    tokens.remove(at + 1);
    tokens.remove(at - 1);
    true
}

/// Leaves the quotes of texts unescaped.
pub(super) fn unescape(tokens: &mut [Token]) -> bool {
    let mut found = false;
    for token in tokens.iter_mut().filter(|token| token.role == Role::Text) {
        found |= token.text.contains("\\\"");
        token.text = token.text.replace("\\\"", "\"");
    }
    found
}

pub(super) fn crlf(tokens: &mut [Token]) -> bool {
    let mut found = false;
    for token in tokens.iter_mut().filter(|t| matches!(t.role, Role::Space | Role::Prose)) {
        found |= token.text.contains('\n');
        token.text = token.text.replace('\n', "\r\n");
    }
    found
}

/// A line of a mapping stands a blank or a tab further in, or less far.
pub(super) fn indentation(dice: &mut Dice, tokens: &mut [Token]) -> bool {
    let to = dice.pick(&["  ", " ", "\t"]).copied().unwrap_or_default();
    edit(dice, tokens, &[Role::Key], |text| format!("{to}{text}"))
}

pub(super) fn mention(dice: &mut Dice, tokens: &mut Vec<Token>) -> bool {
    let opener = tokens.iter().find(|token| token.role == Role::Open);
    let Some(opener) = opener.map(|token| token.text.clone()) else { return false };
    let text = match dice.below(3) {
        0 => format!("I will write `{opener}` now.\n"),
        1 => format!("A call begins with {opener} and then comes the rest.\n"),
        _ => format!("The tag {opener} opens it.\n\n"),
    };
    tokens.insert(0, Token { role: Role::Prose, text, call: 0 });
    true
}

pub(super) fn comment(dice: &mut Dice, format: Format, tokens: &mut [Token]) -> bool {
    use Role::{Close, Comma, FieldOpen, Key, OpenBracket};
    let block = dice.below(2) == 0;
    match format {
        Format::Hermes => edit(dice, tokens, &[OpenBracket, Comma], |text| match block {
            true => format!("{text} /* a note */ "),
            false => format!("{text} // a note\n"),
        }),
        Format::YamlXml => edit(dice, tokens, &[Key], |text| match block {
            true => format!("# a note\n{text}"),
            false => format!("{text} "),
        }),
        _ => edit(dice, tokens, &[FieldOpen, Close], |text| format!("<!-- a note -->{text}")),
    }
}

/// Quotes and brackets as entities, in the payload of every call.
pub(super) fn entities(tokens: &mut [Token]) -> bool {
    let mut found = false;
    for token in tokens.iter_mut().filter(|t| matches!(t.role, Role::Quote | Role::Text)) {
        let new = token.text.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        found |= new != token.text;
        token.text = new;
    }
    found
}

pub(super) fn literal_case(dice: &mut Dice, tokens: &mut [Token]) -> bool {
    let spell = |text: &str| match text {
        "true" | "false" => capital(text),
        other => other.to_owned(),
    };
    edit(dice, tokens, &[Role::Scalar], spell)
}

/// An argument is given again, with the same value or another.
pub(super) fn duplicate(dice: &mut Dice, tokens: &mut Vec<Token>) -> bool {
    use Role::{Colon, Comma, FieldClose, FieldOpen, Key, Quote, Scalar, Space, Text};
    let flat = |from: usize| {
        let mut part: Vec<Token> = Vec::new();
        let head = tokens.get(from)?.role;
        for token in tokens.get(from..)? {
            let ends = match head {
                FieldOpen => token.role == FieldClose,
                _ => token.role == Space && token.text.contains('\n') || token.role == Comma,
            };
            if !ends
                && !part.is_empty()
                && !matches!(token.role, Key | Quote | Colon | Space | Text | Scalar)
            {
                return None;
            }
            part.push(token.clone());
            if ends {
                return Some(part);
            }
        }
        None
    };
    let mut choices = places(tokens, &[FieldOpen, Key]);
    choices.retain(|&at| flat(at).is_some());
    let Some(at) = dice.pick(&choices).copied() else { return false };
    let Some(mut part) = flat(at) else { return false };
    let quoted = at.checked_sub(1).and_then(|q| tokens.get(q)).is_some_and(|q| q.role == Quote);
    if part.first().is_some_and(|t| t.role == Key) && quoted {
        part.insert(0, Token { role: Quote, text: "\"".into(), call: 0 });
    }
    if dice.below(2) == 0 {
        for token in part.iter_mut().filter(|t| matches!(t.role, Text | Scalar)) {
            token.text.push('1');
        }
    }
    let to = if quoted { at - 1 } else { at };
    for (offset, token) in part.into_iter().enumerate() {
        tokens.insert(to + offset, token);
    }
    true
}
