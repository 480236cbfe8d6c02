use super::*;

fn read(source: &str) -> Result<Case, CaseError> {
    Case::parse(Path::new("formats/hermes/sample.case"), source)
}

#[test]
fn name_and_format_come_from_the_path() {
    let case = read("---\ntext\n").unwrap();
    assert_eq!((case.name.as_str(), case.format.as_str()), ("sample", "hermes"));
    let case = read("format = \"qwen25\"\n---\ntext\n").unwrap();
    assert_eq!(case.format, "qwen25");
}

#[test]
fn only_the_last_line_break_of_the_file_goes() {
    assert_eq!(read("---\na\n\n").unwrap().text, "a\n");
    assert_eq!(read("---\na").unwrap().text, "a");
    assert_eq!(read("---\n").unwrap().text, "");
    assert_eq!(read("note = \"x\"\n---\n---\nb\n").unwrap().text, "---\nb");
}

#[test]
fn json_encoding_carries_control_characters() {
    let case = read("encoding = \"json\"\n---\n\"a\\r\\n\\u0000b\\n\"\n").unwrap();
    assert_eq!(case.text, "a\r\n\0b\n");
    assert!(read("encoding = \"json\"\n---\n12\n").is_err());
    assert!(read("encoding = \"base64\"\n---\nx\n").is_err());
}

#[test]
fn tools_and_options_reach_the_request() {
    let source = "end = \"length\"\noptions = { max_depth = 3, malformed = \"drop\" }\n\
                  tools = [{ name = \"dice\", parameters = { type = \"object\" } }]\n---\nx\n";
    let case = read(source).unwrap();
    let request = case.request().unwrap();
    assert_eq!(case.end, StreamEnd::Length);
    assert_eq!(request.limits.max_depth, 3);
    assert_eq!(request.policies.malformed.word(), "drop");
    assert!(request.tools.contains("dice"));
}

#[test]
fn special_tokens_are_found_by_text_and_occurrence() {
    let every = read("special = [\"<t>\"]\n---\n<t>a<t>\n").unwrap();
    assert_eq!(every.special, Some(vec![0..3, 4..7]));
    let second = read("special = [{ text = \"<t>\", nth = [2] }]\n---\n<t>a<t>\n").unwrap();
    assert_eq!(second.special, Some(std::iter::once(4..7).collect()));
    assert_eq!(read("special = []\n---\n<t>\n").unwrap().special, Some(Vec::new()));
    assert!(read("special = [\"<u>\"]\n---\n<t>\n").is_err());
    let plain = read("special = [{ text = \"<t>\", nth = 2 }]\n---\n<t>a<t>\n").unwrap();
    assert_eq!(plain.special, second.special);
    for nth in ["[2]", "2", "0", "\"2\"", "[-1]"] {
        let source = format!("special = [{{ text = \"<t>\", nth = {nth} }}]\n---\n<t>\n");
        assert!(read(&source).is_err(), "{nth}");
    }
}

#[test]
fn unknown_keys_and_missing_parts_are_errors() {
    assert!(read("colour = \"red\"\n---\nx\n").unwrap_err().message.contains("colour"));
    assert!(read("note = \"no body\"\n").is_err());
    assert!(read("note = 3\n---\nx\n").is_err());
    assert!(read("tools = [{ description = \"nameless\" }]\n---\nx\n").is_err());
    assert!(read("tools = \"no-such-file\"\n---\nx\n").is_err());
    assert!(read("options = { colour = 1 }\n---\nx\n").unwrap().request().is_err());
}
