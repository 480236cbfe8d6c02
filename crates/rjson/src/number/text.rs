//! The text of a number, in place while it is short: most numbers cost no allocation.

use alloc::boxed::Box;

/// What fits beside the length in the size of a `String`.
const SHORT: usize = 22;

#[derive(Clone)]
pub(super) enum Text {
    /// ASCII, up to the length.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    Long(Box<str>),
}

impl Text {
    #[inline]
    pub(super) fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(room) => {
                room.copy_from_slice(text.as_bytes());
                // At most `SHORT`.
                Self::Short { length: text.len() as u8, bytes }
            }
            None => Self::Long(text.into()),
        }
    }

    /// Room for a short text.
    #[inline]
    pub(super) fn blank(length: usize) -> Option<Self> {
        let short = u8::try_from(length).ok().filter(|&length| usize::from(length) <= SHORT);
        short.map(|length| Self::Short { length, bytes: [0; SHORT] })
    }

    /// Puts a text into a blank of its length.
    #[inline]
    pub(super) fn fill(&mut self, text: &str) {
        if let Self::Short { bytes, .. } = self
            && let Some(room) = bytes.get_mut(..text.len())
        {
            room.copy_from_slice(text.as_bytes());
        }
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match self {
            // Cut from a text, so it is one.
            Self::Short { .. } => core::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(text) => text.as_bytes(),
        }
    }
}
