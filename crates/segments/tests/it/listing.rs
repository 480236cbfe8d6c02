//! The exact words of the listings.

use toolweir_segments::{
    CallClass, Coalesce, Diagnostic, Event, EventSink, Invocation, Kind, Listing, MetaRole,
    Outcome, Reason, Severity, Span, list_event, list_turn,
};

use crate::support::{GENERIC, args, call, delta, end, fold, name, sample, start};

fn list(events: impl IntoIterator<Item = Event<'static>>) -> String {
    let mut lines = Listing::new();
    for event in events {
        lines.event(event);
    }
    lines.into_string()
}

#[test]
fn every_event_is_one_line() {
    let wanted = r#"start     0..7      reasoning
delta     "Where?"
end       0..21     complete closed
start     21..21    text
delta     "One "
delta     "moment.\n"
end       21..33    complete closed
markup    33..34
start     34..45    call tool_call
name      "get_weather" id "call_9"
meta      "place" "sky"
args      "{\"city\":"
raw       "{\"city\":"
field     "/city" "Pa"
field     "/city" "ris"
args      "\"Paris\"}"
warning   12..13    rjson::trailing-comma: found a comma
end       34..80    repaired closed-by-structure
call      #0 get_weather id "call_9" {"city":"Paris"} repaired
finish
"#;
    assert_eq!(list(sample()), wanted);
}

#[test]
fn a_joined_listing_does_not_show_how_the_stream_was_cut() {
    let joined = |pieces: &[&'static str]| {
        let mut lines = Coalesce::new(Listing::new());
        pieces.iter().for_each(|piece| lines.event(delta(piece)));
        lines.into_inner().into_string()
    };
    assert_eq!(joined(&["a", "b", "c"]), "delta     \"abc\"\n");
    assert_eq!(joined(&["ab", "c"]), joined(&["a", "b", "c"]));
}

#[test]
fn a_folded_turn_is_listed_part_by_part() {
    let wanted = r#"0..21     reasoning complete closed
  delta     "Where?"
21..33    text complete closed
  delta     "One moment.\n"
34..80    call tool_call repaired closed-by-structure
  name      "get_weather" id "call_9"
  meta      "place" "sky"
  args      "{\"city\":\"Paris\"}"
  raw       "{\"city\":"
  field     "/city" "Paris"
  call      #0 get_weather id "call_9" {"city":"Paris"} repaired
markup    33..34
warning   12..13    rjson::trailing-comma: found a comma
finished
"#;
    assert_eq!(list_turn(&fold(sample())), wanted);
}

#[test]
fn an_open_part_and_an_unfinished_turn_say_so() {
    let turn = fold([start(Kind::Text, 0, 0), delta("a")]);
    assert_eq!(list_turn(&turn), "0..0      text open\n  delta     \"a\"\nunfinished\n");
    assert_eq!(list_turn(&fold([Event::Finish])), "finished\n");
}

#[test]
fn flags_are_shown_only_when_set() {
    let flagged = Invocation {
        repaired: true,
        coerced: true,
        known: false,
        trusted: false,
        ..Invocation::new(3, "get weather")
    };
    let wanted = "call      #3 \"get weather\" repaired coerced unknown untrusted";
    assert_eq!(list_event(&Event::Invocation(flagged)), wanted);
    assert_eq!(list_event(&call(0, "f")), "call      #0 f");
}

#[test]
fn an_invocation_shows_its_own_arguments_before_joined_ones() {
    let own = Invocation { resolved: Some("{\"b\":2}".into()), ..Invocation::new(1, "g") };
    let events = [
        start(GENERIC, 0, 1),
        name("f"),
        args("{\"a\""),
        args(":1}"),
        end(0, 9),
        call(0, "f"),
        Event::Invocation(own),
        start(GENERIC, 9, 10),
        end(9, 12),
        call(2, "h"),
    ];
    let lines = list(events);
    let calls: Vec<_> = lines.lines().filter(|line| line.starts_with("call")).collect();
    let wanted = ["call      #0 f {\"a\":1}", "call      #1 g {\"b\":2}", "call      #2 h"];
    assert_eq!(calls, wanted);
}

#[test]
fn wide_spans_stay_apart_from_what_follows() {
    let span = Span::new(1_000_000, 2_000_000);
    let outcome = Outcome::Truncated;
    let reason = Reason::StreamEnd;
    let event = Event::End { outcome, reason, span };
    assert_eq!(list_event(&event), "end       1000000..2000000 truncated stream-end");
    let event = Event::Start { kind: GENERIC, span };
    assert_eq!(list_event(&event), "start     1000000..2000000 call tool_call");
}

#[test]
fn help_stands_behind_the_message() {
    let diagnostic = Diagnostic::new("a::b", Severity::Error, Span::empty(3), "what\nand why")
        .with_help("do this");
    let wanted = "error     3..3      a::b: what\\u{a}and why (help: do this)";
    assert_eq!(list_event(&Event::Diagnostic(diagnostic)), wanted);
}

#[test]
fn nothing_an_event_carries_breaks_its_line_or_reaches_the_terminal() {
    let evil = "\n\r\u{1b}[2J\u{9b}\u{202e}\u{2028}\"\\";
    let own = Invocation {
        native_id: Some(evil.into()),
        resolved: Some(evil.into()),
        ..Invocation::new(0, evil)
    };
    let events = [
        Event::Start { kind: Kind::Call(CallClass::from_name(evil)), span: Span::empty(0) },
        Event::Name { name: evil.into(), native_id: Some(evil.into()), body: Some(evil.into()) },
        Event::Meta { key: evil.into(), value: evil.into(), role: MetaRole::Fact },
        Event::Delta(evil.into()),
        Event::Args(evil.into()),
        Event::Raw(evil.into()),
        Event::Field { path: evil.into(), text: evil.into() },
        end(0, 1),
        Event::Invocation(own),
        Event::Diagnostic(
            Diagnostic::new("a::b", Severity::Info, Span::empty(0), evil).with_help(evil),
        ),
    ];
    for event in &events {
        let line = list_event(event);
        let safe = |c: char| !c.is_control() && !"\u{202e}\u{2028}".contains(c);
        assert!(line.chars().all(safe), "{line:?}");
    }
    assert_eq!(list(events.clone()).lines().count(), events.len());
    assert!(list_turn(&fold(events)).chars().all(|c| c == '\n' || !c.is_control()));
}
