//! NFC of a text of any length, in constant memory.
//!
//! Canonical order sorts the marks behind a starter by combining class, and
//! who sorts them holds them all. There are few classes, so the marks are read
//! again for each instead.

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};

/// Calls `each` with the characters of the NFC of `text`.
pub(super) fn for_each_composed(
    text: impl Iterator<Item = char> + Clone,
    mut each: impl FnMut(char),
) {
    let classed = |c| (canonical_combining_class(c), c);
    let mut rest = text.flat_map(decomposed).map(classed);
    let mut starter: Option<char> = None;
    loop {
        // What stands between this starter and the next.
        let marks = rest.clone().take_while(|&(class, _)| class != 0);
        let of_class = |wanted| marks.clone().filter(move |&(class, _)| class == wanted);
        let mut found = [false; 256];
        let next = rest.find(|&(class, _)| {
            found[usize::from(class)] = true;
            class == 0
        });
        let next = next.map(|(_, c)| c);
        let classes = (1..=u8::MAX).filter(|&class| found[usize::from(class)]);

        // The first mark of a class that stays blocks the others of that class, and none of a
        // higher one.
        let mut composed = [0; 256];
        let mut all_composed = true;
        for class in classes.clone() {
            all_composed &= of_class(class).all(|(_, mark)| {
                let both = starter.and_then(|starter| compose(starter, mark));
                composed[usize::from(class)] += usize::from(both.is_some());
                starter = both.or(starter);
                both.is_some()
            });
        }

        let both = starter.zip(next).filter(|_| all_composed);
        if let Some(both) = both.and_then(|(starter, next)| compose(starter, next)) {
            starter = Some(both);
            continue;
        }
        starter.into_iter().for_each(&mut each);
        for class in classes {
            let stay = of_class(class).skip(composed[usize::from(class)]);
            stay.for_each(|(_, mark)| each(mark));
        }
        if next.is_none() {
            break;
        }
        starter = next;
    }
}

/// The canonical decomposition of a character, which has at most four.
fn decomposed(c: char) -> impl Iterator<Item = char> + Clone {
    let (mut all, mut count) = ([None; 4], 0);
    decompose_canonical(c, |c| {
        all[count] = Some(c);
        count += 1;
    });
    all.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[test]
    fn no_decomposition_is_longer_than_four() {
        for c in '\0'..=char::MAX {
            assert_eq!(decomposed(c).count(), c.nfd().count());
        }
    }

    proptest! {
        /// Against the library, which holds all marks of a starter.
        #[test]
        fn it_is_the_librarys(
            text in "[aeoὑᾳ\u{ac00}\u{1100}\u{1161}\u{11a8}\u{9c7}\u{9be}\u{9d7}\u{300}-\u{345}\
                     \u{5b0}-\u{5c7}\u{3099}\u{1d15e}\u{f71}-\u{f81}]{0,60}",
        ) {
            let mut found = String::new();
            for_each_composed(text.chars(), |c| found.push(c));
            prop_assert_eq!(found, text.nfc().collect::<String>());
        }
    }
}
