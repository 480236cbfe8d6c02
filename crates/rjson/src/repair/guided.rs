//! Which quote ends a string value, where the caller says what it expects.
//!
//! While a string holds no quote of its own kind, the strict reading stands: it ends where the grammar
//! can go on. From then on it ends only before what is expected there. Every other quote is data. A
//! decision reads at most [`BOUND`](super::look::BOUND) bytes ahead; what is open by then is as strict
//! reading has it, and in a string that holds quotes data.

use alloc::vec::Vec;

use super::guide::{Guide, Level};
use super::look::{Ahead, Look, Seen};
use super::marks::Quotes;
use super::number::{Word, classify};
use super::{Repair, Shape, Step};
use crate::diagnostic::Code;
use crate::expect::{Follow, Kinds, Shape as Expected};

/// Whether a string may end before what stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    No,
    Yes,
    /// It may, but nothing that is expected says so.
    Weak,
}

/// What a quote of the string's own kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    End {
        doubtful: bool,
    },
    /// Three in a row, of which the last two take so many bytes, or one; `doubtful`: what follows
    /// could stand behind the end.
    Data {
        triple: Option<usize>,
        doubtful: bool,
    },
}

/// What may follow a string that ends at a place, given the containers open there.
struct Scene<'r> {
    repair: &'r Repair,
    guide: &'r Guide,
    /// The string holds a quote that was read as data.
    inner: bool,
    /// Keys passed on the way, by level and place.
    passed: Vec<(usize, usize)>,
}

/// What a look has come to.
enum Next<'a> {
    Done(Fit),
    /// A member or entry was passed; what follows it counts.
    On(Look<'a>),
}

impl Repair {
    /// A quote of the string's own kind, behind a run of so many bytes that is held back.
    pub(super) fn guided_quote(&mut self, run: usize, quotes: Quotes) -> Step {
        let width = quotes.width(self.rest(), run).max(1);
        let reading = self.guided_reading(run + width, quotes)?;
        self.text_out(run);
        match reading {
            Reading::End { doubtful } => {
                self.text.doubtful |= doubtful;
                let span = self.take(width);
                self.string_end(span)
            }
            Reading::Data { triple, doubtful } => {
                self.text.inner = true;
                self.text.doubtful |= doubtful;
                // Three in a row begin or end a string of code: they are a pair of something else.
                self.text.quotes += usize::from(triple.is_none());
                let span = self.text_out(width + triple.unwrap_or(0));
                self.mend(Code::InnerQuote, span);
                Ok(())
            }
        }
    }

    fn guided_reading(&self, behind: usize, quotes: Quotes) -> Ahead<Reading> {
        let Some(guide) = &self.guide else { return Ok(Reading::End { doubtful: false }) };
        let look = self.look(behind);
        match self.guided_end(guide, look)? {
            Fit::Yes => return Ok(Reading::End { doubtful: false }),
            Fit::Weak => return Ok(Reading::End { doubtful: self.text.inner }),
            Fit::No => {}
        }
        if let Some(bytes) = self.triple_behind(guide, look, quotes)? {
            return Ok(Reading::Data { triple: Some(bytes), doubtful: false });
        }
        let scene = Scene::new(self, guide, true);
        let doubtful = scene.resembles(look, self.text.quotes.is_multiple_of(2))?;
        Ok(Reading::Data { triple: None, doubtful })
    }

    /// Whether the string may end before what a look sees.
    fn guided_end(&self, guide: &Guide, look: Look<'_>) -> Ahead<Fit> {
        // What stands directly behind a quote is no comment and no second string.
        if look.line_comment()? {
            return Ok(Fit::No);
        }
        Scene::new(self, guide, self.text.inner).follows(look, self.stack.len())
    }

    /// The bytes of two more quotes behind the one before a look, where the third does not end the
    /// string.
    fn triple_behind(
        &self,
        guide: &Guide,
        mut look: Look<'_>,
        quotes: Quotes,
    ) -> Ahead<Option<usize>> {
        for _ in 0..2 {
            match look.peek()? {
                Seen::Char(c) if quotes.ends(c) => look.bump(c),
                _ => return Ok(None),
            }
        }
        let bytes = look.at();
        let ends = Scene::new(self, guide, true).follows(look, self.stack.len())? != Fit::No;
        Ok((!ends).then_some(bytes))
    }

    /// Whether three quotes end a string that three began.
    pub(super) fn guided_triple(&self) -> Ahead<bool> {
        let Some(guide) = &self.guide else { return Ok(true) };
        let look = self.look(3);
        if look.line_comment()? {
            return Ok(false);
        }
        Ok(Scene::new(self, guide, true).follows(look, self.stack.len())? != Fit::No)
    }
}

impl<'r> Scene<'r> {
    fn new(repair: &'r Repair, guide: &'r Guide, inner: bool) -> Self {
        Self { repair, guide, inner, passed: Vec::new() }
    }

    fn level(&self, open: usize) -> Option<&'r Level> {
        self.guide.level(open.checked_sub(1)?)
    }

    /// Whether what stands here may follow a value in the container so many levels deep.
    fn follows<'a>(mut self, look: Look<'a>, open: usize) -> Ahead<Fit> {
        let (mut look, mut open) = (look, open);
        loop {
            look.skip_blanks()?;
            let c = match look.peek()? {
                Seen::Limit => return Ok(if self.inner { Fit::No } else { Fit::Yes }),
                // Of the closing brackets only the outermost may be missing.
                Seen::End if self.inner && open > 1 => return Ok(Fit::No),
                Seen::End => return Ok(Fit::Yes),
                Seen::Char(c) => c,
            };
            let Some(frame) = open.checked_sub(1).and_then(|at| self.repair.stack.get(at)) else {
                return self.follows_root(look, c);
            };
            if frame.implied && c != ',' {
                open -= 1;
                continue;
            }
            if c == frame.closer() {
                look.bump(c);
                if frame.doubled {
                    look.skip_blanks()?;
                    if !look.eat("}")? {
                        return Ok(Fit::No);
                    }
                }
                open -= 1;
                continue;
            }
            if c != ',' {
                return self.missing_comma(look, open);
            }
            look.bump(c);
            look.skip_blanks()?;
            while !self.inner && look.eat(",")? {
                look.skip_blanks()?;
            }
            match self.behind_comma(look, open)? {
                Next::Done(fit) => return Ok(fit),
                Next::On(behind) => look = behind,
            }
        }
    }

    /// Behind the end of the root.
    fn follows_root(&self, mut look: Look<'_>, c: char) -> Ahead<Fit> {
        if look.last_fence()? {
            return Ok(Fit::Yes);
        }
        let follow = self.guide.root().follow();
        if self.inner || follow == Follow::End {
            return Ok(Fit::No);
        }
        if matches!(c, ';' | ',') {
            look.bump(c);
            look.skip_blanks()?;
            return Ok(match look.peek()? {
                Seen::End => Fit::Yes,
                Seen::Char('{') if follow == Follow::Objects => Fit::Yes,
                // Code goes on like this, but not with one more object of the same keys.
                Seen::Char('{') => self.root_again(look)?,
                _ => Fit::No,
            });
        }
        for marker in self.guide.root().markers() {
            if look.starts_with(marker)? {
                return Ok(Fit::Yes);
            }
        }
        // What goes on like a text does has not ended.
        let goes_on = Quotes::open(c).is_some() || matches!(c, ')' | ';' | ',' | '.' | '\\' | '>');
        Ok(fit(!goes_on))
    }

    /// Whether an object begins that has a declared key of the root.
    fn root_again(&self, mut look: Look<'_>) -> Ahead<Fit> {
        look.bump('{');
        look.skip_blanks()?;
        let root = self.guide.root().shape();
        let name = quoted(&mut look)?;
        Ok(fit(name.is_some_and(|name| root.member(name).is_some())))
    }

    /// What may stand where a comma is missing: a declared key, apart from the string or behind closing
    /// brackets, and behind those the next object or list of a list.
    fn missing_comma(&self, mut look: Look<'_>, open: usize) -> Ahead<Fit> {
        if self.inner || look.at() == 0 {
            return Ok(Fit::No);
        }
        if open < self.repair.stack.len() && self.is_array(open) {
            return self.next_container(look, open);
        }
        let Some(name) = quoted(&mut look)? else { return Ok(Fit::No) };
        let declared = self.is_declared(name, open);
        look.skip_blanks()?;
        if !declared || !look.eat(":")? {
            return Ok(Fit::No);
        }
        look.skip_blanks()?;
        Ok(fit(look.value_start()?))
    }

    /// Whether an object or list begins that may be an entry of the list so many levels deep.
    fn next_container(&self, look: Look<'_>, open: usize) -> Ahead<Fit> {
        if !matches!(look.peek()?, Seen::Char('{' | '[')) {
            return Ok(Fit::No);
        }
        let level = self.level(open);
        let Some((level, entry)) = level.and_then(|level| Some((level, level.shape().entry()?)))
        else {
            return Ok(Fit::Yes);
        };
        Ok(match value_of(look, level.shape_at(Some(entry)))? {
            Next::Done(fit) => fit,
            Next::On(_) => Fit::Yes,
        })
    }

    fn is_array(&self, open: usize) -> bool {
        let frame = open.checked_sub(1).and_then(|at| self.repair.stack.get(at));
        frame.is_some_and(|frame| frame.shape == Shape::Array)
    }

    fn behind_comma<'a>(&mut self, look: Look<'a>, open: usize) -> Ahead<Next<'a>> {
        let shape = self.repair.stack.get(open.saturating_sub(1)).map(|frame| frame.shape);
        match (shape, self.inner) {
            (Some(Shape::Object), false) => self.any_member(look, open),
            (Some(Shape::Object), true) => self.member(look, open),
            (Some(Shape::Array), false) => match look.peek()? {
                Seen::Char(']') => Ok(Next::On(look)),
                Seen::Char(_) => Ok(Next::Done(fit(look.value_start()? || look.bare_entry()?))),
                Seen::End | Seen::Limit => Ok(Next::Done(Fit::Yes)),
            },
            (Some(Shape::Array), true) => {
                let level = self.level(open);
                let entry = level.and_then(|level| level.shape().entry());
                let Some((level, entry)) = level.zip(entry) else {
                    return Ok(Next::Done(weak(look.value_start()?)));
                };
                value_of(look, level.shape_at(Some(entry)))
            }
            (Some(Shape::Group) | None, inner) => {
                let starts = look.value_start()?;
                Ok(Next::Done(if inner { weak(starts) } else { fit(starts) }))
            }
        }
    }

    /// Whether the container so many levels deep is an entry of a list.
    fn in_list(&self, open: usize) -> bool {
        self.is_array(open.saturating_sub(1))
    }

    /// Any key with colon and value, as the grammar has them, or a closing bracket. The value of a
    /// declared key may be missing or damaged.
    fn any_member<'a>(&self, mut look: Look<'a>, open: usize) -> Ahead<Next<'a>> {
        let (rest, from) = (look.rest(), look.at());
        let c = match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Next::Done(Fit::Yes)),
            Seen::Char('}') => return Ok(Next::On(look)),
            // The next object of a list, where this one is not closed.
            Seen::Char('{') => return Ok(Next::Done(fit(self.in_list(open)))),
            Seen::Char(c) => c,
        };
        match Quotes::open(c) {
            Some(quotes) => {
                look.bump(c);
                if !matches!(look.pass_string(quotes)?, Seen::Char(_)) {
                    return Ok(Next::Done(Fit::Yes));
                }
            }
            None if !look.pass_word()? => return Ok(Next::Done(Fit::No)),
            None => {}
        }
        let key = rest.get(..look.at() - from).unwrap_or_default();
        let key = key.trim_matches(|c| Quotes::open(c).is_some());
        look.skip_blanks()?;
        match look.peek()? {
            Seen::End | Seen::Limit => return Ok(Next::Done(Fit::Yes)),
            Seen::Char(':') => look.bump(':'),
            Seen::Char(_) => return Ok(Next::Done(Fit::No)),
        }
        look.skip_blanks()?;
        let declared = self.is_declared(key, open);
        Ok(Next::Done(match look.peek()? {
            Seen::End | Seen::Limit => Fit::Yes,
            Seen::Char(',' | '}') => fit(declared),
            Seen::Char(_) => fit(declared || look.value_start()?),
        }))
    }

    /// A quoted key that is declared and not yet given, and a start of what its value is.
    fn member<'a>(&mut self, mut look: Look<'a>, open: usize) -> Ahead<Next<'a>> {
        let no = Ok(Next::Done(Fit::No));
        let Some(name) = quoted(&mut look)? else { return no };
        look.skip_blanks()?;
        if !look.eat(":")? {
            return no;
        }
        look.skip_blanks()?;
        let Some(level) = self.level(open) else { return no };
        let Some(members) = level.shape().members() else {
            return Ok(Next::Done(weak(look.value_start()?)));
        };
        let Some(place) = level.shape().member(name) else { return no };
        if level.has(place) || self.passed.contains(&(open, place)) {
            return no;
        }
        self.passed.push((open, place));
        value_of(look, level.shape_at(members.get(place).map(|member| member.shape())))
    }

    /// Whether what stands behind a quote that is data resembles a member or an entry. At an odd count
    /// of quotes that is content, but for keys that have been given.
    fn resembles(&self, mut look: Look<'_>, even: bool) -> Ahead<bool> {
        if look.line_comment()? {
            return Ok(false);
        }
        let mut open = self.repair.stack.len();
        look.skip_blanks()?;
        let apart = look.at() > 0;
        let Seen::Char(first) = look.peek()? else { return Ok(false) };
        if even && first == '+' {
            look.bump(first);
            look.skip_blanks()?;
            return Ok(matches!(look.peek()?, Seen::Char(c) if Quotes::open(c).is_some()));
        }
        if Quotes::open(first).is_some() {
            return Ok(even && self.second_string(look, open, apart)?);
        }
        while let Seen::Char(c @ ('}' | ']')) = look.peek()? {
            open = open.saturating_sub(1);
            look.bump(c);
            look.skip_blanks()?;
        }
        let closed = open < self.repair.stack.len();
        let comma = look.eat(",")?;
        look.skip_blanks()?;
        while comma && look.eat(",")? {
            look.skip_blanks()?;
        }
        if even && closed && self.in_any_list() && matches!(look.peek()?, Seen::Char('{' | '[')) {
            return Ok(true);
        }
        match comma {
            true => self.resembles_member(look, open.max(1), even),
            false => Ok(even && closed && self.declares(look, open)?),
        }
    }

    /// Whether the string stands in a list, however deep: brackets behind it, one too many or too few, may
    /// end an entry.
    fn in_any_list(&self) -> bool {
        (1..=self.repair.stack.len()).any(|open| self.is_array(open))
    }

    /// Whether the object so many levels deep declares a key.
    fn is_declared(&self, key: &str, open: usize) -> bool {
        self.level(open).is_some_and(|level| level.shape().member(key).is_some())
    }

    /// Whether a declared key and its colon stand here.
    fn declares(&self, mut look: Look<'_>, open: usize) -> Ahead<bool> {
        let Some(name) = quoted(&mut look)? else { return Ok(false) };
        look.skip_blanks()?;
        Ok(self.is_declared(name, open) && look.eat(":")?)
    }

    /// Behind a comma: a key.
    fn resembles_member(&self, mut look: Look<'_>, open: usize, even: bool) -> Ahead<bool> {
        let from = look;
        let level = self.level(open);
        let place = |name: &str| level.and_then(|level| level.shape().member(name));
        let given =
            |name: &str| level.zip(place(name)).is_some_and(|(level, place)| level.has(place));
        let name = quoted(&mut look)?;
        let bare = name.is_none();
        let name = match name {
            Some(name) => name,
            None => {
                look = from;
                look.pass_word()?;
                from.rest().get(..look.at() - from.at()).unwrap_or_default()
            }
        };
        look.skip_blanks()?;
        let colon = look.eat(":")?;
        if given(name) && (colon || (even && !bare)) {
            return Ok(true);
        }
        if !even {
            return Ok(false);
        }
        if place(name).is_some() && (colon || !bare) {
            return Ok(true);
        }
        if bare || !colon {
            return Ok(false);
        }
        look.skip_blanks()?;
        look.value_start()
    }

    /// A second string in a row: a declared key, or one that a comma or a bracket follows, which without
    /// whitespace before it (`apart`) counts in lists only.
    fn second_string(&self, mut look: Look<'_>, open: usize, apart: bool) -> Ahead<bool> {
        let Some(name) = quoted(&mut look)? else { return Ok(false) };
        look.skip_blanks()?;
        Ok(match look.peek()? {
            Seen::Char(':') => self.is_declared(name, open),
            Seen::Char(',' | ']') => apart || self.is_array(open),
            Seen::Char('}') => apart,
            _ => false,
        })
    }
}

fn fit(yes: bool) -> Fit {
    if yes { Fit::Yes } else { Fit::No }
}

fn weak(yes: bool) -> Fit {
    if yes { Fit::Weak } else { Fit::No }
}

/// Passes a quoted string without escapes that is in reach; gives its text.
fn quoted<'a>(look: &mut Look<'a>) -> Ahead<Option<&'a str>> {
    let Seen::Char(c) = look.peek()? else { return Ok(None) };
    let Some(quotes) = Quotes::open(c) else { return Ok(None) };
    look.bump(c);
    let text = look.rest();
    let from = look.at();
    let Seen::Char(end) = look.pass_string(quotes)? else { return Ok(None) };
    let length = look.at() - from - end.len_utf8();
    Ok(text.get(..length).filter(|text| !text.contains('\\')))
}

/// Whether a value of this shape begins here. One that ends within reach is passed: what follows it
/// counts too.
fn value_of<'a>(mut look: Look<'a>, shape: &Expected) -> Ahead<Next<'a>> {
    let done = |fit| Ok(Next::Done(fit));
    let Seen::Char(c) = look.peek()? else { return done(Fit::No) };
    match c {
        '{' if shape.allows(Kinds::OBJECT) => {
            let Some(members) = shape.members().filter(|members| !members.is_empty()) else {
                return done(Fit::Yes);
            };
            look.bump(c);
            look.skip_blanks()?;
            if !members.iter().any(|member| member.is_required()) && look.peek()? == Seen::Char('}')
            {
                return done(Fit::Yes);
            }
            let name = quoted(&mut look)?;
            done(fit(name.is_some_and(|name| shape.member(name).is_some())))
        }
        '[' if shape.allows(Kinds::ARRAY) => done(Fit::Yes),
        _ if Quotes::open(c).is_some() => {
            if shape.allows(Kinds::STRING) && !shape.lists_texts() {
                return done(Fit::Yes);
            }
            let Some(text) = quoted(&mut look)? else { return done(Fit::No) };
            if shape.allows(Kinds::STRING) && shape.allows_text(text) {
                return done(Fit::Yes);
            }
            match scalar_kind(text, &look) {
                Some(kind) if shape.allows(kind) => Ok(Next::On(look)),
                _ => done(Fit::No),
            }
        }
        _ => {
            let (rest, from) = (look.rest(), look.at());
            look.pass_word()?;
            let word = rest.get(..look.at() - from).unwrap_or_default();
            match scalar_kind(word, &look) {
                Some(kind) if shape.allows(kind) => Ok(Next::On(look)),
                _ => done(Fit::No),
            }
        }
    }
}

/// The kind of a number or literal.
fn scalar_kind(word: &str, look: &Look<'_>) -> Option<Kinds> {
    match word {
        "true" | "false" | "True" | "False" => Some(Kinds::BOOLEAN),
        "null" | "None" => Some(Kinds::NULL),
        _ => match classify(word, look.meter())? {
            Word::Number { .. } => Some(Kinds::NUMBER),
            _ => None,
        },
    }
}
