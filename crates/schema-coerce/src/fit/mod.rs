//! Making a value fit.
//!
//! Two questions are asked about a pair of schema and item: does it validate ([`check`]), and what
//! is the cheapest item that does ([`stages`])? Answers are kept, so that each pair is looked at
//! once however many branches ask. Nothing recurses: a rule that needs answers it does not have
//! notes the pairs and gives up with [`Pending`]; the loop in [`Engine::settle`] finds those first
//! and runs the rule again. Rules make the same items each time (the arena interns them), so the
//! second run takes the same way.
//!
//! A fit that asks for itself (a list of itself wrapped around a scalar) has no answer: it fails
//! there. What was found with the help of such a failure is forgotten once the pair that was asked
//! for twice is settled, as it may fit when asked for by itself.

mod arena;
mod array;
mod check;
mod entries;
mod literal;
mod members;
mod object;
mod report;
mod scalar;
mod stages;
mod text;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use crate::coerce::{CoerceError, CoerceErrorKind, Coerced, Loss, Policy, Rule};
use crate::schema::{ANY, Id, Inner, NEVER, Node};
pub(crate) use members::match_names;

use arena::{Arena, Item, ItemId};

/// See [`Node::coerce`].
pub(crate) fn coerce(
    node: Node<'_>,
    value: Value,
    policy: &Policy,
) -> Result<Coerced, CoerceError> {
    let (value_of, changes) = {
        let mut engine = Engine::new(node, policy, policy.allow);
        match engine.fit_value(node.id, &value) {
            Ok(fit) if engine.fit(fit).parts.is_empty() => (None, Vec::new()),
            Ok(fit) => (Some(engine.arena.export(engine.fit(fit).item)), engine.changes(fit)),
            Err(error) => return Err(forbidden(node, &value, policy).unwrap_or(error)),
        }
    };
    Ok(Coerced { value: value_of.unwrap_or(value), changes })
}

/// The rule of a forbidden class by which the value would have fitted.
fn forbidden(node: Node<'_>, value: &Value, policy: &Policy) -> Option<CoerceError> {
    if policy.allow == Loss::Guess {
        return None;
    }
    let mut engine = Engine::new(node, policy, Loss::Guess);
    let fit = engine.fit_value(node.id, value).ok()?;
    let changes = engine.changes(fit);
    let change = changes.into_iter().find(|change| change.loss > policy.allow)?;
    let kind = CoerceErrorKind::LossNotAllowed { rule: change.rule };
    Some(CoerceError {
        kind,
        instance_path: change.path,
        schema_path: String::from(&*node.data().path),
    })
}

/// See [`Node::validate`].
pub(crate) fn validate(node: Node<'_>, value: &Value, policy: &Policy) -> Result<(), CoerceError> {
    let mut engine = Engine::new(node, policy, policy.allow);
    let item = engine.take(node.id, value)?;
    engine.settle(Task::Check(node.id, item));
    match engine.checked(node.id, item) {
        Ok(None) => Ok(()),
        Ok(Some(fault)) => Err(engine.error(item, fault)),
        Err(Pending) => Err(engine.spent(node.id)),
    }
}

/// A question that has no answer yet; it has been noted.
#[derive(Debug)]
struct Pending;

/// A question about a schema and an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Check(Id, ItemId),
    Fit(Id, ItemId),
}

type FitId = u32;
type FaultId = u32;

/// How many changes of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts([u32; 3]);

impl Counts {
    fn add(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    fn one(loss: Loss) -> Self {
        match loss {
            Loss::None => Self([1, 0, 0]),
            Loss::Format => Self([0, 1, 0]),
            Loss::Guess => Self([0, 0, 1]),
        }
    }

    /// What unions are decided by: the worst class, how many changes of it, how many in all.
    fn cost(self) -> (u8, u32, u32) {
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
enum Step {
    Key(String),
    Place(usize),
}

/// One part of what was done to an item.
#[derive(Clone, Debug)]
enum Part {
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
struct Fit {
    item: ItemId,
    parts: Vec<Part>,
    counts: Counts,
}

impl Fit {
    fn plain(item: ItemId) -> Self {
        Self { item, parts: Vec::new(), counts: Counts::default() }
    }

    /// The item as a rule at this place made it.
    fn by(item: ItemId, rule: Rule, loss: Loss) -> Self {
        Self { item, parts: vec![Part::Here(rule, loss)], counts: Counts::one(loss) }
    }

    /// This, and then `next` to the same item.
    fn then(mut self, next: Self) -> Self {
        self.item = next.item;
        self.parts.extend(next.parts);
        self.counts.add(next.counts);
        self
    }
}

/// Why an item does not fit.
#[derive(Clone, Debug)]
struct Fault {
    kind: CoerceErrorKind,
    /// The schema and the keyword that is broken.
    node: Id,
    keyword: &'static str,
    /// The fault is one of a child.
    under: Option<(Step, FaultId)>,
}

/// What a rule gives: a fit, a fault, or nothing yet.
type Outcome = Result<Result<Fit, FaultId>, Pending>;

struct Engine<'a, 'v> {
    inner: &'a Inner,
    policy: &'a Policy,
    /// The worst class allowed; beyond the policy's when looking for a forbidden rule.
    allow: Loss,
    arena: Arena<'v>,
    checks: BTreeMap<(Id, ItemId), Option<FaultId>>,
    fits: BTreeMap<(Id, ItemId), Result<FitId, FaultId>>,
    fit_list: Vec<Fit>,
    faults: Vec<Fault>,
    /// JSON read from string items.
    json: BTreeMap<ItemId, Option<text::JsonText>>,
    missing: Vec<Task>,
    /// The tasks being run, with their place on the stack.
    open: BTreeMap<Task, usize>,
    /// The lowest place on the stack that the answer of the task being run leans on.
    low: usize,
    /// Answers that depend on the failure of the task at a place on the stack.
    provisional: BTreeMap<(Id, ItemId), usize>,
    steps: usize,
}

impl<'a, 'v> Engine<'a, 'v> {
    fn new(node: Node<'a>, policy: &'a Policy, allow: Loss) -> Self {
        Self {
            inner: node.inner,
            policy,
            allow,
            arena: Arena::default(),
            checks: BTreeMap::new(),
            fits: BTreeMap::new(),
            fit_list: Vec::new(),
            faults: Vec::new(),
            json: BTreeMap::new(),
            missing: Vec::new(),
            open: BTreeMap::new(),
            low: usize::MAX,
            provisional: BTreeMap::new(),
            steps: 0,
        }
    }

    fn take(&mut self, node: Id, value: &'v Value) -> Result<ItemId, CoerceError> {
        self.arena.borrow(value, self.policy.max_depth).map_err(|arena::TooDeep| self.spent(node))
    }

    fn fit_value(&mut self, node: Id, value: &'v Value) -> Result<FitId, CoerceError> {
        let item = self.take(node, value)?;
        self.settle(Task::Fit(node, item));
        match self.fits.get(&(node, item)) {
            Some(Ok(fit)) => Ok(*fit),
            Some(Err(fault)) => Err(self.error(item, *fault)),
            None => Err(self.spent(node)),
        }
    }

    /// Runs a task and all it needs, or stops when the budget is spent.
    fn settle(&mut self, task: Task) {
        let mut stack = vec![task];
        while let Some(task) = stack.last().copied() {
            let place = stack.len().saturating_sub(1);
            if self.is_settled(task) {
                stack.pop();
                continue;
            }
            self.steps = self.steps.saturating_add(1);
            if self.steps.saturating_add(self.arena.len()) > self.policy.max_steps {
                return;
            }
            self.open.insert(task, place);
            self.missing.clear();
            self.low = usize::MAX;
            let done = match task {
                Task::Check(node, item) => self.check(node, item).map(|fault| {
                    self.checks.insert((node, item), fault);
                }),
                Task::Fit(node, item) => self.stages(node, item).map(|outcome| {
                    let outcome = outcome.map(|fit| self.keep(fit));
                    self.fits.insert((node, item), outcome);
                }),
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

    /// Ends a task: its answer is final unless it leans on a task further down that is still open.
    fn close(&mut self, task: Task, place: usize) {
        self.open.remove(&task);
        let fits = &mut self.fits;
        self.provisional.retain(|key, low| {
            if *low >= place {
                fits.remove(key);
            }
            *low < place
        });
        if self.low < place
            && let Task::Fit(node, item) = task
        {
            self.provisional.insert((node, item), self.low);
        }
    }

    fn is_settled(&self, task: Task) -> bool {
        match task {
            Task::Check(node, item) => self.checks.contains_key(&(node, item)),
            Task::Fit(node, item) => self.fits.contains_key(&(node, item)),
        }
    }

    /// Why the item does not validate, if it does not.
    fn checked(&mut self, node: Id, item: ItemId) -> Result<Option<FaultId>, Pending> {
        if node == ANY {
            return Ok(None);
        }
        if let Some(answer) = self.checks.get(&(node, item)) {
            return Ok(*answer);
        }
        if node == NEVER {
            return Ok(Some(self.fault(CoerceErrorKind::NotAllowed, node, "")));
        }
        let data = self.inner.get(node);
        let alone = data.edges().next().is_none() && data.maybe.is_empty();
        if alone && self.arena.get(item).is_scalar() {
            let answer = self.check(node, item)?;
            self.checks.insert((node, item), answer);
            return Ok(answer);
        }
        self.missing.push(Task::Check(node, item));
        Err(Pending)
    }

    /// Whether the item validates.
    fn accepts(&mut self, node: Id, item: ItemId) -> Result<bool, Pending> {
        self.checked(node, item).map(|fault| fault.is_none())
    }

    /// The cheapest item that validates in place of this one.
    fn fitted(&mut self, node: Id, item: ItemId) -> Outcome {
        if node == ANY {
            return Ok(Ok(Fit::plain(item)));
        }
        if let Some(low) = self.provisional.get(&(node, item)) {
            self.low = self.low.min(*low);
        }
        match self.fits.get(&(node, item)) {
            Some(Ok(fit)) => {
                let found = self.fit(*fit);
                let (item, counts) = (found.item, found.counts);
                let same = !found.parts.is_empty();
                let parts = same.then_some(Part::Same(*fit)).into_iter().collect();
                return Ok(Ok(Fit { item, parts, counts }));
            }
            Some(Err(fault)) => return Ok(Err(*fault)),
            None => {}
        }
        let task = Task::Fit(node, item);
        if let Some(place) = self.open.get(&task) {
            self.low = self.low.min(*place);
            return Ok(Err(self.fault(CoerceErrorKind::Type, node, "")));
        }
        self.missing.push(task);
        Err(Pending)
    }

    fn fit(&self, id: FitId) -> &Fit {
        const NONE: &Fit = &Fit { item: 0, parts: Vec::new(), counts: Counts([0, 0, 0]) };
        self.fit_list.get(id as usize).unwrap_or(NONE)
    }

    fn keep(&mut self, fit: Fit) -> FitId {
        let id = FitId::try_from(self.fit_list.len()).unwrap_or(FitId::MAX);
        self.fit_list.push(fit);
        id
    }

    fn fault(&mut self, kind: CoerceErrorKind, node: Id, keyword: &'static str) -> FaultId {
        self.push_fault(Fault { kind, node, keyword, under: None })
    }

    /// The fault of a child as one of its container.
    fn fault_under(&mut self, step: Step, fault: FaultId) -> FaultId {
        let kind = self.faults.get(fault as usize).map_or(CoerceErrorKind::Type, |f| f.kind);
        self.push_fault(Fault { kind, node: ANY, keyword: "", under: Some((step, fault)) })
    }

    /// The fault of something a rule made, as one of the item it was made from: places within it are
    /// not places of the value.
    fn fault_here(&mut self, fault: FaultId) -> FaultId {
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

    fn push_fault(&mut self, fault: Fault) -> FaultId {
        let id = FaultId::try_from(self.faults.len()).unwrap_or(FaultId::MAX);
        self.faults.push(fault);
        id
    }

    /// Whether a rule of this class may be used.
    fn allows(&self, loss: Loss) -> bool {
        loss <= self.allow
    }

    fn item(&self, id: ItemId) -> &Item<'v> {
        self.arena.get(id)
    }
}
