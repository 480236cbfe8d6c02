//! Choices read from bytes.
//!
//! Invariant: a source that has run out gives zeros, and zero is always the plainest choice, so a
//! shorter input makes a simpler case.

/// Reads choices from the front of a byte slice.
///
/// ```
/// let mut source = toolweir_fuzz::Source::new(&[7, 1]);
/// assert_eq!(source.below(5), 2);
/// assert_eq!(source.word(&["a", "b"]), "b");
/// assert!(source.is_empty());
/// assert_eq!(source.below(5), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Source<'a> {
    data: &'a [u8],
}

impl<'a> Source<'a> {
    /// A source of these bytes.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    /// Whether every byte was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// What was not read.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.data
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        *first
    }

    /// Eight bytes as a number, for a generator of its own.
    pub fn seed(&mut self) -> u64 {
        (0..8).fold(0, |seed, _| (seed << 8) | u64::from(self.byte()))
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 {
            return 0;
        }
        let mut choice = usize::from(self.byte());
        if n > 256 {
            choice = (choice << 8) | usize::from(self.byte());
        }
        choice % n
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of the words.
    ///
    /// # Panics
    /// When there are none.
    pub fn word<'t, S: AsRef<str>>(&mut self, words: &'t [S]) -> &'t str {
        self.pick(words).as_ref()
    }

    /// One of the items.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// A small generator (xorshift64*) for what need not be steered byte by byte.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of that seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.draw() >> 16) % n as u64).unwrap_or(0)
    }
}
