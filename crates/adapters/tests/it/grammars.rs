//! The grammars are strict: a stream of ours with one frame less, one twice, or two in the other order is
//! found out on every wire, unless the frame is a piece of text that nothing repeats.

use toolweir_adapters::CallsAs;
use toolweir_segments::StreamEnd;
use toolweir_testkit::wires::{Frame, Wire};

use crate::support::decode_into;
use crate::wires::{LIVE, WIRES, streamed};

const TEXT: &str = "<think>Hm.</think>Rolling. <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\
    </tool_call><tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>Done.";

/// Pieces of text that no later frame repeats.
const LOOSE: [&str; 9] = [
    "\"content\":\"Rolling. \"",
    "\"content\":\"Done.\"",
    "\"reasoning_content\"",
    "text_delta",
    "thinking_delta",
    "\"text-delta\"",
    "\"reasoning-delta\"",
    "TEXT_MESSAGE_CONTENT",
    "REASONING_MESSAGE_CONTENT",
];

fn stream(wire: Wire) -> Vec<Frame> {
    LIVE.set(false);
    let events = decode_into("hermes", &[TEXT], StreamEnd::Stop);
    streamed(wire, events, StreamEnd::Stop, CallsAs::Live)
}

/// The frames with their sequence numbers made right again.
fn numbered(mut frames: Vec<Frame>) -> Vec<Frame> {
    for (at, frame) in frames.iter_mut().enumerate() {
        if let Some((data, _)) = frame.data.split_once(",\"sequence_number\":") {
            frame.data = format!("{data},\"sequence_number\":{at}}}");
        }
    }
    frames
}

/// The frames of a change that was not found: a loose one beside it, or no frame at all, excuses it.
fn missed(wire: Wire, change: impl Fn(&mut Vec<Frame>, usize) -> bool) -> Vec<String> {
    let whole = stream(wire);
    wire.stream(&whole).unwrap();
    let loose = |frame: &Frame| LOOSE.iter().any(|loose| frame.data.contains(loose));
    let mut missed = Vec::new();
    for at in 0..whole.len() {
        let mut frames = whole.clone();
        let changed = change(&mut frames, at);
        let excused = whole.iter().skip(at).take(2).any(loose);
        if changed && !excused && wire.stream(&numbered(frames)).is_ok() {
            missed.push(whole[at].data.clone());
        }
    }
    missed
}

#[test]
fn a_frame_that_is_lost_is_missed_by_nobody() {
    for wire in WIRES {
        let lost = missed(wire, |frames, at| {
            frames.remove(at);
            true
        });
        assert_eq!(lost, Vec::<String>::new(), "{wire:?}");
    }
}

#[test]
fn a_frame_that_comes_twice_is_found() {
    for wire in WIRES {
        let twice = missed(wire, |frames, at| {
            frames.insert(at, frames[at].clone());
            true
        });
        assert_eq!(twice, Vec::<String>::new(), "{wire:?}");
    }
}

#[test]
fn two_frames_in_the_other_order_are_found() {
    for wire in WIRES {
        let swapped = missed(wire, |frames, at| {
            let both = at + 1 < frames.len();
            if both {
                frames.swap(at, at + 1);
            }
            both
        });
        assert_eq!(swapped, Vec::<String>::new(), "{wire:?}");
    }
}
