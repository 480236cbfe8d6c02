//! Everything that is a sink.

use toolweir_segments::{
    Check, CheckOptions, Coalesce, Counter, Event, EventSink, Fold, Listing, Numbered, Tee,
};

use crate::support::{fold, sample};

/// Takes a sink by value, as a decoder's wrapper does.
fn feed(mut sink: impl EventSink) {
    for event in sample() {
        sink.event(event);
    }
}

/// Takes a sink as an object, as a decoder does.
fn feed_object(sink: &mut dyn EventSink) {
    feed(sink);
}

#[test]
fn a_vector_keeps_all_events_owned() {
    let mut kept: Vec<Event<'static>> = Vec::new();
    feed(&mut kept);
    assert_eq!(kept, sample());
}

#[test]
fn closures_are_sinks_by_value_and_by_reference() {
    let mut seen = 0;
    let mut count = |_: Event<'_>| seen += 1;
    feed(&mut count);
    feed(count);
    assert_eq!(seen, 2 * sample().len());
}

#[test]
fn every_sink_is_one_by_reference_and_as_an_object() {
    let mut turn = Fold::new();
    feed(&mut turn);
    assert_eq!(*turn.turn(), fold(sample()));

    let mut turn = Fold::new();
    feed_object(&mut turn);
    assert_eq!(*turn.turn(), fold(sample()));

    let mut check = Check::new(CheckOptions { markup: true });
    feed(&mut check);
    check.finish_checks(80);
    assert_eq!(check.violations(), []);

    let mut lines = Listing::new();
    feed(&mut lines);
    assert_eq!(lines.as_str().lines().count(), sample().len());

    let mut joined = Coalesce::new(Fold::new());
    feed(&mut joined);
    assert!(joined.inner().turn().finished);

    let mut seen = 0;
    feed(&mut Numbered::new(|_: Option<&str>, _: Event<'_>| seen += 1, Counter::default()));
    assert_eq!(seen, sample().len());
}

#[test]
fn a_tee_gives_both_sides_the_same_events() {
    let mut tee = Tee(Vec::new(), Fold::new());
    feed(&mut tee);
    assert_eq!(tee.0, sample());
    assert_eq!(tee.1.into_turn(), fold(sample()));
}

#[test]
fn a_tee_takes_lent_sinks() {
    let mut lines = Listing::new();
    let mut turn = Fold::new();
    let object: &mut dyn EventSink = &mut turn;
    feed(Tee(&mut lines, object));
    assert!(turn.turn().finished && !lines.as_str().is_empty());
}
