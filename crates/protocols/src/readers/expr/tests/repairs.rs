//! Quotes that are not escaped.

use super::*;

fn read(names: &[&str], text: &str) -> Outcome {
    check(PYTHON, names, text)
}

#[test]
fn inner_quotes_are_data() {
    for (text, json) in [
        ("command='sed -n '1,5p' f')]", r#"{"command":"sed -n '1,5p' f"}"#),
        (
            "command='sed -n '360,450p' /testbed/x.py')]",
            r#"{"command":"sed -n '360,450p' /testbed/x.py"}"#,
        ),
        (
            "command='cd /t && python3 -c \"from sympy import latex\nprint(latex(3*x, mul_symbol='\\,'))\"')]",
            r#"{"command":"cd /t && python3 -c \"from sympy import latex\nprint(latex(3*x, mul_symbol='\\,'))\""}"#,
        ),
        ("text='it's nice')]", r#"{"text":"it's nice"}"#),
        ("text='it's nice', command='don't')]", r#"{"text":"it's nice","command":"don't"}"#),
        ("text=\"a \"b\" c\", command='x')", r#"{"text":"a \"b\" c","command":"x"}"#),
        ("text='print('a')')]", r#"{"text":"print('a')"}"#),
        ("text='f(x='a', y='b')')]", r#"{"text":"f(x='a', y='b')"}"#),
        ("text=''quoted'')]", r#"{"text":"'quoted'"}"#),
        ("text={'k': 'say 'x' y'})]", r#"{"text":{"k":"say 'x' y"}}"#),
        (
            "text=\"\"\"def f():\n  \"\"\"doc\"\"\"\n  x\"\"\")]",
            r#"{"text":"def f():\n  \"\"\"doc\"\"\"\n  x"}"#,
        ),
    ] {
        let out = read(&["command", "text"], text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.non_strict && out.has(NoteKind::InnerQuote), "{text}");
        assert!(!out.guessed, "{text} {:?}", out.notes);
    }
}

#[test]
fn doubtful_ends_are_guesses() {
    for (names, text) in [
        // An odd count: the end may be missing.
        (["a", "b"], "a='x 'y')]"),
        // A member that is not declared.
        (["a", "b"], "a='x 'y' z', c='q' w')]"),
        // No names are known.
        (["", ""], "a='x 'y' z', b='c')]"),
        // Several entries.
        (["a", "b"], "a=['x 'y' z', 'w'])]"),
        // Strings in a row, or quotes around a space.
        (["a", "b"], "a='if x == ' ':\n  y')]"),
        (["a", "b"], "a='x' 'y 'z' w')]"),
        // A key with a line break, or quotes around a comma.
        (["a", "b"], "a={'k': 'p(',');\n p(':')'})]"),
        // Raw line breaks and escapes.
        (["a", "b"], "a='x 'y' \n \\n')]"),
        // A second string where an argument or a key is due.
        (["a", "b"], "a='x', 'y')]"),
        (["a", "b"], "a={'k': 'x', 'y'], 'l': 'z'})]"),
        // Another sign in the place of a comma.
        (["a", "b"], "a='x' | b='y')]"),
        (["a", "b"], "a='x'；b='y')]"),
        (["a", "b"], "a='x'，c='y')]"),
        (["a", "b"], "a=['x'，'y'])]"),
        (["a", "b"], "a={'k': 'x'; 'l': 'y'})]"),
        (["a", "b"], "a={'k': 'x'; l: 'y'})]"),
        // An expression in a text.
        (["a", "b"], "a=f'{x} y')]"),
    ] {
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let out = read(&names, text);
        assert!(out.error.is_none() && out.guessed, "{text} {out:?}");
    }
}

#[test]
fn a_declared_name_ends_a_string() {
    let out = read(&["a", "b"], "a='x 'y' z', b='c')]");
    assert_eq!(out.document, r#"{"a":"x 'y' z","b":"c"}"#);
    assert!(!out.guessed);
    // It was given before.
    let out = read(&["a", "b"], "a='x 'y' z', a='c')]");
    assert_eq!(out.document, r#"{"a":"x 'y' z', a='c"}"#);
    assert!(out.guessed);
}

#[test]
fn a_full_width_comma_before_a_declared_name() {
    for text in ["a='x'，b='y')]", "a='x'， b = 'y')]", "a=[1]，b='y')]", "a=1，b='y'，)]"] {
        let out = read(&["a", "b"], text);
        assert!(out.error.is_none() && out.document.ends_with(r#","b":"y"}"#), "{out:?}");
        assert!(out.has(NoteKind::OtherComma) && !out.guessed, "{text}");
    }
}

#[test]
fn a_lone_backslash_may_end_a_string() {
    for (text, json) in [
        ("dir='C:\\')]", r#"{"dir":"C:\\"}"#),
        ("dir='C:\\', name='x')]", r#"{"dir":"C:\\","name":"x"}"#),
        ("dir=r'C:\\x\\')]", r#"{"dir":"C:\\x\\"}"#),
        ("dir='C:\\')", r#"{"dir":"C:\\"}"#),
        ("dir={'k': 'C:\\'})]", r#"{"dir":{"k":"C:\\"}}"#),
    ] {
        let out = read(&["dir", "name"], text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(out.has(NoteKind::LoneBackslash) && !out.guessed, "{text}");
    }
    // Without declared names the strict reading stands.
    let out = read(&[], "a='\\', x='b')]");
    assert_eq!(out.document, r#"{"a":"', x='b"}"#);
}

#[test]
fn an_escaped_quote_does_not_end_a_string() {
    for (text, json) in [
        (r#"a="\"), f(b=\"w\"")]"#, r#"{"a":"\"), f(b=\"w\""}"#),
        (r#"a="\")] and \"so\"", b='x')]"#, r#"{"a":"\")] and \"so\"","b":"x"}"#),
        (r#"a="\", b=\"w\")]")]"#, r#"{"a":"\", b=\"w\")]"}"#),
    ] {
        let out = read(&["a", "b"], text);
        assert_eq!((out.error, out.document.as_str()), (None, json), "{text}");
        assert!(!out.non_strict && !out.guessed, "{text}");
    }
    let out = read(&["a"], r"a='\')]')]");
    assert_eq!((out.document.as_str(), out.guessed), (r#"{"a":"')]"}"#, false));
    // Python reads neither: the backslash may have been the last character.
    assert!(read(&["a"], r"a='\'), f(b=')')]").guessed);
    for text in [r"a='\')] as it isn't", r"a='\'), f(b='w')]", r"a='\'), f()]"] {
        let out = read(&["a"], text);
        assert!(out.has(NoteKind::LoneBackslash) && !out.guessed, "{text}");
        assert_eq!(out.document, r#"{"a":"\\"}"#, "{text}");
    }
}

#[test]
fn raw_control_characters_stay() {
    let out = read(&[], "command='cat > f << EOF\nimport csv\r\nEOF')]");
    assert_eq!(out.document, r#"{"command":"cat > f << EOF\nimport csv\r\nEOF"}"#);
    assert_eq!(out.notes.len(), 1);
    assert_eq!((out.notes[0].kind, out.notes[0].start), (NoteKind::ControlCharacter, AT + 23));
    let out = read(&[], "command='printf a\0b')]");
    assert_eq!(out.document, r#"{"command":"printf a\u0000b"}"#);
    assert!(read(&[], "command='''a\nb''')]").notes.is_empty());
}

#[test]
fn strings_of_the_built_in_tools() {
    let follow = Follow { texts: vec!["<|eom_id|>".to_owned()], ..Follow::default() };
    let options =
        Options { max_depth: 4, max_held_bytes: 4096, max_keys: 64, follow, ..Options::default() };
    let mut machine = ExprMachine::new(options);
    for text in
        ["query=\"who said \"f(\"x\")\" and\")", "query=\"who said \"f(\"x\")\" and\")<|eom_id|>"]
    {
        let out = run(&mut machine, &["query"], &[text]);
        assert_eq!(out.document, r#"{"query":"who said \"f(\"x\")\" and"}"#);
        assert!(!out.guessed);
    }
}

#[test]
fn keys_without_quotes_are_quoted() {
    let out = read(&[], "a={city: 'x', b: 1})");
    assert_eq!(out.document, r#"{"a":{"city":"x","b":1}}"#);
    assert!(out.has(NoteKind::UnquotedKey));
}

#[test]
fn a_clean_string_is_delayed_by_the_lookahead_only() {
    let mut machine = machine(PYTHON);
    machine.reset(0, []);
    let mut wire = String::new();
    for mut input in ["a='x", "y'", ", b", " = ", "1"] {
        while let Some(token) = machine.next(&mut input).unwrap() {
            wire.push_str(token.wire);
        }
    }
    assert_eq!(wire, r#"{"a":"xy","b":"#);
}

#[test]
fn inner_containers_close_with_the_string() {
    let out = read(&["a", "b"], "a=[{'x': 'y 'z' w'}], b=1)]");
    assert_eq!(out.document, r#"{"a":[{"x":"y 'z' w"}],"b":1}"#);
    assert!(!out.guessed);
    let out = read(&["a", "b"], "a=['w = '}'']");
    assert_eq!(out.ending, Some(Ending::Unclosed));
}
