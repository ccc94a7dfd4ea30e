//! Numbers: integers of any size, and floats as Python spells them.

use std::fmt;

/// An integer of any size, kept as its digits.
///
/// # Examples
/// ```
/// use sessile_interchange::json::Integer;
///
/// let big = Integer::parse("123456789012345678901").expect("it is one");
/// // Every digit is kept, although it fits no type.
/// assert_eq!((big.as_str(), big.as_u64()), ("123456789012345678901", None));
/// assert_eq!(Integer::from(-7_i64).as_i64(), Some(-7));
/// assert!(Integer::parse("007").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Box<str>);

impl Integer {
    /// Takes what stands for an integer in JSON: an optional `-` and digits without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let leads_with_zero = digits.len() > 1 && digits.starts_with('0');
        if !is_number || leads_with_zero {
            return None;
        }
        // There is one zero among the integers.
        Some(Self(if digits == "0" { "0" } else { text }.into()))
    }

    /// Its digits, with a `-` before them if it is below zero.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number, if it fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The number, if it fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

impl From<u64> for Integer {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<i64> for Integer {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

impl fmt::Debug for Integer {
    /// Tells the size only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Integer({} characters)", self.0.len())
    }
}

/// A float that is a number: neither infinite nor none.
///
/// # Examples
/// ```
/// use sessile_interchange::json::Float;
///
/// let spelled = |float| Float::new(float).map(|it| it.to_string()).unwrap_or_default();
/// // As Python spells them, so that files are the same byte for byte.
/// assert_eq!([1.0, 1e16, 1e-5, -0.0].map(spelled), ["1.0", "1e+16", "1e-05", "-0.0"]);
/// assert!(Float::new(f64::NAN).is_none());
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Float(f64);

impl Float {
    /// Takes a float that is a number.
    pub fn new(float: f64) -> Option<Self> {
        float.is_finite().then_some(Self(float))
    }

    /// The plain float.
    pub const fn float(self) -> f64 {
        self.0
    }
}

/// Below this exponent Python spells a float with an exponent.
const LEAST_PLAIN: i32 = -4;

/// From this exponent on Python spells a float with an exponent.
const FIRST_RAISED: i32 = 16;

impl fmt::Display for Float {
    /// Writes it as Python's `repr` does: the fewest digits that lead back to it; `1.0`, `1e+16`,
    /// `1e-05`, `-0.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raised = fewest_digits(self.0);
        let (digits, exponent) = raised.split_once('e').unwrap_or((&raised, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if (LEAST_PLAIN..FIRST_RAISED).contains(&exponent) {
            return plain(f, digits, exponent);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(f, "{digits}e{sign}{:02}", exponent.unsigned_abs())
    }
}

/// The fewest digits that lead back to a float, with an exponent.
///
/// Where the float lies in the middle between two such numbers Rust takes the greater one and
/// Python the one that ends in an even digit, which is how Rust rounds to a given length.
fn fewest_digits(float: f64) -> String {
    let fewest = format!("{float:e}");
    let digits = fewest.split('e').next().unwrap_or_default();
    let places = digits.bytes().filter(u8::is_ascii_digit).count().saturating_sub(1);
    let rounded = format!("{float:.places$e}");
    // At a power of two the nearest number of that length may be another float's.
    let leads_back = rounded.parse().is_ok_and(|it: f64| it.to_bits() == float.to_bits());
    if leads_back { rounded } else { fewest }
}

/// Writes digits (`-1.25`) without an exponent, and with a point in any case.
fn plain(f: &mut fmt::Formatter<'_>, digits: &str, exponent: i32) -> fmt::Result {
    let sign = if digits.starts_with('-') { "-" } else { "" };
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let Ok(before) = usize::try_from(exponent + 1) else {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        return write!(f, "{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(before) {
        Some((whole, "")) => write!(f, "{sign}{whole}.0"),
        Some(("", part)) => write!(f, "{sign}0.{part}"),
        Some((whole, part)) => write!(f, "{sign}{whole}.{part}"),
        None => write!(f, "{sign}{digits:0<before$}.0"),
    }
}

impl fmt::Debug for Float {
    /// Tells nothing of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Float(_)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_spelt_as_python_spells_them() {
        // Each right side is what `repr` printed.
        let spelt = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1.577_777_777_777_000_1, "1.5777777777770001"),
            (1e15, "1000000000000000.0"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            // In the middle between .2 and .3, and between .4 and .3 of what 17 digits can say.
            (1_021_219_144_600_769.2, "1021219144600769.2"),
            (1_021_219_144_600_769.8, "1021219144600769.8"),
            (1e16, "1e+16"),
            (-1e16, "-1e+16"),
            (1e21, "1e+21"),
            (1e100, "1e+100"),
            (0.0001, "0.0001"),
            (0.000_123, "0.000123"),
            (0.000_01, "1e-05"),
            (1.5e-5, "1.5e-05"),
            (1e-10, "1e-10"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (9_007_199_254_740_992.0, "9007199254740992.0"),
        ];
        for (float, text) in spelt {
            assert_eq!(Float::new(float).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_number_is_no_float() {
        for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Float::new(float), None);
        }
    }

    #[test]
    fn integers_keep_every_digit() {
        let big = "1".repeat(1000);
        for text in ["0", "7", "-1", "18446744073709551616", "-9223372036854775808", &big] {
            assert_eq!(Integer::parse(text).unwrap().as_str(), text);
        }
        assert_eq!(Integer::parse("-0").unwrap().as_str(), "0");
        for text in ["", "-", "01", "-01", "1.0", "1e3", "+1", " 1"] {
            assert_eq!(Integer::parse(text), None, "{text:?}");
        }
        assert_eq!(Integer::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Integer::from(u64::MAX).as_i64(), None);
        assert_eq!(Integer::from(-1_i64).as_i64(), Some(-1));
        assert_eq!(Integer::from(-1_i64).as_u64(), None);
    }
}
