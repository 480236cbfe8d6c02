//! Headers of `harmony`, which no pattern can say: channel and recipient stand among free words.

use super::Message;

/// What the header of a message says. Words that mean nothing here are passed over: a `<|channel|>`
/// begins the channel part anew, in which the first channel and the first recipient count; a recipient
/// may stand before it, too. A tool in the place of the channel is the recipient; in that of the role it is
/// the author of a response.
pub(super) fn message(header: &str) -> (Message, Option<&'static str>) {
    // The header may begin with the end of the message before it.
    let rest = header.get(1..).unwrap_or_default();
    let another = ["<|end|>", "<|return|>", "<|call|>"].iter().any(|end| rest.contains(end));
    let (message, fault) = read(header);
    let unended = another.then_some("a message whose header has no end was left out");
    (message, unended.or(fault))
}

/// And what is wrong with it, where its body is text.
fn read(header: &str) -> (Message, Option<&'static str>) {
    let header = header.strip_suffix("<|message|>").unwrap_or(header);
    // After a call the marker before its channel may be missing.
    let unmarked = || header.strip_prefix("<|call|>").map_or((header, ""), |channel| ("", channel));
    let (role, channel) = header.rsplit_once("<|channel|>").unwrap_or_else(unmarked);
    let role = role.rsplit("<|start|>").next().unwrap_or_default();
    let recipient = recipient(channel).or_else(|| recipient(role)).or_else(|| tool(channel));
    let words = || channel.split(|c: char| !c.is_alphanumeric() && c != '_');
    let message = match recipient {
        Some(name) => Message::Call {
            source: !name.starts_with("functions.") && words().any(|word| word == "code"),
            name: name.strip_prefix("functions.").unwrap_or(name).to_owned(),
        },
        None if words().find(|word| CHANNELS.contains(word)) == Some("analysis") => {
            Message::Reasoning
        }
        None => Message::Text,
    };
    let unknown = || !channel.trim().is_empty() && !words().any(|word| CHANNELS.contains(&word));
    let fault = match message {
        Message::Call { .. } => None,
        _ if tool(role).is_some() => Some("the body of a message of a tool is no call"),
        _ => {
            unknown().then_some("the channel of a message is none that is known; its body is text")
        }
    };
    (message, fault)
}

/// The channels that there are.
pub(super) const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];

/// The tool that a part of a header is addressed to. Whitespace may stand around the sign, and quotes around the name.
fn recipient(part: &str) -> Option<&str> {
    let after = |(at, to): (usize, &str)| part.get(at + to.len()..)?.trim_start().strip_prefix('=');
    let names = part.match_indices("to").filter_map(after);
    let mut names = names.map(|name| first_word(name.trim_start()).trim_matches(['"', '\'', '`']));
    names.find(|name| !name.is_empty() && *name != "assistant")
}

/// The tool that a part of a header begins with.
fn tool(part: &str) -> Option<&str> {
    Some(first_word(part.trim_start())).filter(|word| word.starts_with("functions."))
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default()
}
