//! Recipes as files: they survive, they refuse, they tell what differs.

#![expect(clippy::float_cmp, reason = "equal numbers have equal bits")]

use lookalike_core::filter::{Filter, Search};
use lookalike_core::recipe::{
    Candidates, Judging, LEARNING_PRESETS, PRESETS, Shingles, SketchParameters, Verify,
};
use lookalike_core::{
    CandidateRule, ErrorKind, Kernel, Layout, Recipe, Sequence, Signer, Similarity, SiteRule,
};

#[test]
fn every_preset_survives_its_file() {
    for name in PRESETS {
        let recipe = Recipe::preset(name).unwrap();
        recipe.validate().unwrap();
        assert_eq!(recipe.name, name);
        let toml = recipe.to_toml();
        assert_eq!(Recipe::from_toml(&toml).unwrap(), recipe, "{toml}");
    }
}

#[test]
fn digests_tell_recipes_apart() {
    let mut digests: Vec<_> = PRESETS.map(|name| Recipe::preset(name).unwrap().digest()).into();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), PRESETS.len());
}

#[test]
fn the_threshold_changes_the_digest_but_not_the_bits() {
    let recipe = Recipe::default();
    let stricter = Recipe { threshold: 0.9, verify: Verify::Estimate, ..recipe.clone() };
    assert_ne!(recipe.digest(), stricter.digest());
    assert_eq!(recipe.signing_digest(), stricter.signing_digest());
    recipe.check_same_bits(&stricter).unwrap();
    let renamed = Recipe { name: "mine".to_owned(), ..recipe.clone() };
    assert_eq!(recipe.digest(), renamed.digest());
}

/// The rule of sites is part of the file and of the judging; the papers' own goes without saying,
/// so that recipes from before there was a choice have the digests that they had.
#[test]
fn the_rule_of_sites_is_judging() {
    let label = Recipe::preset("henzinger-sites").unwrap();
    let suffix = Recipe { sites: SiteRule::PublicSuffix, ..label.clone() };
    assert!(!label.to_toml().contains("sites = "));
    assert!(suffix.to_toml().contains("rule = \"by-site\"\nsites = \"public-suffix\"\n"));
    assert_eq!(Recipe::from_toml(&suffix.to_toml()).unwrap(), suffix);
    assert_ne!(label.digest(), suffix.digest());
    assert_eq!(label.signing_digest(), suffix.signing_digest());
    let written = label.to_toml().replace("by-site\"", "by-site\"\nsites = \"label\"");
    assert_eq!(Recipe::from_toml(&written).unwrap(), label);
    let wrong = suffix.to_toml().replace("public-suffix", "domain");
    let error = Recipe::from_toml(&wrong).unwrap_err().to_string();
    assert!(error.contains("`candidates.sites`"), "{error}");
    assert!(error.contains("one of `label` `public-suffix`"), "{error}");
}

#[test]
fn a_mismatch_names_both_values() {
    let message = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|name| Recipe::preset(name).unwrap());
        a.check_same_bits(&b).unwrap_err().to_string()
    };
    assert_eq!(
        message("altavista", "henzinger-b"),
        "made by different recipes: `shingles.width` is 10 on one side and 8 on the other"
    );
    assert_eq!(
        message("henzinger-b", "henzinger-combined"),
        "made by different recipes: `projection.bits` is absent on one side and 384 on the other"
    );
    let seeded = Recipe { seed: 9, ..Recipe::default() };
    let error = Recipe::default().check_same_bits(&seeded).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Mismatch { parameter, .. } if parameter == "seed"));
}

#[test]
fn what_is_missing_has_the_defaults_of_text() {
    let read = |toml: &str| {
        let recipe = Recipe::from_toml(&format!("version = 1\n{toml}")).unwrap();
        Recipe { name: "text".to_owned(), ..recipe }
    };
    let text = Recipe::default();
    for toml in [
        "",
        "[features]\nk = 13\ns = 7\nr = 1",
        "[features]\nk = 13",
        "[features]",
        "[sketch]",
        "[sketch]\nkind = \"minwise\"",
        "[verify]\nby = \"exact\"",
    ] {
        assert_eq!(read(toml), text, "{toml}");
    }
    let tuned = Recipe { name: "text".to_owned(), ..Recipe::tune(0.9, 0.95).unwrap() };
    assert_eq!(read("[verify]\nthreshold = 0.9"), tuned);
    assert_eq!(read("[sketch]\nkeep = true"), Recipe { keep_sketch: true, ..text.clone() });
    assert_eq!(read("[features]\nk = 20").features, Some(Filter::new(20, 7, 1).unwrap()));
    // A rule that is not about features needs none.
    let c = "[projection]\nbits = 384\n[candidates]\nrule = \"projection\"";
    assert_eq!((read(c).features, read(c).sketch), (None, SketchParameters::None));
    assert_eq!(
        read("[candidates]\nrule = \"none\""),
        Recipe { name: text.name, ..Recipe::of_copies() }
    );
}

#[test]
fn estimates_have_a_sketch_to_be_made_from() {
    let estimate = "version = 1\n[verify]\nby = \"estimate\"\n";
    assert!(Recipe::from_toml(estimate).unwrap().keep_sketch);
    let c = "[projection]\nbits = 384\n[candidates]\nrule = \"projection\"\n";
    let bottom = format!("{estimate}{c}[sketch]\nkind = \"bottom\"\nsize = 100\n");
    assert!(Recipe::from_toml(&bottom).unwrap().keep_sketch);
    let error = |toml: &str| Recipe::from_toml(toml).unwrap_err().to_string();
    assert_eq!(
        error(&format!("{estimate}[sketch]\nkeep = false\n")),
        "`sketch.keep` is false, but must be true where `verify.by` is `estimate`, which is made \
         from sketches"
    );
    assert!(error(&format!("{bottom}keep = false\n")).starts_with("`sketch.keep` is false"));
    let modular = format!("{estimate}{c}[sketch]\nkind = \"modular\"\nmodulus = 8\n");
    assert!(error(&modular).starts_with("`sketch.size` is missing"));
    assert!(Recipe::from_toml(&format!("{modular}size = 50\n")).unwrap().keep_sketch);
    assert!(error(&format!("{modular}keep = false\n")).starts_with("`sketch.keep` is false"));
    let lost = Recipe { verify: Verify::Estimate, ..Recipe::default() };
    assert!(lost.validate().is_err());
    let modular = format!("version = 1\n{c}[sketch]\nkind = \"modular\"\nmodulus = 8\n");
    let judging = Judging { verify: Some(Verify::Estimate), ..Judging::default() };
    let refused = Recipe::from_toml(&modular).unwrap().judging(&judging).unwrap_err().to_string();
    assert!(refused.starts_with("`sketch.size` is missing"), "{refused}");
}

#[test]
fn a_recipe_may_keep_features_and_nothing_else() {
    let toml = "base = \"altavista\"\n[exact]\nkeep = false\n";
    let bare = Recipe::from_toml(toml).unwrap();
    assert_eq!(Layout::of(&bare).bytes(), 48);
    assert_eq!(Recipe::from_toml(&bare.to_toml()).unwrap(), bare);
    let altavista = Recipe::preset("altavista").unwrap();
    assert!(bare.check_same_bits(&altavista).is_err() && !altavista.to_toml().contains("[exact]"));
    let nothing = "[exact]\nkeep = false\n[candidates]\nrule = \"none\"\n";
    let error = Recipe::from_toml(nothing).unwrap_err().to_string();
    assert!(error.starts_with("`exact.keep` is false"), "{error}");
}

/// Who does not know the secret cannot foresee what is drawn; what is not drawn stays.
#[test]
fn random_choices_come_from_a_secret() {
    let text = Recipe::default();
    let [one, other] = [[1; 32], [2; 32]].map(|secret| text.clone().with_secret(&secret).unwrap());
    let sign = |recipe: &Recipe| {
        let document = "a bright cold day in the harbour, and the clocks had stopped";
        Signer::new(recipe).map(|mut signer| signer.sign(document).clone())
    };
    let [plain, of_one, of_other] = [&text, &one, &other].map(|recipe| sign(recipe).unwrap());
    assert_eq!((plain.exact, of_one.exact), (of_one.exact, of_other.exact));
    assert_ne!(plain.features, of_one.features);
    assert_ne!(of_one.features, of_other.features);
    assert_eq!(sign(&one.without_secret()).unwrap(), plain);
    // Another seed is another draw from the same secret.
    let next = Recipe { seed: 1, ..one.clone() };
    assert_ne!(sign(&next).unwrap().features, of_one.features);

    let file = one.to_toml();
    assert!(file.contains("secret = \"") && !file.contains(&"01".repeat(32)), "{file}");
    let read = Recipe::from_toml(&file).unwrap();
    assert_eq!(read, one);
    read.check_same_bits(&one).unwrap();
    for differs in [&text, &other] {
        let error = read.check_same_bits(differs).unwrap_err().to_string();
        assert!(error.contains("`secret` is "), "{error}");
    }
    assert!(matches!(sign(&read).unwrap_err().kind(), ErrorKind::SecretMissing));
    let wrong = read.clone().with_secret(&[2; 32]).unwrap_err();
    assert!(matches!(wrong.kind(), ErrorKind::SecretWrong));
    assert_eq!(sign(&read.with_secret(&[1; 32]).unwrap()).unwrap(), of_one);
    for digits in ["", "0", "+1", &"g".repeat(64), &"0".repeat(66), &"+1".repeat(32)] {
        let error = Recipe::from_toml(&format!("secret = \"{digits}\"")).unwrap_err().to_string();
        assert!(error.starts_with("`secret` is "), "{error}");
    }
}

#[test]
fn projections_that_are_not_kept_are_for_the_combined_rule() {
    let read = |base: &str, rest: &str| {
        Recipe::from_toml(&format!("base = \"{base}\"\n[projection]\nkeep = false\n{rest}"))
    };
    let made = read("henzinger-combined", "").unwrap();
    let kept = Recipe::preset("henzinger-combined").unwrap();
    assert!(made.projects_when_needed() && !kept.projects_when_needed());
    assert_eq!(Recipe::from_toml(&made.to_toml()).unwrap(), made);
    assert!(made.to_toml().contains("keep = false") && !kept.to_toml().contains("keep = true"));
    assert_ne!(made.signing_digest(), kept.signing_digest());
    // The space of Algorithm B, as the paper says.
    let b = Layout::of(&Recipe::preset("henzinger-b").unwrap());
    assert_eq!(Layout::of(&made).bytes(), b.bytes());
    assert!(Layout::of(&kept).bytes() > b.bytes());
    let mut signer = Signer::new(&made).unwrap();
    let signed = signer.sign(b"one two three").clone();
    assert!(signed.projection.is_empty());
    let similarity = Similarity::new(Kernel::best(), &made);
    assert_eq!(similarity.c(&signed, &signed), None, "not known, and not all bits");
    let mut alone = Signer::new(&made.of_projection()).unwrap();
    let mut with = Signer::new(&kept).unwrap();
    let projection = alone.sign(b"one two three").projection.clone();
    assert_eq!(projection, with.sign(b"one two three").projection);
    let by_site = "[candidates]\nwithin = \"combined\"\nacross = \"none\"";
    assert!(read("henzinger-sites", by_site).unwrap().projects_when_needed());
    for (base, rest) in
        [("henzinger-c", ""), ("henzinger-sites", ""), ("henzinger-b", "bits = 384")]
    {
        let error = read(base, rest).unwrap_err().to_string();
        assert!(
            error.starts_with("`projection.keep` is false, but must be true"),
            "{base}: {error}"
        );
    }
    let error = made.check_judged_by_signatures().unwrap_err().to_string();
    assert!(error.contains("\nhint: leave `keep` out"), "{error}");
    assert!(kept.check_judged_by_signatures().is_ok());
}

#[test]
fn bottom_and_modular_sketches_make_candidates_of_their_own() {
    for sketch in ["kind = \"bottom\"\nsize = 100", "kind = \"modular\"\nmodulus = 8\nsize = 100"] {
        let read =
            |rest: &str| Recipe::from_toml(&format!("version = 1\n[sketch]\n{sketch}\n{rest}"));
        let recipe = read("").unwrap();
        assert_eq!(recipe.candidates, Candidates::Sketch);
        assert!(recipe.keep_sketch && recipe.features.is_none() && recipe.counts_in_common());
        assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
        let projection =
            read("[projection]\nbits = 384\n[candidates]\nrule = \"projection\"").unwrap();
        assert_eq!(projection.candidates, Candidates::Projection);
        let refused = |rest: &str, parameter: &str| {
            let error = read(rest).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{parameter}` is ")), "{error}");
        };
        refused("keep = false", "sketch.keep");
        refused("[verify]\nby = \"none\"", "verify.by");
        refused("[candidates]\nrule = \"lists\"", "candidates.rule");
    }
    let modular = "version = 1\n[sketch]\nkind = \"modular\"\nmodulus = 8\n";
    let error = Recipe::from_toml(modular).unwrap_err().to_string();
    assert!(error.starts_with("`sketch.size` is missing") && error.contains("\nhint: "), "{error}");
    let text = "version = 1\n[candidates]\nrule = \"sketch\"\n";
    let error = Recipe::from_toml(text).unwrap_err().to_string();
    assert!(error.starts_with("`candidates.rule` is sketch"), "{error}");
}

/// The share of words in order is no resemblance: the filter is for what pairs at the threshold have of that.
#[test]
fn filters_for_words_in_order_find_pairs_at_the_threshold() {
    let judging = |threshold| Judging {
        threshold: Some(threshold),
        verify: Some(Verify::Difference),
        ..Judging::default()
    };
    for threshold in [0.8, 0.9, 0.97] {
        let recipe = Recipe::preset_judging("text", &judging(threshold)).unwrap();
        assert_eq!((recipe.threshold, recipe.verify), (threshold, Verify::Difference));
        assert_eq!(recipe.name, format!("text-difference-{threshold}-0.95"));
        assert!(recipe.least_resemblance() < threshold);
        assert!(recipe.recall().unwrap() >= 0.95, "{recipe:?}");
        assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
        let file = format!("[verify]\nby = \"difference\"\nthreshold = {threshold:?}\n");
        assert_eq!(Recipe::from_toml(&file).unwrap().features, recipe.features);

        // Two words are changed where one is replaced by another, wherever chance has it.
        let (mut random, mut signer) = (Sequence::new(1, 1), Signer::new(&recipe).unwrap());
        let rule = CandidateRule::new(Kernel::best(), &recipe);
        let (words, pairs) = (2_000, 300);
        let found = (0..pairs).filter(|_| {
            let text: Vec<u64> = (0..words).map(|_| random.next()).collect();
            let mut other = text.clone();
            for word in &mut other {
                if (random.next() >> 11) as f64 / (1_u64 << 53) as f64 > threshold {
                    *word = random.next();
                }
            }
            let sign = |signer: &mut Signer, words: &[u64]| {
                let text = words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                signer.sign(text.as_bytes()).clone()
            };
            let [a, b] = [&text, &other].map(|words| sign(&mut signer, words));
            rule.holds(&a, &b, false)
        });
        let found = found.count();
        // Two standard deviations below 0.95; one seed.
        assert!(found >= pairs * 92 / 100, "{threshold}: {found} of {pairs}");
    }
    let error = Recipe::preset_judging("sets", &judging(0.9)).unwrap_err().to_string();
    assert!(error.contains("a set has no order"), "{error}");
    let recipe = Recipe::preset_judging("henzinger-b", &judging(0.9)).unwrap();
    assert_eq!(recipe.features, Recipe::preset("henzinger-b").unwrap().features);
    assert!(recipe.check_judged_without_documents().is_err() && recipe.reads_documents());
}

/// Three standard deviations below the threshold where documents are compared afterwards, and so many as its share is
/// where they are not.
#[test]
fn as_many_elements_in_common_as_the_threshold_says() {
    let recipe = |verify, threshold| Recipe { verify, threshold, ..Recipe::default() };
    for sampled in [1, 2, 5, 7, 10, 100, 200, 1000, 65_536] {
        for threshold in [0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0] {
            let least = recipe(Verify::Estimate, threshold).elements_in_common(sampled);
            let enough = |count: usize| count as f64 / sampled as f64 >= threshold;
            assert!(
                enough(least) && (least == 1 || !enough(least - 1)),
                "{threshold} of {sampled}: {least}"
            );
            let before = recipe(Verify::Exact, threshold).elements_in_common(sampled);
            assert!((1..=least).contains(&before));
            // The chance that a pair at exactly the threshold has fewer.
            let chance = |count: usize| -> f64 {
                let mut log = 0.0;
                for n in 0..count {
                    log += ((sampled - n) as f64 / (count - n) as f64).ln();
                }
                (log + count as f64 * threshold.ln()
                    + (sampled - count) as f64 * (1.0 - threshold).ln())
                .exp()
            };
            // They have one in common at least, or nothing would be found by them.
            if sampled <= 1000 && threshold < 1.0 && before > 1 {
                let missed: f64 = (0..before).map(chance).sum();
                let most = if sampled < 100 { 0.03 } else { 0.005 };
                assert!(missed < most, "{threshold} of {sampled}: {missed}");
            }
        }
    }
}

/// C(k, r) keys for each document: 200 choose 160 would be written till the end of time.
#[test]
fn where_super_features_are_too_many_features_are_counted() {
    let filter = |k: u32, s: u32, r: u32| {
        let toml = format!("version = 1\n[features]\nk = {k}\ns = {s}\nr = {r}\n");
        Recipe::from_toml(&toml).unwrap()
    };
    for (k, r) in [(200, 160), (92, 2), (4096, 2), (4096, 4094)] {
        let recipe = filter(k, 1, r);
        assert_eq!(recipe.features_in_common(), Some(r as usize));
        let rule = CandidateRule::new(Kernel::best(), &recipe);
        assert_eq!((rule.keys_per_document(), rule.is_sharing_a_key()), (k as usize, false));
    }
    for (k, r) in [(91, 2), (4096, 1), (4096, 4096), (6, 2)] {
        assert_eq!(filter(k, 1, r).features_in_common(), None);
    }
    // Where they make no keys, they may be as many as they like.
    let many = Recipe {
        sketch: SketchParameters::Minwise { permutations: 200 },
        features: Some(Filter::new(200, 1, 160).unwrap()),
        projection: Recipe::preset("henzinger-c").unwrap().projection,
        candidates: Candidates::Projection,
        ..Recipe::default()
    };
    many.validate().unwrap();
    assert_eq!(many.features_in_common(), None);
    for rule in [Candidates::Features, Candidates::Combined] {
        Recipe { candidates: rule, ..many.clone() }.validate().unwrap();
    }
    let error = Recipe { candidates: Candidates::BySite, ..many }.validate().unwrap_err();
    assert!(
        error.to_string().starts_with(
            "`features` is [200, 1, 160], but must be a filter of at most 4096 super-features a \
             document where the rule is `by-site`: C(200, 160) is 2^64 or more\nhint: "
        ),
        "{error}"
    );
}

#[test]
fn a_threshold_without_verification_is_refused() {
    let judging = |threshold, verify| Judging { threshold, verify, ..Judging::default() };
    for name in PRESETS {
        let preset = Recipe::preset(name).unwrap();
        let given = Recipe::preset_judging(name, &judging(Some(0.9), None));
        if preset.verify == Verify::None {
            let error = given.unwrap_err().to_string();
            assert!(
                error.starts_with(
                    "`threshold` is 0.9, but must be left out where candidates are pairs without"
                ),
                "{name}: {error}"
            );
        } else {
            assert_eq!(given.unwrap().threshold, 0.9);
        }
        let verified =
            Recipe::preset_judging(name, &judging(Some(0.9), Some(Verify::Exact))).unwrap();
        assert_eq!((verified.threshold, verified.verify), (0.9, Verify::Exact));
    }
    // Of `text` it chooses the filter, by which there are candidates then.
    let text = judging(Some(0.9), Some(Verify::None));
    let tuned = Recipe::preset_judging("text", &text).unwrap();
    assert_eq!(tuned.features, Recipe::tune(0.9, 0.95).unwrap().features);
    assert!(Recipe::default().judging(&text).is_err());
}

#[test]
fn tuned_recipes_keep_their_word() {
    assert_eq!(Recipe::tune(0.8, 0.95).unwrap(), Recipe::default());
    let chosen = |threshold, recall| Search::new(threshold, recall).run().unwrap().filter;
    assert_eq!(Recipe::default().features, Some(chosen(0.8, 0.95)));
    assert_eq!(Recipe::preset("noisy").unwrap().features, Some(chosen(0.3, 0.8)));
    for (threshold, recall) in [(0.5, 0.9), (0.7, 0.99), (0.9, 0.95), (1.0, 0.999)] {
        let recipe = Recipe::tune(threshold, recall).unwrap();
        recipe.validate().unwrap();
        assert!(recipe.features.unwrap().probability(threshold) >= recall);
        assert_eq!(recipe.threshold, threshold);
        assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
    }
}

#[test]
fn bad_parameters_are_named_with_what_is_possible() {
    let error = |change: fn(&mut Recipe)| {
        let mut recipe = Recipe::preset("henzinger-combined").unwrap();
        change(&mut recipe);
        recipe.validate().unwrap_err().to_string()
    };
    assert_eq!(
        error(|r| r.shingles.width = 0),
        "`shingles.width` is 0, but must be from 1 to 4096"
    );
    assert_eq!(
        error(|r| r.sketch = SketchParameters::Minwise { permutations: 0 }),
        "`sketch.permutations` is 0, but must be from 1 to 65536"
    );
    assert_eq!(
        error(|r| r.sketch = SketchParameters::Minwise { permutations: 83 }),
        "`sketch.permutations` is 83, but must be from 84 to 65536"
    );
    assert!(error(|r| r.seed = u64::MAX).ends_with("but must be below 2^63"));
    assert_eq!(
        error(|r| r.projection.as_mut().unwrap().bits = 100),
        "`projection.bits` is 100, but must be a multiple of 32 from 32 to 512"
    );
    assert_eq!(
        error(|r| r.threshold = 1.5),
        "`verify.threshold` is 1.5, but must be above 0 and at most 1"
    );
    assert!(error(|r| r.threshold = f64::NAN).starts_with("`verify.threshold` is NaN"));
    assert_eq!(
        error(|r| r.candidates = Candidates::Lists),
        "`candidates.rule` is lists, but must be another rule where the sketch is not of lists"
    );
    assert_eq!(
        error(|r| r.sketch = SketchParameters::None),
        "`sketch.kind` is none, but must be minwise where there are features"
    );
    assert!(error(|r| r.projection = None).starts_with("`candidates.rule` is combined"));
    assert!(Filter::new(0, 1, 1).is_err());
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    for (toml, reason) in [
        ("# a comment\n", "not a recipe: it says nothing"),
        (
            "version = 2",
            "the recipe has version 2, but this program knows only 1, and 3 where templates are not `off`",
        ),
        ("version = 1\nwidth = 5", "unknown field `width`"),
        (
            "version = 1\ntokens = \"letters\"",
            "`tokens` is `letters`, but must be one of `words` `characters` `lines` `sentences` `paragraphs` `items`",
        ),
        ("version = 1\n[sketch]\nkind = \"magic\"", "`sketch.kind` is `magic`"),
        ("version = 1\n[sketch]\nkind = \"bottom\"", "`sketch.size` is missing"),
        ("version = 1\n[features]\nk = 2\ns = 1\nr = 3", "[2, 1, 3]"),
        ("version = 1\nunicode = \"3.0.0\"", "`unicode` is `3.0.0`"),
        ("tokens = \"sentences\"\nsentences = \"3.0.0\"", "`sentences` is `3.0.0`"),
        ("version = 1\n[verify]\nthreshold = \"high\"", "invalid type"),
        ("version = 1\n[sketch]\nkind = \"none\"", "`candidates.rule` is features"),
        ("version = 1\n[projection]\nagree = 3", "`projection.bits` is missing"),
        ("version = 4", "version 4"),
        ("version = 2\nbase = \"sites\"", "version 2"),
        ("version = 3\nbase = \"text\"", "version 3"),
        ("version = 1\n[projection]\nbits = 0", "`projection.bits` is 0"),
        ("\u{0}", "not a recipe"),
    ] {
        let error = Recipe::from_toml(toml).unwrap_err().to_string();
        assert!(error.contains(reason), "{toml:?}: {error}");
    }
    let error = Recipe::preset("texts").unwrap_err().to_string();
    assert!(
        error.starts_with(
            "there is no recipe `texts`; the presets are: text, pages, noisy, altavista"
        ),
        "{error}"
    );
}

#[test]
fn where_sentences_begin_is_a_part_of_recipes_that_go_by_them() {
    let [sentences, lines] = ["sentences", "lines"]
        .map(|unit| Recipe::from_toml(&format!("tokens = \"{unit}\"")).unwrap());
    assert!(sentences.to_toml().contains("\nsentences = \""));
    assert!(!lines.to_toml().contains("sentences"));
    assert_eq!(Recipe::from_toml(&sentences.to_toml()).unwrap(), sentences);
}

#[test]
fn sets_have_no_order_and_no_repetitions() {
    let sets = Recipe::preset("sets").unwrap();
    assert!(sets.is_of_sets() && sets.check_of_texts().is_err());
    assert_eq!(Recipe::from_toml(&sets.to_toml()).unwrap(), sets);
    // The width of a recipe of items goes without saying.
    assert_eq!(Recipe::from_toml("tokens = \"items\"").unwrap().shingles, sets.shingles);
    for (toml, reason) in [
        ("base = \"sets\"\n[shingles]\nwidth = 2", "must be 1 where tokens are items"),
        ("base = \"sets\"\n[shingles]\ncount = \"multiset\"", "must be set where tokens are items"),
        ("tokens = \"items\"\ntemplates = \"by-page\"", "must be `off` where tokens are items"),
    ] {
        let error = Recipe::from_toml(toml).unwrap_err().to_string();
        assert!(error.contains(reason), "{toml:?}: {error}");
    }
}

/// A file says what differs from a preset, and nothing else.
#[test]
fn a_file_differs_from_its_base_in_what_it_says() {
    let read = |toml: &str| Recipe::from_toml(toml).unwrap();
    let text = Recipe { name: String::new(), ..Recipe::default() };
    assert_eq!(read("version = 1"), text);
    let threes = Recipe { shingles: Shingles { width: 3, ..text.shingles }, ..text.clone() };
    assert_eq!(read("[shingles]\nwidth = 3\n"), threes);
    assert_eq!(read("base = \"text\"\n[shingles]\nwidth = 3\n"), threes);
    for name in [&PRESETS[..], &LEARNING_PRESETS].concat() {
        let preset = Recipe { name: String::new(), ..Recipe::preset(name).unwrap() };
        let base = format!("base = \"{name}\"\n");
        assert_eq!(read(&base), preset, "{name}");
        let seeded = read(&format!("{base}seed = 7\n"));
        assert_eq!(seeded, Recipe { seed: 7, ..preset }, "{name}");
    }
    let lists = read("base = \"pugh\"\n[sketch]\nlists = 8\n").sketch;
    let SketchParameters::Lists { lists: 8, repeats: 6, agree: 2, .. } = lists else {
        panic!("{lists:?}")
    };
    let c = read("base = \"henzinger-c\"\n[projection]\nagree = 360\n").projection.unwrap();
    assert_eq!((c.bits, c.agree, c.pieces, c.agree_combined), (384, 360, 25, 355));
    let error = Recipe::from_toml("base = \"texts\"").unwrap_err().to_string();
    assert!(error.contains("texts") && error.contains("henzinger-b"), "{error}");
}

/// A threshold without a filter that finds what it asks for would be a promise that nobody keeps.
#[test]
fn an_open_filter_follows_the_threshold() {
    let at = |threshold| Judging { threshold: Some(threshold), ..Judging::default() };
    let finds = |recipe: &Recipe| recipe.features.unwrap().probability(recipe.threshold);
    for toml in [
        "base = \"text\"",
        "base = \"sites\"",
        "[shingles]\nwidth = 3\n",
        "[verify]\nthreshold = 0.9\n",
    ] {
        let own = Recipe::from_toml(toml).unwrap();
        assert!(finds(&own) >= 0.95, "{toml}");
        let other = Recipe::from_toml_judging(toml, &at(0.5)).unwrap();
        assert_eq!((other.threshold, other.shingles), (0.5, own.shingles));
        assert!(finds(&other) >= 0.95, "{toml}");
        let recall = Judging { recall: Some(0.999), ..at(0.5) };
        assert!(finds(&Recipe::from_toml_judging(toml, &recall).unwrap()) >= 0.999);
    }
    assert!(finds(&Recipe::preset_judging("sites", &at(0.4)).unwrap()) >= 0.97);
    // What the file says of it stays.
    let pinned = Recipe::default().to_toml();
    let judged = Recipe::from_toml_judging(&pinned, &at(0.5)).unwrap();
    assert_eq!((judged.threshold, judged.features), (0.5, Recipe::default().features));
    let recall = Judging { recall: Some(0.9), ..Judging::default() };
    let error = Recipe::from_toml_judging(&pinned, &recall).unwrap_err().to_string();
    assert!(error.contains("files without [features]"), "{error}");
}

#[test]
fn an_ngram_is_the_width_of_shingles() {
    let ngram = Judging { ngram: Some(3), ..Judging::default() };
    for name in PRESETS {
        let preset = Recipe::preset(name).unwrap();
        let judged = Recipe::preset_judging(name, &ngram).unwrap();
        let shingles = Shingles { width: 3, ..preset.shingles };
        assert_eq!(judged, Recipe { shingles, ..preset });
    }
    let none = Judging { ngram: Some(0), ..Judging::default() };
    assert!(Recipe::default().judging(&none).is_err());
}
