//! A generator of ids that say what they are of.

use toolweir_segments::{IdGenerator, Kind};

/// Ids as `text_1`, `reasoning_2`, `call_3`: a word for the kind and one count for all.
///
/// ```
/// use toolweir_adapters::KindIds;
/// use toolweir_segments::{CallClass, IdGenerator, Kind};
///
/// let mut ids = KindIds::default();
/// assert_eq!(ids.next_id(&Kind::Text), "text_1");
/// assert_eq!(ids.next_id(&Kind::Call(CallClass::Generic)), "call_2");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindIds {
    last: u64,
}

impl IdGenerator for KindIds {
    fn next_id(&mut self, kind: &Kind) -> String {
        self.last = self.last.saturating_add(1);
        let word = if kind.is_call() { "call" } else { kind.name() };
        format!("{word}_{}", self.last)
    }
}

/// Ids as a wire wants them: a prefix for the kind, and a part that the caller makes.
///
/// ```
/// use toolweir_adapters::WireIds;
/// use toolweir_segments::{CallClass, IdGenerator, Kind};
///
/// let mut ids = WireIds::openai();
/// assert_eq!(ids.next_id(&Kind::Text), "msg_1");
/// assert_eq!(ids.next_id(&Kind::Call(CallClass::Generic)), "call_2");
///
/// // Unique among all answers of a server: the caller says how.
/// let mut ids = WireIds::anthropic().with(|| "01J8ZC".to_owned());
/// assert_eq!(ids.next_id(&Kind::Call(CallClass::Generic)), "toolu_01J8ZC");
/// ```
#[derive(Clone, Debug)]
pub struct WireIds<F = Count> {
    /// What stands before the id of a call: `call_`, `toolu_`, or nothing.
    pub call: &'static str,
    unique: F,
}

/// Counts from 1: the default source of the unique part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    last: u64,
}

impl WireIds {
    /// The prefixes of OpenAI's wires, the AI SDK and AG-UI: `call_`, `msg_`, `rs_`.
    #[must_use]
    pub const fn openai() -> Self {
        Self { call: "call_", unique: Count { last: 0 } }
    }

    /// The prefixes of Anthropic's wire: `toolu_`.
    #[must_use]
    pub const fn anthropic() -> Self {
        Self { call: "toolu_", unique: Count { last: 0 } }
    }

    /// Calls have nothing but the unique part, for providers that limit its length.
    #[must_use]
    pub const fn bare() -> Self {
        Self { call: "", unique: Count { last: 0 } }
    }

    /// The same prefixes; `unique` makes the rest, of letters, digits, `_` and `-`, a new one each time.
    pub fn with<F: FnMut() -> String>(self, unique: F) -> WireIds<F> {
        WireIds { call: self.call, unique }
    }
}

impl<F> WireIds<F> {
    const fn prefix(&self, kind: &Kind) -> &'static str {
        match kind {
            Kind::Text => "msg_",
            Kind::Reasoning => "rs_",
            Kind::Call(_) => self.call,
        }
    }
}

impl IdGenerator for WireIds<Count> {
    fn next_id(&mut self, kind: &Kind) -> String {
        self.unique.last = self.unique.last.saturating_add(1);
        format!("{}{}", self.prefix(kind), self.unique.last)
    }
}

impl<F: FnMut() -> String> IdGenerator for WireIds<F> {
    fn next_id(&mut self, kind: &Kind) -> String {
        let unique = (self.unique)();
        format!("{}{unique}", self.prefix(kind))
    }
}
