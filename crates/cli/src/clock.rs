//! The time of day, which stamps the documents of an index; no answer depends on it.

#![expect(clippy::disallowed_methods, reason = "documents are stamped with the time")]

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Seconds since 1970, or before it, as people write them.
pub(crate) fn date(seconds: i64) -> String {
    /// Seconds of four hundred years, after which the calendar repeats itself.
    const ERA: i64 = 146_097 * 86_400;
    match u64::try_from(seconds) {
        Ok(seconds) => utc(seconds),
        Err(_) if seconds > -4 * ERA => {
            // As many years later, and named as many earlier.
            let later = utc(seconds.saturating_add(4 * ERA).unsigned_abs());
            let (year, rest) = later.split_once('-').unwrap_or((&later, ""));
            let year = year.parse::<i64>().unwrap_or_default() - 1600;
            format!("{year:04}-{rest}")
        }
        Err(_) => format!("{seconds} seconds from 1970"),
    }
}

/// Seconds since 1970 as people write them.
pub(crate) fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that the leap day is their last: 400 of them have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    let [hour, minute, second] = [second / 3600, second / 60 % 60, second % 60];
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::{date, utc};

    #[test]
    fn dates_before_1970_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
            (-2_208_988_800, "1900-01-01 00:00:00 UTC"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (68_255_999, "1972-02-29 23:59:59 UTC"),
            (68_256_000, "1972-03-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_700_000_000, "2023-11-14 22:13:20 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }
}
