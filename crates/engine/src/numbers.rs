//! Numbers as people read them.

/// A count with its thing: `1 document`, `2 documents`.
pub fn count(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A whole number with its thousands apart: `12,345`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes as people read them: `512 B`, `1.5 MiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    // 1023.95 is where one digit after the point would show 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// The bytes that a size such as `512MiB`, `4 GB` or `1000000` says.
pub fn parse_bytes(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let unit = UNITS.iter().find_map(|(name, bytes)| Some((text.strip_suffix(name)?, *bytes)));
    let (number, unit) = unit.unwrap_or((text, 1));
    let bytes = number.trim().parse::<f64>().ok()? * unit as f64;
    // 2^53: beyond it, not every number of bytes can be said.
    (0.0..=9e15).contains(&bytes).then_some(bytes as u64)
}

/// A share as a percentage with one digit after the point. Only nothing is shown as 0, and only
/// all as 100.
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 {
        return "0 %".to_owned();
    }
    if part >= whole {
        return "100 %".to_owned();
    }
    match part as f64 / whole as f64 * 100.0 {
        small if small < 0.05 => "< 0.1 %".to_owned(),
        large if large >= 99.95 => "> 99.9 %".to_owned(),
        value => format!("{value:.1} %"),
    }
}

/// A time as people say it: `8 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`. What is no time, such as
/// a negative number, is `unknown`.
pub fn duration(seconds: f64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_owned();
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    if seconds < 0.000_5 {
        return "< 1 ms".to_owned();
    }
    if seconds < 0.999_5 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        ..HOUR => format!("{} min {} s", whole / MINUTE, whole % MINUTE),
        HOUR..DAY => format!("{} h {} min", whole / HOUR, whole % HOUR / MINUTE),
        DAY.. => format!("{} d {} h", grouped(whole / DAY), whole % DAY / HOUR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "document"), "1 document");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1 << 20), "1.0 MiB");
        assert_eq!(bytes((1 << 20) - 1), "1.0 MiB");
    }

    #[test]
    fn only_nothing_and_all_look_like_it() {
        assert_eq!(percent(0, 0), "0 %");
        assert_eq!(percent(0, 7), "0 %");
        assert_eq!(percent(1, u64::MAX), "< 0.1 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(999_999, 1_000_000), "> 99.9 %");
        assert_eq!(percent(7, 7), "100 %");
    }

    #[test]
    fn times_read_well() {
        for (seconds, says) in [
            (0.0, "0 s"),
            (0.000_1, "< 1 ms"),
            (0.008, "8 ms"),
            (0.999_6, "1.0 s"),
            (4.2, "4.2 s"),
            (59.97, "1 min 0 s"),
            (3599.6, "1 h 0 min"),
            (7500.0, "2 h 5 min"),
            (90_000.0, "1 d 1 h"),
            (-1.0, "unknown"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(duration(seconds), says);
        }
        assert_eq!(duration(f64::MAX), format!("{} d 7 h", grouped(u64::MAX / 86_400)));
    }
}
