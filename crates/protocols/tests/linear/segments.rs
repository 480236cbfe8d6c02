//! Streams and floods of the segment formats.

use toolweir_protocols::Request;

use crate::harness::{
    BYTEWISE, CHUNKED, FILE, Flood, PROSE, check, examined, flood, tools, unlimited,
};

const SEGMENTS: [&str; 3] = ["segments-xml", "segments-json", "segments-sentinel"];
const WRITE: &str = "<tool name=\"write_file\"><arguments><arg name=\"path\">/a</arg>\
                     <arg name=\"content\">";
const WRITE_END: &str = "</arg></arguments></tool>";

#[test]
fn segments_of_any_sort_cost_the_same_in_any_chunks() {
    let escaped = FILE.replace('"', "\\\"").replace('\n', "\\n");
    let marked = format!("{WRITE}__START_CONTENT__\n");
    let marked_end = format!("__END_CONTENT__{WRITE_END}");
    let list = "{\"function\":\"f\",\"arguments\":{\"n\":1}},";
    let floods: [(&str, Vec<Flood>); 3] = [
        (
            "segments-xml",
            vec![
                flood("prose", PROSE),
                flood("a file in a tag", FILE).inside("<write_file path='/a'>", "</write_file>"),
                flood("a file in an argument", FILE).inside(WRITE, WRITE_END),
                flood("a file between markers", FILE).inside(marked, marked_end),
                flood("a generic argument", FILE.replace('<', "&lt;"))
                    .inside("<tool name='t'><arguments><arg name='a'>", WRITE_END),
                flood("small calls", "<tool name='t'><arguments><a>1</a></arguments></tool>\n"),
            ],
        ),
        (
            "segments-json",
            vec![
                flood("prose", PROSE),
                flood("a big argument", escaped)
                    .inside("{\"tool\":{\"function\":\"f\",\"parameters\":{\"a\":\"", "\"}}}"),
                flood("a list", list).inside("{\"function\":\"f\"} [{\"tool\":{}},", "{}]"),
                flood("small calls", "{\"tool\":{\"function\":\"f\"}}\n"),
            ],
        ),
        (
            "segments-sentinel",
            vec![
                flood("prose", PROSE),
                flood("a file", FILE)
                    .inside("[[SEG_START {\"type\":\"run_bash\"}]]", "[[SEG_END]]"),
                flood("a body", "{\"a\":1,").inside(
                    "[[SEG_START {\"type\":\"tool_call\",\"tool_name\":\"f\"}]]",
                    "[[SEG_END]]",
                ),
                flood("small calls", "[[SEG_START {\"type\":\"run_bash\"}]]ls[[SEG_END]]\n"),
            ],
        ),
    ];
    for (format, floods) in floods {
        for (what, counts) in examined(&[format], &floods, &unlimited(), &[BYTEWISE, CHUNKED]) {
            let whole = counts.first().copied().unwrap_or_default();
            for count in counts {
                assert!(2 * count <= 3 * whole + 8192, "{what}: {count} in chunks, {whole} whole");
            }
        }
    }
}

#[test]
fn floods_of_what_may_begin_a_segment() {
    let blanks = " ".repeat(200);
    let floods = [
        flood("signs", "<"),
        flood("tags without name", "<tool "),
        flood("open quotes", "<tool name=\""),
        flood("open quotes of both sorts", "<tool name=\"'"),
        flood("beginnings of tags", "<write_fil"),
        flood("tags without path", "<write_file>"),
        flood("tags without end", format!("<tool{blanks}")),
        flood("brackets", "{"),
        flood("lists", "["),
        flood("brackets and blanks", format!("{{{blanks}")),
        flood("beginnings of signatures", "{\"tool\""),
        flood("sentinels", "[[SEG_START"),
        flood("headers", "[[SEG_START {\""),
        flood("headers with a string", "[[SEG_START {\"a\":\"b"),
        flood("a header", "b").inside("[[SEG_START {\"a\":\"", ""),
        flood("headers of no type", "[[SEG_START {\"type\":1}]]"),
        flood("deferred starts", "<tool name=\"write_file\"><arg name=\"content\">"),
    ];
    check(&SEGMENTS, &floods);
    let mut all = Request::new(tools());
    all.set("strategy_order", "sentinel,json_tool,xml_tag").unwrap();
    examined(&["segments-xml"], &floods, &all, &[BYTEWISE]);
}

#[test]
fn floods_inside_segments() {
    let blanks = " ".repeat(4000);
    let marked = format!("{WRITE}__START_CONTENT__\n");
    let content = || {
        [
            flood("beginnings of closers", "</ar"),
            flood("closers", "</arg>"),
            flood("closers and blanks", format!("</arg>{blanks}x")),
            flood("closers and beginnings", "</arg></argument"),
            flood("closers that blanks run into", format!("</arg{blanks}x")),
            flood("closers and tags that blanks run into", format!("</arg></tool{blanks}x")),
            flood("end markers", "__END_CONTENT__"),
            flood("end markers and blanks", format!("__END_CONTENT__{blanks}x")),
            flood("end markers and beginnings", "__END_CONTENT__</ar"),
            flood("line breaks", "\n"),
            flood("indents", "\n  "),
            flood("indents and signs", "\n  <"),
        ]
    };
    check(&["segments-xml"], &content().map(|flood| flood.inside(WRITE, WRITE_END)));
    check(&["segments-xml"], &content().map(|flood| flood.inside(marked.as_str(), WRITE_END)));
    let tags = [flood("closing tags", WRITE_END), flood("ends of arguments", "</arg></tool")];
    check(&["segments-xml"], &tags.map(|flood| flood.inside(marked.as_str(), "")));
    let patch = WRITE.replace("write_file", "patch_file").replace("content", "patch");
    let contents = [
        flood("contents", format!("{marked}x{WRITE_END}")),
        flood(
            "contents in turn",
            format!("{marked}x{WRITE_END}{patch}__START_PATCH__\nx{WRITE_END}"),
        ),
    ];
    check(&["segments-xml"], &contents);
    let late = "<tool name='write_file'><arg name='content'>";
    let path = "</arg><arg name='path'>/a</arg></tool>";
    check(&["segments-xml"], &content().map(|flood| flood.inside(late, path)));
    let generic = [
        flood("signs", "<"),
        flood("elements", "<a>"),
        flood("empty elements", "<a/>"),
        flood("closing tags", "</a>"),
        flood("ends in a value", "</tool>"),
        flood("beginnings of an end", "</too"),
        flood("sections", "<![CDATA[x]]>"),
        flood("beginnings of sections", "<![CD"),
        flood("arguments", "<arg name='a'>1</arg>"),
        flood("references", "&amp;"),
        flood("signs of references", "&"),
    ];
    let inside = |flood: Flood| flood.inside("<tool name='t'><arguments><arg name='a'>", WRITE_END);
    check(&["segments-xml"], &generic.map(inside));
    let outside = [flood("tags", "<x>"), flood("open tags", "<x a='"), flood("text", "x")];
    check(
        &["segments-xml"],
        &outside.map(|flood| flood.inside("<tool name='run_bash'>", "</tool>")),
    );
    let written = [flood("signs in a string", "<x "), flood("escapes", "\\\"")];
    let string = |flood: Flood| flood.inside("<tool name='t'><arguments>{\"a\":\"", "\"}");
    check(&["segments-xml"], &written.map(string));
    let blank = [flood("blanks", " "), flood("wrappers", "<arguments>")];
    check(&["segments-xml"], &blank.map(|flood| flood.inside("<tool name='t'>", "</tool>")));
    let json = [
        flood("keys", "\"name\":1,"),
        flood("entries", "{},"),
        flood("lists", "["),
        flood("objects", "{\"tool\":"),
    ];
    check(&["segments-json"], &json.map(|flood| flood.inside("{\"tool\":[", "]}")));
}
