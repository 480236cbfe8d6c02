//! Messages: what stands around text, reasoning or markup that is no call.
//!
//! A message whose markers are plain text is read as markers that are dropped where they stand. Any
//! other one has a header like a call, and may have a closing one.

use super::code::{Exit, Found, Op};
use super::forms::{Forms, Opener};
use super::parts::{has_mark, literals, unframed};
use crate::pattern::{Part, Pattern};

/// What the body of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageBody {
    Text,
    Reasoning,
    /// Markup, up to what closes the message or opens anything.
    Skip,
}

impl MessageBody {
    fn of(part: &Part) -> Option<Self> {
        match part {
            Part::Text => Some(Self::Text),
            Part::Reasoning => Some(Self::Reasoning),
            Part::Skip => Some(Self::Skip),
            _ => None,
        }
    }
}

/// The parts before and after the body, and the body.
fn split(message: &Pattern) -> Option<(&[Part], MessageBody, &[Part])> {
    let at = message.parts.iter().rposition(|part| MessageBody::of(part).is_some())?;
    let (head, rest) = message.parts.split_at_checked(at)?;
    let (body, tail) = rest.split_first()?;
    Some((head, MessageBody::of(body)?, tail))
}

/// Whether parts are nothing but markers that can be dropped where they stand.
fn is_plain(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Literal(_) => true,
        Part::Any(ways) => ways.iter().all(|way| is_plain(&way.parts)),
        _ => false,
    })
}

impl Forms {
    /// The markers of a message that are dropped where they stand.
    pub(super) fn add_message_markers(&mut self, message: &Pattern) {
        let Some((head, body, tail)) = split(message) else { return };
        if body == MessageBody::Text && is_plain(head) {
            self.strays.extend(literals(head));
        }
        if is_plain(tail) {
            self.strays.extend(literals(tail));
        }
    }

    /// The headers of a message that has one.
    pub(super) fn add_message(&mut self, message: &Pattern) {
        let Some((head, body, tail)) = split(message) else { return };
        let message_end = Exit { form: 0, found: Found::MessageEnd, section: false };
        if body != MessageBody::Text || !is_plain(head) {
            let exit = Exit { form: self.messages.len(), found: Found::Message, section: false };
            self.messages.push(body);
            self.add_edge(head, exit, false);
        }
        if body == MessageBody::Reasoning {
            self.reason_end_markers.extend(literals(tail));
        }
        if let (MessageBody::Text, [Part::Space(space), rest @ ..]) = (body, tail)
            && space == "\n"
            && has_mark(rest)
        {
            // The line break before it is not the text's.
            for line_break in ["\r\n", "\n"] {
                let start = self.code.here();
                self.code.literal(line_break);
                self.add_edge_from(start, rest, message_end, true);
            }
        }
        if !is_plain(tail) {
            self.add_edge(tail, message_end, true);
        }
    }

    /// What models write once more after the calls of a turn: markup.
    pub(super) fn add_echo(&mut self, echo: &Part) {
        let Part::Also(pattern) = echo else { return };
        let before = self.openers.len();
        let exit = Exit { form: 0, found: Found::MessageEnd, section: false };
        self.add_edge(&pattern.parts, exit, true);
        for opener in self.openers.iter_mut().skip(before) {
            (opener.after_call, opener.block) = (true, false);
        }
    }

    fn add_edge(&mut self, parts: &[Part], exit: Exit, closes: bool) {
        self.add_edge_from(self.code.here(), parts, exit, closes);
    }

    /// The same after what stands in the code from `start` on.
    fn add_edge_from(&mut self, start: usize, parts: &[Part], exit: Exit, closes: bool) {
        let (parts, line_break) = match unframed(parts) {
            [parts @ .., Part::Space(space)] if space.contains('\n') => (parts, true),
            parts => (parts, false),
        };
        self.code.parts(parts);
        if line_break {
            // The line break that ends the header: one, and what follows it is the body's. A word ends
            // with it; else it may be absent.
            let ends_word = |text: &str| text.ends_with(char::is_alphanumeric);
            let marked = matches!(parts.last(), Some(Part::Literal(text)) if !ends_word(text));
            if marked {
                let start = self.code.here();
                self.code.push(Op::Again(vec![start + 2, start + 1]));
                self.code.push(Op::Exit(exit));
            }
            self.code.push(Op::Inline);
            self.code.texts(["\n", "\r\n"], exit);
        } else {
            self.code.push(Op::Exit(exit));
        }
        let (entries, before) = (self.code.entries(start), self.openers.len());
        self.open(entries, &[parts], false);
        self.openers.iter_mut().skip(before).for_each(|opener| opener.closes = closes);
    }

    /// An opener that begins like a shorter one with a hole after it is that one: both go on together.
    /// Where the hole takes any text, what says more is preferred to it, and so is a message to the call of a tool
    /// that has its word for a name.
    pub(super) fn share_openers(&mut self) {
        let code = &self.code;
        let takes_any = |opener: &Opener| {
            let ops = |at: &usize| code.ops.get(*at..).unwrap_or_default();
            let takes_any =
                |ops: &[Op]| matches!(ops, [Op::Skip, ..] | [Op::Commit(_), Op::Skip, ..]);
            opener.entries.iter().any(|at| takes_any(ops(at)))
        };
        let (free, mut openers): (Vec<Opener>, Vec<Opener>) =
            std::mem::take(&mut self.openers).into_iter().partition(takes_any);
        let names = |at: usize| {
            let mut at = at;
            loop {
                at = match code.ops.get(at) {
                    Some(Op::Space | Op::Quote | Op::Otherwise(_)) => at + 1,
                    Some(Op::Again(ways)) => ways.last().copied().unwrap_or(usize::MAX),
                    next => break matches!(next, Some(Op::Start(_))),
                };
            }
        };
        let named = openers.iter().filter(|opener| opener.entries.iter().any(|at| names(*at)));
        self.named = named.map(|opener| opener.text.clone()).collect();
        let short: Vec<&String> =
            self.named.iter().chain(free.iter().map(|opener| &opener.text)).collect();
        for opener in &mut openers {
            let begins = |text: &&&String| {
                opener.text.len() > text.len() && opener.text.starts_with(text.as_str())
            };
            let Some(shared) = short.iter().filter(begins).min_by_key(|text| text.len()) else {
                continue;
            };
            let is_free = free.iter().any(|opener| opener.text == **shared);
            let tail: Vec<char> = opener.text.chars().skip(shared.chars().count()).collect();
            // The rest of it could be the name, or after what is more than signs begin with it.
            let word = tail.iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
            let may_be_name =
                word > 0 && (word == tail.len() || shared.contains(char::is_alphanumeric));
            if !(is_free || may_be_name) {
                continue;
            }
            let back = |at: &usize| {
                let from = at.checked_sub(tail.len())?;
                let ops = code.ops.get(from..*at)?;
                let same = ops.iter().zip(&tail).all(|(op, c)| *op == Op::Char(*c));
                same.then_some(from)
            };
            let entries: Option<Vec<usize>> = opener.entries.iter().map(back).collect();
            if let Some(entries) = entries {
                let message = |at: &usize| matches!(code.ops.get(*at), Some(Op::Inline));
                opener.preferred = may_be_name && opener.entries.iter().any(message);
                opener.entries = entries;
                opener.text.clone_from(shared);
            }
        }
        openers.extend(free);
        self.openers = openers;
    }
}
