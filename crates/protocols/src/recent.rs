//! What was made for recent requests, to be used again.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// At most `N` values, those that were asked for last, each with what it was made for.
pub(crate) struct Recent<K, V, const N: usize> {
    /// The last one first.
    all: Mutex<Vec<(K, V)>>,
}

impl<K, V, const N: usize> Default for Recent<K, V, N> {
    fn default() -> Self {
        Self { all: Mutex::default() }
    }
}

impl<K, V, const N: usize> fmt::Debug for Recent<K, V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recent").field("kept", &self.lock().len()).finish()
    }
}

impl<K, V: Clone, const N: usize> Recent<K, V, N> {
    /// The value that was made for the same.
    pub(crate) fn get(&self, is_same: impl Fn(&K) -> bool) -> Option<V> {
        let mut all = self.lock();
        let place = all.iter().position(|(key, _)| is_same(key))?;
        if place > 0 {
            all.get_mut(..=place)?.rotate_right(1);
        }
        all.first().map(|(_, value)| value.clone())
    }

    /// Keeps a value; the one that nobody has asked for longest goes.
    pub(crate) fn keep(&self, key: K, value: V) {
        let mut all = self.lock();
        all.insert(0, (key, value));
        all.truncate(N);
    }
}

impl<K, V, const N: usize> Recent<K, V, N> {
    /// A panic elsewhere leaves whole entries.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(K, V)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_was_asked_for_last_stays() {
        let recent = Recent::<u8, char, 2>::default();
        let get = |key: u8| recent.get(|known| *known == key);
        assert_eq!(get(1), None);
        recent.keep(1, 'a');
        recent.keep(2, 'b');
        assert_eq!(get(1), Some('a'));
        recent.keep(3, 'c');
        assert_eq!((get(1), get(2), get(3)), (Some('a'), None, Some('c')));
    }
}
