//! Skipping `<!…>`: a DOCTYPE with its internal subset, of which nothing is understood but where it
//! ends. Quotes, comments and nested declarations hide what they hold.

/// A declaration that is being skipped, byte by byte, from behind its `<!`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Declaration {
    /// Open `<` inside.
    nested: usize,
    /// Between `[` and `]`.
    subset: bool,
    quote: Option<u8>,
    /// How much of `<!--` has just been seen.
    mark: usize,
    /// In a comment: dashes just seen.
    comment: Option<usize>,
}

impl Declaration {
    /// Takes a byte; true for the `>` that ends the declaration.
    pub(crate) fn ends_at(&mut self, byte: u8) -> bool {
        if let Some(dashes) = self.comment {
            self.comment = match byte {
                b'-' => Some(dashes + 1),
                b'>' if dashes >= 2 => {
                    self.nested = self.nested.saturating_sub(1);
                    None
                }
                _ => Some(0),
            };
            return false;
        }
        if let Some(quote) = self.quote {
            if quote == byte {
                self.quote = None;
            }
            return false;
        }
        self.mark = match (self.mark, byte) {
            (_, b'<') => 1,
            (1, b'!') => 2,
            (2 | 3, b'-') => self.mark + 1,
            _ => 0,
        };
        match byte {
            _ if self.mark == 4 => (self.mark, self.comment) = (0, Some(0)),
            b'"' | b'\'' => self.quote = Some(byte),
            b'<' => self.nested += 1,
            b'[' if self.nested == 0 => self.subset = true,
            b']' if self.nested == 0 => self.subset = false,
            b'>' if self.nested > 0 => self.nested -= 1,
            b'>' => return !self.subset,
            _ => {}
        }
        false
    }
}

/// Length of the declaration that `text` begins with, `<!` and `>` counted.
pub(crate) fn length(text: &str) -> Option<usize> {
    let mut skip = Declaration::default();
    let end = text.bytes().skip(2).position(|byte| skip.ends_at(byte))?;
    Some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_outside_of_everything() {
        for text in [
            "<!DOCTYPE a>",
            "<!DOCTYPE a [<!ELEMENT a (b)> <!ENTITY x ']>'>]>",
            "<!DOCTYPE a [<!-- it's ]> -->]>",
            "<!DOCTYPE a [ ]] ]>",
        ] {
            assert_eq!(length(&format!("{text} <b>")), Some(text.len()), "{text}");
        }
        assert_eq!(length("<!DOCTYPE a ["), None);
    }
}
