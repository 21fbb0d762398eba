//! Keep policies: which document of several look-alikes stays.
//!
//! A policy is a list of keys. Each gives every document a number, the smaller
//! the better; documents with equal numbers are compared by the next key.
//! Those that are equal in all follow the order of their ids, and those with
//! equal ids that of the input. The order never depends on anything else.

use std::fmt;
use std::slice;
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
    /// By the first of these; among those that are equal in it by the next, and so on. Made by
    /// [`then`](Self::then).
    Then(Vec<KeepPolicy>),
}

/// Comes last: the field is missing, or is no date or number.
const LAST: u64 = u64::MAX;

impl KeepPolicy {
    /// The same policy, and among documents that are equal in it another one. Nothing is equal in
    /// [`First`](Self::First), and so nothing can come after it.
    ///
    /// ```
    /// use lookalike_engine::KeepPolicy;
    ///
    /// let policy = KeepPolicy::Max("score".to_owned()).then(KeepPolicy::Longest);
    /// assert_eq!(policy, "max:score then longest".parse()?);
    /// # Ok::<(), lookalike_engine::Error>(())
    /// ```
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let mut keys = self.into_keys();
        keys.extend(next.into_keys());
        Self::Then(keys)
    }

    fn into_keys(self) -> Vec<Self> {
        match self {
            Self::Then(keys) => keys,
            one => vec![one],
        }
    }

    /// What documents are compared by, one after another.
    pub fn keys(&self) -> &[Self] {
        match self {
            Self::Then(keys) => keys,
            one => slice::from_ref(one),
        }
    }

    /// The keys that give numbers: those before the order of the input.
    pub(crate) fn ranked(&self) -> &[Self] {
        self.keys().split(|key| *key == Self::First).next().unwrap_or_default()
    }

    /// Whether documents that are equal in all keys have the order of the input, and not that of
    /// their ids.
    pub fn ends_in_input_order(&self) -> bool {
        self.keys().contains(&Self::First)
    }

    /// Whether the order of the input is all that it goes by.
    pub(crate) fn is_input_order(&self) -> bool {
        self.keys().first() == Some(&Self::First)
    }

    /// Fails if a key could not decide anything.
    pub(crate) fn check(&self) -> Result<()> {
        match self.keys() {
            [] => wrong("must name something to go by"),
            [before @ .., last] if before.contains(&Self::First) => wrong(format!(
                "`first` decides between any two documents, so that `{last}` cannot come after it"
            )),
            _ => Ok(()),
        }
    }

    /// The fields that it looks at.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.keys().iter().filter_map(Self::field)
    }

    /// The field that a key looks at, if any.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            Self::First | Self::Longest | Self::Shortest | Self::Then(_) => None,
            Self::Newest(field) | Self::Oldest(field) | Self::Max(field) | Self::Min(field) => {
                Some(field)
            }
            Self::Prefer { field, .. } => Some(field),
        }
    }

    /// The numbers of a document of so many tokens, by the keys that give one: the smaller the
    /// better.
    pub fn ranks(&self, tokens: u64, record: &Record<'_>) -> impl Iterator<Item = u64> {
        self.ranked().iter().map(move |key| key.rank(tokens, record))
    }

    /// That of one key.
    pub(crate) fn rank(&self, tokens: u64, record: &Record<'_>) -> u64 {
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
            Self::First | Self::Then(_) => 0,
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

fn wrong<T>(fault: impl Into<String>) -> Result<T> {
    Err(Error::from(ErrorKind::KeepPolicy(fault.into())))
}

/// Between the keys of a list.
const THEN: &str = " then ";

impl FromStr for KeepPolicy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut keys = text.split(THEN).map(|key| Self::key(key.trim()));
        let first = keys.next().unwrap_or_else(|| Self::key(""))?;
        let policy = keys.try_fold(first, |policy, key| Ok::<_, Error>(policy.then(key?)))?;
        policy.check().map(|()| policy)
    }
}

impl KeepPolicy {
    fn key(text: &str) -> Result<Self> {
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
                         `prefer:source=wiki,books,web`",
                    );
                };
                let values = values.split(',').map(str::to_owned).collect();
                Ok(Self::Prefer { field: field.to_owned(), values })
            }
            _ => wrong(
                "must be first, longest, shortest, newest:FIELD, oldest:FIELD, max:FIELD, \
                 min:FIELD or prefer:FIELD=a,b,c, or several of them with `then` between",
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
            Self::Then(keys) => keys.iter().enumerate().try_for_each(|(number, key)| {
                f.write_str(if number > 0 { THEN } else { "" })?;
                key.fmt(f)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            "prefer:source=a,b then max:score then longest",
            "longest then first",
        ] {
            assert_eq!(text.parse::<KeepPolicy>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "last",
            "newest",
            "newest:",
            "first:x",
            "prefer:source",
            "prefer:=a",
            "longest then",
            "then longest",
            "longest then last",
            "first then longest",
            "longest, shortest",
            "longest then first then min:x",
        ] {
            assert!(wrong.parse::<KeepPolicy>().is_err(), "{wrong}");
        }
    }

    fn key() -> impl Strategy<Value = KeepPolicy> {
        let field = "[a-z.]{1,5}|then";
        prop_oneof![
            Just(KeepPolicy::Longest),
            Just(KeepPolicy::Shortest),
            field.prop_map(KeepPolicy::Newest),
            field.prop_map(KeepPolicy::Min),
            (field, prop::collection::vec("[a-z= ]{0,3}[a-z]", 1..4))
                .prop_map(|(field, values)| KeepPolicy::Prefer { field, values }),
        ]
    }

    proptest! {
        #[test]
        fn lists_are_read_as_they_are_written(
            keys in prop::collection::vec(key(), 1..5),
            first: bool,
        ) {
            let keys = keys.into_iter().chain(first.then_some(KeepPolicy::First));
            let policy = keys.reduce(KeepPolicy::then).unwrap();
            prop_assert_eq!(&policy.to_string().parse::<KeepPolicy>().unwrap(), &policy);
            prop_assert_eq!(policy.ends_in_input_order(), first);
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
