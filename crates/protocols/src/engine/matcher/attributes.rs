//! The attributes of a tag, one character at a time: in any order, with either quote or none, among
//! others that nobody asked for.

use super::{Matcher, Taken, Thread, is_key};
use crate::engine::tag::is_whitespace;

/// Where the reading of a tag's attributes is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    step: AttributeStep,
    /// Where the key begins, and where it ends.
    key: (u32, u32),
    /// Where the value begins.
    value: u32,
    quote: Option<char>,
    /// Characters of the closing delimiter that have matched.
    close: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AttributeStep {
    /// Directly after the word: whitespace or the closing delimiter.
    #[default]
    Word,
    /// Before a key or the closing delimiter.
    Gap,
    Key,
    /// In a key that stands directly after the word.
    Glued,
    /// After a key: whitespace, `=`.
    Sign,
    /// Before a value.
    Value,
    InValue,
    Close,
}

impl Attributes {
    /// In the value of one.
    pub(super) fn is_in_value(&self) -> bool {
        matches!(self.step, AttributeStep::InValue)
    }
}

impl Matcher {
    /// One character of a tag's attributes.
    pub(super) fn attribute(&mut self, mut thread: Thread, tag: usize, taken: Taken<'_>) {
        let Taken { c, held, before, after, code } = taken;
        let Some(tag) = code.tags.get(tag) else { return };
        let state = &mut thread.attributes;
        let closes = tag.close.starts_with(c);
        let whitespace = is_whitespace(c) || code.spells_whitespace(c);
        let (from, to) = (narrow(before), narrow(after));
        match state.step {
            AttributeStep::Word | AttributeStep::Gap | AttributeStep::Sign if whitespace => {
                if state.step == AttributeStep::Word {
                    state.step = AttributeStep::Gap;
                }
            }
            AttributeStep::Value if whitespace => {}
            AttributeStep::Word | AttributeStep::Gap if closes => {
                (state.step, state.close) = (AttributeStep::Close, narrow(c.len_utf8()));
            }
            AttributeStep::Gap if is_key(c) => {
                (state.step, state.key) = (AttributeStep::Key, (from, to));
            }
            // The space before it is lost: only a key that is asked for shows that.
            AttributeStep::Word if is_key(c) => {
                (state.step, state.key) = (AttributeStep::Glued, (from, to));
            }
            AttributeStep::Glued if is_key(c) => state.key.1 = to,
            AttributeStep::Glued => {
                let key = held.get(state.key.0 as usize..state.key.1 as usize);
                let asked = tag.keys.iter().any(|(name, _)| Some(name.as_str()) == key);
                if c != '=' || !asked {
                    return;
                }
                state.step = AttributeStep::Value;
            }
            AttributeStep::Key if is_key(c) => state.key.1 = to,
            AttributeStep::Key if whitespace => state.step = AttributeStep::Sign,
            AttributeStep::Key | AttributeStep::Sign if c == '=' => {
                state.step = AttributeStep::Value;
            }
            // An unquoted value holds none of these: a part of the tag is missing.
            AttributeStep::Value if matches!(c, '<' | '=') => return,
            AttributeStep::InValue
                if state.quote.is_none() && matches!(c, '<' | '=' | '"' | '\'') =>
            {
                return;
            }
            AttributeStep::Value => {
                let quote = matches!(c, '"' | '\'').then_some(c);
                (state.step, state.quote) = (AttributeStep::InValue, quote);
                state.value = if quote.is_some() { to } else { from };
                if quote.is_none() && closes {
                    return;
                }
            }
            AttributeStep::InValue => {
                let ends = match state.quote {
                    Some(quote) => c == quote,
                    None => whitespace || closes,
                };
                if !ends {
                    if before - state.value as usize > self.max_hole {
                        return;
                    }
                    return self.keep(thread);
                }
                let key = held.get(state.key.0 as usize..state.key.1 as usize);
                let value = (state.value as usize, before);
                state.step = AttributeStep::Gap;
                if state.quote.is_none() && closes {
                    (state.step, state.close) = (AttributeStep::Close, narrow(c.len_utf8()));
                }
                let slot = tag.keys.iter().find(|(name, _)| Some(name.as_str()) == key);
                if let Some((_, slot)) = slot {
                    thread.slots.set(*slot, value);
                }
            }
            AttributeStep::Close => {
                let rest = tag.close.get(state.close as usize..).unwrap_or_default();
                if !rest.starts_with(c) {
                    return;
                }
                state.close += narrow(c.len_utf8());
            }
            _ => return,
        }
        let state = &thread.attributes;
        if state.step == AttributeStep::Close && state.close as usize == tag.close.len() {
            let missing = tag
                .keys
                .iter()
                .any(|(_, slot)| !slot.may_be_missing() && thread.slots.get(*slot).is_none());
            if !missing {
                self.go_on(thread, 1, taken);
            }
            return;
        }
        self.keep(thread);
    }
}

/// An offset in a header, whose limits are far below 4 GiB.
fn narrow(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
