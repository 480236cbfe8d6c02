//! Hexadecimal digits as decimal ones, exactly.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The most hexadecimal digits a number may have: turning them into decimal ones takes time that
/// grows with the square of their number, and this keeps it within some tens of steps a digit.
pub(crate) const MAX_HEX: usize = 4096;

/// Decimal digits of one limb.
const LIMB: u64 = 1_000_000_000;
/// Hexadecimal digits taken at a time.
const STEP: usize = 7;

/// Appends the decimal digits of a number given as hexadecimal ones; what is no such digit counts
/// as zero.
pub(crate) fn push_decimal(digits: &str, out: &mut String) {
    // Lowest limb first.
    let mut limbs: Vec<u32> = Vec::new();
    for step in digits.as_bytes().chunks(STEP) {
        let (mut carry, mut factor) = (0, 1);
        for &digit in step {
            carry = carry << 4 | u64::from(char::from(digit).to_digit(16).unwrap_or(0));
            factor <<= 4;
        }
        for limb in &mut limbs {
            let value = u64::from(*limb) * factor + carry;
            // Below `LIMB`, which is below 2^32.
            *limb = (value % LIMB) as u32;
            carry = value / LIMB;
        }
        if carry > 0 {
            // The carry is below `factor`, which is at most 2^28, hence below `LIMB`.
            limbs.push(carry as u32);
        }
    }
    let mut limbs = limbs.iter().rev();
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{}", limbs.next().unwrap_or(&0));
    for limb in limbs {
        let _ = write!(out, "{limb:09}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn small_numbers_agree_with_the_machine() {
        for value in (0..2000u128).chain((0..128).flat_map(|bit| {
            let power = 1u128 << bit;
            [power - 1, power, power + (power >> 1)]
        })) {
            let mut out = String::new();
            push_decimal(&format!("{value:x}"), &mut out);
            assert_eq!(out, format!("{value}"));
        }
    }

    #[test]
    fn leading_zeros_and_long_numbers_are_exact() {
        let mut out = String::new();
        push_decimal(&format!("{}1{}", "0".repeat(100), "0".repeat(50)), &mut out);
        // 16^50
        assert_eq!(out, "1606938044258990275541962092341162602522202993782792835301376");
    }
}
