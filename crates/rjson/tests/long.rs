//! Repair mode on texts longer than what it reads at a time: the same value and the same notes
//! however a text is cut, wherever its damage stands.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use toolweir_rjson::{Diagnostic, Machine, Mode, Options, TreeBuilder, Value, parse};

/// Records that are read in a row, as far as their damage lets them.
const RECORDS: [&str; 8] = [
    r#"{"row": 7, "yarn": "grey merino", "done": true, "size": {"width": 1.5, "marks": [1, 2]}}"#,
    "{row: 8, yarn: 'Wollfäden, grün', done: True, by: None,}",
    r#"{"row": 9, "note": "a \"steady\" beat\nand é", "by": null} // as counted"#,
    r#"{"row": 10 "yarn": "no comma" "done": false}"#,
    r#"{"row": 11, "note": "she said "stop" and went", "size": [[], {}]}"#,
    "{row: 12kg, plan: warp and weft, 'k': /* none */ 0x1F}",
    r#"{"row": 13, "text": "ends with its line
"}"#,
    "…",
];

/// What came of a text in chunks of so many bytes, as roots.
fn in_chunks(text: &str, bytes: usize, tokens: bool) -> (Vec<Value>, Vec<Diagnostic>) {
    let options = Options::new(Mode::Repair);
    let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(&options));
    let (mut roots, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let end = (bytes.min(rest.len())..).find(|&end| rest.is_char_boundary(end)).unwrap();
        let (mut chunk, after) = rest.split_at(end);
        rest = after;
        if tokens {
            while let Some(token) = machine.next(&mut chunk).unwrap() {
                tree.push(&token).unwrap();
                roots.extend(tree.take());
            }
        } else {
            while tree.read(&mut machine, &mut chunk).unwrap() {
                roots.extend(tree.take());
            }
        }
    }
    while let Some(token) = machine.finish().unwrap() {
        tree.push(&token).unwrap();
        roots.extend(tree.take());
    }
    (roots, tree.take_diagnostics())
}

#[test]
fn a_long_text_gives_the_same_however_it_is_cut() {
    let mut records = 0;
    // What stands before moves every record over every place where the reading could be cut.
    for round in 0..120 {
        let odd = RECORDS[round % RECORDS.len()];
        let before = "x".repeat(round * 67 % 601);
        let mut text = format!("{{\"before\": \"{before}\", 'plan': [");
        for count in 0..24 {
            let record = if count % 5 == round % 5 { odd } else { RECORDS[(count + round) % 3] };
            text.push_str(if count > 0 { ",\n  " } else { "" });
            text.push_str(record);
        }
        text.push_str("], \"cut\": \"here it en");
        let whole = parse(&text, Mode::Repair).unwrap();
        records += whole.value.get("plan").unwrap().as_array().unwrap().len();
        for bytes in [1, 7, 511, 512, 513, 700, text.len()] {
            for tokens in [false, true] {
                let (roots, notes) = in_chunks(&text, bytes, tokens);
                assert_eq!(roots, std::slice::from_ref(&whole.value), "{bytes}, {tokens}: {text}");
                assert_eq!(notes, whole.diagnostics, "{bytes}, {tokens}: {text}");
            }
        }
    }
    assert!(records >= 120 * 19, "{records}");
}
