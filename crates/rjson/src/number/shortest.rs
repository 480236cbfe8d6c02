//! Whether the shortest text of a double is a given number, where the digits alone do not tell.
//!
//! Printing the double would say so too, but the printing of the standard library is several times as large as
//! this, and nothing else that reads needs it.

use alloc::format;
use core::cmp::Ordering;

use super::Decimal;

/// Room for 17 digits and the powers of two and ten of any double.
const LIMBS: usize = 40;
/// Beyond these powers of ten no number of 17 digits is a double.
const POWERS: core::ops::RangeInclusive<i128> = -350..=310;

/// An integer, its lowest limb first, and how many limbs are not zero.
struct Large {
    limbs: [u32; LIMBS],
    used: usize,
}

impl Large {
    fn new(value: u64) -> Self {
        let mut limbs = [0; LIMBS];
        if let Some([low, high]) = limbs.first_chunk_mut() {
            (*low, *high) = (value as u32, (value >> 32) as u32);
        }
        Self { limbs, used: 2 }
    }

    fn times(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in self.limbs.iter_mut().take(self.used) {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if let Some(limb) = self.limbs.get_mut(self.used).filter(|_| carry > 0) {
            *limb = carry as u32;
            self.used += 1;
        }
    }

    /// Multiplies with a power, several of whose factors are one of 32 bits.
    fn times_power(mut self, base: u32, exponent: i32, together: i32) -> Self {
        let mut left = exponent;
        while left > 0 {
            let now = left.min(together);
            self.times(base.pow(now.unsigned_abs()));
            left -= now;
        }
        self
    }

    fn scaled(self, twos: i32, tens: i32) -> Self {
        self.times_power(2, twos, 31).times_power(10, tens, 9)
    }
}

/// The order of a positive double and a number.
fn compare(double: f64, digits: u64, power: i32) -> Ordering {
    let (bits, lowest) = (double.to_bits(), 1 << 52);
    let (exponent, fraction) = ((bits >> 52) as i32, bits & (lowest - 1));
    let significand = if exponent == 0 { fraction } else { fraction | lowest };
    let twos = exponent.max(1) - 1075;
    let double = Large::new(significand).scaled(twos, -power);
    let number = Large::new(digits).scaled(-twos, power);
    double.limbs.iter().rev().cmp(number.limbs.iter().rev())
}

/// Whether the shortest text of the nearest double is the number: of at most 17 digits, and not zero.
pub(super) fn is_shortest(decimal: &Decimal<'_>, double: f64) -> bool {
    let power = decimal.power().filter(|power| POWERS.contains(power));
    let Some(power) = power.and_then(|power| i32::try_from(power).ok()) else { return false };
    let digits =
        decimal.digits().fold(0, |digits, c| 10 * digits + u64::from(c.wrapping_sub(b'0')));
    let double = double.abs();
    let reads = |digits: u64, power: i32| format!("{digits}e{power}").parse() == Ok(double);
    if double == 0.0
        || digits >= 10 && [0, 1].iter().any(|more| reads(digits / 10 + more, power + 1))
    {
        // Not it, or a shorter one.
        return false;
    }
    // Of two that are equally near the larger one is printed.
    let is_below = |digits| compare(double, digits, power - 1).is_lt();
    (!reads(digits - 1, power) || !is_below(10 * digits - 5))
        && (!reads(digits + 1, power) || is_below(10 * digits + 5))
}
