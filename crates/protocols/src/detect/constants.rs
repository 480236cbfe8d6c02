//! Constant strings of a Jinja template, put in the place of their names.
//!
//! Templates name what their markers share: after `{% set dsml = '｜DSML｜' %}` they write
//! `'<' + dsml + 'invoke>'`, or `<{{ dsml }}invoke>` in their text. A placeholder, as in
//! `'<think{}>'.format(suffix)`, is left out: what a tokenizer appends to the names of its markers is not
//! theirs. Of the expressions of Jinja only these are read.
//!
//! ```ebnf
//! constant = "set", name, "=", string, "%}" ;
//! joined   = quote, ( "+" | "~" ), name, [ ( "+" | "~" ), quote ] ;
//! printed  = "{{", name, "}}" ;
//! ```

/// So many statements are read: templates have a few dozen.
const MOST: usize = 256;
/// The placeholder of `str.format`.
const PLACEHOLDER: &str = "{}";

/// The template with its constants inlined.
pub(super) fn inlined(template: &str) -> String {
    let constants = constants(template);
    let value = |name: &str| constants.iter().find(|(known, _)| *known == name).map(|(_, v)| *v);
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['\'', '"', '{']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let named = printed(from).or_else(|| joined(from));
        let inlined = named.and_then(|(name, after)| Some((value(name)?, after)));
        // Without what stands on both sides of the name the texts are one.
        let (text, after) = inlined.unwrap_or_else(|| from.split_at(1));
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out.replace(PLACEHOLDER, "")
}

/// Names and values of the strings that are set, each once.
fn constants(template: &str) -> Vec<(&str, &str)> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    let mut changed: Vec<&str> = Vec::new();
    for statement in template.split("set ").skip(1).take(MOST) {
        let Some((name, after)) = identifier(statement.trim_start()) else { continue };
        let Some(value) = after.trim_start().strip_prefix('=') else { continue };
        if all.iter().any(|(known, _)| *known == name) {
            changed.push(name);
        }
        all.extend(whole_string(value).map(|value| (name, value)));
    }
    all.retain(|(name, _)| !changed.contains(name));
    all
}

/// The string that is all of a statement's value.
fn whole_string(value: &str) -> Option<&str> {
    let value = value.get(..value.find("%}")?)?.trim_end_matches(['-', '+']).trim();
    let quote = value.chars().next().filter(|c| is_quote(*c))?;
    let inside = value.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\'])).then_some(inside)
}

/// The name that a string goes on with, and what follows on it and on the quote of the next string.
fn joined(quoted: &str) -> Option<(&str, &str)> {
    let (name, after) = identifier(operator(quoted.get(1..)?)?)?;
    let next = operator(after).and_then(|next| next.strip_prefix(is_quote));
    Some((name, next.unwrap_or(after)))
}

/// The name that is all of an expression, and what follows on it.
fn printed(text: &str) -> Option<(&str, &str)> {
    let (name, after) = identifier(text.strip_prefix("{{")?.trim_start_matches(['-', ' ']))?;
    Some((name, after.trim_start_matches([' ', '-']).strip_prefix("}}")?))
}

/// What follows on an operator that joins strings, without whitespace.
fn operator(text: &str) -> Option<&str> {
    Some(text.trim_start().strip_prefix(['+', '~'])?.trim_start())
}

/// A name, and what follows on it.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

const fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_part_of_the_strings_beside_its_name() {
        let set = "{%- set mark = '|x|' -%}";
        for (written, read) in [
            ("'<' + mark + 'call>'", "'<|x|call>'"),
            ("\"</\"~mark ~ 'call>'", "\"</|x|call>'"),
            ("{{ '<' + mark }}", "{{ '<|x| }}"),
            ("<{{ mark }}call></{{-mark-}}call>", "<|x|call></|x|call>"),
            ("{{ mark + a }}{{ mark", "{{ mark + a }}{{ mark"),
            ("'<' + other + '>'", "'<' + other + '>'"),
            ("'<call{}>'.format(mark)", "'<call>'.format(mark)"),
            ("'it\\'s' + (mark)", "'it\\'s' + (mark)"),
        ] {
            assert_eq!(inlined(&format!("{set}{written}")), format!("{set}{read}"));
        }
    }

    #[test]
    fn what_is_set_twice_or_to_more_than_a_string_is_no_constant() {
        for set in [
            "{% set a = 'x' %}{% set a = 'y' %}",
            "{% set a = 'x' %}{% set a = b %}",
            "{% set a = 'x' + b %}",
            "{% set a = 'x",
            "{% set a %}x{% endset %}",
            "{% set ",
        ] {
            let template = format!("{set}'<' + a + '>'");
            assert_eq!(inlined(&template), template);
        }
        assert_eq!(inlined(""), "");
    }
}
