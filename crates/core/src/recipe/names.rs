//! What recipes go by: the version of their bits, and the names of the presets.

/// The version of the bits: every golden vector belongs to one.
pub const VERSION: u32 = 1;

/// That of recipes by which something is left out. 2: markup counts, and not only what is learned. 3:
/// so does what it says of dialogs and of hidden blocks.
pub const TEMPLATES_VERSION: u32 = 3;

/// The names that [`Recipe::preset`](super::Recipe::preset) knows of recipes of texts, by which each document is signed
/// by itself.
pub const PRESETS: [&str; 9] = [
    "text",
    "pages",
    "noisy",
    "altavista",
    "henzinger-b",
    "henzinger-c",
    "henzinger-combined",
    "henzinger-sites",
    "pugh",
];

/// The names of those that learn from all documents together first.
pub const LEARNING_PRESETS: [&str; 1] = ["sites"];

/// Those of recipes of sets of items, which are no texts.
pub const SET_PRESETS: [&str; 1] = ["sets"];

/// All names, for people.
pub fn preset_names() -> String {
    [&PRESETS[..], &LEARNING_PRESETS, &SET_PRESETS].concat().join(", ")
}

/// All names, and what each is, for people.
pub const PRESET_SUMMARIES: [(&str, &str); 11] = [
    ("text", "5-word shingles, resemblance 0.8, recall 0.95, verified word by word"),
    (
        "pages",
        "the same without what the markup of a page says is beside its content; resemblance 0.72",
    ),
    ("sites", "that, and without the frames of sites, which are learned"),
    ("noisy", "for OCR and transcripts: 7-character shingles, resemblance 0.3, verified"),
    (
        "sets",
        "for what is no text: sets of items as they stand, resemblance 0.8, verified item by item",
    ),
    ("altavista", "Broder: features (MinHash LSH bands) [6, 14, 2] over 10-word shingles"),
    ("henzinger-b", "Algorithm B: features [6, 14, 2] over 8-word shingles"),
    ("henzinger-c", "Algorithm C: a projection (SimHash) of 384 bits, 372 in common"),
    ("henzinger-combined", "B, and 355 of the 384 bits in common"),
    ("henzinger-sites", "C between sites, combined within one"),
    ("pugh", "words dealt to 4 lists, 6 times; one list in common in 2 of the 6"),
];
