//! Where a value is made: in the place it stays at.

use core::mem;

use super::Value;
use crate::number::Number;

/// A place that holds `null` until its value is set.
pub(crate) struct Slot<'a>(&'a mut Value);

impl<'a> Slot<'a> {
    /// Whatever stood there goes.
    #[inline]
    pub(crate) fn new(place: &'a mut Value) -> Self {
        if !place.is_null() {
            *place = Value::Null;
        }
        Self(place)
    }

    #[inline]
    pub(crate) fn set(self, value: Value) {
        // `null` has nothing to free, which an assignment would have to find out.
        mem::forget(mem::replace(self.0, value));
    }

    /// Sets a number whose text is known to be one of the JSON grammar.
    #[inline]
    pub(crate) fn set_number(self, text: &str) {
        let place = self.0;
        match Number::blank(text.len()) {
            Some(blank) => {
                mem::forget(mem::replace(place, Value::Number(blank)));
                if let Value::Number(number) = place {
                    number.fill(text);
                }
            }
            None => *place = Value::Number(Number::from_json(text)),
        }
    }
}
