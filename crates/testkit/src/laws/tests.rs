use super::*;
use crate::sample::{Fault, PassThrough, Toy};
use toolweir_protocols::ToolCall;

fn run(protocol: &dyn Protocol, text: &str) -> Result<Turn, Report> {
    let options = CheckOptions::with_splits(Splits::thorough());
    check(protocol, &Request::default(), text, StreamEnd::Stop, &options)
}

fn broken(fault: Fault, text: &str) -> Report {
    run(&Toy(fault), text).unwrap_err()
}

#[test]
fn protocols_that_keep_the_laws_pass() {
    for text in ["", "prose", "a[roll]b[roll]", "[[roll]", "[rol", "é[roll]😀", "\n[roll] \n"] {
        run(&Toy(Fault::None), text).unwrap();
        run(&PassThrough, text).unwrap();
    }
    let turn = run(&Toy(Fault::None), "a[roll]b").unwrap();
    assert_eq!((turn.text().as_str(), turn.calls().count()), ("ab", 1));
}

#[test]
fn each_fault_is_reported_under_its_law() {
    for (fault, text, law) in [
        (Fault::LosesMarkup, "a[roll]b", "C1"),
        (Fault::MissesCutMarker, "a[roll]b", "C3"),
        (Fault::Leaks, "a[roll]b[roll]", "C5"),
        (Fault::NoObject, "a[roll]b", "C6"),
        (Fault::Panics, "a!", "C7"),
        (Fault::NoFinish, "a", "C9"),
        (Fault::Dawdles, "two words", "C10"),
    ] {
        let report = broken(fault, text);
        assert!(report.breaks(law), "{fault:?} should break {law}:\n{report}");
    }
}

#[test]
fn a_report_names_the_split_and_shows_both_turns() {
    let report = broken(Fault::MissesCutMarker, "a[roll]b").to_string();
    assert!(report.contains("C3 (character by character)"), "{report}");
    assert!(report.contains("\n+ ") && report.contains("\n- "), "{report}");
    assert!(report.contains("a[roll]b"), "{report}");
}

#[test]
fn a_report_stays_short() {
    let report = broken(Fault::MissesCutMarker, &"[roll]".repeat(30));
    assert!(report.failures().len() <= MAX_FAILURES + 1);
}

#[test]
fn a_rendered_call_comes_back_or_is_refused() {
    let options = CheckOptions::default();
    let trip = |fault, name| {
        round_trip(&Toy(fault), &Request::default(), &ToolCall::new(name, "{}"), &options)
    };
    assert!(matches!(trip(Fault::None, "roll"), Ok(RoundTrip::Same(_))));
    assert!(matches!(trip(Fault::None, "other"), Ok(RoundTrip::Refused(_))));
    assert!(trip(Fault::Renders, "roll").unwrap_err().breaks("C11"));
}

#[test]
fn a_case_with_a_bad_option_is_reported() {
    let source = "options = { colour = 1 }\n---\nx\n";
    let case = Case::parse(std::path::Path::new("toy/x.case"), source).unwrap();
    let report = check_case(&Toy(Fault::None), &case, Splits::default()).unwrap_err();
    assert!(report.breaks("request"), "{report}");
}
