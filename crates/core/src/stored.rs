//! How values are written down by serde, where that is not how they are in memory.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::recipe::Recipe;

/// 128 bits as 32 hexadecimal digits: few formats have numbers of that size.
pub(crate) mod hexadecimal {
    use super::{Deserialize, Deserializer, Serializer};
    use serde::de::Error as _;

    pub(crate) fn serialize<S: Serializer>(number: &u128, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{number:032x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let digits = std::borrow::Cow::<str>::deserialize(from)?;
        let number = u128::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 32);
        number.ok_or_else(|| D::Error::custom("expected 32 hexadecimal digits"))
    }
}

/// A recipe is its TOML, as one text: its fields have a form for people already.
impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&self.to_toml())
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Self::from_toml(&text).map_err(D::Error::custom)
    }
}
