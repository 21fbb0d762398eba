//! Whole numbers in requests.

use serde::de::{Deserialize as _, Deserializer, Error as _};
use serde_json::Number;

/// A whole number, however it is spelt: to a JSON schema `1.0` is one.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    let whole = |number: &Number| {
        let rounded = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 2_f64.powi(63));
        number.as_i64().or(rounded.map(|n| n as i64))
    };
    let number = Option::<Number>::deserialize(deserializer)?;
    let fault = |number: &Number| D::Error::custom(format!("`{number}` is no whole number"));
    number.map(|number| whole(&number).ok_or_else(|| fault(&number))).transpose()
}
