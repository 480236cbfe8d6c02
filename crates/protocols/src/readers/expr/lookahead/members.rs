//! Members after a comma: whether they read as such, and what their names say.

use super::super::frame::FrameKind;
use super::super::number::is_literal;
use super::{
    DATA, Doubt, END, Lookahead, Phase, Scene, Verdict, is_name, is_name_start, is_prefix, is_sign,
    starts_value,
};

impl Lookahead {
    /// In `name = value` at the level of the call.
    pub(super) fn member(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        match self.phase {
            Phase::Name if is_name(c) => self.push_if(c, true),
            Phase::Name | Phase::AfterName => match c {
                '=' => {
                    self.outcome = Some(self.named(true, scene));
                    self.due = self.is_due(scene);
                    self.word.clear();
                    self.go(Phase::Equals)
                }
                c if c.is_whitespace() => self.go(Phase::AfterName),
                ',' | ')' if self.is_positional_word(is_literal, scene) => END,
                '\'' | '"' if self.is_positional_word(is_prefix, scene) => END,
                '\'' | '"' => Verdict::Data { plausible: self.is_due(scene) },
                c if scene.begins_marker(c) => {
                    self.word.clear();
                    self.word_in(c, Phase::Early)
                }
                _ => DATA,
            },
            Phase::Equals if c.is_whitespace() => Verdict::More,
            Phase::Equals => match starts_value(c) {
                Some(true) => self.accept(),
                Some(false) => Verdict::Data { plausible: self.due },
                None => self.word_in(c, Phase::Word),
            },
            _ => match c {
                c if is_name(c) => self.push_if(c, true),
                '\'' | '"' if is_prefix(&self.word) => self.accept(),
                _ if is_literal(&self.word) => self.accept(),
                _ => Verdict::Data { plausible: self.due },
            },
        }
    }

    /// No comma or bracket that is due stands there. A declared argument that begins all the same shows
    /// that it is missing or damaged.
    pub(super) fn unseparated(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        let Some(frame) = scene.frame(self.level).filter(|frame| frame.is_object()) else {
            return DATA;
        };
        let in_word = matches!(self.phase, Phase::Prefix | Phase::Unseparated);
        let between = matches!(self.phase, Phase::Significant | Phase::Signs);
        match c {
            c if in_word && is_name(c) => self.word_in(c, Phase::Unseparated),
            c if in_word && c.is_whitespace() => self.go(Phase::AfterUnseparated),
            c if !self.word.is_empty() && frame.ends_name(c) => {
                Verdict::Data { plausible: !scene.is_root(self.level) || self.is_due(scene) }
            }
            '\'' | '"' if between && frame != FrameKind::Call => {
                self.unseparated = true;
                self.go(Phase::QuotedKey(c))
            }
            c if between && scene.delimiter == Some(c) => Verdict::Data { plausible: true },
            c if in_word || self.phase == Phase::AfterUnseparated && !c.is_whitespace() => DATA,
            c if c.is_whitespace() => Verdict::More,
            c if is_sign(c) => self.go(Phase::Signs),
            c if is_name_start(c) => self.word_in(c, Phase::Unseparated),
            _ => DATA,
        }
    }

    /// Whether the word is the name of a declared argument that was not given.
    fn is_due(&self, scene: &Scene<'_>) -> bool {
        scene.names.iter().any(|(name, given)| !given && *name == self.word)
    }

    fn is_positional_word(&self, fits: fn(&str) -> bool, scene: &Scene<'_>) -> bool {
        scene.positional && !self.is_strict() && fits(&self.word)
    }

    /// What an argument of that name says about the quote, if it is one. `sure`: what ends the name is
    /// what the grammar asks for.
    fn named(&self, sure: bool, scene: &Scene<'_>) -> Verdict {
        match self.doubt {
            Doubt::None if sure => END,
            _ if self.is_due(scene) => END,
            Doubt::InnerQuote if scene.names.is_empty() => Verdict::End { guess: true },
            _ => Verdict::Data { plausible: true },
        }
    }

    /// In the key of an object.
    pub(super) fn key(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        match self.phase {
            Phase::QuotedKeyEscape(quote) => self.go(Phase::QuotedKey(quote)),
            Phase::QuotedKey(quote) if c == '\\' => self.go(Phase::QuotedKeyEscape(quote)),
            Phase::QuotedKey(quote) if c == quote => self.go(Phase::AfterQuotedKey),
            Phase::QuotedKey(_) => self.push_if(c, true),
            Phase::Key if is_name(c) => self.push_if(c, true),
            Phase::Key if matches!(c, '\'' | '"') && is_prefix(&self.word) => {
                self.word.clear();
                self.go(Phase::QuotedKey(c))
            }
            // A key in three quotes, or of two strings.
            Phase::AfterKey | Phase::AfterQuotedKey
                if matches!(c, '\'' | '"') && !self.is_strict() =>
            {
                self.accept()
            }
            Phase::AfterQuotedKey if matches!(c, ',' | ']' | '}' | ')') && !self.unseparated => {
                Verdict::Data { plausible: true }
            }
            _ if scene.frame(self.level).is_some_and(|frame| frame.ends_key(c)) => {
                self.keyed(c, scene)
            }
            Phase::AfterQuotedKey if c.is_whitespace() => Verdict::More,
            _ if c.is_whitespace() => self.go(Phase::AfterKey),
            _ => DATA,
        }
    }

    /// A key has ended.
    fn keyed(&self, c: char, scene: &Scene<'_>) -> Verdict {
        let equals = c == '=' && scene.frame(self.level) == Some(FrameKind::Fields);
        match self.accept() {
            _ if self.unseparated => Verdict::Data { plausible: true },
            _ if scene.is_root(self.level) => self.named(!equals, scene),
            END if equals => Verdict::End { guess: true },
            verdict => verdict,
        }
    }
}
