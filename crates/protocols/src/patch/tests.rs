use proptest::prelude::*;

use super::*;

const PATCH: &str = "*** Begin Patch
*** Add File: a.txt
+one
+
*** Update File: b.rs
*** Move to: c.rs
@@ fn shuttle()
 kept

-gone
+come
*** End of File
*** Delete File: d.rs
*** Update File: e.rs
-first
*** End Patch";

#[test]
fn every_kind_of_line() {
    let events = read_patch(PATCH).unwrap();
    assert_eq!(
        events,
        [
            PatchEvent::Add { path: "a.txt".into() },
            PatchEvent::Line("one".into()),
            PatchEvent::Line("".into()),
            PatchEvent::Update { path: "b.rs".into(), move_to: Some("c.rs".into()) },
            PatchEvent::Hunk { context: Some("fn shuttle()".into()) },
            PatchEvent::Kept("kept".into()),
            PatchEvent::Kept("".into()),
            PatchEvent::Removed("gone".into()),
            PatchEvent::Added("come".into()),
            PatchEvent::EndOfFile,
            PatchEvent::Delete { path: "d.rs".into() },
            PatchEvent::Update { path: "e.rs".into(), move_to: None },
            PatchEvent::Hunk { context: None },
            PatchEvent::Removed("first".into()),
            PatchEvent::End,
        ]
    );
}

#[test]
fn errors_name_their_line() {
    let cases = [
        ("", 1, PatchErrorKind::NoBegin),
        ("diff", 1, PatchErrorKind::NoBegin),
        ("*** Begin Patch\nx\n", 2, PatchErrorKind::NoFile),
        ("*** Begin Patch\n*** Add File: \n", 2, PatchErrorKind::NoPath),
        ("*** Begin Patch\n*** Add File: a\nx\n", 3, PatchErrorKind::NoPlus),
        ("*** Begin Patch\n*** Update File: a\n@@\n-x\nx\n", 5, PatchErrorKind::NoSign),
        ("*** Begin Patch\n*** Update File: a\n*** End Patch\n", 2, PatchErrorKind::NoHunk),
        (
            "*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n-x\n",
            5,
            PatchErrorKind::AfterEndOfFile,
        ),
        ("*** Begin Patch\n*** End Patch\n\nx\n", 4, PatchErrorKind::AfterEnd),
        ("*** Begin Patch\n*** Delete File: a\n", 2, PatchErrorKind::NoEnd),
    ];
    for (text, line, kind) in cases {
        assert_eq!(read_patch(text), Err(PatchError { kind, line }), "{text:?}");
    }
}

#[test]
fn an_error_stays() {
    let mut reader = PatchReader::new();
    let first = reader.push("no patch\n", |_| ()).unwrap_err();
    assert_eq!(reader.push(PATCH, |_| ()), Err(first));
    assert_eq!(reader.finish(|_| ()), Err(first));
    assert_eq!(first.to_string(), "line 1: the text does not begin with `*** Begin Patch`");
}

fn in_pieces(text: &str, cuts: &[usize]) -> (Vec<PatchEvent<'static>>, Result<(), PatchError>) {
    let (mut reader, mut events) = (PatchReader::new(), Vec::new());
    let mut sink = |event: PatchEvent<'_>| events.push(event.into_owned());
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    places.retain(|at| text.is_char_boundary(*at));
    places.push(text.len());
    places.sort_unstable();
    let mut from = 0;
    let mut result = Ok(());
    for at in places {
        result = result.and_then(|()| reader.push(&text[from..at], &mut sink));
        from = at;
    }
    let result = result.and_then(|()| reader.finish(&mut sink));
    (events, result)
}

proptest! {
    #[test]
    fn pieces_do_not_matter(
        lines in prop::collection::vec(prop::sample::select(vec![
            BEGIN, END, "*** Add File: ä", "*** Delete File: b", "*** Update File: c",
            "*** Move to: d", "@@", "@@ fn f()", "+one", "-two", " three", "", "four",
            END_OF_FILE, "  *** End Patch ",
        ]), 0..12),
        cuts in prop::collection::vec(0_usize..400, 0..12),
    ) {
        for text in [format!("{BEGIN}\n{}", lines.join("\n")), PATCH.to_owned()] {
            prop_assert_eq!(in_pieces(&text, &cuts), in_pieces(&text, &[]));
        }
    }
}
