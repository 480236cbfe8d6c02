//! Whether a quote ends its string: what follows must read on as grammar.
//!
//! A string without inner quotes ends wherever the grammar can go on. After an inner quote a name
//! must be a declared one that was not given yet, and after the last closing bracket must stand what
//! may follow the call. Fed character by character, it examines at most [`LIMIT`] bytes a quote.

mod follow;
mod members;

pub(crate) use self::follow::Follow;
use super::frame::{Frame, FrameKind, Slot};

/// The most bytes examined after a quote.
const LIMIT: usize = 256;

/// What the lookahead has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    More,
    /// The string ends. `guess`: it may as well go on.
    End {
        guess: bool,
    },
    /// Another string follows that belongs to it.
    Join,
    /// The quote is data. `plausible`: it could end the string all the same.
    Data {
        plausible: bool,
    },
}

const END: Verdict = Verdict::End { guess: false };
pub(super) const DATA: Verdict = Verdict::Data { plausible: false };

/// What is known about the string and its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) frames: &'a [Frame],
    pub(super) slot: Slot,
    /// The quote of the string.
    pub(super) quote: char,
    /// First character of the delimiter of the Gemma dialect.
    pub(super) delimiter: Option<char>,
    /// Declared parameters, and whether each was given.
    pub(super) names: &'a [(String, bool)],
    pub(super) follow: &'a Follow,
    /// The argument has no name of its own.
    pub(super) positional: bool,
}

/// How sure the end of the string must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doubt {
    #[default]
    None,
    /// The string holds an inner quote.
    InnerQuote,
    /// A backslash stands before the quote.
    Backslash,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Directly after the quote.
    #[default]
    Direct,
    /// A comma or closing bracket is due.
    Significant,
    /// After a comma.
    Comma,
    /// After signs in the place of a comma; in the word after them; after it.
    Signs,
    Unseparated,
    AfterUnseparated,
    /// The prefix of a second string.
    Prefix,
    /// After a plus sign.
    Plus,
    /// In the name of an argument; after it; after its equals sign.
    Name,
    AfterName,
    Equals,
    /// In a word that may begin a value.
    Word,
    /// In a quoted key; after a backslash in it; in an unquoted key; after a key.
    QuotedKey(char),
    QuotedKeyEscape(char),
    Key,
    AfterKey,
    /// After a key in quotes.
    AfterQuotedKey,
    /// After the last closing bracket.
    Follow,
    FollowComma,
    FollowName,
    FollowParen,
    /// In what may follow the call, before its last bracket.
    Early,
    /// After a backslash, a quote and what may follow the string: up to the next such quote; after that one.
    NextQuote,
    AfterNextQuote,
}

/// The lookahead after one quote.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookahead {
    phase: Phase,
    doubt: Doubt,
    /// Containers closed so far.
    level: usize,
    /// The word being read.
    word: String,
    /// What to find if the member that is being read goes on as one.
    outcome: Option<Verdict>,
    /// The name of that member is a declared one that was not given.
    due: bool,
    /// In a key that no comma stands before.
    unseparated: bool,
    /// In a comment of Python; one has come.
    in_comment: bool,
    commented: bool,
    /// It holds the quote of the string.
    comment_quote: bool,
    /// Brackets too many stand after the last one.
    surplus: bool,
    scanned: usize,
}

impl Lookahead {
    pub(super) fn begin(&mut self, doubt: Doubt) {
        self.word.clear();
        let word = std::mem::take(&mut self.word);
        *self = Self { doubt, word, ..Self::default() };
    }

    /// Begins after the last closing bracket, where only what may follow the arguments ends them.
    pub(super) fn begin_follow(&mut self) {
        self.begin(Doubt::InnerQuote);
        self.phase = Phase::Follow;
    }

    /// Bytes fed so far.
    pub(super) fn scanned(&self) -> usize {
        self.scanned
    }

    pub(super) fn feed(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        self.scanned += c.len_utf8();
        let pairs = matches!(self.phase, Phase::NextQuote | Phase::AfterNextQuote);
        let mut verdict = self.comment(c, scene).unwrap_or_else(|| self.step(c, scene));
        if self.doubt == Doubt::Backslash && !pairs && matches!(verdict, Verdict::End { .. }) {
            self.phase = Phase::NextQuote;
            verdict = self.next_quote(c, scene.quote);
        }
        match verdict {
            Verdict::More if self.scanned >= LIMIT => self.undecided(),
            verdict => verdict,
        }
    }

    /// What a character of a comment of Python says, which stands between arguments and not directly after the quote.
    fn comment(&mut self, c: char, scene: &Scene<'_>) -> Option<Verdict> {
        if self.in_comment {
            self.in_comment = c != '\n';
            self.comment_quote |= c == scene.quote;
            return Some(Verdict::More);
        }
        let between = matches!(self.phase, Phase::Significant | Phase::Comma);
        let begins = c == '#' && between && scene.delimiter.is_none() && !self.is_strict();
        (self.in_comment, self.commented) = (begins, self.commented | begins);
        begins.then_some(Verdict::More)
    }

    /// The input ends here.
    pub(super) fn end(&self) -> Verdict {
        match self.phase {
            Phase::Follow | Phase::NextQuote => END,
            Phase::AfterNextQuote => Verdict::End { guess: true },
            Phase::Direct | Phase::Significant if self.doubt == Doubt::InnerQuote => {
                Verdict::End { guess: self.level == 0 }
            }
            _ => self.undecided(),
        }
    }

    fn undecided(&self) -> Verdict {
        match self.phase {
            Phase::NextQuote | Phase::AfterNextQuote => Verdict::End { guess: true },
            Phase::Signs | Phase::Unseparated | Phase::AfterUnseparated | Phase::Early => DATA,
            // A comment without an end may be more of the string.
            _ if self.in_comment && self.comment_quote => DATA,
            _ if self.is_strict() || self.unseparated || self.surplus => DATA,
            _ => END,
        }
    }

    fn is_strict(&self) -> bool {
        self.doubt != Doubt::None
    }

    fn step(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        match self.phase {
            Phase::Direct | Phase::Significant => self.significant(c, scene),
            Phase::Comma => self.after_comma(c, scene),
            Phase::Prefix => match c {
                '\'' | '"' if is_prefix(&self.word) => Verdict::Join,
                c if c.is_ascii_alphabetic() => self.push_if(c, true),
                c => self.unseparated(c, scene),
            },
            Phase::Signs | Phase::Unseparated | Phase::AfterUnseparated => {
                self.unseparated(c, scene)
            }
            Phase::Plus => match c {
                '\'' | '"' => Verdict::Data { plausible: true },
                c if c.is_whitespace() => Verdict::More,
                _ => DATA,
            },
            Phase::Name | Phase::AfterName | Phase::Equals | Phase::Word => self.member(c, scene),
            Phase::QuotedKey(_)
            | Phase::QuotedKeyEscape(_)
            | Phase::Key
            | Phase::AfterKey
            | Phase::AfterQuotedKey => self.key(c, scene),
            Phase::Follow | Phase::FollowComma | Phase::FollowName | Phase::FollowParen => {
                self.follow(c, scene)
            }
            Phase::Early => self.early(c, scene),
            Phase::NextQuote | Phase::AfterNextQuote => self.next_quote(c, scene.quote),
        }
    }

    /// Where a backslash stands before the quote: that quote is an escaped one after all where the next one is, or could
    /// end the string.
    fn next_quote(&mut self, c: char, quote: char) -> Verdict {
        match self.phase {
            Phase::AfterNextQuote if c.is_whitespace() => Verdict::More,
            Phase::AfterNextQuote if matches!(c, ',' | ')' | ']' | '}') => {
                Verdict::Data { plausible: true }
            }
            Phase::AfterNextQuote => END,
            _ if c == quote && self.word.ends_with('\\') => Verdict::Data { plausible: true },
            _ if c == quote => self.go(Phase::AfterNextQuote),
            _ => {
                self.word.clear();
                self.word_in(c, Phase::NextQuote)
            }
        }
    }

    fn go(&mut self, phase: Phase) -> Verdict {
        self.phase = phase;
        Verdict::More
    }

    /// A word begins with the character.
    fn word_in(&mut self, c: char, phase: Phase) -> Verdict {
        self.word.push(c);
        self.go(phase)
    }

    fn push_if(&mut self, c: char, fits: bool) -> Verdict {
        if !fits {
            return DATA;
        }
        self.word.push(c);
        Verdict::More
    }

    /// A comma or closing bracket is due; after a key, a colon.
    fn significant(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        if c.is_whitespace() {
            return self.go(Phase::Significant);
        }
        let Some(frame) = scene.frame(self.level) else { return DATA };
        let own = self.level == 0;
        let is_key = own && scene.slot == Slot::Key;
        if is_key || (own && c == ':' && scene.slot == Slot::First && frame == FrameKind::Brace) {
            let ends = frame.ends_key(c) && self.doubt != Doubt::Backslash;
            return if ends { END } else { DATA };
        }
        // Policy 34: directly after the quote there is no second string.
        let free = !(self.is_strict() || self.commented);
        let joins = own && scene.delimiter.is_none() && free && self.phase != Phase::Direct;
        match c {
            ',' => self.go(Phase::Comma),
            // Only a declared argument after it shows that it is none of the string.
            FULL_WIDTH_COMMA => {
                if self.doubt == Doubt::None {
                    self.doubt = Doubt::InnerQuote;
                }
                self.go(Phase::Comma)
            }
            c if c == frame.closing() => self.close(scene),
            '\'' | '"' if joins => Verdict::Join,
            '+' if own && scene.delimiter.is_none() => self.go(Phase::Plus),
            c if joins && is_prefix_letter(c) => self.word_in(c, Phase::Prefix),
            c if scene.begins_marker(c) => self.word_in(c, Phase::Early),
            c => self.unseparated(c, scene),
        }
    }

    /// A container is closed.
    fn close(&mut self, scene: &Scene<'_>) -> Verdict {
        self.level += 1;
        self.word.clear();
        if self.level < scene.frames.len() {
            return self.go(Phase::Significant);
        }
        if scene.follow.is_empty() && self.doubt != Doubt::Backslash {
            return END;
        }
        self.go(Phase::Follow)
    }

    fn after_comma(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        if c.is_whitespace() {
            return Verdict::More;
        }
        let Some(frame) = scene.frame(self.level) else { return DATA };
        if c == frame.closing() {
            return self.close(scene);
        }
        self.word.clear();
        if scene.begins_marker(c) {
            return self.word_in(c, Phase::Early);
        }
        match frame {
            FrameKind::Call if is_name_start(c) => self.word_in(c, Phase::Name),
            FrameKind::Call if is_sign(c) && starts_value(c) != Some(true) => {
                self.unseparated(c, scene)
            }
            // A second string: perhaps a list without its brackets.
            FrameKind::Call if !scene.positional => {
                Verdict::Data { plausible: matches!(c, '\'' | '"') }
            }
            kind if kind.has_keys() => self.key_start(c, scene),
            _ => self.entry(c, scene),
        }
    }

    /// An entry of a list, or a positional argument.
    fn entry(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        let starts = match scene.delimiter {
            Some(_) => Some(!matches!(c, ',' | '}')),
            None => starts_value(c),
        };
        if self.is_strict() {
            // Most lists hold values of one kind.
            let string = matches!(c, '\'' | '"') || scene.delimiter == Some(c);
            return match self.doubt {
                Doubt::InnerQuote if string => Verdict::End { guess: true },
                _ => Verdict::Data { plausible: starts != Some(false) },
            };
        }
        self.outcome = Some(END);
        match starts {
            Some(true) => END,
            Some(false) => DATA,
            None => self.word_in(c, Phase::Word),
        }
    }

    fn key_start(&mut self, c: char, scene: &Scene<'_>) -> Verdict {
        // The names that an inner object may have are not known here.
        self.outcome = Some(match self.doubt {
            Doubt::None => END,
            Doubt::InnerQuote => Verdict::End { guess: true },
            Doubt::Backslash => Verdict::Data { plausible: true },
        });
        match c {
            '\'' | '"' => self.go(Phase::QuotedKey(c)),
            c if scene.delimiter == Some(c) => self.accept(),
            c if is_name(c) => self.word_in(c, Phase::Key),
            _ => DATA,
        }
    }

    fn accept(&self) -> Verdict {
        self.outcome.unwrap_or(DATA)
    }
}

impl Scene<'_> {
    /// Whether the container that many levels up holds the arguments themselves, whose names are
    /// declared.
    fn is_root(&self, level: usize) -> bool {
        level + 1 == self.frames.len() || self.frame(level) == Some(FrameKind::Arguments)
    }

    /// Whether a marker that may follow the call begins with the character, and no string does.
    fn begins_marker(&self, c: char) -> bool {
        self.delimiter != Some(c) && self.follow.begins_marker(c)
    }

    /// The container that many levels up.
    fn frame(&self, level: usize) -> Option<FrameKind> {
        self.frames.iter().rev().nth(level).map(|frame| frame.kind)
    }
}

/// Written in the place of a comma where the text around it is Chinese.
pub(super) const FULL_WIDTH_COMMA: char = '，';

/// What may be written where a comma is due, or after one.
fn is_sign(c: char) -> bool {
    !(c.is_alphanumeric() || c.is_whitespace() || c == '_')
}

/// Whether a Python value begins with the character; `None`: the word it begins decides.
fn starts_value(c: char) -> Option<bool> {
    match c {
        '\'' | '"' | '[' | '(' | '{' | '0'..='9' | '-' | '+' | '.' => Some(true),
        c if c.is_alphabetic() => None,
        _ => Some(false),
    }
}

/// Whether a name may begin with the character.
pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether a name may hold the character.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Whether the word may stand directly before a string.
pub(super) fn is_prefix(word: &str) -> bool {
    (1..=2).contains(&word.len()) && word.chars().all(is_prefix_letter)
}

fn is_prefix_letter(c: char) -> bool {
    matches!(c.to_ascii_lowercase(), 'r' | 'b' | 'u' | 'f')
}
