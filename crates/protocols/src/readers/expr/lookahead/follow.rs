//! What follows the arguments.

use super::{DATA, END, Lookahead, Phase, Scene, Verdict, is_name, is_name_start, is_sign};

/// What may follow the arguments. Nothing given: anything may.
#[derive(Clone, Debug, Default)]
pub(crate) struct Follow {
    /// Texts, without whitespace: end markers, the bracket of a list, what stands between two calls and opens the next.
    pub(crate) texts: Vec<String>,
    /// Another call: a name and `(`.
    pub(crate) call: bool,
    /// A comma, and another call or `]`.
    pub(crate) comma_call: bool,
}

impl Lookahead {
    /// After the arguments.
    pub(super) fn follow(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        match self.phase {
            Phase::Follow if c.is_whitespace() => Verdict::More,
            Phase::Follow => self.follow_text(c, scene.follow),
            Phase::FollowComma if c.is_whitespace() => Verdict::More,
            Phase::FollowComma if c == ']' => END,
            Phase::FollowComma if is_name_start(c) => self.go(Phase::FollowName),
            Phase::FollowComma => {
                self.phase = Phase::Follow;
                self.follow_text(c, scene.follow)
            }
            // A tool may have a namespace.
            Phase::FollowName if is_name(c) || matches!(c, ':' | '/') => Verdict::More,
            Phase::FollowName | Phase::FollowParen => match c {
                '(' => END,
                c if c.is_whitespace() => self.go(Phase::FollowParen),
                _ => DATA,
            },
            _ => DATA,
        }
    }

    fn follow_text(&mut self, c: char, follow: &Follow) -> Verdict {
        let first = self.word.is_empty();
        self.word.push(c);
        if first && c == ',' && follow.comma_call {
            return self.go(Phase::FollowComma);
        }
        // Brackets too many: an end marker that names something is no part of the string.
        let bracket = matches!(c, ')' | ']' | '}');
        if first
            && bracket
            && !self.is_strict()
            && (self.surplus || !follow.texts.contains(&self.word))
        {
            self.surplus = true;
            self.word.clear();
            return Verdict::More;
        }
        if follow.texts.contains(&self.word) {
            return END;
        }
        if follow.texts.iter().any(|text| text.starts_with(&self.word)) {
            return Verdict::More;
        }
        match c {
            c if first && follow.call && is_name_start(c) => self.go(Phase::FollowName),
            // A marker that breaks off.
            _ => Verdict::Data { plausible: self.word.len() > MARKER },
        }
    }

    /// Before the last bracket of the call: a marker shows that the call breaks off.
    pub(super) fn early(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        if c.is_whitespace() {
            return Verdict::More;
        }
        if self.word.chars().all(is_sign) && is_sign(c) && !scene.follow.goes_on(&self.word, c) {
            self.word.clear();
            self.phase = Phase::Signs;
            return self.unseparated(c, scene);
        }
        self.word.push(c);
        let texts = &scene.follow.texts;
        if texts.contains(&self.word) {
            return Verdict::Data { plausible: true };
        }
        match texts.iter().any(|text| text.starts_with(&self.word)) {
            true => Verdict::More,
            false => Verdict::Data { plausible: self.word.len() > MARKER },
        }
    }
}

/// So many bytes may stand in a text by chance.
const MARKER: usize = 3;

impl Follow {
    /// Whether a marker, which is longer than a bracket, begins with the character.
    pub(super) fn begins_marker(&self, c: char) -> bool {
        self.texts.iter().any(|text| text.len() > MARKER && text.starts_with(c))
    }

    /// Whether a text begins with this and the character after it.
    fn goes_on(&self, begun: &str, c: char) -> bool {
        let rest = |text: &String| text.strip_prefix(begun).is_some_and(|rest| rest.starts_with(c));
        self.texts.iter().any(rest)
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && !self.call && !self.comma_call
    }
}
