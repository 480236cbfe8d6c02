//! The loop that resolves questions, and the answers it keeps.

use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use super::arena::{self, Arena, Item, ItemId};
use super::text;
use crate::coerce::{CoerceError, CoerceErrorKind, Loss, Policy, Rule};
use crate::schema::{ANY, Id, Inner, NEVER};

pub(super) struct Engine<'a, 'v> {
    pub(super) inner: &'a Inner,
    pub(super) policy: &'a Policy,
    /// The worst class allowed; beyond the policy's when looking for a forbidden rule.
    pub(super) allow: Loss,
    pub(super) arena: Arena<'v>,
    known: BTreeMap<(Id, ItemId), Known>,
    pub(super) fit_list: Vec<Fit>,
    pub(super) faults: Vec<Fault>,
    /// JSON read from string items, as far as it was asked for.
    pub(super) json: Vec<Option<Option<text::JsonText>>>,
    pub(super) missing: Vec<Task>,
    /// The lowest place on the stack that the answer of the task being run depends on.
    pub(super) low: usize,
    /// Answers that depend on an open task, with its place on the stack: the highest place first.
    provisional: BinaryHeap<(usize, (Id, ItemId))>,
    pub(super) steps: usize,
    /// Answers asked for, had or not; what work is measured by.
    pub(super) looks: u64,
}

impl<'a, 'v> Engine<'a, 'v> {
    pub(super) fn new(inner: &'a Inner, policy: &'a Policy, allow: Loss) -> Self {
        Self {
            inner,
            policy,
            allow,
            arena: Arena::default(),
            known: BTreeMap::new(),
            fit_list: Vec::new(),
            faults: Vec::new(),
            json: Vec::new(),
            missing: Vec::new(),
            low: usize::MAX,
            provisional: BinaryHeap::new(),
            steps: 0,
            looks: 0,
        }
    }

    pub(super) fn take(
        &mut self,
        node: Id,
        value: &'v Value,
        max_depth: usize,
    ) -> Result<ItemId, CoerceError> {
        self.arena.borrow(value, max_depth).map_err(|arena::TooDeep| self.exhausted(node))
    }

    pub(super) fn fit_value(&mut self, node: Id, value: &'v Value) -> Result<FitId, CoerceError> {
        self.fit_within(node, value, self.policy.max_depth)
    }

    /// The same for a value nested no deeper than that.
    pub(super) fn fit_within(
        &mut self,
        node: Id,
        value: &'v Value,
        max_depth: usize,
    ) -> Result<FitId, CoerceError> {
        let item = self.take(node, value, max_depth)?;
        self.resolve(Task::Fit(node, item));
        match self.known(node, item).fit {
            Some(Ok(fit)) => Ok(fit),
            Some(Err(fault)) => Err(self.error(item, fault)),
            None => Err(self.exhausted(node)),
        }
    }

    /// The value that a fit comes to.
    pub(super) fn made(&self, fit: FitId) -> Value {
        self.arena.export(self.fit(fit).item)
    }

    /// What has been done, as [`Policy::max_steps`] bounds it.
    pub(super) fn spent_steps(&self) -> usize {
        self.steps.saturating_add(self.arena.len())
    }

    /// Runs a task and all it needs, or stops when the budget is spent.
    pub(super) fn resolve(&mut self, task: Task) {
        let mut stack = vec![task];
        while let Some(task) = stack.last().copied() {
            let place = stack.len().saturating_sub(1);
            if self.is_settled(task) {
                stack.pop();
                continue;
            }
            self.steps = self.steps.saturating_add(1);
            if self.spent_steps() > self.policy.max_steps {
                return;
            }
            self.missing.clear();
            self.low = usize::MAX;
            let done = match task {
                Task::Check(node, item) => self.check(node, item).map(|fault| {
                    self.known_mut(node, item).check = Some(fault);
                }),
                Task::Fit(node, item) => {
                    self.known_mut(node, item).open = Some(place);
                    self.candidates(node, item).map(|outcome| {
                        let outcome = outcome.map(|fit| self.keep(fit));
                        let known = self.known_mut(node, item);
                        (known.fit, known.open) = (Some(outcome), None);
                    })
                }
            };
            match done {
                Ok(()) => {
                    stack.pop();
                    self.close(task, place);
                }
                Err(Pending) => stack.extend(self.missing.drain(..).rev()),
            }
        }
    }

    /// Ends a task: its answer is final unless it depends on a task further down that is still open.
    fn close(&mut self, task: Task, place: usize) {
        while let Some(&(low, (node, item))) = self.provisional.peek()
            && low >= place
        {
            self.provisional.pop();
            let known = self.known_mut(node, item);
            (known.fit, known.low) = (None, None);
        }
        if self.low < place
            && let Task::Fit(node, item) = task
        {
            self.known_mut(node, item).low = Some(self.low);
            self.provisional.push((self.low, (node, item)));
        }
    }

    fn known(&self, node: Id, item: ItemId) -> Known {
        self.known.get(&(node, item)).copied().unwrap_or_default()
    }

    fn known_mut(&mut self, node: Id, item: ItemId) -> &mut Known {
        self.known.entry((node, item)).or_default()
    }

    fn is_settled(&self, task: Task) -> bool {
        match task {
            Task::Check(node, item) => self.known(node, item).check.is_some(),
            Task::Fit(node, item) => self.known(node, item).fit.is_some(),
        }
    }

    /// Why the item does not validate, if it does not.
    pub(super) fn checked(&mut self, node: Id, item: ItemId) -> Result<Option<FaultId>, Pending> {
        self.looks = self.looks.saturating_add(1);
        if node == ANY {
            return Ok(None);
        }
        if let Some(answer) = self.known(node, item).check {
            return Ok(answer);
        }
        if node == NEVER {
            return Ok(Some(self.fault(CoerceErrorKind::NotAllowed, node, "")));
        }
        let data = self.inner.get(node);
        if data.stands_alone() && self.arena.get(item).is_scalar() {
            let answer = self.check(node, item)?;
            self.known_mut(node, item).check = Some(answer);
            return Ok(answer);
        }
        self.missing.push(Task::Check(node, item));
        Err(Pending)
    }

    /// Whether the item validates.
    pub(super) fn accepts(&mut self, node: Id, item: ItemId) -> Result<bool, Pending> {
        self.checked(node, item).map(|fault| fault.is_none())
    }

    /// The cheapest item that validates in place of this one.
    pub(super) fn fitted(&mut self, node: Id, item: ItemId) -> Outcome {
        self.looks = self.looks.saturating_add(1);
        if node == ANY {
            return Ok(Ok(Fit::plain(item)));
        }
        let known = self.known(node, item);
        if let Some(low) = known.low {
            self.low = self.low.min(low);
        }
        match known.fit {
            Some(Ok(fit)) => {
                let found = self.fit(fit);
                let (item, counts) = (found.item, found.counts);
                let same = !found.parts.is_empty();
                let parts = same.then_some(Part::Same(fit)).into_iter().collect();
                return Ok(Ok(Fit { item, parts, counts }));
            }
            Some(Err(fault)) => return Ok(Err(fault)),
            None => {}
        }
        if let Some(place) = known.open {
            self.low = self.low.min(place);
            return Ok(Err(self.fault(CoerceErrorKind::Type, node, "")));
        }
        self.missing.push(Task::Fit(node, item));
        Err(Pending)
    }

    pub(super) fn fit(&self, id: FitId) -> &Fit {
        const NONE: &Fit = &Fit { item: 0, parts: Vec::new(), counts: Counts([0, 0, 0]) };
        self.fit_list.get(id as usize).unwrap_or(NONE)
    }

    pub(super) fn keep(&mut self, fit: Fit) -> FitId {
        let id = FitId::try_from(self.fit_list.len()).unwrap_or(FitId::MAX);
        self.fit_list.push(fit);
        id
    }

    pub(super) fn fault(
        &mut self,
        kind: CoerceErrorKind,
        node: Id,
        keyword: &'static str,
    ) -> FaultId {
        self.push_fault(Fault { kind, node, keyword, under: None })
    }

    /// The fault of a child as one of its container.
    pub(super) fn fault_under(&mut self, step: Step, fault: FaultId) -> FaultId {
        let kind = self.faults.get(fault as usize).map_or(CoerceErrorKind::Type, |f| f.kind);
        self.push_fault(Fault { kind, node: ANY, keyword: "", under: Some((step, fault)) })
    }

    /// The fault of something a rule made, as one of the item it was made from: places within it are
    /// not places of the value.
    pub(super) fn fault_here(&mut self, fault: FaultId) -> FaultId {
        let mut leaf = self.faults.get(fault as usize);
        while let Some(Fault { under: Some((_, inner)), .. }) = leaf {
            leaf = self.faults.get(*inner as usize);
        }
        match leaf {
            Some(Fault { kind, node, keyword, .. }) => {
                let (kind, node, keyword) = (*kind, *node, *keyword);
                self.fault(kind, node, keyword)
            }
            None => fault,
        }
    }

    pub(super) fn push_fault(&mut self, fault: Fault) -> FaultId {
        let id = FaultId::try_from(self.faults.len()).unwrap_or(FaultId::MAX);
        self.faults.push(fault);
        id
    }

    /// Whether a rule of this class may be used.
    pub(super) fn allows(&self, loss: Loss) -> bool {
        loss <= self.allow
    }

    pub(super) fn item(&self, id: ItemId) -> &Item<'v> {
        self.arena.get(id)
    }
}

/// A question that has no answer yet; it has been noted.
#[derive(Debug)]
pub(super) struct Pending;

/// A question about a schema and an item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Check(Id, ItemId),
    Fit(Id, ItemId),
}

/// What is known of a schema and an item.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Whether it validates, or why not.
    check: Option<Option<FaultId>>,
    fit: Option<Result<FitId, FaultId>>,
    /// Where the task for its fit stands on the stack.
    open: Option<usize>,
    /// The lowest place on the stack of a task that its fit depends on.
    low: Option<usize>,
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
