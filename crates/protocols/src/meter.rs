//! How many bytes were looked at: a count that exists with feature `meter` only.

/// The count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    #[cfg(feature = "meter")]
    bytes: u64,
}

#[cfg_attr(
    not(feature = "meter"),
    allow(clippy::unused_self, clippy::needless_pass_by_ref_mut, reason = "nothing is counted")
)]
impl Meter {
    /// Counts bytes.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        #[cfg(feature = "meter")]
        {
            self.bytes += bytes;
        }
        #[cfg(not(feature = "meter"))]
        let _ = bytes;
    }

    /// Takes the next character of the input and counts it.
    #[inline]
    pub(crate) fn next(&mut self, input: &mut &str) -> Option<char> {
        let mut chars = input.chars();
        let c = chars.next()?;
        *input = chars.as_str();
        self.add(c.len_utf8() as u64);
        Some(c)
    }

    #[cfg(feature = "meter")]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
