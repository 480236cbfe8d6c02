//! The words of the outside world for how an answer ended, and our own for the parts of one.

use toolweir_segments::{FinishReason, MetaRole, ParseStreamEndError, StreamEnd};

const ALL: [FinishReason; 6] = [
    FinishReason::Stop,
    FinishReason::Length,
    FinishReason::ToolCalls,
    FinishReason::ContentFilter,
    FinishReason::Error,
    FinishReason::Other,
];

#[test]
fn every_reason_is_read_back_from_both_of_its_spellings() {
    for reason in ALL {
        assert_eq!(FinishReason::from_word(reason.hyphenated()), reason);
        assert_eq!(FinishReason::from_word(reason.underscored()), reason);
        assert_eq!(reason.hyphenated().replace('-', "_"), reason.underscored());
    }
}

#[test]
fn words_of_each_provider_mean_the_same_reasons() {
    for (words, reason) in [
        ("end_turn stop_sequence completed eos STOP COMPLETE eos_token", FinishReason::Stop),
        ("max_tokens max_output_tokens MAX_TOKENS Length max-tokens", FinishReason::Length),
        ("model_length model_context_window_exceeded repetition", FinishReason::Length),
        ("tool_use function_call TOOL_CALL", FinishReason::ToolCalls),
        ("refusal SAFETY recitation sensitive content_filtered", FinishReason::ContentFilter),
        ("failed cancelled ERROR abort interrupted network_error", FinishReason::Error),
        ("insufficient_system_resource MALFORMED_FUNCTION_CALL", FinishReason::Error),
        ("pause_turn finished", FinishReason::Other),
    ] {
        for word in words.split(' ') {
            assert_eq!(FinishReason::from_word(word), reason, "{word}");
        }
    }
    assert_eq!(FinishReason::from_word(""), FinishReason::Other);
}

#[test]
fn an_end_and_its_reason_agree() {
    for end in [StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted] {
        for calls in [false, true] {
            assert_eq!(FinishReason::of(end, calls).end(), end, "{end:?} {calls}");
        }
    }
    assert_eq!(FinishReason::of(StreamEnd::Stop, true), FinishReason::ToolCalls);
    assert_eq!(FinishReason::of(StreamEnd::Stop, false), FinishReason::Stop);
    // What a filter broke off was not meant, so its last call is not run.
    assert_eq!(FinishReason::ContentFilter.end(), StreamEnd::Aborted);
}

#[test]
fn calls_in_the_text_change_a_stop_and_no_failure() {
    for reason in ALL {
        let changes = matches!(reason, FinishReason::Stop | FinishReason::Other);
        let with = if changes { FinishReason::ToolCalls } else { reason };
        assert_eq!((reason.with_calls(true), reason.with_calls(false)), (with, reason));
    }
}

#[test]
fn a_word_for_no_end_is_told_which_ones_there_are() {
    let told = "halted".parse::<StreamEnd>().unwrap_err();
    assert_eq!(told, ParseStreamEndError);
    for word in ["stop", "length", "aborted"] {
        assert!(word.parse::<StreamEnd>().is_ok() && told.to_string().contains(word));
    }
}

#[test]
fn roles_of_what_is_said_about_a_segment_have_words() {
    let roles = [MetaRole::Fact, MetaRole::Value, MetaRole::Text, MetaRole::Literal];
    assert_eq!(roles.map(MetaRole::as_str), ["fact", "value", "text", "literal"]);
}
