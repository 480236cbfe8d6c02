//! The example for programs on `async-openai` runs, and runs nothing that was cut.

#[path = "../../examples/async_openai.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use toolweir_segments::StreamEnd;

#[test]
fn a_program_on_async_openai_sees_text_and_calls() {
    let seen = example::read(&example::ANSWER, StreamEnd::Stop).unwrap();
    let call = ("dice".to_owned(), "{\"sides\": 6}".to_owned());
    assert_eq!((seen.text.trim_end(), seen.calls, seen.may_run), ("Rolling.", vec![call], true));
    for pieces in 1..3 {
        let cut = example::read(&example::ANSWER[..pieces], StreamEnd::Length).unwrap();
        assert!(!cut.may_run, "{cut:?}");
    }
    assert!(example::read(&example::ANSWER[..2], StreamEnd::Aborted).is_err());
}
