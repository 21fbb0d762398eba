//! Sets of items in requests, in the place of texts.

use std::borrow::Cow;

use lookalike_core::text::items::{self, Item};
use lookalike_index::Content;
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use utoipa::ToSchema;

use crate::whole_number::whole_number;

/// A set of items: for an index of the recipe `sets`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetDocument {
    /// Its name. Not looked at when it is only asked about.
    #[schema(min_length = 1, max_length = 4096)]
    pub(crate) id: Option<String>,
    pub(crate) items: Items,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    pub(crate) url: Option<String>,
}

/// A set of items that is asked about.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetCheck {
    /// Its name. Not looked at.
    #[schema(min_length = 1, max_length = 4096)]
    pub(crate) id: Option<String>,
    pub(crate) items: Items,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    pub(crate) url: Option<String>,
    /// The least resemblance of a look-alike, in the place of that of the index.
    #[schema(exclusive_minimum = 0.0, maximum = 1.0)]
    pub(crate) threshold: Option<f64>,
}

/// A set of items with its name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedSet {
    #[schema(min_length = 1, max_length = 4096)]
    pub(crate) id: String,
    pub(crate) items: Items,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    pub(crate) url: Option<String>,
    /// What it came with, for `sources`; the site of its URL if it has none.
    #[schema(max_length = 16384)]
    pub(crate) source: Option<String>,
    /// Its date in seconds since 1970, for `first` and `last`; now if it has none.
    #[serde(default, deserialize_with = "whole_number")]
    pub(crate) date: Option<i64>,
}

/// The items of a set, in any order: strings, numbers and truth values. Two are equal if they are written the
/// same, numbers in the shortest way: 3, 3.0 and "3" are one item. Null counts as nothing.
#[derive(Clone, Debug, ToSchema)]
#[schema(value_type = Vec<Option<AnyItem>>)]
pub(crate) struct Items(Vec<u8>);

impl Items {
    pub(crate) fn into_content(self) -> Content<'static> {
        Content::Items(Cow::Owned(self.0))
    }
}

/// An item of a set.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum AnyItem {
    Text(String),
    #[schema(value_type = f64)]
    Number(Number),
    Bool(bool),
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Vec::<Option<AnyItem>>::deserialize(deserializer)?;
        let bytes = found.iter().flatten().filter_map(|item| {
            let item = match item {
                AnyItem::Text(text) => Item::Bytes(text.as_bytes()),
                AnyItem::Bool(value) => Item::Bool(*value),
                AnyItem::Number(number) => match (number.as_i64(), number.as_u64()) {
                    (Some(number), _) => Item::Integer(number.into()),
                    (None, Some(number)) => Item::Integer(number.into()),
                    (None, None) => Item::Float(number.as_f64()?),
                },
            };
            item.bytes()
        });
        Ok(Self(items::of(bytes)))
    }
}

/// The items of a stored set, as strings.
pub(crate) fn strings(set: &[u8]) -> Vec<String> {
    items::texts(set).map(Cow::into_owned).collect()
}
