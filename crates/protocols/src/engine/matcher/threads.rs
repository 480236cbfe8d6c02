//! Headers that are matched side by side: how a thread takes a character, and where it goes on.

use super::attributes::Attributes;
use super::{MAX_SKIP, MAX_THREADS, Matched, Matcher, Taken, Thread, USUAL_THREADS, fits};
use crate::engine::tag::is_whitespace;
use crate::program::{Code, Committed, Exit, Op, Slot};

impl Matcher {
    pub(super) fn step(&mut self, thread: &Thread, taken: Taken<'_>) {
        let c = taken.c;
        match taken.code.ops.get(thread.at) {
            Some(Op::Char(wanted)) if *wanted == c => self.go_on(*thread, 1, taken),
            Some(Op::Fold(letter)) if letter.eq_ignore_ascii_case(&c) => {
                self.go_on(*thread, 1, taken);
            }
            Some(Op::Whitespace) if is_whitespace(c) => self.go_on(*thread, 1, taken),
            Some(Op::Space) if is_whitespace(c) => self.go_on(*thread, 0, taken),
            Some(Op::Inline) if is_whitespace(c) && c != '\n' => self.go_on(*thread, 0, taken),
            Some(Op::Quote) if matches!(c, '"' | '\'') => {
                let mut quoted = *thread;
                quoted.at += 1;
                self.add(quoted, taken.code, taken.after);
            }
            Some(Op::Known { any }) if c == '>' && self.knows(thread, *any, taken) => {
                self.go_on(*thread, 1, taken);
            }
            Some(Op::Hole(slot)) if fits(*slot, c, thread.hole) && thread.hole < self.max_hole => {
                self.go_on_or_stay(*thread, taken);
            }
            Some(Op::Skip) if thread.hole < MAX_SKIP => self.go_on_or_stay(*thread, taken),
            Some(Op::Until(stop)) if *stop != c && thread.hole < MAX_SKIP => {
                self.go_on_or_stay(*thread, taken);
            }
            Some(Op::Declared(slot)) => self.declared(*thread, *slot, taken),
            Some(Op::Property) => self.property(*thread, taken),
            Some(Op::Same(same)) => self.same(*thread, *same, taken),
            Some(Op::Closes { elements }) => self.closes(*thread, *elements, taken),
            Some(Op::Whole(exit)) if self.takes_text(thread, taken) => {
                self.end(thread, *exit, taken.before);
            }
            Some(Op::TagName(name)) => self.tag_name(*thread, *name, taken),
            Some(Op::Argument(argument)) => self.argument(*thread, *argument, taken),
            Some(Op::Attributes(tag)) => self.attribute(*thread, *tag, taken),
            Some(Op::Ahead(ahead, exit)) if ahead.fits(c) => self.end(thread, *exit, taken.before),
            _ => {}
        }
    }

    pub(super) fn go_on(&mut self, mut thread: Thread, by: usize, taken: Taken<'_>) {
        thread.at += by;
        // A key holds whitespace: a line break ends it.
        let holds =
            |slot: Slot| slot == Slot::Key && fits(slot, taken.c, 1) && is_whitespace(taken.c);
        thread.touching = thread.touching.filter(|slot| holds(*slot));
        self.add(thread, taken.code, taken.after);
    }

    /// The hole ends after this character, or goes on.
    fn go_on_or_stay(&mut self, mut thread: Thread, taken: Taken<'_>) {
        thread.hole += taken.c.len_utf8();
        self.go_on(thread, 1, taken);
        if !self.cut {
            self.keep(thread);
        }
    }

    /// Keeps a thread where it is, unless a preferred one is there.
    pub(super) fn keep(&mut self, thread: Thread) {
        let place = 1 << (thread.at % 64);
        let is_there = || self.next.iter().any(|other| other.at == thread.at);
        if self.places & place == 0 || !is_there() {
            self.places |= place;
            if self.next.capacity() == 0 {
                self.next.reserve_exact(USUAL_THREADS);
            }
            self.next.push(thread);
        }
    }

    /// A header has ended with its payload at `at`.
    fn end(&mut self, thread: &Thread, exit: Exit, at: usize) {
        // Only what is preferred to a header that has ended is still alive.
        let payload = thread.mark.unwrap_or(at);
        self.waiting = Some(Matched { exit, slots: thread.slots, payload });
        self.cut = true;
    }

    /// If no header ends it is this one. What is found later says more; of two at one place none does.
    fn end_otherwise(&mut self, thread: &Thread, exit: Option<Exit>, at: usize) {
        let says_more = |(known, _)| known < at || known == at && exit.is_none();
        if thread.touching.is_none() && self.otherwise.is_none_or(says_more) {
            let matched = |exit| Matched { exit, slots: thread.slots, payload: at };
            self.otherwise = Some((at, exit.map(matched)));
        }
    }

    /// Follows a thread to the operations that take a character.
    pub(super) fn add(&mut self, mut thread: Thread, code: &Code, at: usize) {
        loop {
            if self.next.len() >= MAX_THREADS {
                return;
            }
            match code.ops.get(thread.at) {
                Some(Op::Jump(to)) => thread.at = *to,
                Some(Op::Fork(ways) | Op::Again(ways)) => {
                    for way in ways {
                        self.add(Thread { at: *way, ..thread }, code, at);
                        if self.cut {
                            return;
                        }
                    }
                    return;
                }
                // Only whitespace could show where the hole before it ends.
                Some(Op::Start(_) | Op::Skip | Op::Until(_) | Op::Exit(_))
                    if thread.touching.is_some() =>
                {
                    return;
                }
                Some(Op::Start(slot)) => {
                    thread.slots.set(*slot, (at, at));
                    thread.hole = 0;
                    thread.at += 1;
                }
                Some(Op::End(slot)) => {
                    let start = thread.slots.get(*slot).map_or(at, |(start, _)| start);
                    thread.slots.set(*slot, (start, at));
                    thread.touching = Some(*slot);
                    thread.at += 1;
                }
                // The hole before it may go on; so may what else begins with the bracket of a list.
                Some(Op::Commit(committed))
                    if thread.touching.is_some() || *committed == Committed::List =>
                {
                    thread.committed = Some(*committed);
                    thread.at += 1;
                }
                Some(Op::Commit(committed)) => {
                    // Its own alternatives stay; those of less preferred threads go.
                    let thread =
                        Thread { at: thread.at + 1, committed: Some(*committed), ..thread };
                    self.add(thread, code, at);
                    self.cut = true;
                    return;
                }
                Some(Op::Reject) => {
                    self.cut = true;
                    return;
                }
                Some(Op::Otherwise(exit)) => {
                    self.end_otherwise(&thread, *exit, at);
                    thread.at += 1;
                }
                Some(Op::Mark) => {
                    thread.mark = Some(at);
                    thread.at += 1;
                }
                Some(Op::Exit(exit)) => return self.end(&thread, *exit, at),
                Some(Op::Space | Op::Inline | Op::Quote) => {
                    self.keep(thread);
                    thread.at += 1;
                }
                Some(Op::Skip | Op::Until(_)) => {
                    self.add(Thread { at: thread.at + 1, ..thread }, code, at);
                    if !self.cut {
                        self.keep(thread);
                    }
                    return;
                }
                Some(Op::Attributes(_)) => {
                    thread.attributes = Attributes::default();
                    return self.keep(thread);
                }
                Some(
                    Op::Declared(_)
                    | Op::Argument(_)
                    | Op::Property
                    | Op::Same(_)
                    | Op::Closes { .. }
                    | Op::TagName(_),
                ) => {
                    thread.hole = 0;
                    return self.keep(thread);
                }
                Some(Op::Tools) if self.tools.is_empty() => return,
                Some(Op::Tools) => thread.at += 1,
                _ => return self.keep(thread),
            }
        }
    }
}
