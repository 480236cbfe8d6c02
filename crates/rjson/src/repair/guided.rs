//! Which quote ends a string value, where the caller says what it expects.
//!
//! While a string holds no quote of its own kind, the strict reading stands: it ends where the grammar
//! can go on. From then on it ends only before what is expected there. Every other quote is data. A
//! decision reads at most [`BOUND`](super::lookahead::BOUND) bytes ahead; what is open by then is as strict
//! reading has it, and in a string that holds quotes data. Where what follows such data resembles what could
//! stand after the end of the string, it may have been meant as that.

use alloc::vec::Vec;

use super::guide::{Guide, Level};
use super::lookahead::{Ahead, Lookahead, Seen};
use super::word::classify;
use super::{Frame, Repair, Shape, Step};
use crate::chars::{Quotes, is_comma};
use crate::diagnostic::Code;
use crate::machine::Kind;
use crate::options::{Follow, Kinds, Shape as Expected};

/// Characters between a string and the next key or entry that may be a damaged separator.
const MAX_SEPARATOR: usize = 16;

/// Whether a string may end before what stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    No,
    Yes,
    /// It may, but nothing that is expected says so.
    Weak,
}

/// What a quote of the string's own kind is.
struct Reading {
    end: bool,
    /// Three in a row, of which the last two take so many bytes, are data.
    triple: Option<usize>,
    /// An end that nothing expected speaks for; or data before what could stand after the end.
    doubtful: bool,
}

/// What may follow a string that ends at a place, given the containers open there.
pub(super) struct Scene<'r> {
    pub(super) repair: &'r Repair,
    guide: &'r Guide,
    /// The string holds a quote that was read as data.
    inner: bool,
    /// Keys passed on the way, by level and place.
    passed: Vec<(usize, usize)>,
}

/// What a lookahead has come to; nothing: a member or entry was passed, and what follows it counts.
type Next = Option<Fit>;

impl Repair {
    /// A quote of the string's own kind, after a run of so many bytes that is held back.
    pub(super) fn guided_quote(&mut self, run: usize, quotes: Quotes) -> Step {
        let width = quotes.width(self.rest(), run).max(1);
        let Reading { end, triple, doubtful } = self.guided_reading(run + width, quotes)?;
        self.text_out(run);
        self.text.doubtful |= doubtful;
        if end {
            return self.string_end(width);
        }
        self.text.inner = true;
        // Three in a row begin or end a string of code: they are a pair of something else.
        self.text.escapes.quotes += usize::from(triple.is_none());
        let span = self.text_out(width + triple.unwrap_or(0));
        self.repaired(Code::InnerQuote, span);
        Ok(())
    }

    fn guided_reading(&self, after: usize, quotes: Quotes) -> Ahead<Reading> {
        let end = |doubtful| Ok(Reading { end: true, triple: None, doubtful });
        let Some(guide) = &self.guide else { return end(false) };
        let lookahead = self.lookahead(after);
        match self.guided_end(guide, lookahead, self.text.inner)? {
            Fit::Yes => return end(false),
            Fit::Weak => return end(self.text.inner),
            Fit::No => {}
        }
        let triple = self.triple_after(guide, lookahead, quotes)?;
        let even = self.text.escapes.quotes.is_multiple_of(2);
        let doubtful =
            triple.is_none() && Scene::new(self, guide, true).resembles(lookahead, even)?;
        Ok(Reading { end: false, triple, doubtful })
    }

    /// Whether the string may end before what a lookahead sees.
    fn guided_end(&self, guide: &Guide, lookahead: Lookahead<'_>, inner: bool) -> Ahead<Fit> {
        // What stands directly after a quote is no comment and no second string.
        if lookahead.line_comment()? {
            return Ok(Fit::No);
        }
        Scene::new(self, guide, inner).follows(lookahead, self.stack.len())
    }

    /// The bytes of two more quotes after the one before a lookahead, where the third does not end the
    /// string.
    fn triple_after(
        &self,
        guide: &Guide,
        mut lookahead: Lookahead<'_>,
        quotes: Quotes,
    ) -> Ahead<Option<usize>> {
        for _ in 0..2 {
            match lookahead.peek()? {
                Seen::Char(c) if quotes.ends(c) => lookahead.bump(c),
                _ => return Ok(None),
            }
        }
        let bytes = lookahead.at;
        let ends = Scene::new(self, guide, true).follows(lookahead, self.stack.len())? != Fit::No;
        Ok((!ends).then_some(bytes))
    }

    /// Whether three quotes end a string that three began.
    pub(super) fn guided_triple(&self) -> Ahead<bool> {
        let Some(guide) = &self.guide else { return Ok(true) };
        Ok(self.guided_end(guide, self.lookahead(3), true)? != Fit::No)
    }
}

impl<'r> Scene<'r> {
    fn new(repair: &'r Repair, guide: &'r Guide, inner: bool) -> Self {
        Self { repair, guide, inner, passed: Vec::new() }
    }

    pub(super) fn level(&self, open: usize) -> Option<&'r Level> {
        self.guide.levels.get(open.checked_sub(1)?)
    }

    /// Whether what stands here may follow a value in the container so many levels deep.
    fn follows(mut self, mut lookahead: Lookahead<'_>, mut open: usize) -> Ahead<Fit> {
        loop {
            let c = match lookahead.peek_visible()? {
                Seen::Limit => return Ok(if self.inner { Fit::No } else { Fit::Yes }),
                // Of the closing brackets only the outermost may be missing.
                Seen::End if self.inner && open > 1 => return Ok(Fit::No),
                Seen::End => return Ok(Fit::Yes),
                Seen::Char(c) => c,
            };
            let Some(frame) = self.frame(open) else { return self.follows_root(lookahead, c) };
            if frame.implied && c != ',' {
                open -= 1;
                continue;
            }
            if c == frame.closing() {
                lookahead.bump(c);
                if frame.doubled && !lookahead.eat_visible("}")? {
                    return Ok(Fit::No);
                }
                open -= 1;
                continue;
            }
            if c != ',' {
                return self.missing_comma(lookahead, open);
            }
            lookahead.pass_visible(c)?;
            while !self.inner && lookahead.eat_visible(",")? {}
            if let Some(fit) = self.after_comma(&mut lookahead, open)? {
                return Ok(fit);
            }
        }
    }

    /// After the end of the root.
    fn follows_root(&self, mut lookahead: Lookahead<'_>, c: char) -> Ahead<Fit> {
        if lookahead.last_fence()? {
            return Ok(Fit::Yes);
        }
        let follow = self.guide.root.follow;
        if self.inner || follow == Follow::End {
            return Ok(Fit::No);
        }
        if matches!(c, ';' | ',') {
            lookahead.bump(c);
            return Ok(match lookahead.peek_visible()? {
                Seen::End => Fit::Yes,
                _ if self.after_marker(lookahead)?.is_some() => Fit::Yes,
                Seen::Char('{') if follow == Follow::Objects => Fit::Yes,
                // Code goes on like this, but not with one more object of the same keys.
                Seen::Char('{') => self.root_again(lookahead)?,
                _ => self.before_text(lookahead)?,
            });
        }
        if self.after_marker(lookahead)?.is_some() {
            return Ok(Fit::Yes);
        }
        let mut markers = self.guide.root.markers.iter();
        if lookahead.cuts("```") || markers.any(|marker| lookahead.cuts(marker)) {
            return Ok(Fit::Yes);
        }
        let line = lookahead.since(lookahead.at.saturating_sub(1)) == "\n";
        match c {
            // A fence, a word of code or a quotation begins a line of text as a letter does.
            _ if line && (c == '>' || Quotes::open(c).is_some()) => Ok(Fit::Yes),
            // What goes on like code does has not ended; like a text does, perhaps.
            '\\' | '>' => Ok(Fit::No),
            ')' | '.' => self.before_text(lookahead),
            _ => Ok(fit(Quotes::open(c).is_none())),
        }
    }

    /// The text after something that no string of the root holds, if that begins here.
    fn after_marker<'a>(&self, lookahead: Lookahead<'a>) -> Ahead<Option<Lookahead<'a>>> {
        for marker in &*self.guide.root.markers {
            let mut after = lookahead;
            if after.eat(marker)? {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }

    /// Whether a marker begins here that is not in quotes itself.
    fn breaks_off(&self, lookahead: Lookahead<'_>) -> Ahead<bool> {
        let Some(after) = self.after_marker(lookahead)? else { return Ok(false) };
        Ok(!matches!(after.peek()?, Seen::Char(c) if Quotes::open(c).is_some()))
    }

    /// After the end of the root, which text follows: had the string not ended, a further quote would
    /// come, and not at the beginning of one more object.
    fn before_text(&self, mut lookahead: Lookahead<'_>) -> Ahead<Fit> {
        loop {
            match lookahead.peek()? {
                Seen::Limit | Seen::End => return Ok(Fit::Yes),
                Seen::Char('{') if self.root_again(lookahead)? == Fit::Yes => return Ok(Fit::Yes),
                Seen::Char(c) if self.repair.text.ends.is_quote(c) => return Ok(Fit::No),
                Seen::Char(c) => lookahead.bump(c),
            }
        }
    }

    /// Whether an object begins that has a declared key of the root.
    fn root_again(&self, mut lookahead: Lookahead<'_>) -> Ahead<Fit> {
        lookahead.pass_visible('{')?;
        let root = self.guide.root.shape();
        let name = quoted(&mut lookahead)?;
        Ok(fit(name.is_some_and(|name| root.member(name).is_some())))
    }

    /// What may stand where a comma is missing or another sign stands for it: a declared key, apart from
    /// the string or after closing brackets, and after those the next object or list of a list.
    fn missing_comma(&self, mut lookahead: Lookahead<'_>, open: usize) -> Ahead<Fit> {
        if let Seen::Char(c) = lookahead.peek()?
            && is_comma(c)
        {
            lookahead.pass_visible(c)?;
        }
        if self.inner || lookahead.at == 0 {
            return Ok(Fit::No);
        }
        if open < self.repair.stack.len() && self.is_array(open) {
            return self.next_container(lookahead, open);
        }
        if !self.declares(&mut lookahead, open)? {
            return Ok(Fit::No);
        }
        lookahead.skip_whitespace()?;
        Ok(fit(lookahead.value_start()?))
    }

    /// Whether an object or list begins that may be an entry of the list so many levels deep.
    fn next_container(&self, mut lookahead: Lookahead<'_>, open: usize) -> Ahead<Fit> {
        if !matches!(lookahead.peek()?, Seen::Char('{' | '[')) {
            return Ok(Fit::No);
        }
        let Some(shape) = self.entry_shape(open) else { return Ok(Fit::Yes) };
        Ok(value_of(&mut lookahead, shape)?.unwrap_or(Fit::Yes))
    }

    /// What is expected of the entries of the list so many levels deep.
    fn entry_shape(&self, open: usize) -> Option<&'r Expected> {
        let level = self.level(open)?;
        Some(level.expect.shape_at(Some(level.shape().entry?)))
    }

    fn frame(&self, open: usize) -> Option<&'r Frame> {
        self.repair.stack.get(open.checked_sub(1)?)
    }

    pub(super) fn is_array(&self, open: usize) -> bool {
        self.frame(open).is_some_and(|frame| frame.shape == Shape::Array)
    }

    fn after_comma(&mut self, lookahead: &mut Lookahead<'_>, open: usize) -> Ahead<Next> {
        let shape = self.repair.stack.get(open.saturating_sub(1)).map(|frame| frame.shape);
        match (shape, self.inner) {
            (Some(Shape::Object), false) => self.any_member(lookahead, open),
            (Some(Shape::Object), true) => self.member(lookahead, open),
            (Some(Shape::Array), false) => match lookahead.peek()? {
                Seen::Char(']') => Ok(None),
                Seen::Char(_) => {
                    Ok(Some(fit(lookahead.value_start()? || lookahead.unquoted_entry()?)))
                }
                Seen::End | Seen::Limit => Ok(Some(Fit::Yes)),
            },
            (Some(Shape::Array), true) => match self.entry_shape(open) {
                Some(shape) => value_of(lookahead, shape),
                None => Ok(Some(weak(lookahead.value_start()?))),
            },
            (Some(Shape::Group) | None, inner) => {
                let starts = lookahead.value_start()?;
                Ok(Some(if inner { weak(starts) } else { fit(starts) }))
            }
        }
    }

    /// Any key with colon and value, as the grammar has them, or a closing bracket. The value of a
    /// declared key may be missing or damaged.
    fn any_member(&self, lookahead: &mut Lookahead<'_>, open: usize) -> Ahead<Next> {
        let from = lookahead.at;
        let c = match lookahead.peek()? {
            Seen::End | Seen::Limit => return Ok(Some(Fit::Yes)),
            Seen::Char('}') => return Ok(None),
            // The next object of a list, where this one is not closed.
            Seen::Char('{') => return Ok(Some(fit(self.is_array(open.saturating_sub(1))))),
            Seen::Char(c) => c,
        };
        match Quotes::open(c) {
            Some(quotes) => {
                lookahead.bump(c);
                if !lookahead.pass_string(quotes)?.is_char() {
                    return Ok(Some(Fit::Yes));
                }
            }
            None if !lookahead.pass_word()? => return Ok(Some(Fit::No)),
            None => {}
        }
        let key = lookahead.since(from).trim_matches(|c| Quotes::open(c).is_some());
        match lookahead.peek_visible()? {
            Seen::End | Seen::Limit => return Ok(Some(Fit::Yes)),
            Seen::Char(':') => lookahead.bump(':'),
            Seen::Char(_) => return Ok(Some(Fit::No)),
        }
        lookahead.skip_whitespace()?;
        let declared = self.is_declared(key, open);
        Ok(Some(match lookahead.peek()? {
            Seen::End | Seen::Limit => Fit::Yes,
            Seen::Char(',' | '}') => fit(declared),
            Seen::Char(_) => fit(declared || lookahead.value_start()?),
        }))
    }

    /// A quoted key that is declared and not yet given, and a start of what its value is.
    fn member(&mut self, lookahead: &mut Lookahead<'_>, open: usize) -> Ahead<Next> {
        let no = Ok(Some(Fit::No));
        let Some(name) = quoted(lookahead)? else { return no };
        if !lookahead.eat_visible(":")? {
            return no;
        }
        lookahead.skip_whitespace()?;
        let Some(level) = self.level(open) else { return no };
        let Some(members) = level.shape().members() else {
            return Ok(Some(weak(lookahead.value_start()?)));
        };
        let Some(place) = level.shape().member(name) else { return no };
        if level.given.has(place) || self.passed.contains(&(open, place)) {
            return no;
        }
        self.passed.push((open, place));
        value_of(lookahead, level.expect.shape_at(members.get(place).map(|member| member.shape)))
    }

    /// Whether the object so many levels deep declares a key.
    pub(super) fn is_declared(&self, key: &str, open: usize) -> bool {
        self.level(open).is_some_and(|level| level.shape().member(key).is_some())
    }
}

fn fit(yes: bool) -> Fit {
    if yes { Fit::Yes } else { Fit::No }
}

fn weak(yes: bool) -> Fit {
    if yes { Fit::Weak } else { Fit::No }
}

/// Passes a quoted string without escapes that is in reach; gives its text.
pub(super) fn quoted<'a>(lookahead: &mut Lookahead<'a>) -> Ahead<Option<&'a str>> {
    let Some(quotes) = lookahead.open_quote()? else { return Ok(None) };
    let from = lookahead.at;
    let Seen::Char(end) = lookahead.pass_string(quotes)? else { return Ok(None) };
    Ok(lookahead.since(from).strip_suffix(end).filter(|text| !text.contains('\\')))
}

/// Whether a value of this shape begins here. One that ends within reach is passed: what follows it
/// counts too.
fn value_of(lookahead: &mut Lookahead<'_>, shape: &Expected) -> Ahead<Next> {
    let done = |fit| Ok(Some(fit));
    let Seen::Char(c) = lookahead.peek()? else { return done(Fit::No) };
    match c {
        '{' if shape.allows(Kinds::OBJECT) => {
            let Some(members) = shape.members().filter(|members| !members.is_empty()) else {
                return done(Fit::Yes);
            };
            lookahead.pass_visible(c)?;
            if !members.iter().any(|member| member.required) && lookahead.peek()? == Seen::Char('}')
            {
                return done(Fit::Yes);
            }
            let name = quoted(lookahead)?;
            return done(fit(name.is_some_and(|name| shape.member(name).is_some())));
        }
        '[' if shape.allows(Kinds::ARRAY) => return done(Fit::Yes),
        _ => {}
    }
    let text = match Quotes::open(c) {
        Some(_) if shape.allows(Kinds::STRING) && !shape.lists_texts() => return done(Fit::Yes),
        Some(_) => match quoted(lookahead)? {
            Some(text) if shape.allows(Kinds::STRING) && shape.allows_text(text) => {
                return done(Fit::Yes);
            }
            Some(text) => text,
            None => return done(Fit::No),
        },
        None => lookahead.word()?,
    };
    match scalar_kind(text, lookahead) {
        Some(kind) if shape.allows(kind) => Ok(None),
        _ => done(Fit::No),
    }
}

/// The kind of a number or literal.
fn scalar_kind(word: &str, lookahead: &Lookahead<'_>) -> Option<Kinds> {
    match Kind::of_literal(word) {
        Some(Kind::Null) => Some(Kinds::NULL),
        Some(_) => Some(Kinds::BOOLEAN),
        None => {
            let word = classify(word, lookahead.meter)?;
            (word.is_number() && !word.is_repaired()).then_some(Kinds::NUMBER)
        }
    }
}

impl Scene<'_> {
    /// Whether what stands after a quote that is data resembles a member or an entry. At an odd count
    /// of quotes that is content, but for keys that have been given.
    pub(super) fn resembles(&self, mut lookahead: Lookahead<'_>, even: bool) -> Ahead<bool> {
        if lookahead.line_comment()? {
            return Ok(false);
        }
        let mut open = self.repair.stack.len();
        lookahead.skip_whitespace()?;
        let apart = lookahead.at > 0;
        let Seen::Char(first) = lookahead.peek()? else { return Ok(false) };
        if even && self.breaks_off(lookahead)? {
            return Ok(true);
        }
        if even && first == '+' {
            lookahead.bump(first);
            return Ok(
                matches!(lookahead.peek_visible()?, Seen::Char(c) if Quotes::open(c).is_some()),
            );
        }
        if Quotes::open(first).is_some() {
            return Ok(even
                && (self.second_string(lookahead, open, apart)?
                    || self.separated(lookahead, false)?));
        }
        if even && self.separated(lookahead, true)? {
            return Ok(true);
        }
        while let Seen::Char(c @ ('}' | ']')) = lookahead.peek()? {
            open = open.saturating_sub(1);
            lookahead.pass_visible(c)?;
        }
        let closed = open < self.repair.stack.len();
        let comma = lookahead.eat(",")?;
        lookahead.skip_whitespace()?;
        while comma && lookahead.eat_visible(",")? {}
        let next_entry =
            closed && self.in_any_list() && matches!(lookahead.peek()?, Seen::Char('{' | '['));
        if even && (next_entry || self.breaks_off(lookahead)?) {
            return Ok(true);
        }
        match comma {
            true => self.resembles_member(lookahead, open.max(1), even),
            false => Ok(even && closed && self.declares(&mut lookahead, open)?),
        }
    }

    /// Whether a declared key and its colon stand behind a few characters that may be a damaged separator, among
    /// them single quotes and backticks, or in a list (`entries`) an entry behind some that are no quotes.
    fn separated(&self, mut lookahead: Lookahead<'_>, mut entries: bool) -> Ahead<bool> {
        for _ in 0..MAX_SEPARATOR {
            let Seen::Char(c) = lookahead.peek()? else { return Ok(false) };
            if Quotes::open(c).is_some() {
                let follows = self.follows_separator(lookahead, entries)?;
                if follows || c == '"' {
                    return Ok(follows);
                }
                entries = false;
            }
            lookahead.bump(c);
        }
        Ok(false)
    }

    /// Whether a string that stands here is a declared key before its colon, which may stand in its quotes, or in a
    /// list an entry.
    fn follows_separator(&self, mut lookahead: Lookahead<'_>, entries: bool) -> Ahead<bool> {
        let Some(text) = quoted(&mut lookahead)? else { return Ok(false) };
        let open = self.repair.stack.len();
        let declared = |key| (1..=open).any(|open| self.is_declared(key, open));
        Ok(match lookahead.peek_visible()? {
            Seen::Char(':') => declared(text),
            Seen::Char(',' | ']') => entries && self.is_array(open),
            Seen::Char('"') => text.strip_suffix(':').is_some_and(declared),
            _ => false,
        })
    }

    /// Whether the string stands in a list, however deep: brackets after it, one too many or too few, may
    /// end an entry.
    fn in_any_list(&self) -> bool {
        (1..=self.repair.stack.len()).any(|open| self.is_array(open))
    }

    /// Whether a declared key and its colon stand here, which are passed.
    fn declares(&self, lookahead: &mut Lookahead<'_>, open: usize) -> Ahead<bool> {
        let Some(name) = quoted(lookahead)? else { return Ok(false) };
        lookahead.skip_whitespace()?;
        Ok(self.is_declared(name, open) && lookahead.eat(":")?)
    }

    /// After a comma: a key.
    fn resembles_member(
        &self,
        mut lookahead: Lookahead<'_>,
        open: usize,
        even: bool,
    ) -> Ahead<bool> {
        let from = lookahead;
        let level = self.level(open);
        let place = |name: &str| level.and_then(|level| level.shape().member(name));
        let given = |name: &str| {
            level.zip(place(name)).is_some_and(|(level, place)| level.given.has(place))
        };
        let name = quoted(&mut lookahead)?;
        let unquoted = name.is_none();
        let name = match name {
            Some(name) => name,
            None => {
                lookahead = from;
                lookahead.word()?
            }
        };
        let colon = lookahead.eat_visible(":")?;
        if given(name) && (colon || (even && !unquoted)) {
            return Ok(true);
        }
        if !even {
            return Ok(false);
        }
        if unquoted || !colon {
            // No quotation of a text begins before a comma and a quote.
            return Ok(!unquoted || colon && place(name).is_some());
        }
        lookahead.skip_whitespace()?;
        Ok(place(name).is_some() || lookahead.value_start()?)
    }

    /// A second string in a row: a declared key, or one that a comma or a bracket follows, which without
    /// whitespace before it (`apart`) counts in lists only.
    fn second_string(&self, mut lookahead: Lookahead<'_>, open: usize, apart: bool) -> Ahead<bool> {
        let Some(name) = quoted(&mut lookahead)? else { return Ok(false) };
        Ok(match lookahead.peek_visible()? {
            Seen::Char(':') => self.is_declared(name, open),
            Seen::Char(',' | ']') => apart || self.is_array(open),
            Seen::Char('}') => apart,
            _ => false,
        })
    }
}
