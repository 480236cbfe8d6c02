use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

fn number(text: &str) -> Number {
    Number::from_text(text).unwrap()
}

#[test]
fn text_is_kept_and_checked() {
    for text in ["0", "-0", "1e400", "-12.50E+07", "123456789012345678901234567890", "2e-4000"] {
        assert_eq!(number(text).as_str(), text);
    }
    for (text, offset) in [
        ("", 0),
        ("-", 1),
        ("01", 1),
        ("1.", 2),
        (".5", 0),
        ("+1", 0),
        ("1e", 2),
        ("1e+", 3),
        ("1 ", 1),
        ("0x1", 1),
        ("-a", 1),
        ("1.e5", 2),
    ] {
        assert_eq!(Number::from_text(text).unwrap_err().offset, offset, "{text}");
    }
}

#[test]
fn equality_is_that_of_exact_decimal_values() {
    let big = "9".repeat(40);
    let one_and_zeros = alloc::format!("1{}", "0".repeat(40));
    let same = [
        ("5", "5.0"),
        ("5", "50e-1"),
        ("0", "-0"),
        ("0e99999999999999999999999999999999999999999", "0.000"),
        ("1e400", "10E+399"),
        ("0.00120", "12e-4"),
        ("-1.50", "-15e-1"),
        ("1e18446744073709551616", "0.1e18446744073709551617"),
        ("1e-00000000000000000000000000000000000000007", "0.0000001"),
    ];
    for (left, right) in same {
        assert_eq!(number(left), number(right));
    }
    // Exponents that no machine integer holds, across a carry and below zero.
    let long = |mantissa: &str, exponent: &str| number(&alloc::format!("{mantissa}e{exponent}"));
    assert_eq!(long("10", &big), long("1", &one_and_zeros));
    assert_eq!(long("0.1", &one_and_zeros), long("1", &big));
    assert_eq!(
        long("0.1", &alloc::format!("-{big}")),
        long("1", &alloc::format!("-{one_and_zeros}"))
    );
    assert_ne!(long("1", &big), long("1", &one_and_zeros));
    assert_ne!(long("1", &big), long("1", &alloc::format!("-{big}")));
    for (left, right) in [
        ("1", "-1"),
        ("1", "10"),
        ("1", "1.0000000000000000000000000000001"),
        ("9007199254740993", "9007199254740992"),
        ("1e400", "1e401"),
        ("12", "21"),
        ("0", "1e-9999"),
    ] {
        assert_ne!(number(left), number(right));
    }
}

#[test]
fn conversions_give_the_value_or_nothing() {
    let table: [(&str, Option<i64>, Option<u64>); 14] = [
        ("0", Some(0), Some(0)),
        ("-0", Some(0), Some(0)),
        ("-0.0e5", Some(0), Some(0)),
        ("5.0", Some(5), Some(5)),
        ("5e3", Some(5000), Some(5000)),
        ("-1200e-2", Some(-12), None),
        ("9223372036854775807", Some(i64::MAX), Some(i64::MAX as u64)),
        ("9223372036854775808", None, Some(1 << 63)),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("-9223372036854775808.0", Some(i64::MIN), None),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551616", None, None),
        ("0.5", None, None),
        ("1e99999999999999999999999999999999999999999", None, None),
    ];
    for (text, signed, unsigned) in table {
        assert_eq!(number(text).as_i64(), signed, "{text}");
        assert_eq!(number(text).as_u64(), unsigned, "{text}");
    }
    assert_eq!(number("0.1").as_f64(), Some(0.1));
    assert_eq!(number("1e400").as_f64(), None);
    assert_eq!(number("-1e400").as_f64(), None);
    assert_eq!(number("1e-400").as_f64(), Some(0.0));
}

#[test]
fn integers_are_known_at_any_size() {
    for text in ["0", "-0.0", "5.0", "1e400", "120e-1", "1e99999999999999999999999999999999999999"]
    {
        assert!(number(text).is_integer(), "{text}");
    }
    for text in ["0.5", "12e-2", "1e-99999999999999999999999999999999999999", "1.00001"] {
        assert!(!number(text).is_integer(), "{text}");
    }
}

#[test]
fn exactness_is_what_a_machine_type_prints_back() {
    for text in [
        "0",
        "-0",
        "0e5",
        "0.1",
        "1e5",
        "1.50",
        "18446744073709551615",
        "-9223372036854775808",
        "-9007199254740993.0",
        "18446744073709551615.0",
        "1e300",
        "1.7976931348623157e308",
        "5e-324",
        "1e22",
        "0.30000000000000004",
        "123456789012345680000",
    ] {
        assert!(number(text).is_exact(), "{text}");
        check_exact_f64(text);
    }
    for text in [
        "1e400",
        "1e-400",
        "18446744073709551616",
        "0.1000000000000000055511151231257827",
        "9007199254740993.5",
        "123456789012345678901234567890",
        "1.7976931348623158e308x",
    ]
    .map(|text| text.trim_end_matches('x'))
    {
        let printed = number(text).as_f64().and_then(Number::from_f64);
        assert_eq!(number(text).is_exact(), printed == Some(number(text)), "{text}");
        check_exact_f64(text);
    }
    assert!(!number("1e400").is_exact());
    assert!(!number("1e9999999999999999999999999999999999").is_exact());
    assert!(!number("18446744073709551617").is_exact());
}

fn check_exact_f64(text: &str) {
    let printed = |double: &f64| Number::from_f64(*double) == Some(number(text));
    let double = number(text).as_f64().filter(printed);
    assert_eq!(number(text).exact_f64().map(f64::to_bits), double.map(f64::to_bits), "{text}");
}

#[test]
fn numbers_come_from_machine_types() {
    assert_eq!(Number::from(i64::MIN).as_str(), "-9223372036854775808");
    assert_eq!(Number::from(u128::MAX).as_str(), "340282366920938463463374607431768211455");
    let texts: Vec<_> = [5.0, -0.0, 1e300, 0.1, 1e-7, f64::MAX]
        .into_iter()
        .map(|value| Number::from_f64(value).unwrap())
        .collect();
    let shown = ["5.0", "-0.0", "1e300", "0.1", "1e-7", "1.7976931348623157e308"];
    assert!(texts.iter().map(Number::as_str).eq(shown));
    assert!(texts.iter().all(|number| Number::from_text(number.as_str()).is_ok()));
    assert!(Number::from_f64(f64::NAN).is_none() && Number::from_f64(f64::INFINITY).is_none());
}

#[test]
fn relaxed_spellings_become_json() {
    for (text, json) in [
        ("+3", "3"),
        (".5", "0.5"),
        ("-.5e-3", "-0.5e-3"),
        ("4.", "4.0"),
        ("4.e5", "4.0e5"),
        ("0x2A", "42"),
        ("-0X0", "-0"),
        ("+0xFFFFFFFFFFFFFFFFF", "295147905179352825855"),
        ("+.5", "0.5"),
    ] {
        assert!(!is_json(text), "{text}");
        let mut out = String::new();
        respell(text, &mut out);
        assert_eq!(out, json);
        assert!(is_json(&out));
    }
    for text in ["0", "-0", "10", "1.5", "1e5", "-1.5E+5"] {
        assert!(is_json(text), "{text}");
    }
}

fn check_double(text: &str) {
    let Some(scaled) = Scaled::new(text) else { return };
    let double: f64 = text.parse().unwrap();
    if let Some(found) = scaled.nearest() {
        assert_eq!(found.to_bits(), double.to_bits(), "{text}");
    }
    if scaled.is_surely_exact() {
        let integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
        assert!(integer || scaled.is_shortest() == Some(true), "{text}");
    }
    if let Some(found) = scaled.is_shortest() {
        let printed = Scaled::new(&format!("{double:e}")).unwrap().trimmed();
        let own = scaled.trimmed();
        let same = (printed.digits, printed.power) == (own.digits, own.power);
        assert_eq!(found, same, "{text}");
    }
    if let Some(found) = scaled.shortest() {
        assert_eq!(found.to_bits(), double.to_bits(), "{text}");
        assert_eq!(scaled.is_shortest(), Some(true), "{text}");
    }
}

#[test]
fn digits_and_power_are_read() {
    for (text, digits, power) in [
        ("0", 0, 0),
        ("0.000", 0, -3),
        ("120", 120, 0),
        ("0.00120", 120, -5),
        ("1.50e3", 150, 1),
        ("1e-9999", 1, -9999),
        ("1234567890123456789", 1_234_567_890_123_456_789, 0),
        ("0.00001234567890123456789", 1_234_567_890_123_456_789, -23),
        ("12345678.12345678", 1_234_567_812_345_678, -8),
        ("9876543210123456.789", 9_876_543_210_123_456_789, -3),
        ("18446744073709551615", u64::MAX, 0),
        ("1.8446744073709551615", u64::MAX, -19),
    ] {
        let found = Scaled::new(text).unwrap();
        assert_eq!((found.digits, found.power), (digits, power), "{text}");
    }
    let trimmed = Scaled::new("0.00120").unwrap().trimmed();
    assert_eq!((trimmed.digits, trimmed.power), (12, -4));
    for text in ["18446744073709551616", "20000000000000000000", "1e99999", "1x"] {
        assert_eq!(Scaled::new(text), None);
    }
    let read = Scaled::read(b"-12.5e1,").unwrap();
    assert_eq!((read.negative, read.digits, read.power, read.length), (true, 125, 0, 7));
    assert_eq!(read.nearest(), Some(-125.0));
}

#[test]
fn known_hard_numbers_are_read_as_the_standard_library_reads_them() {
    for text in [
        "9007199254740993.5",
        "9007199254740992.5",
        "4503599627370496.5",
        "4503599627370497.5",
        "0.30000000000000004",
        "0.1000000000000000055",
        "0.9999999999999999",
        "1.0000000000000002",
        "2.2250738585072011e-308",
        "179769313486231570e291",
        "8.41e21",
        "9.5367431640625e-7",
        "0.50000000000000006",
        "5e-324",
        "123456789012345.67",
    ] {
        check_double(text);
    }
}

/// Numbers beside the text of a double, and those with a digit more or less.
fn beside(digits: u64, power: i32) -> Vec<String> {
    let near = (0..5).map(|more| (digits + more).saturating_sub(2));
    let mut numbers: Vec<_> = near.map(|digits| (digits, power)).collect();
    numbers.extend((0..3).map(|more| (digits / 10 + more, power + 1)));
    if digits < 10_u64.pow(16) {
        numbers.extend((0..10).map(|last| (digits * 10 + last, power - 1)));
        numbers.extend([(digits * 10 - 1, power - 1)]);
    }
    numbers.retain(|(digits, _)| *digits > 0);
    numbers.into_iter().map(|(digits, power)| format!("{digits}e{power}")).collect()
}

#[test]
fn the_shortest_text_of_any_double_is_what_is_printed() {
    let mut seed = 11_u64;
    let mut bits: Vec<u64> = (0..40_000)
        .map(|_| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 1
        })
        .collect();
    // The least doubles, and those around powers of two, where distances change.
    bits.extend(1..200);
    bits.extend((1..2047).flat_map(|exponent| (0..5).map(move |more| (exponent << 52) + more - 2)));
    for double in bits.into_iter().map(f64::from_bits).filter(|double| double.is_finite()) {
        let printed = Scaled::new(&format!("{double:e}")).unwrap().trimmed();
        for text in beside(printed.digits, printed.power) {
            let Some(nearest) = text.parse().ok().filter(|f: &f64| f.is_finite()) else { continue };
            let decimal = Decimal::new(&text);
            let same = Decimal::new(&format!("{nearest:e}")) == decimal;
            assert_eq!(shortest::is_shortest(&decimal, nearest), same, "{text}");
        }
    }
}

#[test]
fn most_printed_doubles_are_told_quickly() {
    let (mut seed, mut told) = (7_u64, 0);
    for _ in 0..10_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let double = (seed >> 11) as f64 / (1_u64 << 53) as f64 * 180.0;
        let text = format!("{double:?}");
        check_double(&text);
        let scaled = Scaled::new(&text).unwrap();
        told += usize::from(scaled.shortest().is_some());
    }
    assert!(told > 9_900, "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_grammar_is_that_of_json(text in "-?[0-9]{0,21}[.]?[0-9]{0,12}[eE]?[-+]?[0-9]{0,5}[-+.e,x]?") {
        if let Some(read) = Scaled::read(text.as_bytes()) {
            assert_eq!(json_length(text.as_bytes()), Ok(read.length), "{text}");
            let plain = text.as_bytes()[..read.length].iter().all(|byte| !b".eE".contains(byte));
            assert_eq!(read.plain, plain, "{text}");
        }
    }

    #[test]
    fn doubles_are_told_as_the_standard_library_tells_them(
        whole in "[1-9][0-9]{0,8}|0", fraction in "[0-9]{1,18}", exponent in -30..30_i32
    ) {
        check_double(&format!("{whole}.{fraction}"));
        check_double(&format!("{whole}.{fraction}e{exponent}"));
    }

    #[test]
    fn neighbours_of_printed_doubles_too(bits in any::<u64>(), off in -30..30_i64) {
        let double = f64::from_bits(bits % (1 << 62));
        let text: String = format!("{double:e}");
        check_double(&text);
        if let Some(scaled) = Scaled::new(&text) {
            let near = scaled.digits.saturating_add_signed(off);
            check_double(&format!("{near}e{}", scaled.power));
            check_double(&format!("{near}e{}", -(off.unsigned_abs() as i32)));
        }
    }
}
