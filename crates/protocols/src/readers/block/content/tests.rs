//! Contents and their ends, at every cut.

use super::*;

/// The content, and what stands after it if it ended; for every cut in two and each character.
fn run(start: bool, end: &str, text: &str) -> (String, Option<String>, bool) {
    let cuts = text.char_indices().map(|(at, _)| vec![at]);
    let each = text.char_indices().map(|(at, _)| at).collect();
    let mut results: Vec<_> =
        cuts.chain([each]).map(|cuts| run_cut(start, end, text, &cuts)).collect();
    results.dedup();
    assert_eq!(results.len(), 1, "{text:?} depends on its chunks: {results:?}");
    results.remove(0)
}

fn run_cut(start: bool, end: &str, text: &str, cuts: &[usize]) -> (String, Option<String>, bool) {
    let (plain, marked) = (Ends::argument().unwrap(), Ends::marked("__S__", end).unwrap());
    let mut content = Content::marked(&plain, start.then_some(&marked), 40);
    let mut out = String::new();
    let mut from = 0;
    for to in cuts.iter().copied().chain([text.len()]) {
        let mut queue = vec![text[from..to].to_owned()];
        from = to;
        while let Some(next) = queue.pop() {
            let mut input = next.as_str();
            let read = content.read(&mut input, &mut |t| out.push_str(t));
            if !input.is_empty() {
                queue.push(input.to_owned());
            }
            match read {
                BodyStep::Again(again) => queue.push(again),
                BodyStep::End(after) => {
                    queue.push(after);
                    queue.reverse();
                    return (out, Some(queue.concat() + &text[to..]), true);
                }
                step => assert_eq!(step, BodyStep::More),
            }
            queue.retain(|text| !text.is_empty());
        }
    }
    if let Some(after) = content.stop() {
        return (out, Some(after), true);
    }
    let whole = content.finish(&mut |t| out.push_str(t));
    (out, None, whole)
}

fn plain(text: &str) -> (String, Option<String>) {
    let (content, after, _) = run(false, "E", text);
    (content, after)
}

fn marked(text: &str) -> (String, Option<String>) {
    let (content, after, _) = run(true, "__E__", text);
    (content, after)
}

#[test]
fn an_argument_ends_only_before_structure() {
    let some = |content: &str, after: &str| (content.to_owned(), Some(after.to_owned()));
    assert_eq!(plain("a</arg></arguments>"), some("a", "</arguments>"));
    assert_eq!(plain("a</ARG> \n</TOOL>x"), some("a", " \n</TOOL>x"));
    assert_eq!(plain("a</arg><arg name='b'>"), some("a", "<arg name='b'>"));
    assert_eq!(plain("a</arg>b</arg></arg></tool>"), some("a</arg>b</arg>", "</tool>"));
    assert_eq!(plain("</arg><args></arg></tool>"), some("</arg><args>", "</tool>"));
    assert_eq!(plain("</arg></argum</arg></tool>"), some("</arg></argum", "</tool>"));
}

#[test]
fn a_cut_end_marker_is_content_and_a_whole_one_is_not() {
    assert_eq!(run(false, "E", "a</ar"), ("a</ar".into(), None, false));
    assert_eq!(run(false, "E", "a</arg> "), ("a".into(), None, true));
    assert_eq!(run(false, "E", "a</arg></to"), ("a".into(), None, true));
}

#[test]
fn markers_enclose_anything() {
    let some = |content: &str| (content.to_owned(), Some("</tool>".to_owned()));
    assert_eq!(marked("\n __S__\na\n__E__</arg></tool>"), some("a\n"));
    assert_eq!(marked("__S__\r\na</arg>\n__E__x __E__\n </arg></tool>"), some("a</arg>\n__E__x "));
    assert_eq!(marked("__S__a\n__E__\n__E__</arg></tool>"), some("a\n__E__\n"));
    assert_eq!(marked("__S__\n\na\n\t </arg> </arguments>").0, "\na");
    assert_eq!(marked("__S__a\r\n</arg></tool>").0, "a");
    assert_eq!(marked("__S__a \n \n </arg></tool>").0, "a \n ");
    assert_eq!(marked(" __S_ a</arg></tool>"), some(" __S_ a"));
}

#[test]
fn closing_tags_between_markers_are_the_files_where_the_end_marker_comes() {
    let some = |content: &str, after: &str| (content.to_owned(), Some(after.to_owned()));
    assert_eq!(
        marked("__S__a\n</arg></tool>b __E__x\n__E__ </arg></tool>c"),
        some("a\n</arg></tool>b __E__x\n", "</tool>c")
    );
    // Another content begins, or no end marker comes: they were the end.
    assert_eq!(marked("__S__a\n</arg></tool>b __S__c"), some("a", "</tool>b __S__c"));
    assert_eq!(marked("__S__a\n</arg> </tool>b __E__c __"), some("a", " </tool>b __E__c __"));
    assert_eq!(marked("__S__a</arg></tool></arg></tool>"), some("a", "</tool></arg></tool>"));
    // More than 40 bytes: the file goes on, and the next closing tags are looked at in their turn.
    let (more, end) = ("</arg></tool>0123456789 0123456789 0123", "4567</arg></arguments>c");
    assert_eq!(
        marked(&format!("__S__a{more}{end}")),
        some(&format!("a{more}4567"), "</arguments>c")
    );
}

#[test]
fn what_was_withheld_comes_out_at_the_end() {
    for (text, content) in [
        ("__S", "__S"),
        (" \n", " \n"),
        ("__S__a\n  ", "a\n  "),
        ("__S__a\r", "a\r"),
        ("__S__a__E_", "a__E_"),
        ("__S__a\n</ar", "a\n</ar"),
        ("__S__a\n__E__ ", "a\n"),
        ("__S__a\n</arg>", "a"),
    ] {
        assert_eq!(marked(text), (content.to_owned(), None), "{text:?}");
    }
}
