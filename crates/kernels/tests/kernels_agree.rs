//! Every kernel gives the reference's bits: all short lengths, all alignments,
//! extremes, and random input. Tests of a kernel that this machine lacks are ignored, not passed.

use std::process::ExitCode;

use std::sync::Arc;

use lookalike_kernels::keyed::{BEHIND, CodeStream, LongWord};
use lookalike_kernels::rabin::{FEATURES, Rabin, TOKENS, Windows};
use lookalike_kernels::{
    Aes, Counters, Kernel, Permutations, Positions, Projection, Sequence, reference,
};
use proptest::prelude::*;

mod by_kernel;

/// The tests that every kernel must pass. What is not in this list does not run: see [`by_kernel`].
macro_rules! for_each_kernel {
    ($($name:ident),* $(,)?) => {
        const SUITE: &[by_kernel::Test] = &[$((stringify!($name), $name)),*];
    };
}

for_each_kernel!(
    ascii_words_agree,
    ascii_words_agree_on_random_text,
    ascii_words_stop_in_time,
    keyed_ascii_words_agree,
    long_codes_agree,
    sealing_agrees,
    appended_words_agree,
    windows_of_another_polynomial_agree,
    windows_agree,
    mixing_agrees,
    minima_agree,
    minima_break_ties_by_the_low_half,
    minima_do_not_depend_on_order_or_blocks,
    projections_agree,
    projections_do_not_depend_on_blocks,
    comparisons_agree,
    intersections_agree,
);

/// Whatever this machine has of them.
const KERNELS: &[&str] =
    if cfg!(target_arch = "x86_64") { &["scalar", "avx2", "avx512"] } else { &["scalar"] };

fn main() -> ExitCode {
    let mut trials = by_kernel::on_each(KERNELS, SUITE);
    trials.push(by_kernel::alone(
        "the_forced_kernel_is_the_one_used",
        the_forced_kernel_is_the_one_used,
    ));
    by_kernel::main(&trials)
}

/// Eight places to start from: every alignment of a 64-bit number within a cache line.
const STARTS: std::ops::Range<usize> = 0..8;

fn random_words(seed: u64, count: usize) -> Vec<u64> {
    let mut sequence = Sequence::new(seed, 99);
    (0..count).map(|_| sequence.next()).collect()
}

/// Longer than four vectors of the widest kernel, and odd.
const LENGTHS: std::ops::RangeInclusive<usize> = 0..=4 * 16 + 1;

/// The tokens of a text by a kernel alone, helped over whatever it stops at by the reference.
fn all_ascii_words(kernel: Kernel, text: &[u8], room: usize) -> Vec<u64> {
    let mut positions = Positions::default();
    let mut tokens = vec![0; room];
    let mut all = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (consumed, produced) = kernel.ascii_words(&mut positions, &text[at..], &mut tokens);
        let passed = &text[at..at + consumed];
        assert!(passed.is_ascii());
        assert_eq!(tokens[..produced], reference::ascii_words(TOKENS.tail(), passed));
        all.extend(&tokens[..produced]);
        at += consumed;
        if consumed > 0 && at < text.len() {
            assert!(!text[at - 1].is_ascii_alphanumeric() && text[at].is_ascii(), "a safe place");
        }
        if at < text.len() && consumed == 0 {
            // The first byte that is neither letter nor digit after at least one byte.
            let rest = &text[at + 1..];
            let step = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let next = at + 1 + step;
            all.extend(reference::ascii_words(TOKENS.tail(), &text[at..next]));
            at = next;
        }
    }
    all
}

fn ascii_words_agree(kernel: Kernel) {
    // Every byte, in words of every length around the lanes, at every alignment.
    let alphabet: Vec<u8> = (0..128).filter(|&byte| byte != b':').collect();
    let long: Vec<u8> = (0..9000).map(|i| alphabet[(i * i + i / 7) % alphabet.len()]).collect();
    for start in 0..65 {
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 8500]
        {
            let text = &long[start..start + length];
            let expected = reference::ascii_words(TOKENS.tail(), text);
            assert_eq!(all_ascii_words(kernel, text, 5000), expected, "{start} {length}");
        }
    }
    for length in 0..200 {
        let word = vec![b'Z'; length];
        for text in [word.clone(), [&b"a "[..], &word, b" b"].concat()] {
            let expected = reference::ascii_words(TOKENS.tail(), &text);
            assert_eq!(all_ascii_words(kernel, &text, 64), expected, "word of {length}");
        }
    }
}

fn ascii_words_agree_on_random_text(kernel: Kernel) {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9]{1,20}",
        4 => "[ .,\n\t]{1,3}",
        1 => Just("://".to_owned()),
        1 => Just(":".to_owned()),
        1 => "[\u{80}-\u{2fff}]{1,3}",
        1 => "[ -~]{1,80}",
    ];
    let text = proptest::collection::vec(piece, 0..400).prop_map(|pieces| pieces.concat());
    proptest!(ProptestConfig::with_cases(300), |(text in text, room in 1usize..3000)| {
        let expected = reference::ascii_words(TOKENS.tail(), text.as_bytes());
        prop_assert_eq!(all_ascii_words(kernel, text.as_bytes(), room), expected);
    });
}

fn ascii_words_stop_in_time(kernel: Kernel) {
    let (mut positions, mut tokens) = (Positions::default(), [0; 64]);
    let mut words = |text: &str| kernel.ascii_words(&mut positions, text.as_bytes(), &mut tokens);
    assert_eq!(
        words("one two \u{201c}three\u{201d}"),
        (4, 1),
        "the space may join what follows it"
    );
    assert_eq!(words("one tw\u{f6} three"), (4, 1));
    assert_eq!(words("see https://a.b for more"), (4, 1));
    assert_eq!(words("https://a.b"), (0, 0));
    assert_eq!(words("note: this // is :// no URL"), (27, 5));
    assert_eq!(words(""), (0, 0));
    assert_eq!(words("word"), (4, 1));
    for before in 0..140 {
        let text = format!("{:>before$}x://", "a ");
        let (consumed, produced) = words(&text);
        assert_eq!((consumed, produced), (before.max(2), 1), "URL after {before}");
    }
}

/// A key like any other.
fn aes() -> Aes {
    Aes::new(*b"a key for tests.")
}

fn keyed_ascii_words_agree(kernel: Kernel) {
    let aes = aes();
    let piece = prop_oneof![
        8 => "[a-zA-Z0-9]{1,40}",
        8 => "[ .,\n\t]{1,3}",
        1 => "[ -~]{1,80}",
        1 => "[a-z]{4000,4200} ",
    ];
    let text = proptest::collection::vec(piece, 0..400).prop_map(|pieces| pieces.concat());
    proptest!(ProptestConfig::with_cases(200), |(text in text, room in 1usize..3000)| {
        let text = text.replace(':', " ");
        let (mut tokens, mut codes) = (vec![0; room], vec![0; room]);
        let mut positions = Positions::default();
        let (read, found) =
            kernel.keyed_ascii_words(&aes, &mut positions, text.as_bytes(), &mut tokens, &mut codes);
        let read = &text.as_bytes()[..read];
        prop_assert_eq!(&tokens[..found], reference::ascii_words(TOKENS.tail(), read));
        prop_assert_eq!(&codes[..found], reference::ascii_codes(&aes, read));
        let mut alone = vec![0; room];
        let same = kernel.ascii_words(&mut positions, text.as_bytes(), &mut alone);
        prop_assert_eq!(same, (read.len(), found));
    });
}

fn long_codes_agree(kernel: Kernel) {
    let aes = aes();
    let bytes: Vec<u8> = random_words(3, 200).iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut words = Vec::new();
    for start in 0..33 {
        for length in (8..70).chain([127, 128, 129, 1000]) {
            words.push(LongWord { number: words.len() as u32, start, end: start + length });
        }
    }
    let mut codes = vec![0; words.len()];
    kernel.long_codes(&aes, &bytes, &words, &mut codes);
    for (word, code) in words.iter().zip(codes) {
        let bytes = &bytes[word.start as usize..word.end as usize];
        assert_eq!(code, reference::code(&aes, bytes), "{word:?}");
        let mut stream = CodeStream::default();
        let pushed = stream.push(&aes, &bytes[..bytes.len() / 2]);
        assert_eq!(code, stream.finish(&aes, &bytes[pushed..]), "{word:?} in two pieces");
    }
    assert!(bytes.len() > 33 + 1000 + BEHIND);
}

fn sealing_agrees(kernel: Kernel) {
    let aes = aes();
    for length in LENGTHS {
        let numbers = random_words(5, length);
        let expected: Vec<u64> = numbers.iter().map(|&n| aes.encrypt(n.into()) as u64).collect();
        let mut sealed = numbers;
        kernel.seal(&aes, &mut sealed);
        assert_eq!(sealed, expected);
    }
}

fn windows_of_another_polynomial_agree(kernel: Kernel) {
    for width in [1, 2, 5, 8, 9, 31, 64, 100] {
        let windows = Windows::modulo(Arc::new(Rabin::new(FEATURES.tail())), width);
        for length in LENGTHS.chain([127, 500]) {
            let tokens = random_words(7, length);
            let mut out = vec![0; windows.count(length)];
            kernel.windows(&windows, &tokens, &mut out);
            assert_eq!(out, reference::windows(FEATURES.tail(), width, &tokens), "width {width}");
        }
    }
}

fn appended_words_agree(kernel: Kernel) {
    for rabin in [&TOKENS, &FEATURES] {
        for length in LENGTHS.chain(120..150) {
            let words = random_words(length as u64, length);
            let expected = reference::rabin_words(rabin.tail(), &words);
            assert_eq!(kernel.append_words(rabin, Rabin::EMPTY, &words), expected);
            for cut in 0..=length {
                let f = kernel.append_words(rabin, Rabin::EMPTY, &words[..cut]);
                assert_eq!(kernel.append_words(rabin, f, &words[cut..]), expected);
            }
        }
        for extreme in [0, u64::MAX] {
            let words = [extreme; 100];
            let expected = reference::rabin_words(rabin.tail(), &words);
            assert_eq!(kernel.append_words(rabin, Rabin::EMPTY, &words), expected);
        }
    }
}

fn windows_agree(kernel: Kernel) {
    for width in (1..20).chain([31, 64, 100]) {
        let windows = Windows::new(width);
        for length in LENGTHS.chain([127, 500]) {
            let random = random_words(7, length + 7);
            let shifted = &random[length % 8..][..length];
            for tokens in [shifted, &vec![0; length], &vec![u64::MAX; length]] {
                let mut out = vec![0; windows.count(length)];
                kernel.windows(&windows, tokens, &mut out);
                let expected = reference::windows(TOKENS.tail(), width, tokens);
                assert_eq!(out, expected, "width {width}, {length} tokens");
            }
        }
    }
}

fn mixing_agrees(kernel: Kernel) {
    for length in LENGTHS {
        for seed in [0, 1, u64::MAX] {
            for start in STARTS {
                let mut values = random_words(3, start + length);
                let expected = reference::mixed(seed, &values[start..]);
                kernel.mix(seed, &mut values[start..]);
                assert_eq!(values[start..], expected);
            }
        }
    }
}

fn check_minima(kernel: Kernel, permutations: &Permutations, elements: &[u64]) {
    let mut minima = permutations.start();
    kernel.minima(permutations, elements, &mut minima);
    assert_eq!(minima, reference::minima(permutations, elements));
}

fn minima_agree(kernel: Kernel) {
    for count in LENGTHS.chain([84, 96, 97, 128, 200]) {
        let permutations = Permutations::new(count, 5);
        for length in [0, 1, 2, 15, 16, 17, 100, 255, 256, 257, 600] {
            check_minima(kernel, &permutations, &random_words(11, length)[length.min(count % 8)..]);
        }
        for extreme in [0, u64::MAX, u64::MAX << 32, 1 << 31] {
            check_minima(kernel, &permutations, &[extreme; 3]);
        }
    }
}

fn minima_break_ties_by_the_low_half(kernel: Kernel) {
    // Elements that share their high halves: the 32-bit lanes cannot tell them apart.
    let permutations = Permutations::new(84, 5);
    for length in [2, 17, 256, 257, 700] {
        let mut elements = random_words(13, length);
        for (i, x) in elements.iter_mut().enumerate() {
            *x = (*x & 0xffff_ffff) | ((i as u64 % 3) << 32);
        }
        check_minima(kernel, &permutations, &elements);
    }
    // The one element whose image is all ones, which is also how an empty slot looks.
    for i in 0..84 {
        check_minima(kernel, &permutations, &[permutations.invert(i, u64::MAX)]);
    }
}

fn minima_do_not_depend_on_order_or_blocks(kernel: Kernel) {
    let permutations = Permutations::new(84, 5);
    let mut elements = random_words(17, 1000);
    let expected = reference::minima(&permutations, &elements);
    for cut in [0, 1, 255, 256, 511, 999] {
        let mut minima = permutations.start();
        kernel.minima(&permutations, &elements[..cut], &mut minima);
        kernel.minima(&permutations, &elements[cut..], &mut minima);
        assert_eq!(minima, expected);
        elements.rotate_left(37);
    }
    elements.sort_unstable();
    check_minima(kernel, &permutations, &elements);
    elements.extend_from_within(..);
    let mut minima = permutations.start();
    kernel.minima(&permutations, &elements, &mut minima);
    assert_eq!(minima, expected, "repeats change nothing");
}

fn check_projection(kernel: Kernel, projection: &Projection, tokens: &[u64]) {
    let mut counters = Counters::default();
    kernel.project(projection, tokens, &mut counters);
    let words = counters.signs(projection);
    let bits: Vec<bool> =
        (0..projection.bits()).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect();
    assert_eq!(bits, reference::project(projection, tokens));
    let set: u32 = words.iter().map(|word| word.count_ones()).sum();
    assert_eq!(set as usize, bits.iter().filter(|&&bit| bit).count(), "no bit past the last");
}

fn projections_agree(kernel: Kernel) {
    for bits in (32..=512).step_by(32) {
        let projection = Projection::new(bits, 3);
        for length in LENGTHS.step_by(if bits == 384 { 1 } else { 13 }).chain([1000]) {
            for start in STARTS.step_by(3) {
                check_projection(kernel, &projection, &random_words(19, start + length)[start..]);
            }
        }
        for extreme in [0, 1, u64::MAX] {
            check_projection(kernel, &projection, &[extreme; 33]);
        }
    }
    // Two tokens of opposite sign at most places: sums of zero are not positive.
    let projection = Projection::new(384, 3);
    check_projection(kernel, &projection, &[5, 5u64.wrapping_neg()]);
}

fn projections_do_not_depend_on_blocks(kernel: Kernel) {
    let projection = Projection::new(384, 3);
    let tokens = random_words(23, 5000);
    let mut whole = Counters::default();
    kernel.project(&projection, &tokens, &mut whole);
    let mut parts = Counters::default();
    for part in tokens.chunks(77) {
        kernel.project(&projection, part, &mut parts);
    }
    assert_eq!(whole.signs(&projection), parts.signs(&projection));
    assert_eq!(whole.total(), parts.total());
    for place in 0..384 {
        assert_eq!(whole.ones(place), parts.ones(place));
    }
    parts.clear();
    kernel.project(&projection, &tokens[..9], &mut parts);
    let bits = parts.signs(&projection);
    let mut fresh = Counters::default();
    kernel.project(&projection, &tokens[..9], &mut fresh);
    assert_eq!(bits, fresh.signs(&projection), "cleared counters are as new");
}

fn comparisons_agree(kernel: Kernel) {
    for length in LENGTHS {
        let a = random_words(29, length);
        let mut b = random_words(31, length);
        for i in (0..length).step_by(3) {
            b[i] = a[i];
        }
        for start in STARTS.map(|start| start.min(length)) {
            let (a, b) = (&a[start..], &b[..length - start]);
            assert_eq!(kernel.hamming(a, b), reference::hamming(a, b));
            assert_eq!(kernel.equal_slots(a, b), reference::equal_slots(a, b));
        }
        assert_eq!(kernel.hamming(&a, &a), 0);
        assert_eq!(kernel.equal_slots(&a, &b), reference::equal_slots(&a, &b));
    }
}

fn intersections_agree(kernel: Kernel) {
    let set = |values: Vec<u64>| {
        let mut values = values;
        values.sort_unstable();
        values.dedup();
        values
    };
    proptest!(ProptestConfig::with_cases(500), |(
        a in proptest::collection::vec(0u64..200, 0..120),
        b in proptest::collection::vec(0u64..200, 0..120),
        high in prop_oneof![Just(0), Just(u64::MAX - 200)],
    )| {
        let (a, b) = (set(a), set(b));
        let a: Vec<u64> = a.iter().map(|x| x + high).collect();
        let b: Vec<u64> = b.iter().map(|x| x + high).collect();
        prop_assert_eq!(kernel.intersection(&a, &b), reference::intersection(&a, &b));
    });
}

fn the_forced_kernel_is_the_one_used() {
    for kernel in Kernel::available() {
        assert_eq!(Kernel::named(kernel.name()), Ok(kernel));
    }
    assert_eq!(Kernel::best(), Kernel::available().next().unwrap());
    let error = Kernel::named("avx9000").unwrap_err().to_string();
    assert!(error.starts_with("kernel `avx9000` is unknown; here are: "), "{error}");
    assert!(error.ends_with("scalar"), "{error}");
}
