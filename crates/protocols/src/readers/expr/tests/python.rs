//! What Python reads.

use super::*;

fn read(text: &str) -> Outcome {
    check(PYTHON, &["first", "second"], text)
}

/// The document of arguments that end with the text's last character.
fn document(text: &str) -> String {
    let out = read(text);
    assert_eq!(
        (out.error, out.ending, out.rest.as_str()),
        (None, Some(Ending::Closed), ""),
        "{text}"
    );
    out.document
}

#[test]
fn clean_arguments() {
    for (text, json) in [
        (")", "{}"),
        (" )", "{}"),
        ("a=1)", r#"{"a":1}"#),
        (" a = 1 , b = 2 , )", r#"{"a":1,"b":2}"#),
        (
            "city='San Francisco', metric='celsius')",
            r#"{"city":"San Francisco","metric":"celsius"}"#,
        ),
        ("x=True, y=False, z=None)", r#"{"x":true,"y":false,"z":null}"#),
        ("x=true, y=false, z=null)", r#"{"x":true,"y":false,"z":null}"#),
        ("from=1, class='x', import=[2])", r#"{"from":1,"class":"x","import":[2]}"#),
        ("a-b=1, a.b=2, ñ=3, _x=4)", r#"{"a-b":1,"a.b":2,"ñ":3,"_x":4}"#),
        ("a=[], b={}, c=(), d=[[], {}])", r#"{"a":[],"b":{},"c":[],"d":[[],{}]}"#),
        ("a=[1, 'b', None,], b=(1, 2), c=(1,))", r#"{"a":[1,"b",null],"b":[1,2],"c":[1]}"#),
        ("a=(1), b=('x'), c=(\n 'x'\n 'y')\n)", r#"{"a":1,"b":"x","c":"xy"}"#),
        ("a=({'x': 1}, [2]))", r#"{"a":[{"x":1},[2]]}"#),
        ("a={'x': 1, \"y\": {'z': [True]}})", r#"{"a":{"x":1,"y":{"z":[true]}}}"#),
        (
            "a={'x', 'y'}, b={1}, c={'z'}, d={(1, 2)})",
            r#"{"a":["x","y"],"b":[1],"c":["z"],"d":[[1,2]]}"#,
        ),
        ("a={1: 2, None: 3, 1.5: 4, True: 5})", r#"{"a":{"1":2,"None":3,"1.5":4,"True":5}}"#),
        ("a={'k' : 'v' , })", r#"{"a":{"k":"v"}}"#),
        ("a=\"row[0]\", b=\"(2 + 3) * (4 - 1)\")", r#"{"a":"row[0]","b":"(2 + 3) * (4 - 1)"}"#),
        (
            "data=[[1, 2], [3, 4]], labels=[\"row[0]\", \"row[1]\"])",
            r#"{"data":[[1,2],[3,4]],"labels":["row[0]","row[1]"]}"#,
        ),
    ] {
        assert_eq!(document(text), json, "{text}");
        assert_eq!(read(text).notes, [], "{text}");
        assert!(!read(text).non_strict);
    }
}

#[test]
fn strings() {
    for (text, json) in [
        ("a='')", r#"{"a":""}"#),
        ("a='', b=\"\")", r#"{"a":"","b":""}"#),
        (r#"a='Martha\'s', b='\"cool\"')"#, r#"{"a":"Martha's","b":"\"cool\""}"#),
        (r"a='x\ty\x41\u00e9\U0001F600\101\0')", r#"{"a":"x\tyAé😀A\u0000"}"#),
        (r"a='\ud83d\ude00')", r#"{"a":"😀"}"#),
        ("a='x\\\ny')", r#"{"a":"xy"}"#),
        ("a='x\\\r\ny')", r#"{"a":"xy"}"#),
        (r"a='\\', b='\\n')", r#"{"a":"\\","b":"\\n"}"#),
        (
            r"a=r'\d\n', b=b'x', c=u'y', d=f'z', e=Rb'\q')",
            r#"{"a":"\\d\\n","b":"x","c":"y","d":"z","e":"\\q"}"#,
        ),
        (r"a=r'\'')", r#"{"a":"\\'"}"#),
        ("a='''x\n'y' ''z''')", r#"{"a":"x\n'y' ''z"}"#),
        ("a='''''')", r#"{"a":""}"#),
        ("a=\"\"\"say \"hi\"\"\"\")", r#"{"a":"say \"hi\""}"#),
        ("a='x' 'y', b='x'\n  \"y\" r'\\n')", r#"{"a":"xy","b":"xy\\n"}"#),
        ("a='' 'y', b='x' '')", r#"{"a":"y","b":"x"}"#),
        ("a=['x' 'y', 'z'], b={'k': 'x' 'y'})", r#"{"a":["xy","z"],"b":{"k":"xy"}}"#),
        ("a='it\\'s, b=3', c='d\\', e=\\'f')", r#"{"a":"it's, b=3","c":"d', e='f"}"#),
        ("a='foo(\\'a\\', b=1)')", r#"{"a":"foo('a', b=1)"}"#),
        ("a='f(\\'x\\')]')", r#"{"a":"f('x')]"}"#),
        ("a='x', b='y' )", r#"{"a":"x","b":"y"}"#),
        ("a=\"it's\", b='say \"hi\"')", r#"{"a":"it's","b":"say \"hi\""}"#),
        (
            "code=\"def hello():\\n    print('hey')\")",
            r#"{"code":"def hello():\n    print('hey')"}"#,
        ),
    ] {
        assert_eq!(document(text), json, "{text}");
        let out = read(text);
        let repaired = out.notes.iter().any(|note| note.kind != NoteKind::InnerQuote);
        assert!(!repaired, "{text} {:?}", out.notes);
    }
}

#[test]
fn unknown_escapes_stay() {
    for (text, json, kind) in [
        (r"a='\d+\.x')", r#"{"a":"\\d+\\.x"}"#, NoteKind::InvalidEscape),
        (r"a='\xg1\u12')", r#"{"a":"\\xg1\\u12"}"#, NoteKind::InvalidEscape),
        (r"a='\U00110000')", r#"{"a":"\\U00110000"}"#, NoteKind::InvalidEscape),
        (r"a='\N{EM DASH}x')", r#"{"a":"\\N{EM DASH}x"}"#, NoteKind::NamedEscape),
        (r"a='\ud83dx')", r#"{"a":"�x"}"#, NoteKind::LoneSurrogate),
        (r"a='\ud83d\n')", r#"{"a":"�\n"}"#, NoteKind::LoneSurrogate),
        (r"a='\ud83d')", r#"{"a":"�"}"#, NoteKind::LoneSurrogate),
        (r"a='\ude00')", r#"{"a":"�"}"#, NoteKind::LoneSurrogate),
        (r"a='\ud83d\q')", r#"{"a":"�\\q"}"#, NoteKind::InvalidEscape),
    ] {
        assert_eq!(document(text), json, "{text}");
        assert!(read(text).has(kind), "{text}");
        assert!(read(text).non_strict && !read(text).guessed);
    }
}

#[test]
fn numbers() {
    for (text, json) in [
        ("a=-5, b=+3, c=1_000, d=.5, e=1.)", r#"{"a":-5,"b":3,"c":1000,"d":0.5,"e":1.0}"#),
        ("a=1e5, b=1.5E-3, c=0x1F, d=0o17, e=0b11)", r#"{"a":1e5,"b":1.5e-3,"c":31,"d":15,"e":3}"#),
        (
            "a=[1,2], b=123456789012345678901234567890)",
            r#"{"a":[1,2],"b":123456789012345678901234567890}"#,
        ),
        ("month=07, day=-05)", r#"{"month":"07","day":"-05"}"#),
        ("a=inf, b=-inf, c=nan, d=NaN)", r#"{"a":null,"b":null,"c":null,"d":null}"#),
    ] {
        assert_eq!(document(text), json, "{text}");
    }
    assert!(read("a=07)").has(NoteKind::LeadingZeros));
    assert!(read("a=inf)").has(NoteKind::NonFinite));
}

#[test]
fn positional_arguments() {
    for (text, json) in [
        ("1)", r#"{"first":1}"#),
        ("'a', \"b\")", r#"{"first":"a","second":"b"}"#),
        ("'a', second=2)", r#"{"first":"a","second":2}"#),
        ("'a', None)", r#"{"first":"a","second":null}"#),
        ("'a', r'b', x=1)", r#"{"first":"a","second":"b","x":1}"#),
        ("[1], {'a': 2})", r#"{"first":[1],"second":{"a":2}}"#),
        ("-1, True)", r#"{"first":-1,"second":true}"#),
        ("r'\\d', x=1)", r#"{"first":"\\d","x":1}"#),
    ] {
        assert_eq!(document(text), json, "{text}");
        assert!(read(text).has(NoteKind::Positional));
    }
    for text in ["1, 2, 3)", "a=1, 2)", "1, a=1, [2])"] {
        assert_eq!(
            read(text).error.map(|error| error.kind),
            Some(ExprErrorKind::Positional),
            "{text}"
        );
    }
}

#[test]
fn a_dictionary_of_declared_arguments() {
    for (text, json) in [
        ("{'first': 'a'})", r#"{"first":"a"}"#),
        ("{'second': [1], 'first': {'first': 2},},)", r#"{"second":[1],"first":{"first":2}}"#),
        ("{first: 'a', \"second\": None})", r#"{"first":"a","second":null}"#),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(NoteKind::ArgumentsInDict) && !out.guessed, "{text}");
    }
    for text in [
        "{'first': 'a', 'x': 1})",
        "{'x': 1, 'second': 'a'})",
        "{'first': 'a', 'first': 'b'})",
        "{'first': 'a'}, second=2)",
    ] {
        let out = read(text);
        assert!(out.guessed && out.error.is_none(), "{text} {out:?}");
    }
    for (text, json) in [
        ("{})", r#"{"first":{}}"#),
        ("{'x': 1})", r#"{"first":{"x":1}}"#),
        ("{'x'})", r#"{"first":["x"]}"#),
        ("{1, 2})", r#"{"first":[1,2]}"#),
        ("('x'))", r#"{"first":"x"}"#),
        ("('x',))", r#"{"first":["x"]}"#),
        ("([1], 2))", r#"{"first":[[1],2]}"#),
        ("())", r#"{"first":[]}"#),
        ("'a', {'first': 1})", r#"{"first":"a","second":{"first":1}}"#),
        ("[{'first': 1}])", r#"{"first":[{"first":1}]}"#),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(NoteKind::Positional) && !out.guessed, "{text}");
    }
}

#[test]
fn a_container_without_a_name_is_no_text() {
    for (text, guessed) in [
        ("[1])]", true),
        ("{'x': 1})]", true),
        ("{'x'})]", true),
        ("(1, 2))]", true),
        ("{})]", true),
        ("('x'))]", false),
        ("first=[1])]", false),
        ("{'first': [1]})]", false),
        ("'x')]", false),
    ] {
        let mut machine = machine(PYTHON);
        machine.reset(0, ["first"]);
        let mut input = text;
        while let Some(token) = machine.next(&mut input).unwrap() {
            if matches!(token.kind, Kind::Key(_)) {
                machine.text_next();
            }
        }
        assert_eq!(machine.guessed(), guessed, "{text}");
    }
}

#[test]
fn what_follows_is_left() {
    for (text, rest) in [
        ("a='x')]<|tool_call_end|>", "]<|tool_call_end|>"),
        ("a='x'), g(b=1)]", ", g(b=1)]"),
        ("a=1)]", "]"),
        (") tail", " tail"),
    ] {
        let out = read(text);
        assert_eq!((out.error, out.ending, out.rest.as_str()), (None, Some(Ending::Closed), rest));
    }
}

#[test]
fn endings() {
    for (text, ending, json) in [
        ("", Ending::Cut, "{"),
        ("a='x'", Ending::Unclosed, r#"{"a":"x"}"#),
        ("a='x', ", Ending::Cut, r#"{"a":"x""#),
        ("a=''", Ending::Unclosed, r#"{"a":""}"#),
        ("a='''x'''", Ending::Unclosed, r#"{"a":"x"}"#),
        ("a=[1] ", Ending::Unclosed, r#"{"a":[1]}"#),
        ("a=1", Ending::Cut, r#"{"a":"#),
        ("a='x", Ending::Cut, r#"{"a":"x"#),
        ("a=['x'", Ending::Cut, r#"{"a":["x""#),
        ("a='x', b", Ending::Cut, r#"{"a":"x","#),
        ("a='x', b=", Ending::Cut, r#"{"a":"x","b":"#),
        ("a='x\\", Ending::Cut, r#"{"a":"x"#),
        ("a='x'')", Ending::Closed, r#"{"a":"x'"}"#),
    ] {
        let out = read(text);
        assert_eq!(
            (out.error, out.ending, out.document.as_str()),
            (None, Some(ending), json),
            "{text}"
        );
    }
}

#[test]
fn errors() {
    let deep = format!("a={}", "[".repeat(20));
    let long = format!("{}=1)", "a".repeat(5000));
    let keys: String = (0..70).map(|n| format!("k{n}=1,")).collect();
    for (text, kind, offset) in [
        ("a=foo)", None, 5),
        ("a==1)", None, 2),
        ("a=1 2)", None, 4),
        ("a=[1)", None, 4),
        ("a=1]", None, 3),
        ("=1)", None, 0),
        (",)", None, 0),
        ("a=1,,b=2)", None, 4),
        ("a={'x': })", None, 8),
        ("a={'x': 1, 2})", None, 12),
        ("a={[1]: 2})", None, 6),
        ("a=([1]))", None, 6),
        ("a=5-3)", None, 5),
        ("-x=1)", None, 2),
        ("a=date(1))", None, 6),
        (deep.as_str(), Some(ExprErrorKind::TooDeep), 17),
        (long.as_str(), Some(ExprErrorKind::TooLarge), 4096),
        (keys.as_str(), Some(ExprErrorKind::TooManyKeys), 5 * 10 + 6 * 54),
    ] {
        let error = read(text).error.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(error.offset - AT, offset, "{text} {error}");
        match kind {
            Some(kind) => assert_eq!(error.kind, kind),
            None => assert!(matches!(error.kind, ExprErrorKind::Syntax { .. }), "{text}"),
        }
    }
}
