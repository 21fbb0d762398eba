//! What most people compare with: MinHash LSH and SimHash as the literature has them, by these
//! names, as recipes of ours. They verify nothing.

use lookalike_core::Recipe;
use lookalike_core::filter::Filter;
use lookalike_core::recipe::{Candidates, Over, ProjectionParameters, SketchParameters, Verify};

/// The names that [`baseline`] knows.
pub const BASELINES: [&str; 2] = ["minhash-lsh", "simhash"];

/// Bands and rows of `minhash-lsh`, for a resemblance of 0.8, the threshold of `text`.
///
/// Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4.2: the step of b bands of
/// r rows is at about (1/b)^(1/r). Of 128 permutations, which tools of the field have by default, r
/// rows leave 128 / r bands, and 11 rows come nearest to 0.8: 0.804.
const BANDS_AND_ROWS: (u32, u32) = (11, 11);

/// Manku, Jain and Das Sarma, Detecting Near-Duplicates for Web Crawling, WWW 2007, sections 2 and 5:
/// 64 bits, and pairs that differ in at most 3. Of four pieces, three changed bits leave one as it was
/// (section 3), so that no pair is missed.
const SIMHASH: ProjectionParameters =
    ProjectionParameters { bits: 64, over: Over::Tokens, agree: 61, agree_combined: 61, pieces: 4 };

/// The baseline of this name; `None` if there is none.
pub fn baseline(name: &str) -> Option<Recipe> {
    // Over the same words and 5-grams as `text`.
    let plain = Recipe { name: name.to_owned(), verify: Verify::None, ..Recipe::default() };
    match name {
        "minhash-lsh" => {
            let (bands, rows) = BANDS_AND_ROWS;
            let filter = Filter::new(bands, rows, 1).ok()?;
            let permutations = filter.permutations() as usize;
            let sketch = SketchParameters::Minwise { permutations };
            Some(Recipe { sketch, features: Some(filter), ..plain })
        }
        "simhash" => Some(Recipe {
            sketch: SketchParameters::None,
            features: None,
            projection: Some(SIMHASH),
            candidates: Candidates::Projection,
            ..plain
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_are_recipes_of_their_names() {
        for name in BASELINES {
            let recipe = baseline(name).unwrap();
            recipe.validate().unwrap();
            assert_eq!((recipe.name.as_str(), recipe.verify), (name, Verify::None));
            assert_eq!(recipe.shingles.width, 5);
        }
        assert_eq!(baseline("text"), None);
    }

    #[test]
    fn no_other_rows_of_128_permutations_are_nearer_to_the_threshold() {
        let off = |bands: u32, rows: u32| {
            let step = (1.0 / f64::from(bands)).powf(1.0 / f64::from(rows));
            (step - Recipe::default().threshold).abs()
        };
        let (bands, rows) = BANDS_AND_ROWS;
        assert_eq!(bands, 128 / rows);
        for r in 1..=128 {
            assert!(off(128 / r, r) >= off(bands, rows), "{r} rows");
        }
    }
}
