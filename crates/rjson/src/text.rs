//! Text in place while it is short: most keys and numbers cost no allocation.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

/// What fits beside the length in the size of a `String`.
const SHORT: usize = 22;

#[derive(Clone)]
pub(crate) enum Text {
    /// A text up to the length, zeros after it.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    Long(Box<str>),
}

impl Text {
    #[inline]
    pub(crate) fn new(text: &str) -> Self {
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
    pub(crate) fn zeroed(length: usize) -> Option<Self> {
        let short = u8::try_from(length).ok().filter(|&length| usize::from(length) <= SHORT);
        short.map(|length| Self::Short { length, bytes: [0; SHORT] })
    }

    /// Puts a text into room of its length.
    #[inline]
    pub(crate) fn fill(&mut self, text: &str) {
        if let Self::Short { bytes, .. } = self
            && let Some(room) = bytes.get_mut(..text.len())
        {
            room.copy_from_slice(text.as_bytes());
        }
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            // Cut from a text, so it is one.
            Self::Short { .. } => core::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }

    /// Whether it is this text. Texts of one length mostly differ in their last byte, if at all.
    #[inline]
    pub(crate) fn is(&self, text: &str) -> bool {
        let (own, other) = (self.as_bytes(), text.as_bytes());
        own.len() == other.len() && own.last() == other.last() && own == other
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text {
            Text::Short { .. } => text.as_str().into(),
            Text::Long(text) => text.into(),
        }
    }
}
