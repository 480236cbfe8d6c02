//! Text of headers that decides nothing: as long as a header is written as usual it is compared with that
//! text, and the threads are run only where it differs. Inside literals and names characters are taken in runs:
//! only the last one makes threads anew.

use super::{Matcher, Thread, fits};
use crate::engine::tag::is_whitespace;
use crate::program::{Code, Op, Slot};

impl Matcher {
    /// The header that has just begun probably goes on with this text.
    pub(crate) fn expect(&mut self, usual: Option<usize>) {
        self.usual = usual.map(|usual| (usual, 0));
    }

    /// Takes characters from the beginning of a text that decide nothing. Gives their bytes; none is no
    /// verdict.
    pub(crate) fn take_run(&mut self, text: &str, code: &Code) -> usize {
        let usual = if self.usual.is_some() { self.take_usual(text, code) } else { 0 };
        if self.usual.is_some() {
            return usual;
        }
        let rest = text.get(usual..).unwrap_or_default();
        if self.single.is_some() {
            return usual + self.take_name(rest, code);
        }
        if !rest.is_empty() {
            self.start(code);
        }
        let hole = self.take_hole(rest, code);
        usual + if hole == 0 { self.take_literal(rest, code) } else { hole }
    }

    /// Takes as much of the usual text as comes.
    pub(super) fn take_usual(&mut self, text: &str, code: &Code) -> usize {
        let Some((index, matched)) = self.usual else { return 0 };
        let Some(usual) = code.usual.get(index) else { return 0 };
        let rest = usual.text.get(matched..).unwrap_or_default();
        let same = rest.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let taken = (0..=same).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0);
        self.usual = Some((index, matched + taken));
        if taken == rest.len() {
            #[cfg(debug_assertions)]
            self.check_usual(&usual.text, usual.at, code);
            (self.usual, self.begun) = (None, None);
            self.threads.clear();
            self.single = Some((usual.at, 0));
        }
        taken
    }

    /// The threads lead where the usual text is said to lead.
    #[cfg(debug_assertions)]
    fn check_usual(&mut self, text: &str, at: usize, code: &Code) {
        self.leave_usual(text, code);
        assert_eq!(self.threads, [Thread::new(at)], "{text:?} leads elsewhere");
        assert!(self.waiting.is_none(), "{text:?} is a whole header");
    }

    /// The header differs from the usual text: the threads take what is held of it.
    pub(super) fn leave_usual(&mut self, held: &str, code: &Code) {
        let Some((_, matched)) = self.usual.take() else { return };
        self.replay(held, held.len().saturating_sub(matched), code);
    }

    /// Takes what is surely inside the name in a tag that is read freely, where no other thread lives.
    fn take_name(&mut self, text: &str, code: &Code) -> usize {
        let most = self.most_name();
        let Some((at, hole)) = &mut self.single else { return 0 };
        let Some(Op::TagName(_)) = code.ops.get(*at) else { return 0 };
        let ends = |b: &u8| matches!(b, b'<' | b'>');
        let run = text.as_bytes().iter().position(ends).unwrap_or(text.len());
        if *hole + run > most {
            return 0;
        }
        *hole += run;
        run
    }

    /// Takes characters of literals, where every thread that survives is inside one and stays so.
    fn take_literal(&mut self, text: &str, code: &Code) -> usize {
        let mut taken = 0;
        let mut rest = text;
        while let Some(c) = rest.chars().next().filter(|c| !is_whitespace(*c)) {
            let mut survive = 0;
            for thread in &self.threads {
                survive += match code.ops.get(thread.at..).unwrap_or_default() {
                    [Op::Char(wanted), Op::Char(_), ..] if *wanted == c => 1,
                    [Op::Char(wanted), ..] if *wanted != c => 0,
                    [Op::Hole(slot), ..] if !fits(*slot, c, thread.hole) => 0,
                    [Op::Ahead(ahead, _), ..] if !ahead.fits(c) => 0,
                    [Op::Space | Op::Inline | Op::Whitespace, ..] => 0,
                    _ => return taken,
                };
            }
            if survive == 0 {
                break;
            }
            if survive < self.threads.len() {
                self.threads.retain(|thread| code.ops.get(thread.at) == Some(&Op::Char(c)));
            }
            // Up to where one of them ends or differs they go on together.
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            let on = self.threads.iter().map(|thread| code.goes_on(thread.at + 1, after)).min();
            let (on, after) = after.split_at_checked(on.unwrap_or_default()).unwrap_or(("", after));
            let by = 1 + on.chars().count();
            for thread in &mut self.threads {
                (thread.at, thread.touching) = (thread.at + by, None);
            }
            taken += rest.len() - after.len();
            rest = after;
        }
        taken
    }

    /// Takes plain characters of a name, where no thread but those inside it survives them. The last one is
    /// left: it makes the threads that the end of the name leads to.
    fn take_hole(&mut self, text: &str, code: &Code) -> usize {
        let ends = |b: &u8| !is_plain(char::from(*b));
        let run = text.as_bytes().iter().position(ends).unwrap_or(text.len()).saturating_sub(1);
        let stays = |thread: &Thread| match code.ops.get(thread.at) {
            Some(Op::Hole(Slot::Name | Slot::Id)) => {
                thread.hole > 0 && thread.hole + run < self.max_hole
            }
            _ => false,
        };
        let dies = |thread: &Thread| match code.ops.get(thread.at) {
            Some(Op::Space | Op::Inline | Op::Whitespace | Op::Quote) => true,
            Some(Op::Ahead(ahead, _)) => !ahead.fits('a'),
            Some(Op::Char(other)) => !is_plain(*other),
            _ => false,
        };
        let known = |thread: &Thread| stays(thread) || dies(thread);
        if run == 0 || !self.threads.iter().any(stays) || !self.threads.iter().all(known) {
            return 0;
        }
        for thread in &mut self.threads {
            thread.hole += run;
        }
        run
    }
}

/// Whether a character is one that most names are of.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
