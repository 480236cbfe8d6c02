//! The words of the engine: questions, fits and faults.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::arena::ItemId;
use crate::coerce::{CoerceErrorKind, Loss, Rule};
use crate::schema::Id;

/// A question that has no answer yet; it has been noted.
#[derive(Debug)]
pub(super) struct Pending;

/// A question about a schema and an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    Check(Id, ItemId),
    Fit(Id, ItemId),
}

pub(super) type FitId = u32;
pub(super) type FaultId = u32;

/// How many changes of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(pub(super) [u32; 3]);

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    pub(super) fn one(loss: Loss) -> Self {
        match loss {
            Loss::None => Self([1, 0, 0]),
            Loss::Format => Self([0, 1, 0]),
            Loss::Guess => Self([0, 0, 1]),
        }
    }

    /// What unions are decided by: the worst class, how many changes of it, how many in all.
    pub(super) fn cost(self) -> (u8, u32, u32) {
        let [none, format, guess] = self.0;
        let all = none.saturating_add(format).saturating_add(guess);
        match (guess, format, none) {
            (0, 0, 0) => (0, 0, 0),
            (0, 0, none) => (1, none, all),
            (0, format, _) => (2, format, all),
            (guess, _, _) => (3, guess, all),
        }
    }
}

/// A step from a container to what is in it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Key(String),
    Place(usize),
}

/// One part of what was done to an item.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A rule at this place.
    Here(Rule, Loss),
    /// A rule at a member.
    Member(String, Rule, Loss),
    /// What was done to the same item by another schema.
    Same(FitId),
    /// What was done to a child.
    Child(Step, FitId),
}

/// An item made to fit, or on its way.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) item: ItemId,
    pub(super) parts: Vec<Part>,
    pub(super) counts: Counts,
}

impl Fit {
    pub(super) fn plain(item: ItemId) -> Self {
        Self { item, parts: Vec::new(), counts: Counts::default() }
    }

    /// The item as a rule at this place made it.
    pub(super) fn by(item: ItemId, rule: Rule, loss: Loss) -> Self {
        Self { item, parts: vec![Part::Here(rule, loss)], counts: Counts::one(loss) }
    }

    /// This, and then `next` to the same item.
    pub(super) fn then(mut self, next: Self) -> Self {
        self.item = next.item;
        self.parts.extend(next.parts);
        self.counts.add(next.counts);
        self
    }
}

/// Why an item does not fit.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: CoerceErrorKind,
    /// The schema and the keyword that is broken.
    pub(super) node: Id,
    pub(super) keyword: &'static str,
    /// The fault is one of a child.
    pub(super) under: Option<(Step, FaultId)>,
}

/// What a rule gives: a fit, a fault, or nothing yet.
pub(super) type Outcome = Result<Result<Fit, FaultId>, Pending>;
