//! Makes a case that breaks a law small, and reports it.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use toolweir_segments::StreamEnd;

use crate::case::{Breach, Case};

/// Time given to making one finding small.
const PATIENCE: Duration = Duration::from_secs(8);

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where the last panic of this thread happened, if [`watch_panics`] is on.
pub fn last_panic() -> String {
    PLACE.with_borrow(Clone::clone)
}

/// Remembers where panics happen and prints nothing, for harnesses that report by themselves.
pub fn watch_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PLACE.with_borrow_mut(|last| *last = place);
    }));
}

/// The text a panic carries.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The check's verdict, a panic being a breach of C7.
fn guarded(case: &Case, check: fn(&Case) -> Result<(), Breach>) -> Result<(), Breach> {
    match panic::catch_unwind(AssertUnwindSafe(|| check(case))) {
        Ok(result) => result,
        Err(payload) => {
            let place = last_panic();
            let message = format!("panic at {place}: {}", panic_text(&*payload));
            Err(Breach::new(format!("C7 {place}"), message))
        }
    }
}

/// Checks a case; panics with the smallest case found that breaks the same law.
///
/// # Panics
/// On a breach: that is how a target reports.
pub fn require(case: Case, check: fn(&Case) -> Result<(), Breach>) {
    let Err(breach) = guarded(&case, check) else { return };
    let (case, breach) = smallest(case, breach, check);
    let decoded = panic::catch_unwind(AssertUnwindSafe(|| case.decode())).ok().flatten();
    let events = decoded.map(|d| d.listing).filter(|l| !breach.message.contains(l.as_str()));
    panic!("{}: {}\n{case}\n{}", breach.law, breach.message, events.unwrap_or_default());
}

struct Shrinker {
    check: fn(&Case) -> Result<(), Breach>,
    best: Case,
    breach: Breach,
    until: Instant,
}

fn smallest(case: Case, breach: Breach, check: fn(&Case) -> Result<(), Breach>) -> (Case, Breach) {
    let until = Instant::now() + PATIENCE;
    let mut shrinker = Shrinker { check, best: case, breach, until };
    while shrinker.round() && Instant::now() < until {}
    (shrinker.best, shrinker.breach)
}

impl Shrinker {
    /// Keeps the changed case if it breaks the same law.
    fn attempt(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        if Instant::now() > self.until {
            return false;
        }
        let mut case = self.best.clone();
        change(&mut case);
        match guarded(&case, self.check) {
            Err(breach) if breach.law == self.breach.law => {
                (self.best, self.breach) = (case, breach);
                true
            }
            _ => false,
        }
    }

    /// One pass over everything that can be left out.
    fn round(&mut self) -> bool {
        let mut better = self.plainer();
        let mut length = self.best.text.chars().count();
        while length > 0 {
            let mut from = 0;
            while from < self.best.text.chars().count() {
                if self.attempt(|case| remove(case, from, length)) {
                    better = true;
                } else {
                    from += length;
                }
            }
            length /= 2;
        }
        for at in 0..self.best.text.chars().count() {
            let plain = self.best.text.chars().nth(at).is_none_or(|c| c == 'a');
            better |= !plain && self.attempt(|case| replace(case, at));
        }
        better
    }

    /// Settings, tools, cuts, special tokens.
    fn plainer(&mut self) -> bool {
        let mut better = false;
        for at in (0..self.best.settings.len()).rev() {
            better |= self.attempt(|case| drop(case.settings.remove(at)));
        }
        for at in (0..self.best.tools.len()).rev() {
            better |= self.attempt(|case| drop(case.tools.remove(at)));
        }
        if self.best.raw || self.best.field {
            better |= self.attempt(|case| (case.raw, case.field) = (false, false));
        }
        if self.best.special.is_some() {
            better |= self.attempt(|case| case.special = None);
        }
        if self.best.end != StreamEnd::Stop {
            better |= self.attempt(|case| case.end = StreamEnd::Stop);
        }
        if !self.best.cuts.is_empty() {
            better |= self.attempt(|case| case.cuts.clear());
        }
        for at in (0..self.best.cuts.len()).rev() {
            better |= self.attempt(|case| {
                case.cuts.remove(at);
            });
        }
        better
    }
}

/// Takes `length` characters out of the text; what points into it follows.
fn remove(case: &mut Case, from: usize, length: usize) {
    let place = |n: usize| case.text.char_indices().nth(n).map_or(case.text.len(), |(at, _)| at);
    let (start, end) = (place(from), place(from + length));
    let moved = |at: usize| if at >= end { at - (end - start) } else { at.min(start) };
    case.cuts.iter_mut().for_each(|cut| *cut = moved(*cut));
    for range in case.special.iter_mut().flatten() {
        *range = moved(range.start)..moved(range.end);
    }
    case.text.replace_range(start..end, "");
}

/// Makes one ASCII character the letter `a`.
fn replace(case: &mut Case, at: usize) {
    let found = case.text.char_indices().nth(at);
    if let Some((start, c)) = found.filter(|(_, c)| c.is_ascii()) {
        case.text.replace_range(start..start + c.len_utf8(), "a");
    }
}
