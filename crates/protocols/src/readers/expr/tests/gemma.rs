//! The Gemma dialect.

use super::*;

fn read(text: &str) -> Outcome {
    check(GEMMA, &["a", "b", "c", "d", "e", "city"], text)
}

#[test]
fn arguments() {
    for (text, json) in [
        ("{}", "{}"),
        ("{ }", "{}"),
        (r#"{pattern:<|"|>rib<|"|>,shafts:8}"#, r#"{"pattern":"rib","shafts":8}"#),
        (r#"{a:<|"|><|"|>}"#, r#"{"a":""}"#),
        (
            r#"{a:<|"|>x}, "y" <|<|"| \n<tool_call|><|"|>}"#,
            r#"{"a":"x}, \"y\" <|<|\"| \\n<tool_call|>"}"#,
        ),
        (
            "{a:true,b:false,c:null,d:3.14,e:1.5e10,f:-7}",
            r#"{"a":true,"b":false,"c":null,"d":3.14,"e":1.5e10,"f":-7}"#,
        ),
        ("{a:hello,b:San Francisco ,c: x}", r#"{"a":"hello","b":"San Francisco","c":"x"}"#),
        (
            "{a:0042,b:108.,c:tru,d:12:30,e:TRUE}",
            r#"{"a":"0042","b":"108.","c":"tru","d":"12:30","e":"TRUE"}"#,
        ),
        (
            r#"{nested:{inner:<|"|>value<|"|>},list:[<|"|>a<|"|>,<|"|>b<|"|>]}"#,
            r#"{"nested":{"inner":"value"},"list":["a","b"]}"#,
        ),
        ("{a:[],b:{},c:[1,[2,x]]}", r#"{"a":[],"b":{},"c":[1,[2,"x"]]}"#),
        (r#"{<|"|>a b<|"|>:1,"c":2,'d' : 3, e : 4}"#, r#"{"a b":1,"c":2,"d":3,"e":4}"#),
        ("{a:1,}", r#"{"a":1}"#),
        ("{a:<b>,c:<|x}", r#"{"a":"<b>","c":"<|x"}"#),
        (r#"{a : <|"|>x<|"|> , b : [ 1 , 2 ] }"#, r#"{"a":"x","b":[1,2]}"#),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.ending), (None, Some(Ending::Closed)), "{text}");
        assert_eq!((out.document.as_str(), out.rest.as_str()), (json, ""), "{text}");
        assert!(!out.guessed);
    }
}

#[test]
fn ordinary_quotes() {
    for (text, json) in [
        (r#"{city:"Paris, France",a:1}"#, r#"{"city":"Paris, France","a":1}"#),
        (r#"{city:'Paris',a:["x",'y']}"#, r#"{"city":"Paris","a":["x","y"]}"#),
        (r#"{city:"C:\new"}"#, r#"{"city":"C:\\new"}"#),
        (r#"{city:"say "hi" to","a":1}"#, r#"{"city":"say \"hi\" to","a":1}"#),
        (r#"{a:"x"}<tool_call|>"#, r#"{"a":"x"}"#),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(NoteKind::OrdinaryQuotes) && !out.guessed, "{text}");
    }
}

#[test]
fn missing_values_are_guesses() {
    let out = read("{a:,b:1}");
    assert_eq!(out.document, r#"{"a":null,"b":1}"#);
    assert!(out.has(NoteKind::MissingValue) && out.guessed);
}

#[test]
fn endings() {
    for (text, ending) in [
        (r#"{a:<|"|>London"#, Ending::Cut),
        (r#"{a:<|"|>London<|"|>"#, Ending::Unclosed),
        (r#"{a:<|"|>London<|"|>,"#, Ending::Cut),
        (r#"{a:<|"|>London<|"|"#, Ending::Cut),
        (r#"{a:"x""#, Ending::Unclosed),
        ("{a:1", Ending::Cut),
        ("{a", Ending::Cut),
        ("", Ending::Cut),
        ("{", Ending::Cut),
        ("{a:[1]", Ending::Unclosed),
    ] {
        assert_eq!(read(text).ending, Some(ending), "{text}");
    }
}

#[test]
fn round_brackets() {
    for (text, json) in [
        ("()", "{}"),
        (r#"(city:<|"|>a) b<|"|>,a:1)"#, r#"{"city":"a) b","a":1}"#),
        ("(city=x y, a = 1)", r#"{"city":"x y","a":1}"#),
        (r#"(a=[1,{b:c}],"b"=2)"#, r#"{"a":[1,{"b":"c"}],"b":2}"#),
        ("(city='it's', a='x')", r#"{"city":"it's","a":"x"}"#),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(NoteKind::RoundBrackets) && !out.guessed, "{text}");
        assert_eq!(out.ending, Some(Ending::Closed), "{text}");
    }
    for text in ["(a:)", "(a=f(x))", "(a=[c)])"] {
        assert!(read(text).guessed, "{text}");
    }
    assert!(read("(1)").error.is_some() && read("(a:1}").error.is_some());
}

#[test]
fn errors() {
    for (text, offset) in [
        ("x", 0),
        ("{a}", 2),
        ("{:1}", 1),
        ("{a:1]", 4),
        (r#"{a:<|"|>x<|"|>y}"#, 15),
        (r#"{a:<|"|>x<|"|>y:1}"#, 15),
        ("{a:1,,b:2}", 5),
    ] {
        assert_eq!(read(text).error.map(|error| error.offset - AT), Some(offset), "{text}");
    }
}

#[test]
fn text_without_quotes_that_may_end_elsewhere() {
    for text in [
        "{a:awk {print}}<tool_call|>",
        "{a:x[0]}",
        "{a:f(x}",
        "{a:echo \"x\"}",
        "{a:`x`}",
        "{a:echo 'x, b: c'}",
        "{a:x, y: z}",
        "{a:x,\"y\":1}",
        "{a:[x], y: z}",
        "{a:x; b:y}",
        "{a:x，b = y}",
        "{a:x} y}<tool_call|>",
        "{a:x}}<tool_call|>",
        "{a:[x]} y",
        "{city:{b:x}}, c",
        "{d:{b:x,c:y}}",
        "{a=x}",
        "{a:x,b=1}",
    ] {
        let out = read(text);
        assert!(out.has(NoteKind::UncertainText) && out.guessed, "{text}");
    }
    for text in [
        "{a:x}",
        "{a:x} <tool_call|>",
        "{a:it's f(x),b:c}<tool_call|>",
        "{a:x, b:y\n, c:z}",
        "{a:1}}",
        "{a:x,b:<|\"|>y<|\"|>}}",
    ] {
        assert!(!read(text).guessed, "{text}");
    }
}

#[test]
fn damaged_separators() {
    for (text, json, kind) in [
        (r#"{a:"x",b="y"}"#, r#"{"a":"x","b":"y"}"#, NoteKind::EqualsSign),
        (r#"{a='x',b=3}"#, r#"{"a":"x","b":3}"#, NoteKind::EqualsSign),
        (r#"{a:<|"|>x<|"|>,b = ["y"]}"#, r#"{"a":"x","b":["y"]}"#, NoteKind::EqualsSign),
        (r#"{a:["x"],b="y"}"#, r#"{"a":["x"],"b":"y"}"#, NoteKind::EqualsSign),
        (r#"{a:"x"，b:"y"}"#, r#"{"a":"x","b":"y"}"#, NoteKind::OtherComma),
        (r#"{a:<|"|>x<|"|>，b:"y"}"#, r#"{"a":"x","b":"y"}"#, NoteKind::OtherComma),
        (r#"{a:<|"|>x<|"|> b:1}"#, r#"{"a":"x","b":1}"#, NoteKind::MissingComma),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(kind) && !out.guessed, "{text}");
    }
    for text in [
        r#"{a:"x",y="z"}"#,
        r#"{a:"x"; b:"y"}"#,
        r#"{a:"x" b:"y"}"#,
        r#"{a:"x" "b":"y"}"#,
        r#"{a:"x"; "b":"y"}"#,
        r#"{a:"x"，y:"z"}"#,
        r#"{a:"x" / b = "y"}"#,
        r#"{a:"x"; <|"|>b<|"|>:"y"}"#,
        r#"{d:{a:"x"; b:"y"}}"#,
        r#"{d:{a:"x",b="y"}}"#,
        r#"{a:"say \"x\" y"}"#,
    ] {
        let out = read(text);
        assert!(out.guessed || out.error.is_some(), "{text} {}", out.document);
    }
}

#[test]
fn what_follows_is_left() {
    let out = read(r#"{a:<|"|>x<|"|>}<tool_call|>"#);
    assert_eq!((out.ending, out.rest.as_str()), (Some(Ending::Closed), "<tool_call|>"));
    let out = read(r#"{a:"x"}<tool_call|>"#);
    assert_eq!((out.ending, out.rest.as_str()), (Some(Ending::Closed), "<tool_call|>"));
}

#[test]
fn a_value_can_be_asked_for_as_text() {
    let mut machine = machine(GEMMA);
    machine.reset(0, []);
    let mut input = "{zip:90210,x:null,b:1,c:[2]}";
    let mut wire = String::new();
    while let Some(token) = machine.next(&mut input).unwrap() {
        wire.push_str(token.wire);
        if matches!(token.kind, Kind::Key("zip" | "x" | "c")) {
            machine.text_next();
        }
    }
    assert_eq!(wire, r#"{"zip":"90210","x":"null","b":1,"c":[2]}"#);
}

#[test]
fn another_delimiter() {
    let dialect = Some("<escape>");
    let out = check(dialect, &[], "{location:<escape>San <esc<escape>,count:<escape>42<escape>}");
    assert_eq!(out.document, r#"{"location":"San <esc","count":"42"}"#);
}
