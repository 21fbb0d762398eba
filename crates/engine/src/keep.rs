//! Keep policies: which document of several look-alikes stays.
//!
//! A policy gives every document a number, the smaller the better; documents
//! with equal numbers follow the order of their ids, and those with equal ids
//! that of the input. The order never depends on anything else.

use std::fmt;
use std::str::FromStr;

use lookalike_corpus::{FieldValue, Record};

use crate::dates;
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
            Self::Newest(_) => by(value.and_then(dates::rank), true),
            Self::Oldest(_) => by(value.and_then(dates::rank), false),
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
pub fn text(value: &FieldValue<'_>) -> String {
    match value {
        FieldValue::String(text) => text.to_string(),
        FieldValue::Integer(n) => n.to_string(),
        FieldValue::Float(x) => x.to_string(),
        FieldValue::Time(_) => {
            dates::date_microseconds(value.clone()).map_or_else(String::new, dates::iso)
        }
        FieldValue::Bool(b) => b.to_string(),
    }
}

/// A number, as an integer in the same order and below the last two.
fn number(value: FieldValue<'_>) -> Option<u64> {
    let x = match value {
        FieldValue::Integer(n) | FieldValue::Time(n) => n as f64,
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
