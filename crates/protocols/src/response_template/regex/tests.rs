use super::*;

fn shown(sequence: &[Node]) -> String {
    sequence.iter().map(|node| of(&node.what)).collect()
}

fn of(what: &What) -> String {
    let all = |ways: &[Sequence]| ways.iter().map(|way| shown(way)).collect::<Vec<_>>().join("|");
    match what {
        What::Char(c) => c.to_string(),
        What::Class(class) => format!("[{class:?}]"),
        What::Group { name, ways, .. } => {
            format!("({}:{})", name.as_deref().unwrap_or_default(), all(ways))
        }
        What::Back(name) => format!("(={name})"),
        What::Ahead(ways) => format!("(?={})", all(ways)),
        What::Start => "(start)".into(),
        What::End => "(end)".into(),
        What::Repeat { node, least, most, lazy } => {
            let most = most.map_or("".into(), |most| most.to_string());
            format!("{}{{{least},{most}}}{}", of(&node.what), if *lazy { "?" } else { "" })
        }
        What::Refused(what) => format!("!{what}!"),
    }
}

fn read(text: &str) -> String {
    let ways = parse(text).unwrap();
    ways.iter().map(|way| shown(way)).collect::<Vec<_>>().join(" | ")
}

#[test]
fn what_templates_hold_is_read() {
    for (text, expected) in [
        (r"<\|a\|>\s*b", "<|a|>[Space]{0,}b"),
        (r"f=(?P<name>\w+).*?>", "f=(name:[Other]{1,})[Any]{0,}?>"),
        (r"(?<n>[^<]+)(?:x|yz)?|q", "(n:[Other]{1,})(:x|yz){0,1} | q"),
        (
            r"[ \t]*[\s]+[0-9]\d{2}[|:]",
            "[Space]{0,}[Space]{1,}[Digits][Digits]{2,2}[Chars(['|', ':'])]",
        ),
        (r"[]a]", "[Chars([']', 'a'])]"),
        (r"(?=x(y))$\Z^", "(?=x(:y))(end)(end)(start)"),
        (r"<(?P<k>\w+)></(?P=k)>\k<k>", "<(k:[Other]{1,})></(=k)>(=k)"),
        (r"(?s)a(?#b)(?s:c){x}\x41\u0042", "a(:c){x}AB"),
        (r"a{,3}?b{2,}+c*+", "a{0,3}?b{2,}c{0,}"),
        (
            r"(?i)a\b(?!b)(?<=c)(?>d)\1\q",
            "!a flag that changes what matches!a!the edge of a word!!a negative lookahead!!a lookbehind!!an atomic group!!the text of a group without a name again!!an escape that no pattern has!",
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_expression_is_refused_with_its_place() {
    for (text, message) in [
        ("a)b", "a `)` that closes no group at byte 1 (`)b`)"),
        ("(a", "a group without `)` at the end (byte 2)"),
        ("[a", "a class without `]` at the end (byte 2)"),
        ("*a", "a quantifier without what it repeats at byte 0 (`*a`)"),
        ("a\\", "a backslash without what it escapes at the end (byte 2)"),
        ("(?P<>a)", "no name of a group at byte 4 (`>a)`)"),
        ("\\xq1", "a character code that is none at byte 2 (`q1`)"),
        ("(?%)", "an unknown kind of group at byte 0 (`(?%)`)"),
        ("a{99999999999}", "a number too large at byte 1 (`{99999999999}`)"),
    ] {
        assert_eq!(parse(text).unwrap_err().about(text), message, "{text}");
    }
    let deep = "(".repeat(1000) + &")".repeat(1000);
    assert!(parse(&deep).unwrap_err().what.contains("nested more than 16 deep"));
    assert!(parse(&"a".repeat(5000)).unwrap_err().what.contains("longer than 4096 bytes"));
}
