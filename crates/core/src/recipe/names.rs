//! What recipes go by: the version of their bits, and the names of the presets.

/// The version of the bits: every golden vector belongs to one.
pub const VERSION: u32 = 1;

/// The names that [`Recipe::preset`](super::Recipe::preset) knows of recipes by which each document is signed by itself.
pub const PRESETS: [&str; 7] = [
    "text",
    "altavista",
    "henzinger-b",
    "henzinger-c",
    "henzinger-combined",
    "henzinger-sites",
    "pugh",
];

/// The names of those that learn from all documents together first.
pub const LEARNING_PRESETS: [&str; 1] = ["sites"];

/// All names, for people.
pub fn preset_names() -> String {
    [&PRESETS[..], &LEARNING_PRESETS].concat().join(", ")
}
