//! What tokens may be.

/// What a token stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A word, or a character of a script without spaces.
    #[default]
    Words,
    /// A character, or what separates two.
    Characters,
    /// A line.
    Lines,
    /// A sentence.
    Sentences,
    /// A paragraph.
    Paragraphs,
    /// An item of a set, which is no text ([`items`](super::items)).
    Items,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Words,
        Self::Characters,
        Self::Lines,
        Self::Sentences,
        Self::Paragraphs,
        Self::Items,
    ];

    /// One of them, for people.
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Words => "word",
            Self::Characters => "character",
            Self::Lines => "line",
            Self::Sentences => "sentence",
            Self::Paragraphs => "paragraph",
            Self::Items => "item",
        }
    }

    /// Whether a token is all the words of a stretch of text.
    pub(super) fn is_of_words(self) -> bool {
        matches!(self, Self::Lines | Self::Sentences | Self::Paragraphs)
    }
}
