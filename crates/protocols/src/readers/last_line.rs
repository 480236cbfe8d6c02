//! Text up to a line that is a marker and nothing else.

use crate::engine::{MAX_WHITESPACE, hold};
use crate::meter::Meter;

/// A line that ends text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineMarker<'m> {
    pub(crate) text: &'m str,
    /// Whitespace may stand before it.
    pub(crate) indented: bool,
}

/// Where the scan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// In a line that is not the marker.
    #[default]
    Inside,
    /// In one that may be: so many bytes of the marker have come.
    Begun(usize),
    /// In one that is, if only whitespace follows: the marker ends at this byte of what is held.
    Ended(usize),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineStep<'t> {
    /// Nothing: more is needed.
    More,
    /// Text.
    Text(&'t str),
    /// What is held is text.
    Held,
    /// What is held is the marker, up to this byte; its line break comes next.
    Marker(usize),
}

/// Looks for the marker; a line that may be it is held. Chunks do not matter (C3).
#[derive(Debug, Default)]
pub(crate) struct LastLine {
    place: Place,
    held: String,
    meter: Meter,
}

impl LastLine {
    /// Begins anew, at the start of a line or inside one.
    pub(crate) fn begin(&mut self, line_start: bool) {
        self.place = if line_start { Place::Begun(0) } else { Place::Inside };
        self.held.clear();
    }

    pub(crate) fn next<'t>(&mut self, marker: LineMarker<'_>, input: &mut &'t str) -> LineStep<'t> {
        if input.is_empty() {
            return LineStep::More;
        }
        match self.place {
            Place::Inside => LineStep::Text(self.inside(input)),
            _ => self.line(marker, input),
        }
    }

    /// Text of a line that is not the marker, with its line break.
    fn inside<'t>(&mut self, input: &mut &'t str) -> &'t str {
        let end = input.find('\n').map(|at| at + 1);
        let (text, rest) = input.split_at(end.unwrap_or(input.len()));
        self.meter.add(text.len() as u64);
        *input = rest;
        if end.is_some() {
            self.place = Place::Begun(0);
        }
        text
    }

    /// Text of a line that may be the marker.
    fn line<'t>(&mut self, marker: LineMarker<'_>, input: &mut &'t str) -> LineStep<'t> {
        while let Some(c) = input.chars().next() {
            let whitespace = matches!(c, ' ' | '\t' | '\r');
            let after = self.held.len() + c.len_utf8();
            self.place = match self.place {
                Place::Ended(end) if c == '\n' => return LineStep::Marker(end),
                Place::Ended(end) if whitespace && after - end <= MAX_WHITESPACE => {
                    Place::Ended(end)
                }
                Place::Begun(0) if whitespace && marker.indented && after <= MAX_WHITESPACE => {
                    Place::Begun(0)
                }
                Place::Begun(at) if marker.text.get(at..).is_some_and(|m| m.starts_with(c)) => {
                    match at + c.len_utf8() {
                        at if at == marker.text.len() => Place::Ended(after),
                        at => Place::Begun(at),
                    }
                }
                _ => {
                    self.place = Place::Inside;
                    return match self.held.is_empty() {
                        true => LineStep::Text(self.inside(input)),
                        false => LineStep::Held,
                    };
                }
            };
            self.meter.add(c.len_utf8() as u64);
            hold(&mut self.held, c);
            *input = input.get(c.len_utf8()..).unwrap_or_default();
        }
        LineStep::More
    }

    /// The text ends here: where the marker ends in what is held, if it is there.
    pub(crate) fn finish(&self) -> Option<usize> {
        match self.place {
            Place::Ended(end) => Some(end),
            _ => None,
        }
    }

    /// What is held, which is the caller's.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Bytes that are held.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        self.meter.bytes()
    }
}
