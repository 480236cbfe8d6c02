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
