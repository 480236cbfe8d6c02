use super::*;

fn words() -> Words {
    Words::of("test", "tool_call".to_owned(), "function", "parameter").unwrap()
}

fn lex_with(text: &str, others: bool) -> (Lex, String) {
    let (mut lexer, words) = (TagLexer::new(16), words());
    let mut last = Lex::More;
    for c in text.chars() {
        last = lexer.feed(c, &words, others);
        if last != Lex::More {
            break;
        }
    }
    for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let (in_runs, runs) = lex_in_runs(text.split_at(cut), others);
        assert_eq!(in_runs, last, "{text} cut at {cut}");
        assert_eq!((runs.word(), runs.name()), (lexer.word(), lexer.name()), "{text}");
        assert_eq!((runs.step, runs.kind), (lexer.step, lexer.kind), "{text} cut at {cut}");
    }
    (last, lexer.name().to_owned())
}

/// The same, with what decides nothing taken in runs.
fn lex_in_runs((text, rest): (&str, &str), others: bool) -> (Lex, TagLexer) {
    let (mut lexer, words) = (TagLexer::new(16), words());
    let mut last = Lex::More;
    for mut text in [text, rest] {
        while last == Lex::More && !text.is_empty() {
            let run = lexer.take_run(text, &words, others);
            let mut chars = text[run..].chars();
            if let Some(c) = chars.next() {
                last = lexer.feed(c, &words, others);
            }
            text = chars.as_str();
        }
    }
    (last, lexer)
}

fn lex(text: &str) -> (Lex, String) {
    lex_with(text, false)
}

#[test]
fn reads_tags_and_forgives_whitespace_and_quotes() {
    assert_eq!(lex("<function=f>"), (Lex::Tag(Tag::OpenCall), "f".into()));
    assert_eq!(lex("< parameter = 'x' >"), (Lex::Tag(Tag::OpenParam), "x".into()));
    assert_eq!(lex("<function=\"f\">").0, Lex::Tag(Tag::OpenCall));
    assert_eq!(lex("<function=\"a b/c\">"), (Lex::Tag(Tag::OpenCall), "a b/c".into()));
    assert_eq!(lex("</ function >").0, Lex::Tag(Tag::CloseCall));
    assert_eq!(lex("</parameter>").0, Lex::Tag(Tag::CloseParam));
    assert_eq!(lex("<func").0, Lex::More);
}

#[test]
fn refuses_other_tags_at_once() {
    assert_eq!(lex("<functional=f>").0, Lex::No);
    assert_eq!(lex("<b>").0, Lex::No);
    assert_eq!(lex("</function=f>").0, Lex::No);
}

#[test]
fn a_name_that_is_none_is_bad() {
    assert_eq!(lex("<function=>").0, Lex::Bad);
    assert_eq!(lex("<function=a b>").0, Lex::Bad);
    assert_eq!(lex("<function=a<").0, Lex::Bad);
    assert_eq!(lex("<function=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").0, Lex::Bad);
}

#[test]
fn free_tags_have_any_letter_case_and_name_themselves_in_several_ways() {
    assert_eq!(lex("<FUNCTION=f>"), (Lex::Tag(Tag::OpenCall), "f".into()));
    assert_eq!(lex("<Tool name=\"f\">"), (Lex::Tag(Tag::OpenCall), "f".into()));
    assert_eq!(lex("<param NAME = ' x '>"), (Lex::Tag(Tag::OpenParam), "x".into()));
    assert_eq!(lex("<function>"), (Lex::Tag(Tag::OpenCall), String::new()));
    assert_eq!(lex("<Tool_Call name=f>"), (Lex::Tag(Tag::OpenWrap), "f".into()));
    assert_eq!(lex("</TOOL_CALL>").0, Lex::Tag(Tag::CloseWrap));
    assert_eq!(lex("<function=f/>"), (Lex::Tag(Tag::OpenCall), "f".into()));
    assert_eq!(lex("<function=\"f/\">"), (Lex::Tag(Tag::OpenCall), "f/".into()));
    assert_eq!(lex("<parameter />").0, Lex::Tag(Tag::OpenParam));
}

#[test]
fn free_tags_end_at_a_boundary() {
    for text in ["<tool_calling>", "<toolbox>", "<functional>", "<params>", "<function id=f>"] {
        assert_eq!(lex(text).0, Lex::No, "{text}");
    }
    assert_eq!(lex("<tool_call=f>").0, Lex::No);
    assert_eq!(lex("</function name=f>").0, Lex::No);
}

#[test]
fn tags_of_other_words_count_only_where_they_are_asked_for() {
    assert_eq!(lex_with("<path>", true).0, Lex::Tag(Tag::Open));
    assert_eq!(lex_with("</params>", true).0, Lex::Tag(Tag::Close));
    assert_eq!(lex_with("<path/>", true).0, Lex::Tag(Tag::Open));
    assert_eq!(lex_with("<path a=1>", true).0, Lex::No);
    assert_eq!(lex_with("<>", true).0, Lex::No);
    assert_eq!(lex("<path>").0, Lex::No);
}
