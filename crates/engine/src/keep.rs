//! Keep policies: which document of several look-alikes stays.
//!
//! A policy gives every document a number, the smaller the better; documents
//! with equal numbers follow the order of their ids, and those with equal ids
//! that of the input. The order never depends on anything else.

use std::fmt;
use std::str::FromStr;

use lookalike_corpus::{FieldValue, Record};

use crate::error::{Error, ErrorKind, Result};

/// Who is preferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeepPolicy {
    /// The first in the input: by the paths of files, then by their records.
    #[default]
    First,
    /// The one with the most tokens.
    Longest,
    /// The one with the fewest tokens.
    Shortest,
    /// The one with the latest date in this field.
    Newest(String),
    /// The one with the earliest date in this field.
    Oldest(String),
    /// The one with the largest number in this field.
    Max(String),
    /// The one with the smallest number in this field.
    Min(String),
    /// The one whose field has the value that stands first in the list.
    Prefer {
        /// The field.
        field: String,
        /// The values, the best first. Any other value comes after them.
        values: Vec<String>,
    },
}

/// Comes last: the field is missing, or is no date or number.
const LAST: u64 = u64::MAX;

impl KeepPolicy {
    /// The field that it looks at, if any.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::First | Self::Longest | Self::Shortest => None,
            Self::Newest(field) | Self::Oldest(field) | Self::Max(field) | Self::Min(field) => {
                Some(field)
            }
            Self::Prefer { field, .. } => Some(field),
        }
    }

    /// The number of a document of so many tokens: the smaller the better. Equal ones follow the
    /// order of their ids, then that of the input.
    pub fn rank(&self, tokens: u64, record: &Record<'_>) -> u64 {
        self.rank_by(tokens, self.field().and_then(|field| record.field(field)))
    }

    /// That of a document without fields.
    pub(crate) fn rank_of_text(&self, tokens: u64) -> u64 {
        self.rank_by(tokens, None)
    }

    fn rank_by(&self, tokens: u64, value: Option<FieldValue<'_>>) -> u64 {
        let by = |ascending: Option<u64>, best_is_largest: bool| {
            // The largest number is kept for what has none.
            ascending.map_or(LAST, |x| if best_is_largest { LAST - 1 - x } else { x })
        };
        match self {
            Self::First => 0,
            Self::Longest => LAST - tokens,
            Self::Shortest => tokens,
            Self::Newest(_) => by(value.and_then(time), true),
            Self::Oldest(_) => by(value.and_then(time), false),
            Self::Max(_) => by(value.and_then(number), true),
            Self::Min(_) => by(value.and_then(number), false),
            Self::Prefer { values, .. } => {
                let text = value.map(|value| text(&value));
                let place = text.and_then(|text| values.iter().position(|value| *value == text));
                place.map_or(LAST, |place| place as u64)
            }
        }
    }

    /// Whether a number that [`rank`](Self::rank) gave says that the field told nothing.
    pub(crate) fn is_unranked(&self, rank: u64) -> bool {
        self.field().is_some() && rank == LAST
    }
}

/// A field's value as text.
pub(crate) fn text(value: &FieldValue<'_>) -> String {
    match value {
        FieldValue::String(text) => text.to_string(),
        FieldValue::Integer(n) => n.to_string(),
        FieldValue::Float(x) => x.to_string(),
        FieldValue::Bool(b) => b.to_string(),
    }
}

/// A number, as an integer in the same order and below the last two.
fn number(value: FieldValue<'_>) -> Option<u64> {
    let x = match value {
        FieldValue::Integer(n) => n as f64,
        FieldValue::Float(x) => x,
        FieldValue::Bool(b) => f64::from(u8::from(b)),
        FieldValue::String(text) => text.trim().parse().ok()?,
    };
    // Of negative numbers all bits are turned, of others only the sign: then bits sort as
    // numbers do. Minus zero is zero.
    let bits = (x + 0.0).to_bits();
    let sorted = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (!x.is_nan()).then_some(sorted)
}

/// A point in time in nanoseconds, as an integer in the same order and below the last two.
fn time(value: FieldValue<'_>) -> Option<u64> {
    let nanoseconds = match value {
        FieldValue::Integer(n) => unix_time(n as f64)?,
        FieldValue::Float(x) => unix_time(x)?,
        FieldValue::Bool(_) => return None,
        FieldValue::String(text) => {
            let text = text.trim();
            date(text).or_else(|| unix_time(text.parse().ok()?))?
        }
    };
    // Years 1677 to 2262; what lies beyond is as early or as late as can be.
    let nanoseconds =
        i64::try_from(nanoseconds.clamp(i128::from(i64::MIN), i128::from(i64::MAX - 2)));
    Some((nanoseconds.ok()? as u64) ^ 1 << 63)
}

/// Unix time in seconds, milliseconds, microseconds or nanoseconds, told apart by size.
fn unix_time(x: f64) -> Option<i128> {
    let unit = match x.abs() {
        size if size < 1e11 => 1e9,
        size if size < 1e14 => 1e6,
        size if size < 1e17 => 1e3,
        size if size.is_finite() => 1.0,
        _ => return None,
    };
    Some((x * unit) as i128)
}

/// A date as ISO 8601 writes it: a year, and as much more as there is; without a zone it is
/// taken for UTC.
fn date(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let digits = |from: usize, count: usize| -> Option<i128> {
        let part = bytes.get(from..from + count)?;
        part.iter().all(u8::is_ascii_digit).then_some(())?;
        Some(part.iter().fold(0, |n, digit| n * 10 + i128::from(digit - b'0')))
    };
    let year = digits(0, 4)?;
    let (month, day, rest) = match (bytes.get(4), bytes.len()) {
        (None, _) => (1, 1, 4),
        (Some(b'-'), 7) => (digits(5, 2)?, 1, 7),
        (Some(b'-'), _) if bytes.get(7) == Some(&b'-') => (digits(5, 2)?, digits(8, 2)?, 10),
        (Some(_), 8) => (digits(4, 2)?, digits(6, 2)?, 8),
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let midnight = days(year, month, day) * 86_400_000_000_000;
    let Some(time) = text.get(rest..).filter(|time| !time.is_empty()) else {
        return Some(midnight);
    };
    let time = time.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let mut parts = clock.trim_end().split(':');
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next().unwrap_or("0").parse().ok()?;
    let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
    let in_range = hour < 25 && minute < 60 && (0.0..61.0).contains(&second);
    let seconds = f64::from(hour * 3600 + minute * 60) + second;
    let offset = offset_minutes(zone)?;
    let clock = (seconds * 1e9) as i128 - offset * 60_000_000_000;
    (in_range && parts.next().is_none()).then_some(midnight + clock)
}

/// Minutes east of UTC: `Z`, `+02:00`, `+0200`, `-05`.
fn offset_minutes(zone: &str) -> Option<i128> {
    if zone.is_empty() {
        return Some(0);
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        ("Z" | "z", "") => return Some(0),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    // No more than two digits each: what else stands there is no zone.
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes: i128 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    let hours: i128 = hours.parse().ok()?;
    // From -12:00 to +14:00 on maps; ISO 8601 has room for a day.
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// Days from 1970-01-01 in the Gregorian calendar: years of March to February, so that the
/// leap day is a year's last.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

impl FromStr for KeepPolicy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |fault: String| Err(Error::from(ErrorKind::KeepPolicy(fault)));
        let (name, field) = text.split_once(':').map_or((text, None), |(n, f)| (n, Some(f)));
        let named = |policy: fn(String) -> Self| match field.filter(|field| !field.is_empty()) {
            Some(field) => Ok(policy(field.to_owned())),
            None => wrong(format!("`{name}` needs a field, as in `{name}:date`")),
        };
        let plain = |policy: Self| match field {
            None => Ok(policy),
            Some(_) => wrong(format!("`{name}` takes no field")),
        };
        match name {
            "first" => plain(Self::First),
            "longest" => plain(Self::Longest),
            "shortest" => plain(Self::Shortest),
            "newest" => named(Self::Newest),
            "oldest" => named(Self::Oldest),
            "max" => named(Self::Max),
            "min" => named(Self::Min),
            "prefer" => {
                let split = field.and_then(|field| field.split_once('='));
                let Some((field, values)) = split.filter(|(f, v)| !f.is_empty() && !v.is_empty())
                else {
                    return wrong(
                        "`prefer` needs a field and its values, the best first, as in \
                                `prefer:source=wiki,books,web`"
                            .to_owned(),
                    );
                };
                let values = values.split(',').map(str::to_owned).collect();
                Ok(Self::Prefer { field: field.to_owned(), values })
            }
            _ => wrong(
                "must be first, longest, shortest, newest:FIELD, oldest:FIELD, max:FIELD, \
                      min:FIELD or prefer:FIELD=a,b,c"
                    .to_owned(),
            ),
        }
    }
}

impl fmt::Display for KeepPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Longest => f.write_str("longest"),
            Self::Shortest => f.write_str("shortest"),
            Self::Newest(field) => write!(f, "newest:{field}"),
            Self::Oldest(field) => write!(f, "oldest:{field}"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
            Self::Prefer { field, values } => write!(f, "prefer:{field}={}", values.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> FieldValue<'_> {
        FieldValue::String(text.into())
    }

    #[test]
    fn policies_are_read_as_they_are_written() {
        for text in [
            "first",
            "longest",
            "shortest",
            "newest:meta.date",
            "oldest:date",
            "max:score",
            "min:score",
            "prefer:source=wiki,books",
        ] {
            assert_eq!(text.parse::<KeepPolicy>().unwrap().to_string(), text);
        }
        for wrong in ["", "last", "newest", "newest:", "first:x", "prefer:source", "prefer:=a"] {
            assert!(wrong.parse::<KeepPolicy>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_in_order_however_they_are_written() {
        let order = [
            "1969-12-31",
            "1970-01-01",
            "1999",
            "2000-02-29T23:59:59Z",
            "2000-03",
            "2023-12-31T23:00:00-02:00",
            "2024-01-01T02:00:00",
            "1704074401",
            "1704074402000",
            "2024-02-28",
            "20240229",
            "2024-03-01 00:00:00.000001+00:00",
            "2300-01-01",
        ];
        let times: Vec<u64> = order.iter().map(|text| time(string(text)).unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_eq!(time(string("2023-12-31T23:00:00-02:00")), time(string("2024-01-01T01:00:00Z")));
        assert_eq!(time(FieldValue::Integer(0)), time(string("1970-01-01")));
        for wrong in ["", "yesterday", "2024-13-01", "2024-1-1", "12 May 2024", "2024-01-01Tnoon"] {
            assert_eq!(time(string(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn absurd_zones_are_no_dates() {
        for zone in [
            "+00170141183460469231731687303715884105727",
            "+01:99999999999999999999999999999999999",
            "-9999999999999999999999999999999999999",
            "+99:00",
            "+24",
            "+01:60",
            "+1",
            "+010",
            "+0\u{661}",
            "+-1:00",
            "+",
        ] {
            assert_eq!(time(string(&format!("2024-01-01T00:00:00{zone}"))), None, "{zone}");
        }
        let zoned = |zone: &str| time(string(&format!("2024-01-01T12:00:00{zone}")));
        assert_eq!(zoned("+14:00"), time(string("2023-12-31T22:00:00Z")));
        assert_eq!(zoned("-1200"), time(string("2024-01-02T00:00:00Z")));
        assert_eq!(zoned("+02"), time(string("2024-01-01T10:00:00Z")));
    }

    #[test]
    fn numbers_are_in_order() {
        let order =
            [f64::NEG_INFINITY, -1e300, -2.0, -1e-300, 0.0, 1e-300, 1.0, 1e300, f64::INFINITY];
        let sorted: Vec<u64> =
            order.iter().map(|&x| number(FieldValue::Float(x)).unwrap()).collect();
        assert!(sorted.is_sorted_by(|a, b| a < b) && sorted.iter().all(|&x| x < LAST - 1));
        assert_eq!(number(FieldValue::Float(-0.0)), number(FieldValue::Integer(0)));
        assert_eq!(number(string(" 12.5 ")), number(FieldValue::Float(12.5)));
        assert_eq!(number(string("many")), None);
        assert_eq!(number(FieldValue::Float(f64::NAN)), None);
    }
}
