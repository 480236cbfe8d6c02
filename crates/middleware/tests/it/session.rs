//! Sessions: events, reasons, reports.

use toolweir_middleware::{
    Answer, Conversation, DropReason, FinishReason, Message, Middleware, ToolChoice,
};
use toolweir_protocols::{Chunk, Malformed, Request, Tool};
use toolweir_segments::{Event, Fold, Span};

use super::{loom, middleware};

const GOOD: &str =
    r#"Now. <tool_call>{"name": "loom_set", "arguments": {"shafts": 8}}</tool_call>"#;
const BAD: &str =
    r#"Hm <tool_call>{"name": "loom_set", "arguments": {"shafts": 8</tool_call> done"#;

fn read(middleware: &Middleware, text: &str, reason: FinishReason) -> Answer {
    let conversation = Conversation::new([Message::user("Set it.")]).tools([loom()]);
    let prepared = middleware.prepare(&conversation).unwrap();
    let whole = middleware.parse(text, reason, &prepared).unwrap();
    // Every chunking gives the same answer.
    for size in [1, 3, 11] {
        let mut session = middleware.session(&prepared).unwrap();
        let mut fold = Fold::new();
        let chars: Vec<char> = text.chars().collect();
        for chunk in chars.chunks(size) {
            session.push(Chunk::text(&chunk.iter().collect::<String>()), &mut fold);
        }
        assert_eq!(session.finish(reason, &mut fold), whole.reason);
        assert_eq!(session.reports(), whole.reports, "in chunks of {size}");
        assert_eq!(fold.turn().text(), whole.turn.text());
    }
    whole
}

#[test]
fn the_reason_knows_of_calls_in_the_text() {
    let hermes = middleware("hermes");
    for (given, with, without) in [
        (FinishReason::Stop, FinishReason::ToolCalls, FinishReason::Stop),
        (FinishReason::Other, FinishReason::ToolCalls, FinishReason::Other),
        (FinishReason::Length, FinishReason::Length, FinishReason::Length),
        (FinishReason::ContentFilter, FinishReason::ContentFilter, FinishReason::ContentFilter),
        (FinishReason::Error, FinishReason::Error, FinishReason::Error),
    ] {
        assert_eq!(read(&hermes, GOOD, given).reason, with);
        assert_eq!(read(&hermes, "Nothing.", given).reason, without);
    }
}

#[test]
fn what_a_filter_cut_is_never_run() {
    let cut = GOOD.strip_suffix("}}</tool_call>").unwrap();
    let answer = read(&middleware("hermes"), cut, FinishReason::ContentFilter);
    assert_eq!(answer.turn.calls().count(), 0);
    assert_eq!(answer.reason, FinishReason::ContentFilter);
}

#[test]
fn a_report_says_which_call_why_and_its_source() {
    let answer = read(&middleware("hermes"), BAD, FinishReason::Stop);
    assert_eq!(answer.turn.text(), BAD);
    let [report] = &answer.reports[..] else { panic!("one report: {:?}", answer.reports) };
    assert_eq!(report.reason, DropReason::Malformed);
    assert_eq!(report.name.as_deref(), Some("loom_set"));
    assert_eq!(report.segment, Some(2));
    let Span { start, end, .. } = report.span;
    assert_eq!(report.source.as_deref(), BAD.get(start as usize..end as usize));
    assert!(report.source.as_deref().unwrap().starts_with("<tool_call>"));
    assert!(report.source.as_deref().unwrap().ends_with("</tool_call>"));
}

#[test]
fn the_source_is_the_block_however_long_its_rest_is() {
    let rest = "and so on, ".repeat(1000);
    let text = format!(
        "Hm <tool_call>{{\"name\": \"loom_set\", \"arguments\": [1], {rest}</tool_call> done"
    );
    let answer = read(&middleware("hermes"), &text, FinishReason::Stop);
    let [report] = &answer.reports[..] else { panic!("one report: {:?}", answer.reports) };
    assert_eq!(report.name.as_deref(), Some("loom_set"));
    assert_eq!(report.source.as_deref(), text.strip_prefix("Hm ").unwrap().strip_suffix(" done"));
}

#[test]
fn a_hidden_source_is_told_only_to_who_asks() {
    let mut request = Request::default();
    request.policies.malformed = Malformed::Drop;
    let hidden = middleware("hermes").with_request(request);
    let answer = read(&hidden, BAD, FinishReason::Stop);
    assert_eq!(answer.turn.text(), "Hm  done");
    assert_eq!(answer.reports[0].source, None);
    let told = read(&hidden.keep_source(true), BAD, FinishReason::Stop);
    assert!(told.reports[0].source.as_deref().unwrap().starts_with("<tool_call>"));
}

#[test]
fn sources_of_late_calls_in_long_answers_are_found() {
    let prose = "All quiet on the loom. ".repeat(4000);
    let answer = read(&middleware("hermes"), &format!("{prose}{BAD}"), FinishReason::Stop);
    assert!(answer.reports[0].source.as_deref().unwrap().starts_with("<tool_call>"));
}

#[test]
fn an_aborted_session_runs_nothing_more_and_ends_once() {
    let middleware = middleware("hermes");
    let conversation = Conversation::new([]).tools([loom()]);
    let prepared = middleware.prepare(&conversation).unwrap();
    let mut session = middleware.session(&prepared).unwrap();
    let mut finishes = 0;
    let mut sink = |event: Event<'_>| finishes += usize::from(matches!(event, Event::Finish));
    session.push(Chunk::text("<tool_call>{\"name\": \"loom_set\", "), &mut sink);
    assert_eq!(session.abort(&mut sink), FinishReason::Error);
    assert_eq!(session.finish(FinishReason::Stop, &mut sink), FinishReason::Error);
    assert_eq!(session.abort(&mut sink), FinishReason::Error);
    assert_eq!((session.calls(), finishes), (0, 1));
    assert_eq!(session.take_reports().len(), 1);
    assert!(session.reports().is_empty());
}

#[test]
fn a_summary_sees_what_the_session_sees() {
    let bare = r#"Now: {"name": "dice", "arguments": {"sides": 6}}"#;
    let marked = r#"<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>"#;
    for (recovery, choice, text, found) in [
        (true, ToolChoice::Auto, bare, 1),
        (false, ToolChoice::Auto, bare, 0),
        (true, ToolChoice::Auto, marked, 1),
        (true, ToolChoice::None, marked, 0),
        (false, ToolChoice::Required, bare, 1),
    ] {
        let middleware = middleware("hermes").with_recovery(recovery);
        let asked = Conversation::new([]).tools([Tool::new("dice")]).choice(choice);
        let prepared = middleware.prepare(&asked).unwrap();
        let summary = middleware.summary(text, &prepared).unwrap();
        assert_eq!((summary.calls.len(), summary.segments.len()), (found, found), "{text}");
        let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
        assert_eq!(answer.turn.calls().count(), found, "{text}");
        assert!(summary.sources().all(|source| source.contains("\"dice\"")), "{text}");
    }
}

#[test]
fn a_call_with_a_denied_key_is_told_without_its_source() {
    let text = "Hm <tool_call>{\"name\": \"loom_set\", \"arguments\": {\"note\": \"x\", \"__proto__\": {\"secret\": 1}}}</tool_call> done";
    for keep in [false, true] {
        let mut request = Request::default();
        request.set("deny_keys", "__proto__").unwrap();
        let middleware = middleware("hermes").with_request(request).keep_source(keep);
        let answer = read(&middleware, text, FinishReason::Stop);
        assert_eq!(answer.turn.calls().count(), 0);
        assert!(!answer.turn.text().contains("secret"));
        let [report] = &answer.reports[..] else { panic!("{:?}", answer.reports) };
        assert_eq!((report.code, report.source.as_deref()), ("engine::denied-key", None));
    }
}

#[test]
fn what_was_not_run_goes_back_to_the_model_in_words() {
    let said = |text: &str, reason: FinishReason| {
        let answer = read(&middleware("hermes"), text, reason);
        answer.feedback().unwrap_or_default()
    };
    assert_eq!(said(GOOD, FinishReason::Stop), "");
    let other = GOOD.replace("loom_set", "loom_get");
    let wanted = "The call of `loom_get` was not run: there is no tool of that name. The tools are: \
                  `loom_set`.";
    assert_eq!(said(&other, FinishReason::Stop), wanted);
    let cut = GOOD.strip_suffix("}}</tool_call>").unwrap();
    let wanted = "The call of `loom_set` was not run: it ended before it was complete. Write it again, \
                  whole.";
    assert_eq!(said(cut, FinishReason::Length), wanted);
    let broken = said(BAD, FinishReason::Stop);
    assert!(
        broken.starts_with("The call of `loom_set` was not run: it could not be read:"),
        "{broken}"
    );
    assert!(broken.ends_with("Write it again in the form shown."), "{broken}");
    // An undeclared call is reported where it stands, in every chunking.
    let both = format!("{other}{GOOD}");
    let whole = read(&middleware("hermes"), &both, FinishReason::Stop);
    let [report] = &whole.reports[..] else { panic!("one report: {:?}", whole.reports) };
    assert_eq!(
        (report.reason, report.name.as_deref()),
        (DropReason::UnresolvedName, Some("loom_get"))
    );
    assert_eq!(whole.turn.calls().count(), 1);
}
