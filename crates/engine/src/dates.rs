//! Points in time, as fields of documents write them: the dates that keep policies compare, and
//! those of which a cluster has a first and a last.
//!
//! ISO 8601, as much of it as there is; Unix time in seconds to nanoseconds, told apart by size; and
//! columns that are dates. What is none of these is no date, never an error.

use std::fmt::Write as _;

use lookalike_corpus::FieldValue;

const DAY: i128 = 86_400_000_000_000;

/// From the year 1 to the year 9999, in microseconds: what calendars of other programs have.
const CALENDAR: [i64; 2] = [-62_135_596_800_000_000, 253_402_300_799_999_999];

/// A point in time as a number in the same order, and below the last two.
pub(crate) fn rank(value: FieldValue<'_>) -> Option<u64> {
    // Years 1677 to 2262; what lies beyond is as early or as late as can be.
    let nanoseconds =
        i64::try_from(nanoseconds(value)?.clamp(i128::from(i64::MIN), i128::from(i64::MAX - 2)));
    Some((nanoseconds.ok()? as u64) ^ 1 << 63)
}

/// A date to the nearest microsecond of Unix time; what lies beyond the years 1 to 9999 is their
/// beginning or end. `None` if the value says none.
pub fn date_microseconds(value: FieldValue<'_>) -> Option<i64> {
    let [first, last] = CALENDAR;
    let nearest = (nanoseconds(value)? + 500).div_euclid(1000);
    i64::try_from(nearest.clamp(first.into(), last.into())).ok()
}

/// Such a point in time as ISO 8601 writes it.
pub(crate) fn iso(microseconds: i64) -> String {
    let (seconds, rest) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let [year, month, day_of_month] = calendar(day);
    let mut text = format!("{year:04}-{month:02}-{day_of_month:02}");
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    // Writing to a string cannot fail.
    let _ = write!(text, "T{hour:02}:{minute:02}:{second:02}");
    if rest > 0 {
        let _ = write!(text, ".{rest:06}");
    }
    text + "Z"
}

/// A point in time, in nanoseconds of Unix time.
fn nanoseconds(value: FieldValue<'_>) -> Option<i128> {
    Some(match value {
        FieldValue::Time(nanoseconds) => nanoseconds,
        FieldValue::Integer(n) => n.saturating_mul(unit(n as f64)?),
        FieldValue::Float(x) => unix_time(x)?,
        FieldValue::Bool(_) => return None,
        FieldValue::String(text) => {
            let text = text.trim();
            date(text).or_else(|| unix_time(text.parse().ok()?))?
        }
    })
}

/// Unix time in seconds, milliseconds, microseconds or nanoseconds.
fn unix_time(x: f64) -> Option<i128> {
    Some((x * unit(x)? as f64) as i128)
}

/// The nanoseconds of the unit that a Unix time is in, told by its size.
fn unit(x: f64) -> Option<i128> {
    Some(match x.abs() {
        size if size < 1e11 => 1_000_000_000,
        size if size < 1e14 => 1_000_000,
        size if size < 1e17 => 1_000,
        size if size.is_finite() => 1,
        _ => return None,
    })
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
    let midnight = days(year, month, day) * DAY;
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

/// The year, the month and the day of a day from 1970-01-01 on: [`days`] turned round.
fn calendar(day: i64) -> [i64; 3] {
    // An era is 400 years of March to February; of its 146,097 days the last is a leap day.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [400 * era + year + i64::from(month <= 2), month, day_of_month]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn string(text: &str) -> FieldValue<'_> {
        FieldValue::String(text.into())
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
        let times: Vec<u64> = order.iter().map(|text| rank(string(text)).unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_eq!(rank(string("2023-12-31T23:00:00-02:00")), rank(string("2024-01-01T01:00:00Z")));
        assert_eq!(rank(FieldValue::Integer(0)), rank(string("1970-01-01")));
        for wrong in ["", "yesterday", "2024-13-01", "2024-1-1", "12 May 2024", "2024-01-01Tnoon"] {
            assert_eq!(rank(string(wrong)), None, "{wrong}");
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
            assert_eq!(rank(string(&format!("2024-01-01T00:00:00{zone}"))), None, "{zone}");
        }
        let zoned = |zone: &str| rank(string(&format!("2024-01-01T12:00:00{zone}")));
        assert_eq!(zoned("+14:00"), rank(string("2023-12-31T22:00:00Z")));
        assert_eq!(zoned("-1200"), rank(string("2024-01-02T00:00:00Z")));
        assert_eq!(zoned("+02"), rank(string("2024-01-01T10:00:00Z")));
    }

    #[test]
    fn times_are_told_to_the_microsecond() {
        for (value, expected) in [
            (string("2024-01-02"), "2024-01-02T00:00:00Z"),
            (string("1400-02-29 05:00"), "1400-03-01T05:00:00Z"),
            (string("1969-07-20T20:17:40.5+02:00"), "1969-07-20T18:17:40.500000Z"),
            (string("1704067200.123456"), "2024-01-01T00:00:00.123456Z"),
            (FieldValue::Integer(1_704_067_200_123_456_789), "2024-01-01T00:00:00.123457Z"),
            (FieldValue::Time(-1), "1970-01-01T00:00:00Z"),
            (FieldValue::Time(-1001), "1969-12-31T23:59:59.999999Z"),
            (FieldValue::Time(i128::MAX / 2), "9999-12-31T23:59:59.999999Z"),
            (string("0000-05-05"), "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(
                date_microseconds(value.clone()).map(iso).as_deref(),
                Some(expected),
                "{value:?}"
            );
        }
        assert_eq!(date_microseconds(FieldValue::Bool(true)), None);
        assert_eq!(date_microseconds(FieldValue::Float(f64::INFINITY)), None);
    }

    proptest! {
        #[test]
        fn a_written_time_is_read_as_it_was(time in CALENDAR[0]..=CALENDAR[1]) {
            prop_assert_eq!(date_microseconds(string(&iso(time))), Some(time));
        }
    }
}
