//! Random damage to a stream: what models, networks and attackers do to it.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::split::Rng;

/// One change. Positions are fractions of the text's characters, in 65,536ths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mutation {
    /// Up to this many characters go.
    Delete(u16, usize),
    /// Up to this many characters are written twice.
    Duplicate(u16, usize),
    /// Two characters change places.
    Swap(u16, u16),
    /// A piece of the marker of that number is put in, from and to these fractions of its bytes.
    Marker(u16, usize, u16, u16),
    /// Some text is put in.
    Insert(u16, String),
    /// Everything after goes.
    Truncate(u16),
}

/// Changes, made one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage(pub Vec<Mutation>);

/// None to four changes.
pub fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<u16>;
    let mutation = prop_oneof![
        3 => (at(), 1_usize..6).prop_map(|(at, count)| Mutation::Delete(at, count)),
        2 => (at(), 1_usize..20).prop_map(|(at, count)| Mutation::Duplicate(at, count)),
        1 => (at(), at()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        3 => (at(), 0_usize..32, at(), at()).prop_map(|(at, n, a, b)| Mutation::Marker(at, n, a, b)),
        2 => (at(), super::text()).prop_map(|(at, text)| Mutation::Insert(at, text)),
        1 => at().prop_map(Mutation::Truncate),
    ];
    vec(mutation, 0..=4).prop_map(Damage)
}

impl Damage {
    /// One to three changes drawn by a seed: the same on every machine and in every build.
    ///
    /// ```
    /// use toolweir_testkit::generate::Damage;
    /// assert_eq!(Damage::seeded(7), Damage::seeded(7));
    /// ```
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(3);
        Self((0..count).map(|_| seeded(&mut rng)).collect())
    }

    /// The damaged text. `markers` are those that pieces are taken from.
    ///
    /// ```
    /// use toolweir_testkit::generate::{Damage, Mutation};
    /// let damage = Damage(vec![Mutation::Truncate(1 << 15)]);
    /// assert_eq!(damage.apply("abcd", &[]), "ab");
    /// ```
    #[must_use]
    pub fn apply(&self, text: &str, markers: &[String]) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for mutation in &self.0 {
            apply(mutation, &mut chars, markers);
        }
        chars.into_iter().collect()
    }
}

/// What damages structure most often: quotes, brackets, escapes, line ends.
const SHORT: &[&str] =
    &["\"", "\\", "{", "}", "[", "]", ",", ":", "<", ">", "</", "\n", " ", "é", "'"];

fn seeded(rng: &mut Rng) -> Mutation {
    let at = |rng: &mut Rng| u16::try_from(rng.below(1 << 16)).unwrap_or_default();
    match rng.below(12) {
        0..=2 => Mutation::Delete(at(rng), 1 + rng.below(5)),
        3..=4 => Mutation::Duplicate(at(rng), 1 + rng.below(19)),
        5 => Mutation::Swap(at(rng), at(rng)),
        6..=8 => Mutation::Marker(at(rng), rng.below(32), at(rng), at(rng)),
        9..=10 => {
            let text = SHORT.get(rng.below(SHORT.len())).copied().unwrap_or_default();
            Mutation::Insert(at(rng), text.to_owned())
        }
        _ => Mutation::Truncate(at(rng)),
    }
}

fn apply(mutation: &Mutation, chars: &mut Vec<char>, markers: &[String]) {
    let place = |fraction: u16, length: usize| usize::from(fraction) * length / (1 << 16);
    let length = chars.len();
    let insert = |chars: &mut Vec<char>, at: u16, text: &str| {
        let at = place(at, length + 1);
        chars.splice(at..at, text.chars());
    };
    match mutation {
        Mutation::Delete(at, count) => {
            let at = place(*at, length + 1);
            chars.drain(at..(at + count).min(length));
        }
        Mutation::Duplicate(at, count) => {
            let at = place(*at, length + 1);
            let again: String = chars.iter().skip(at).take(*count).collect();
            chars.splice(at..at, again.chars());
        }
        Mutation::Swap(a, b) if length > 0 => chars.swap(place(*a, length), place(*b, length)),
        Mutation::Swap(..) => {}
        Mutation::Marker(at, number, from, to) => {
            let Some(marker) = markers.get(number % markers.len().max(1)) else { return };
            let count = marker.chars().count() + 1;
            let (from, to) = (place(*from, count), place(*to, count));
            // Ends given the wrong way round mean the whole marker.
            let piece: String = if from < to {
                marker.chars().skip(from).take(to - from).collect()
            } else {
                marker.clone()
            };
            insert(chars, *at, &piece);
        }
        Mutation::Insert(at, text) => insert(chars, *at, text),
        Mutation::Truncate(at) => chars.truncate(place(*at, length + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(mutation: Mutation, text: &str) -> String {
        Damage(vec![mutation]).apply(text, &["<tag>".to_owned()])
    }

    #[test]
    fn each_change_does_what_it_says() {
        const HALF: u16 = 1 << 15;
        assert_eq!(one(Mutation::Delete(HALF, 1), "abcd"), "abd");
        assert_eq!(one(Mutation::Duplicate(0, 2), "abcd"), "ababcd");
        assert_eq!(one(Mutation::Swap(0, HALF), "abcd"), "cbad");
        assert_eq!(one(Mutation::Marker(0, 7, 0, HALF), "x"), "<tax");
        assert_eq!(one(Mutation::Marker(0, 7, 0, 0), "x"), "<tag>x");
        assert_eq!(one(Mutation::Insert(u16::MAX, "é".into()), "ab"), "abé");
        assert_eq!(one(Mutation::Truncate(0), "abc"), "");
    }

    #[test]
    fn a_seed_gives_the_same_damage_and_seeds_differ() {
        assert_eq!(Damage::seeded(5), Damage::seeded(5));
        let drawn: Vec<Damage> = (0..200).map(Damage::seeded).collect();
        let others = drawn.iter().skip(1).filter(|damage| **damage != drawn[0]).count();
        assert_eq!(others, 199);
        let has = |kind: fn(&Mutation) -> bool| drawn.iter().any(|d| d.0.iter().any(kind));
        assert!(has(|m| matches!(m, Mutation::Swap(..))));
        assert!(has(|m| matches!(m, Mutation::Truncate(_))));
        assert!(has(|m| matches!(m, Mutation::Marker(..))));
    }

    proptest! {
        #![proptest_config(super::super::config())]

        #[test]
        fn any_damage_fits_any_text(damage in damage(), text in any::<String>()) {
            let markers = ["<a>".to_owned(), "é".to_owned()];
            let changed = damage.apply(&text, &markers);
            prop_assert!(changed.len() <= text.len() * 16 + 4_096);
            prop_assert_eq!(Damage(Vec::new()).apply(&text, &markers), text);
        }
    }
}
