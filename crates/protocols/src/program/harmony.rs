//! Headers of `harmony`, which no pattern can say: channel and recipient stand among free words.

use super::Message;

/// What the header of a message says. Words that mean nothing here are passed over: a `<|channel|>`
/// begins the channel part anew, in which the first channel and the first recipient count; a recipient
/// may stand before it, too.
pub(super) fn message(header: &str) -> (Message, bool) {
    // The header may begin with the end of the message before it.
    let rest = header.get(1..).unwrap_or_default();
    let another = ["<|end|>", "<|return|>", "<|call|>"].iter().any(|end| rest.contains(end));
    (read(header), another)
}

fn read(header: &str) -> Message {
    let header = header.strip_suffix("<|message|>").unwrap_or(header);
    // After a call the marker before its channel may be missing.
    let unmarked = || header.strip_prefix("<|call|>").map_or((header, ""), |channel| ("", channel));
    let (role, channel) = header.rsplit_once("<|channel|>").unwrap_or_else(unmarked);
    let role = role.rsplit("<|start|>").next().unwrap_or_default();
    let recipient = recipient(channel).or_else(|| recipient(role));
    let words = || channel.split(|c: char| !c.is_alphanumeric() && c != '_');
    match recipient {
        Some(name) => Message::Call {
            source: !name.starts_with("functions.") && words().any(|word| word == "code"),
            name: name.strip_prefix("functions.").unwrap_or(name).to_owned(),
        },
        None if words().find(|word| CHANNELS.contains(word)) == Some("analysis") => {
            Message::Reasoning
        }
        None => Message::Text,
    }
}

/// The channels that there are.
pub(super) const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];

/// The tool that a part of a header is addressed to.
fn recipient(part: &str) -> Option<&str> {
    let names = part.match_indices("to=").filter_map(|(at, to)| part.get(at + to.len()..));
    let end = |c: char| c.is_whitespace() || c == '<';
    names
        .map(|rest| rest.split(end).next().unwrap_or_default())
        .find(|name| !name.is_empty() && *name != "assistant")
}
