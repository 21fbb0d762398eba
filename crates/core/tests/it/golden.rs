//! Golden vectors: the exact bits of a dozen documents in many scripts.
//!
//! They never change within a recipe version. After a deliberate new version,
//! `BLESS=1 cargo test -p lookalike-core --test golden` writes them anew.

use std::path::Path;

use lookalike_core::recipe::{PRESETS, TEMPLATES_VERSION, VERSION};
use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::template::{FrameShingles, Template};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{Tokenizer, Unit};
use lookalike_core::{Kernel, Recipe, Signer};
use lookalike_kernels::rabin::FEATURES;
use serde_json::{Value, json};

use crate::forced;

/// Written out for this file; each in its script, with what makes that script hard.
const DOCUMENTS: [(&str, &str); 14] = [
    (
        "english",
        "The lighthouse keeper, who'd slept badly, counted 17 ships before dawn; none of them answered.",
    ),
    (
        "english in capitals",
        "THE LIGHTHOUSE KEEPER WHO'D SLEPT BADLY COUNTED 17 SHIPS BEFORE DAWN NONE OF THEM ANSWERED",
    ),
    (
        "typography",
        "\u{201c}Caf\u{e9}\u{201d} \u{2014} na\u{ef}ve co\u{2011}operation, \u{fb01}le\u{00ad}name, \u{ff21}\u{ff42}\u{ff23} 10\u{a0}km\u{b2}",
    ),
    ("decomposed", "Cafe\u{301} nai\u{308}ve A\u{30a}ngstro\u{308}m"),
    ("german", "Stra\u{df}e und STRASSE, \u{c4}pfel und \u{e4}pfel, Gr\u{f6}\u{df}e 42."),
    (
        "russian",
        "\u{41c}\u{43e}\u{440}\u{435} \u{431}\u{44b}\u{43b}\u{43e} \u{442}\u{438}\u{445}\u{438}\u{43c}, \u{438} \u{43c}\u{430}\u{44f}\u{43a} \u{433}\u{43e}\u{440}\u{435}\u{43b} \u{432}\u{441}\u{44e} \u{43d}\u{43e}\u{447}\u{44c}.",
    ),
    (
        "greek",
        "\u{39f} \u{3c6}\u{3ac}\u{3c1}\u{3bf}\u{3c2} \u{3ba}\u{3b1}\u{3b9} \u{3b7} \u{3b8}\u{3ac}\u{3bb}\u{3b1}\u{3c3}\u{3c3}\u{3b1}",
    ),
    (
        "chinese",
        "\u{706f}\u{5854}\u{5728}\u{591c}\u{91cc}\u{53d1}\u{5149}\u{3002}\u{8239}\u{6ca1}\u{6709}\u{56de}\u{7b54}\u{ff0c}2026\u{5e74}\u{3002}",
    ),
    (
        "japanese",
        "\u{706f}\u{53f0}\u{306e}\u{5149}\u{306f}\u{30b3}\u{30fc}\u{30d2}\u{30fc}\u{306e}\u{3088}\u{3046}\u{306b}\u{3001}\u{591c}\u{3092}\u{8d77}\u{3053}\u{3059}\u{3002}\u{ff76}\u{ff9e}",
    ),
    (
        "korean",
        "\u{b4f1}\u{b300}\u{b294} \u{bc24}\u{c0c8} \u{bc1d}\u{c558}\u{b2e4}. \u{1112}\u{1161}\u{11ab}\u{ae00}",
    ),
    (
        "arabic",
        "\u{627}\u{644}\u{645}\u{646}\u{627}\u{631}\u{629} \u{62a}\u{64f}\u{636}\u{650}\u{64a}\u{621} \u{627}\u{644}\u{644}\u{64a}\u{644} \u{661}\u{667}",
    ),
    (
        "hindi",
        "\u{92a}\u{94d}\u{930}\u{915}\u{93e}\u{936}\u{938}\u{94d}\u{924}\u{902}\u{92d} \u{930}\u{93e}\u{924} \u{92d}\u{930} \u{91c}\u{932}\u{924}\u{93e} \u{930}\u{939}\u{93e}\u{964}",
    ),
    (
        "thai",
        "\u{e1b}\u{e23}\u{e30}\u{e20}\u{e32}\u{e04}\u{e32}\u{e23}\u{e2a}\u{e48}\u{e2d}\u{e07}\u{e41}\u{e2a}\u{e07} \u{e51}\u{e57}",
    ),
    (
        "urls",
        "See https://www.Example.org/a-path/Page_2.html?x=1&y=2 and http://example.org. Short.",
    ),
];

fn hexadecimal(words: &[u64]) -> Value {
    words.iter().map(|word| json!(format!("{word:016x}"))).collect()
}

/// Everything that the recipe `henzinger-combined` makes of a document, and Pugh's lists.
fn vectors(kernel: Kernel, text: &str) -> Value {
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let mut tokens = Vec::new();
    Tokenizer::with_kernel(recipe.tokens, kernel).tokens(text.as_bytes(), &mut tokens);
    let mut shingler = Shingler::new(kernel, recipe.shingles.width, recipe.shingles.counting);
    let shingles = ShingleSet::of_tokens(&mut shingler, &tokens);
    let mut signer = Signer::with_kernel(&recipe, kernel).unwrap();
    let signature = signer.sign(text.as_bytes());
    let projection = signature.projection_bytes(&recipe);
    let digits = projection.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let projection: String =
        digits.map(|digit| char::from(b"0123456789abcdef"[digit as usize])).collect();
    let mut noisy = Signer::with_kernel(&Recipe::preset("noisy").unwrap(), kernel).unwrap();
    let noisy = noisy.sign(text.as_bytes());
    let mut pugh = Signer::with_kernel(&Recipe::preset("pugh").unwrap(), kernel).unwrap();
    json!({
        "text": text,
        "tokens": hexadecimal(&tokens),
        "shingles": hexadecimal(shingles.as_slice()),
        "sketch": hexadecimal(&signature.sketch),
        "features": hexadecimal(&signature.features),
        "projection": projection,
        "exact": format!("{:032x}", signature.exact),
        "noisy": {
            "first features": hexadecimal(&noisy.features[..2]),
            "all features": format!("{:016x}", FEATURES.words(&noisy.features)),
            "exact": format!("{:032x}", noisy.exact),
        },
        "lists": hexadecimal(&pugh.sign(text.as_bytes()).sketch),
    })
}

/// All that must not change.
fn everything(kernel: Kernel) -> Value {
    let document = |(name, text): &(&str, &str)| ((*name).to_owned(), vectors(kernel, text));
    let documents: serde_json::Map<String, Value> = DOCUMENTS.iter().map(document).collect();
    let digest = |name: &&str| {
        let recipe = Recipe::preset(name).unwrap();
        ((*name).to_owned(), json!(recipe.signing_digest().to_string()))
    };
    let whole = PRESETS.iter().filter(|name| !leaves_out(name));
    let digests: serde_json::Map<String, Value> = whole.map(digest).collect();
    json!({ "signing digests": digests, "documents": documents })
}

fn leaves_out(preset: &str) -> bool {
    Recipe::preset(preset).unwrap().templates.leave_out()
}

/// What is left of a page without what its markup says is beside its content, and in one frame of a site.
fn everything_of_pages(kernel: Kernel) -> Value {
    let page = "<html lang=en><title>Lights</title><nav>Home <a href=/>All lights</a></nav><main><h1>Skerry</h1>\
        <p>The keeper who slept badly counted seventeen ships before dawn, and none of them answered.\
        <ul><li><a href=/a>The light of the north</a><li><a href=/b>The light of the south</a></ul>\
        <div role=dialog>We store little files</div>\
        <p>Printed on 17 May for all who keep a light.</main><footer>Lights since 1811</footer>";
    let hidden = "<p>The keeper who slept badly counted seventeen ships before dawn, and none of them answered.\
        <div aria-hidden=true><p>Choose which little files we may store</div>";
    let mut frame = Vec::new();
    Tokenizer::with_kernel(Unit::Words, kernel).tokens("for all who keep a light", &mut frame);
    let template = Template::new(FrameShingles::new(kernel, 5).of(&frame).to_vec());
    let of = |page: &str, name: &str, template: Option<&Template>| {
        let mut extractor = Extractor::new();
        let text = extractor.extract(page.as_bytes(), None);
        let recipe = Recipe::preset(name).unwrap();
        let mut signer = Signer::with_kernel(&recipe, kernel).unwrap();
        let signature = signer.sign_distinctive(text, template);
        json!({
            "signing digest": recipe.signing_digest().to_string(),
            "features": hexadecimal(&signature.features),
            "exact": format!("{:032x}", signature.exact),
        })
    };
    json!([
        { "page": page, "pages": of(page, "pages", None), "sites": of(page, "sites", Some(&template)) },
        { "page": hidden, "pages": of(hidden, "pages", None) },
    ])
}

/// The vectors of this version, or those of now if they are to be written.
fn golden(version: u32, now: fn(Kernel) -> Value) -> Value {
    let file = format!("../../tests/fixtures/golden/v{version}.json");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("BLESS").is_some() {
        let text = serde_json::to_string_pretty(&now(Kernel::SCALAR)).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
}

#[test]
fn the_bits_of_pages_are_those_of_this_version_on_every_kernel() {
    let golden = golden(TEMPLATES_VERSION, everything_of_pages);
    for kernel in Kernel::available() {
        assert_eq!(everything_of_pages(kernel), golden, "{}", kernel.name());
    }
}

#[test]
fn the_bits_are_those_of_this_version_on_every_kernel() {
    let golden = golden(VERSION, everything);
    for kernel in Kernel::available() {
        let now = everything(kernel);
        for (name, vector) in now["documents"].as_object().unwrap() {
            for (part, value) in vector.as_object().unwrap() {
                let expected = &golden["documents"][name][part];
                assert_eq!(value, expected, "{part} of {name}, {}", kernel.name());
            }
        }
        assert_eq!(now, golden, "and nothing else");
    }
}

#[test]
fn what_reads_the_same_has_the_same_bits() {
    let exact = |name: &str| {
        let text = DOCUMENTS.iter().find(|(n, _)| *n == name).unwrap().1;
        Signer::with_kernel(&Recipe::default(), forced()).unwrap().sign(text.as_bytes()).exact
    };
    assert_eq!(exact("english"), exact("english in capitals"));
}
