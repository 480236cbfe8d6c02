//! Strict reading: what XML 1.0 with name spaces takes, and what it refuses and why.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use toolweir_rxml::{
    Element, Error, Node, NodeOptions, ParseErrorKind, parse_node, parse_strict, simplify,
};

fn read(text: &str) -> Element {
    let mut options = NodeOptions::default();
    options.keep_whitespace = true;
    options.keep_comments = true;
    parse_strict(text, &options).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Why a document is not well-formed, and where.
fn refused(text: &str) -> (&'static str, std::ops::Range<usize>) {
    match parse_strict(text, &NodeOptions::default()) {
        Err(Error::Parse { kind: ParseErrorKind::NotWellFormed(what), span, .. }) => {
            (what, span.as_range())
        }
        other => panic!("{other:?}: {text}"),
    }
}

#[test]
fn comments_instructions_and_sections_are_read_where_they_may_stand() {
    let text = "<?xml version='1.0'?><!-- a --><?look closely?><a>x<!-- b - c --><?go?><![CDATA[<&]]>y</a><!-- d -->";
    let root = read(text);
    let inside =
        [Node::Text("x".into()), Node::Comment(" b - c ".into()), Node::Text("<&y".into())];
    assert_eq!(root.children, inside);
    assert_eq!(root.text(), "x<&y");
}

#[test]
fn line_ends_and_white_space_in_attributes_become_what_xml_says() {
    let root =
        read("<a b='1\r\n2\t3\r4' c='&#10;&lt;&quot;&#x41;&amp;'>x\r\ny\rz<![CDATA[\r\n]]></a>");
    let attributes = [("b".to_owned(), "1 2 3 4".to_owned()), ("c".into(), "\n<\"A&".into())];
    assert_eq!(root.attributes, attributes);
    assert_eq!(root.text(), "x\ny\nz\n");
}

#[test]
fn names_may_have_letters_of_any_script_and_bound_prefixes() {
    for name in ["_a", "é", "Ω.1", "名-前", "a·b", "\u{10000}x"] {
        assert_eq!(read(&format!("<{name}/>")).name, name);
    }
    let text = "<p:a xmlns:p='u' xmlns='v' p:c='1' c='2' xml:lang='en'><b xmlns:p='w' p:c=''/><p:d/></p:a>";
    assert_eq!(read(text).children.len(), 2);
    for (text, what) in [
        ("<1a/>", "name of an element"),
        ("<a:b:c xmlns:a='u'/>", "name of an element"),
        ("<a 1='x'/>", "name of an attribute"),
        ("<p:a/>", "prefix that is not bound"),
        ("<a><b xmlns:p='u'/><p:c/></a>", "prefix that is not bound"),
        ("<a p:b='1'/>", "prefix that is not bound"),
        ("<a xmlns:p=''/>", "prefix bound to nothing"),
        ("<a xmlns:xml='u'/>", "prefix xml bound to another name space"),
        ("<a xmlns:xmlns='u'/>", "prefix xmlns bound"),
        (
            "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
            "reserved name space bound to another prefix",
        ),
        ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "attribute given twice"),
        ("<a b='1' b='2'/>", "attribute given twice"),
    ] {
        assert_eq!(refused(text).0, what, "{text}");
    }
}

#[test]
fn each_rule_of_well_formed_markup_has_a_document_that_breaks_it() {
    for (text, what, at) in [
        ("<a>\u{1}</a>", "character that XML does not allow", 3),
        ("<a>\u{ffff}</a>", "character that XML does not allow", 3),
        ("<a>x ]]> y</a>", "]]> in text", 3),
        ("x<a/>", "text outside the root", 0),
        ("<a/>&lt;", "reference outside the root", 4),
        ("<a/><b/>", "second root element", 4),
        ("<![CDATA[x]]><a/>", "CDATA section outside the root", 0),
        ("<a><!-- x -- y --></a>", "comment with --", 3),
        ("<a><!-- x ---></a>", "comment with --", 3),
        ("<a><?XML x?></a>", "reserved target of a processing instruction", 3),
        ("<a><? x?></a>", "target of a processing instruction", 3),
        ("<a/><?xml version='1.0'?>", "XML declaration that is not at the start", 4),
        ("<a>&nbsp;</a>", "undefined reference", 3),
        ("<a>&#0;</a>", "undefined reference", 3),
        ("<a>&#xD800;</a>", "undefined reference", 3),
        ("<a>&#1234567890;</a>", "undefined reference", 3),
        ("<a>&#x1g;</a>", "undefined reference", 3),
        ("<a b=1/>", "attribute value without quotes", 0),
        ("<a b/>", "attribute without a value", 0),
        ("<a b='1'c='2'/>", "attributes without white space between them", 0),
        ("<a b='<'/>", "< in an attribute value", 0),
        ("<a b='&lt'/>", "reference without a semicolon", 0),
        ("<a b='&x;'/>", "undefined reference in an attribute", 0),
        ("<a></1>", "closing tag", 3),
    ] {
        let (found, span) = refused(text);
        assert_eq!((found, span.start), (what, at), "{text:?}");
        assert!(text.get(span).is_some(), "{text:?}");
    }
}

#[test]
fn a_declaration_has_its_fields_in_order() {
    for good in [
        "version='1.0'",
        "version=\"1.1\" encoding='UTF-8'",
        "version = '1.0' encoding=\"x.y_z-1\" standalone='yes' ",
        "version='1.0' standalone=\"no\"",
    ] {
        assert_eq!(read(&format!("<?xml {good}?><a/>")).name, "a");
    }
    for bad in [
        "",
        "encoding='UTF-8'",
        "version='2.0'",
        "version='1.'",
        "version=1.0",
        "version='1.0",
        "version",
        "version='1.0'encoding='UTF-8'",
        "version='1.0' encoding='8'",
        "version='1.0' encoding=''",
        "version='1.0' standalone='maybe'",
        "version='1.0' standalone='yes' encoding='UTF-8'",
        "version='1.0' x='y'",
    ] {
        assert_eq!(refused(&format!("<?xml {bad}?><a/>")).0, "XML declaration", "{bad}");
    }
    assert_eq!(refused(" <?xml version='1.0'?><a/>").0, "XML declaration that is not at the start");
}

#[test]
fn a_byte_order_mark_is_no_text_and_counts_in_places() {
    assert_eq!(read("\u{feff}<?xml version='1.0'?><a>x</a>").text(), "x");
    assert_eq!(refused("\u{feff}<a/><b/>").1, 7..11);
}

#[test]
fn trees_are_compared_and_copied_by_all_they_hold() {
    let text = "<a i='1'>x<!--c--><b>y</b></a>";
    let root = read(text);
    assert_eq!(root.clone(), root);
    assert_eq!(format!("{root:?}"), r#"a [("i", "1")] ["x", Comment("c"), b [] ["y"]]"#);
    for other in [
        "<z i='1'>x<!--c--><b>y</b></z>",
        "<a i='2'>x<!--c--><b>y</b></a>",
        "<a i='1'>z<!--c--><b>y</b></a>",
        "<a i='1'>x<!--z--><b>y</b></a>",
        "<a i='1'>x<b/><b>y</b></a>",
        "<a i='1'>x<!--c--><b>z</b></a>",
        "<a i='1'>x<!--c--></a>",
    ] {
        assert_ne!(read(other), root, "{other}");
    }
}

#[test]
fn repeated_elements_become_lists_and_comments_nothing() {
    let mut options = NodeOptions::default();
    options.keep_comments = true;
    let nodes = parse_node("<a><b>1</b><!--c--><b/><c>x</c><b>3</b></a>", &options).unwrap();
    assert_eq!(simplify(&nodes).to_string(), r#"{"a":{"b":["1","","3"],"c":"x"}}"#);
}
