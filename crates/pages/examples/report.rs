//! Writes the report of a job that never ran, to see what reports look like:
//!
//! ```text
//! cargo run -p lookalike-pages --example report -- FOLDER
//! ```
//!
//! The numbers are made up. FOLDER gets a folder for each kind of job: `usual`, `empty`,
//! `nothing-removed`, `huge` and `hostile`.

use std::path::Path;
use std::{env, fs};

use lookalike_core::Recipe;
use lookalike_core::text::Unit;
use lookalike_engine::report::{
    Cluster, Clustering, Fault, Histogram, Kind, LimitedGroups, Member, RecipeSummary, Report,
    Seconds, Source, Verify, marked_difference,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = env::args().nth(1).ok_or("usage: report FOLDER")?;
    let reports = [
        ("usual", usual()?),
        ("empty", empty()?),
        ("nothing-removed", nothing_removed()?),
        ("huge", huge()?),
        ("hostile", hostile()?),
    ];
    for (name, report) in reports {
        let folder = Path::new(&folder).join(name);
        fs::create_dir_all(&folder)?;
        report.write(&folder, Some(lookalike_pages::report))?;
    }
    Ok(())
}

fn empty() -> Result<Report, lookalike_core::Error> {
    let recipe = Recipe::preset("text")?;
    let curve = |filter: lookalike_core::filter::Filter| {
        (0..=100).map(|n| f64::from(n) / 100.0).map(|x| [x, filter.probability(x)]).collect()
    };
    let mut report = Report::default();
    report.version = String::from(env!("CARGO_PKG_VERSION"));
    report.recipe_digest = recipe.digest().to_string();
    report.recipe = RecipeSummary::from(&recipe);
    report.filter_curve = recipe.features.map(curve).unwrap_or_default();
    report.options.keep = String::from("longest");
    report.options.cluster = Clustering::Anchored;
    report.options.pairs = String::from("needed");
    report.options.memory_bytes = 4 << 30;
    report.options.threads = 8;
    Ok(report)
}

fn nothing_removed() -> Result<Report, lookalike_core::Error> {
    let mut report = empty()?;
    report.documents = 1284;
    report.kept = 1284;
    report.candidates = 31;
    report.bytes_read = 5_130_244;
    report.seconds = Seconds { sign: 0.041, total: 0.093, ..Seconds::default() };
    report.peak_memory_bytes = 61 << 20;
    Ok(report)
}

/// A crawl of a few hundred news sites.
fn usual() -> Result<Report, lookalike_core::Error> {
    let mut report = empty()?;
    report.documents = 1_284_503;
    report.empty = 1207;
    report.skipped = 318;
    report.exact_removed = 141_120;
    report.near_removed = 211_874;
    report.kept = 931_509;
    report.clusters = 118_402;
    report.candidates = 402_771;
    report.bytes_read = 6_912_044_118;
    report.seconds = Seconds {
        learn: 0.0,
        sign: 148.2,
        group: 9.4,
        r#match: 31.7,
        verify: 88.3,
        decide: 4.1,
        passages: 0.0,
        write: 61.9,
        total: 345.2,
    };
    report.peak_memory_bytes = 1_734_115_328;
    report.notes =
        vec!["Documents without a field `url` were compared as if of one site.".to_owned()];
    report.limited = Some(LimitedGroups {
        groups: 12,
        documents: 48_310,
        largest_group: 17_204,
        limit: 2000,
        consequence: "Within these groups each document was compared with the 2,000 preferred \
                          ones only. Pairs of two others may have been missed."
            .to_owned(),
    });
    report.largest_clusters = usual_clusters();
    fill_histograms(&mut report);
    report.pairs = report.resemblance_histogram.total();
    report.cluster_sizes = (2..60)
        .map(|size: u64| [size, 180_000 / (size * size * size).max(1)])
        .chain([[71, 2], [88, 1], [140, 3], [212, 1], [412, 1], [903, 1], [2118, 1]])
        .filter(|&[_, clusters]| clusters > 0)
        .collect();
    report.set_sources((0..83).map(source).collect());
    report.skipped_by_fault = vec![
        Fault { fault: "field `text` is missing".to_owned(), records: 251 },
        Fault { fault: "not JSON".to_owned(), records: 64 },
        Fault { fault: "larger than 64.0 MiB".to_owned(), records: 3 },
    ];
    report.skipped_examples = (0..40)
        .map(|n| format!("`crawl/part-{n:04}.jsonl.gz` line {}: field `text` is missing", n * 917))
        .collect();
    Ok(report)
}

/// Made of integers only, so that it is the same everywhere.
fn fill_histograms(report: &mut Report) {
    let mut refused = Histogram::default();
    for bin in 0..100_u64 {
        let resemblance = Histogram::edge(bin as usize);
        let waves = 1 + (bin * 37 % 11);
        if bin >= 80 {
            let rise = (bin - 79) * (bin - 79) * (bin - 79) * 5;
            report.resemblance_histogram.add_many(resemblance, rise + 180 * waves);
        } else if bin >= 48 {
            refused.add_many(resemblance, (bin - 47) * (bin - 47) * 2 + 9 * waves);
        }
    }
    report.refused_histogram = Some(refused);
}

fn source(n: u64) -> Source {
    let documents = 31_000 / (n + 1) + 800 * (n % 7) + 90;
    Source {
        name: format!("crawl/2026-{:02}/part-{n:04}.jsonl.gz", n % 12 + 1),
        documents,
        removed: documents * ((n * 29) % 83) / 100,
        skipped: if n % 9 == 4 { n } else { 0 },
    }
}

fn usual_clusters() -> Vec<Cluster> {
    let english = "The city council approved the new cycling network on Tuesday evening after two \
                   years of debate. The plan, worth 4.2 million euros, adds forty kilometres of \
                   protected lanes and joins the university with the harbour. Residents of the old \
                   town had asked for fewer parking spaces to be lost. Work begins in March and is \
                   expected to last eighteen months, the mayor said. Comments (12)";
    let english_copy = "The city council approved the new cycling network on Tuesday evening after \
                        two years of debate. The plan, worth 4.6 million euros, adds forty \
                        kilometres of protected lanes and joins the university with the harbour. \
                        Residents of the old town had asked for fewer parking spaces to be lost. \
                        Work begins in April and is expected to last eighteen months, the mayor \
                        said on Wednesday. Comments (57) Share this article";
    let greek = "\u{397} \u{3b5}\u{3ba}\u{3b4}\u{3c1}\u{3bf}\u{3bc}\u{3ae} \u{3be}\u{3b5}\u{3ba}\
                 \u{3b9}\u{3bd}\u{3ac} \u{3c4}\u{3b7} \u{394}\u{3b5}\u{3c5}\u{3c4}\u{3ad}\u{3c1}\
                 \u{3b1} \u{3c4}\u{3bf} \u{3c0}\u{3c1}\u{3c9}\u{3af}.";
    let greek_copy = "\u{397} \u{3b5}\u{3ba}\u{3b4}\u{3c1}\u{3bf}\u{3bc}\u{3ae} \u{3be}\u{3b5}\
                      \u{3ba}\u{3b9}\u{3bd}\u{3ac} \u{3c4}\u{3b7}\u{3bd} \u{3a4}\u{3c1}\u{3af}\
                      \u{3c4}\u{3b7} \u{3c4}\u{3bf} \u{3c0}\u{3c1}\u{3c9}\u{3af}.";
    let hebrew = "\u{5d4}\u{5e8}\u{5db}\u{5d1}\u{5ea} \u{5d9}\u{5d5}\u{5e6}\u{5d0}\u{5ea} \
                  \u{5d1}\u{5e9}\u{5e2}\u{5d4} 10:15 \u{5de}\u{5d7}\u{5d9}\u{5e4}\u{5d4} \
                  \u{5dc}\u{5d9}\u{5e8}\u{5d5}\u{5e9}\u{5dc}\u{5d9}\u{5dd}.";
    let hebrew_copy = "\u{5d4}\u{5e8}\u{5db}\u{5d1}\u{5ea} \u{5d9}\u{5d5}\u{5e6}\u{5d0}\u{5ea} \
                       \u{5d1}\u{5e9}\u{5e2}\u{5d4} 11:45 \u{5de}\u{5d7}\u{5d9}\u{5e4}\u{5d4} \
                       \u{5dc}\u{5d0}\u{5d9}\u{5dc}\u{5ea}.";
    let texts = [(english, english_copy), (greek, greek_copy), (hebrew, hebrew_copy)];
    let sizes = [2118, 903, 412, 212, 140, 140, 140, 88];
    let cluster = |(n, size): (usize, u64)| {
        let id = |m: usize| format!("https://news{m}.example.org/2026/{:02}/story-{n}", m % 12 + 1);
        let (keeper, other) = texts[n % texts.len()];
        // As of a web archive, where ids say nothing, in some clusters.
        let url = |m: usize| (n % 2 == 1).then(|| id(m));
        let record = |m: usize| match n % 2 {
            1 => format!("<urn:uuid:11111111-2222-3333-4444-{n:06}{m:06}>"),
            _ => id(m),
        };
        let member = |m: usize| Member {
            id: record(m),
            url: url(m),
            kind: if m == 1 { Kind::Exact } else { Kind::Near },
            resemblance: Some(1.0 - 0.034_7 * (m - 1) as f64),
            kept: false,
        };
        Cluster {
            size,
            keeper: record(0),
            keeper_url: url(0),
            members: (1..=5).map(member).collect(),
            difference: (n != 4).then(|| {
                marked_difference(Unit::Words, keeper.as_bytes(), &id(2), other.as_bytes())
            }),
        }
    };
    sizes.into_iter().enumerate().map(cluster).collect()
}

fn huge() -> Result<Report, lookalike_core::Error> {
    let mut report = usual()?;
    report.documents = 98_765_432_109;
    report.kept = 61_234_567_890;
    report.exact_removed = 12_345_678_901;
    report.near_removed = 25_185_185_318;
    report.clusters = 9_876_543_210;
    report.candidates = u64::MAX;
    report.pairs = 31_415_926_535;
    report.bytes_read = 412 << 40;
    report.peak_memory_bytes = 900 << 30;
    report.seconds = Seconds { sign: 250_000.0, total: 400_000.0, ..report.seconds };
    report.cluster_sizes = (2..40_000)
        .map(|size: u64| [size, 40_000_000_000 / size.pow(3) + 1])
        .chain([[1_000_000_000, 1]])
        .collect();
    report.resemblance_histogram.add_many(0.995, 30_000_000_000);
    Ok(report)
}

/// Everything from outside says what it should not.
fn hostile() -> Result<Report, lookalike_core::Error> {
    let bad = "</style></title><script>alert(1)</script>\" onload='x' \0\x1b[31m\u{202e}rtl";
    let long = "w".repeat(10_000);
    let member = |id: &str| Member {
        id: id.to_owned(),
        url: Some(id.to_owned()),
        kind: Kind::Near,
        resemblance: None,
        kept: false,
    };
    let cluster = Cluster {
        size: 3,
        keeper: long.clone(),
        keeper_url: Some(bad.to_owned()),
        members: vec![member(bad), member(&long)],
        difference: Some(marked_difference(
            Unit::Words,
            format!("one {long} <script>alert(1)</script> two").as_bytes(),
            bad,
            format!("one <img src=x onerror=alert(1)> two \u{202e} {long}").as_bytes(),
        )),
    };
    let mut report = usual()?;
    report.recipe.verify = Verify::None;
    report.largest_clusters = vec![cluster];
    report.sources.truncate(3);
    bad.clone_into(&mut report.sources[0].name);
    report.sources[1].name.clone_from(&long);
    report.skipped_examples = vec![bad.to_owned(), long.clone()];
    report.notes = vec![bad.to_owned(), long];
    bad.clone_into(&mut report.recipe.name);
    bad.clone_into(&mut report.options.keep);
    Ok(report)
}
