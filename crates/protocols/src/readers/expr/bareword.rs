//! Whether a text without quotes has one reading (policy 30). Nothing marks its end in the Gemma dialect, so
//! that a bracket, quote or comma may be its own as well as the grammar's.

use super::frame::Slot;
use super::lookahead::{Verdict, is_name};
use super::number::{self, Scalar};
use super::token::{Step, Stepped};
use super::{ExprMachine, NoteKind, State};

impl ExprMachine {
    /// Looks at the held text. The delimiter shows that its pair is damaged or missing, a marker that
    /// follows a call that the closing bracket is.
    pub(super) fn check_text(&mut self) {
        let is_held = |text: &String| !text.is_empty() && self.held.contains(text.as_str());
        let is_marker = |text: &String| text.contains(char::is_alphanumeric) && is_held(text);
        let options = &self.options;
        let kind = if options.delimiter.as_ref().is_some_and(is_held)
            || options.follow.texts.iter().any(is_marker)
        {
            NoteKind::StrayDelimiter
        } else if !has_balanced_brackets(&self.held)
            || self.slot == Slot::Value && self.is_uncertain_value()
        {
            NoteKind::UncertainText
        } else {
            return;
        };
        self.note(kind, self.held_start, self.offset);
    }

    fn is_uncertain_value(&self) -> bool {
        number::gemma(&self.held) == Scalar::Text
            && (self.after_equals || holds_quote(&self.held) || self.holds_due_name())
    }

    /// Whether an argument that was not given begins in it, after a separator that is damaged.
    fn holds_due_name(&self) -> bool {
        let mut ends = self.held.match_indices([':', '=']);
        !self.names.is_empty()
            && ends.any(|(at, _)| {
                let before = self.held.get(..at).unwrap_or_default().trim_end();
                let name = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
                self.names.iter().any(|(declared, given)| !given && declared == name)
            })
    }

    /// Begins the lookahead after the closing bracket of the arguments, if it may belong to the text before it.
    pub(super) fn begin_follow(&mut self) -> bool {
        let open = self.after_text && !self.guessed && !self.options.follow.is_empty();
        if open {
            self.lookahead.begin_follow();
        }
        open
    }

    /// After the arguments.
    pub(super) fn after_call<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(verdict) = self.look_ahead(input) else { return Ok(Step::NeedMore) };
        if !matches!(verdict, Verdict::End { .. }) {
            self.note(NoteKind::UncertainText, self.held_start, self.offset);
        }
        self.state = State::Done;
        Ok(Step::Again)
    }
}

/// Whether a quote or backtick stands in it that is no apostrophe.
fn holds_quote(text: &str) -> bool {
    let mut before = None;
    let mut chars = text.chars().peekable();
    std::iter::from_fn(|| chars.next().map(|c| (c, chars.peek().copied()))).any(|(c, next)| {
        let in_word =
            before.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphabetic);
        before = Some(c);
        matches!(c, '"' | '`') || c == '\'' && !in_word
    })
}

/// Brackets and braces are never balanced: their closing ones end the text.
fn has_balanced_brackets(text: &str) -> bool {
    let mut open = 0_usize;
    let balanced = text.chars().all(|c| match c {
        '[' | '{' => false,
        '(' => {
            open += 1;
            true
        }
        ')' if open == 0 => false,
        ')' => {
            open -= 1;
            true
        }
        _ => true,
    });
    balanced && open == 0
}
