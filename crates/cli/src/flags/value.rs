//! Values of flags: what they may be.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use lookalike_engine::numbers::parse_bytes;

/// A share above 0 and at most 1. Written so that NaN fails.
pub(super) fn positive_share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value > 0.0 && value <= 1.0 {
        Ok(value)
    } else {
        Err("must be above 0 and at most 1".to_owned())
    }
}

/// A whole number of at least so much.
pub(super) fn at_least<const LEAST: u32>(text: &str) -> Result<u32, String> {
    let value: u32 = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    if value >= LEAST { Ok(value) } else { Err(format!("must be at least {LEAST}")) }
}

/// A share above 0 and below 1.
pub(super) fn proper_share(text: &str) -> Result<f64, String> {
    match positive_share(text) {
        Ok(value) if value < 1.0 => Ok(value),
        Err(error) if error == "not a number" => Err(error),
        _ => Err("must be above 0 and below 1".to_owned()),
    }
}

/// A share from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("must be from 0 to 1".to_owned()) }
}

/// A share from 0 on and below 1.
pub(super) fn lost_share(text: &str) -> Result<f64, String> {
    match share(text) {
        Ok(value) if value < 1.0 => Ok(value),
        Err(error) if error == "not a number" => Err(error),
        _ => Err("must be from 0 to below 1".to_owned()),
    }
}

/// A size such as `512MiB`, `4GiB` or `1000000`.
pub(super) fn size(text: &str) -> Result<u64, &'static str> {
    parse_bytes(text).ok_or("must be a size, such as 512MiB or 4GiB")
}

/// One of these names, for the value beside it. Help and completions know the names.
pub(super) fn one_of<T, const N: usize>(
    choices: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(choices.each_ref().map(|(name, _)| *name));
    names.try_map(move |given| {
        let choice = choices.iter().find(|(name, _)| *name == given);
        choice.map(|(_, value)| value.clone()).ok_or("is not one of the names")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = [("512MiB", 512 << 20), ("4GiB", 4 << 30), ("1.5 GB", 1_500_000_000)];
        for (text, bytes) in sizes.into_iter().chain([("70000", 70_000), ("1B", 1)]) {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "GiB", "-1MiB", "1 GiBs", "1e300TiB", "NaN"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_have_their_bounds() {
        assert!(positive_share("1").is_ok() && positive_share("1e-9").is_ok());
        for wrong in ["0", "-0.1", "1.5", "NaN", "inf", "", "x"] {
            assert!(positive_share(wrong).is_err(), "{wrong}");
            assert!(proper_share(wrong).is_err(), "{wrong}");
            assert!(wrong == "0" || lost_share(wrong).is_err(), "{wrong}");
        }
        assert!(lost_share("1").is_err() && lost_share("0").is_ok());
        assert!(proper_share("1").is_err() && proper_share("0.95").is_ok());
    }
}
