//! Floods inside and around elements, their bodies XML or YAML.

use crate::harness::{ELEMENT, ELEMENT_END, check, examined, flood, unlimited};

#[test]
fn floods_around_elements() {
    let blanks = " \n".repeat(64);
    let floods = [
        flood("tags of tools", "<f>"),
        flood("beginnings of tags", "<f"),
        flood("beginnings of tags and blanks", format!("<f{blanks}")),
        flood("signs and blanks", format!("<{blanks}")),
        flood("a sign and blanks", " ").inside("<", "x"),
        flood("closing tags", "</f>"),
        flood("whole calls", "<f/>"),
        flood("names on lines", "\nf"),
        flood("names on lines and blanks", format!("\nf{blanks}")),
        flood("a name on a line and blanks", " ").inside("f\n", "x"),
        flood("names on lines and signs", "\nf:\n<"),
        flood("names on lines and other elements", "\nf\n<say>"),
        flood("calls on lines", "\nf\n<count>1</count>"),
        flood("elements of one line", "<count>1</count>\n").inside("f\n", "x"),
        flood("whitespace after a line", " ").inside("f\n<count>1</count>", "x"),
        flood("tags on lines", "<f\n"),
        flood("tags and elements", "<f\n<text"),
    ];
    check(&["morph-xml"], &floods);
    examined(&["morph-xml"], &floods, &unlimited(), &[64 << 10]);
}

#[test]
fn floods_inside_elements() {
    let string = [
        flood("beginnings of closing tags", "</tex"),
        flood("signs", "<"),
        flood("own opening tags", "<text>"),
        flood("own tags", "<text></text>"),
        flood("tags of the tool", "<f></f>"),
        flood("opening tags of siblings", "<count>"),
        flood("closing tags of nothing", "</x>"),
        flood("blanks", " "),
        flood("references", "&amp;"),
        flood("beginnings of references", "&"),
        flood("sections", "<![CDATA[x]]>"),
        flood("beginnings of sections", "<![CDATA["),
        flood("attributes", "<a b=\"c\""),
    ];
    check(&["morph-xml"], &string.map(|flood| flood.inside(ELEMENT, ELEMENT_END)));
    let between = [
        flood("blanks", " "),
        flood("text", "x"),
        flood("signs", "< "),
        flood("comments", "<!-- x -->"),
        flood("beginnings of comments", "<!--"),
        flood("closing tags of nothing", "</x>"),
        flood("opening tags", "<x>"),
        flood("undeclared elements", "<x>1</x>"),
        flood("one string again", "<text>1</text>"),
        flood("one number again", "<count>1</count>"),
        flood("entries", "<list>1</list>"),
    ];
    let in_tag = [
        flood("blanks", " "),
        flood("slashes", "/"),
        flood("blanks and slashes", format!("{}/", " ".repeat(4000))),
        flood("ends of tags", "x />"),
        flood("entries", "<list>1</list>\n"),
    ];
    let in_tag = in_tag.map(|flood| flood.inside("<f\n<count>1</count>", "\n/>"));
    check(&["morph-xml"], &in_tag);
    let between = between.map(|flood| flood.inside("<f>", "</f>"));
    check(&["morph-xml"], &between);
    examined(&["morph-xml"], &between, &unlimited(), &[64 << 10]);
    let plain = [
        flood("text", "x"),
        flood("tags", "<b>"),
        flood("signs", "<"),
        flood("a closing tag and blanks", format!("</{}", " ".repeat(200))),
        flood("brackets in a section", ">").inside("<![CDATA[", "]]>"),
        flood("brackets in a comment", ">").inside("<!--", "-->"),
    ];
    check(
        &["morph-xml"],
        &plain.map(|f| {
            let (a, b) = (format!("<say>x{}", f.before), format!("{}</say>", f.after));
            f.inside(a, b)
        }),
    );
}

#[test]
fn floods_inside_yaml() {
    let body = [
        flood("blanks", " "),
        flood("line breaks", "\n"),
        flood("brackets", ">"),
        flood("own opening tags", "<f>"),
        flood("own tags", "<f></f>"),
        flood("beginnings of closing tags", "</f"),
        flood("keys", "a: 1\n"),
        flood("entries of a list", "- a\n").inside("list:\n", ""),
        flood("lists in lists", "- ").inside("list:\n", ""),
        flood("flow lists", "[").inside("list: ", ""),
        flood("flow objects", "{a: ").inside("list: ", ""),
        flood("indents", " a:\n"),
        flood("anchors", "- &a x\n").inside("list:\n", ""),
        flood("aliases", "- *a\n").inside("list:\n- &a [x, x, x, x, x, x, x, x]\n", ""),
        flood("a quoted text", "\\n").inside("text: \"", "\"\n"),
        flood("a block", "  x\n").inside("text: |\n", ""),
        flood("a folded block", "  x\n\n").inside("text: >\n", ""),
        flood("blanks in a block", " ").inside("text: |\n  x", "\n"),
        flood("beginnings of tags in a block", "</").inside("text: |\n  x", "\n"),
        flood("own opening tags in a block", "<f>").inside("text: |\n  ", "\n"),
        flood("CRs in a block", "\r").inside("text: |\n  x", "\n"),
        flood("what is no YAML after a block", "x\n").inside("text: |\n  x\n", ""),
        flood("lines of elements", "<list>1</list>\n"),
        flood("comments", "# x\n"),
        flood("questions", "? "),
    ];
    let body = body.map(|f| {
        let (before, after) = (format!("<f>\n{}", f.before), format!("{}</f>", f.after));
        f.inside(before, after)
    });
    check(&["yaml-xml"], &body);
    examined(&["yaml-xml"], &body, &unlimited(), &[64 << 10]);
    let in_tag = [
        flood("ends of tags", "/>"),
        flood("ends of tags and blanks", " />"),
        flood("lines of blanks", "  \n"),
        flood("lines of a key", "text: [\n"),
        flood("beginnings of keys", "<f\nte"),
    ];
    let in_tag = in_tag.map(|flood| flood.inside("<f\n text: [\n", "\n/>"));
    check(&["yaml-xml"], &in_tag);
}
