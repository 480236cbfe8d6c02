//! Ordinary streams, and floods outside calls.

use toolweir_protocols::Request;

use crate::harness::{
    BYTEWISE, ELEMENT, ELEMENT_END, FILE, FORMATS, Flood, JSON_END, PROSE, SIZES, TAGGED,
    TAGGED_END, check, examined, flood, json, tools, unlimited,
};

fn ordinary(format: &str) -> Vec<Flood> {
    let mut floods = vec![
        flood("prose", PROSE),
        flood("thinking", PROSE).inside("<think>\n", "</think>\n\nSo."),
    ];
    if format == "yaml-xml" {
        let small = "<f>\ntext: one\ncount: 7\n</f>\n";
        let line = FILE.lines().map(|line| format!("  {line}\n")).collect::<String>();
        floods.push(flood("a big argument", line).inside("<f>\ntext: |\n", "</f>"));
        floods.push(flood("small calls", small));
    } else if format == "morph-xml" {
        let small = format!("{ELEMENT}one</text><count>7</count></f>\n");
        floods.push(flood("a big argument", FILE).inside(ELEMENT, ELEMENT_END));
        floods.push(flood("small calls", small));
    } else if format == "qwen3-coder" {
        let small = format!("{TAGGED}one\n</parameter>\n<parameter=count>\n7\n{TAGGED_END}\n");
        floods.push(flood("a big argument", FILE).inside(TAGGED, TAGGED_END));
        floods.push(flood("small calls", small));
    } else {
        let small = json("{\"text\":\"one\",\"count\":7}}</tool_call>\n");
        let escaped = FILE.replace('"', "\\\"").replace('\n', "\\n");
        floods.push(flood("a big argument", escaped).inside(json("{\"text\":\""), JSON_END));
        floods.push(flood("small calls", small));
    }
    floods
}

#[test]
fn ordinary_streams_cost_the_same_in_any_chunks() {
    for format in FORMATS {
        for (what, counts) in examined(&[format], &ordinary(format), &unlimited(), &SIZES) {
            let whole = counts.first().copied().unwrap_or_default();
            for count in counts {
                assert!(2 * count <= 3 * whole, "{what}: {count} in chunks, {whole} whole");
            }
        }
    }
}

#[test]
fn twice_the_stream_is_twice_the_work() {
    for format in FORMATS {
        let sizes = [BYTEWISE / 2, BYTEWISE];
        let counts = examined(&[format], &ordinary(format), &unlimited(), &sizes);
        for pair in counts.chunks(2) {
            let [(what, small), (_, large)] = pair else { continue };
            for (small, large) in small.iter().zip(large) {
                assert!(10 * large <= 22 * small, "{what}: {small}, then {large}");
            }
        }
    }
}

#[test]
fn floods_of_openers_in_text() {
    let blanks = " \n".repeat(64);
    check(
        &FORMATS,
        &[
            flood("less-than signs", "<"),
            flood("openers", "<tool_call>"),
            flood("an opener and blanks", " ").inside("<tool_call>", "x"),
            flood("openers and blanks", format!("<tool_call>{blanks}")),
            flood("openers and a brace", "<tool_call>{"),
            flood("openers and a bracket", "<tool_call>["),
            flood("call tags", "<function="),
            flood("call tags after openers", "<tool_call><function="),
            flood("beginnings of openers", "<tool_cal"),
            flood("beginnings of call tags", "<tool_call><functio"),
            flood("beginnings of closers", "</tool_cal"),
            flood("closers", "</tool_call>"),
            flood("line breaks", "\n"),
            flood("line breaks and openers", "\n\n<tool_cal"),
        ],
    );
}

#[test]
fn floods_of_reasoning_markers() {
    let floods = [
        flood("sections", "<think></think>"),
        flood("openers", "<think>"),
        flood("closers", "</think>"),
        flood("beginnings of closers", "</thin").inside("<think>", ""),
        flood("line breaks", "\n").inside("<think>", "</think>"),
        flood("calls that are none", "\n<tool_call>\n").inside("<think>", "</think>"),
    ];
    check(&FORMATS, &floods);
}

#[test]
fn an_empty_section_that_does_not_close() {
    let mut request = Request::new(tools());
    request.reasoning = toolweir_protocols::Reasoning::Off;
    let floods = [flood("blanks", "\n").inside("<think>", "x"), flood("openers", "<think>")];
    examined(&FORMATS, &floods, &request, &SIZES);
}
