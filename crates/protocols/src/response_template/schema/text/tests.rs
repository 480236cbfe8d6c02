use super::super::super::regex::parse;
use super::*;

fn sequence(text: &str) -> Sequence {
    parse(text).unwrap().remove(0)
}

fn shown(sequence: &[Node]) -> String {
    sequence.iter().map(one_shown).collect()
}

fn one_shown(node: &Node) -> String {
    match &node.what {
        What::Char(c) => c.to_string(),
        _ if is_space(node) => "~".into(),
        _ if is_gap(node) => "*".into(),
        What::Group { name, ways, .. } => {
            let ways: Vec<String> = ways.iter().map(|way| shown(way)).collect();
            format!("({}:{})", name.as_deref().unwrap_or_default(), ways.join("|"))
        }
        What::Repeat { node, .. } => format!("{}?", one_shown(node)),
        What::Start => "^".into(),
        What::End => "$".into(),
        _ => "!".into(),
    }
}

#[test]
fn two_expressions_say_together_what_each_does() {
    for (known, found, merged) in [
        (".*?", "a(b*)", "a(:b?)*"),
        ("f.*?m.*", r"^f(?P<n>\w+)", "f(n:*)*m*"),
        (".*", r"^(?P<n>\w+)", "(n:*)*"),
        (".*", r"^(?P<n>\w+)$", "(n:*)"),
        (r"f(?P<n>\w+).*?m.*", "m(?P<a>.*)", "f(n:*)*m(a:*)"),
        ("f.*?m", "(?P<n>.*?)m", "f(n:*)m"),
        (".*", "a(?P<n>[^b]+)b", "a(n:*)b*"),
        (r"a(?P<n>\w+)b.*", r"^a[^b]+b\n(?P<v>.*?)c$", "a(n:*)b\n(v:*)c*"),
        (r"\s*x\s*.*", "x z(?P<v>.)$", "~x~ z(v:*)"),
        ("(?:(?!q)[^z])+", "a(?P<n>.*)", "a(n:*)"),
    ] {
        let merged_text = merge(&sequence(known), &sequence(found)).map(|all| shown(&all));
        assert_eq!(merged_text.as_deref(), Ok(merged), "{known} {found}");
    }
    let refused = merge(&sequence("abc"), &sequence("^ax")).unwrap_err();
    assert_eq!((refused.at, refused.what.as_str()), (2, "another text than the one it looks into"));
}

#[test]
fn a_group_stands_between_what_is_nearest() {
    let is =
        |node: &Node| matches!(&node.what, What::Group { name: Some(name), .. } if name == "g");
    for (text, before, after) in [
        ("a(?P<g>.*)b", "a", "b"),
        ("x(?:a(?P<g>.*)b)?y", "a", "b"),
        (r"x(?:(?P<g>.*)\n?)?b", "x", "\n?b"),
        ("x(?P<h>.)a(?P<g>.*)b(?P<i>.)c", "a", "b"),
        (r"^(?:a\n?(?:(?P<g>.*?)\s*| *)b)?c", "a\n?", "~b"),
    ] {
        let place = place(&sequence(text), &is).unwrap();
        let around = (shown(&place.before).replace('~', "\n?"), shown(&place.after));
        let after = after.replace("\n?", "~");
        assert_eq!(around, (before.to_owned(), after), "{text}");
    }
}

#[test]
fn alternatives_at_an_edge_are_ways_of_their_own() {
    for (text, expected, absent) in [
        ("(?:a|b|$)", &["a", "b"][..], true),
        (r"\s*(?:ab)?\n", &["~ab\n"], true),
        ("a(?:b|c)d", &["a(:b|c)d"], false),
        ("(?:^|a )", &["a "], true),
        (r"\s*(?=a)$", &[], true),
        ("(?:a|b)", &["a", "b"], false),
    ] {
        let (found, may_be_absent) = ways(&sequence(text));
        let found: Vec<String> = found.iter().map(|way| shown(way)).collect();
        assert_eq!(
            (found, may_be_absent),
            (expected.iter().map(|way| (*way).to_owned()).collect(), absent),
            "{text}"
        );
    }
}
