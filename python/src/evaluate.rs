//! Recipes judged by labelled pairs.

use std::path::PathBuf;

use lookalike_core::{Given as _, Recipe};
use lookalike_eval::{AbsentRule, CopyRule, Eval, LabelFile, LabelRule, baseline};
use pyo3::prelude::*;

use crate::error::{ErrorClass as _, Raise, parameter};
use crate::observe::Watch;
use crate::options::{ReadingOptions, ResourceOptions, checked_share};
use crate::recipe::{GivenJudging, judged};

/// What is evaluated, and by which labels.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct EvaluationOptions<'py> {
    recipes: Option<Vec<Bound<'py, PyAny>>>,
    against: Option<String>,
    equal_recall: Option<String>,
    least_bits: Option<usize>,
    repeats: usize,
    identical: String,
    seed: u64,
    differences: usize,
    out: Option<PathBuf>,
    force: bool,
}

/// Where the label of a line is.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct LabelOptions {
    label_field: String,
    correct: Vec<String>,
    incorrect: Vec<String>,
    undecided: Vec<String>,
    similarity_field: Option<String>,
    correct_at: f64,
    undecided_at: f64,
    absent: Option<String>,
    reason_field: String,
    form_reasons: Vec<String>,
    weight_field: String,
}

impl LabelOptions {
    fn file(self, path: PathBuf) -> PyResult<LabelFile> {
        let mut labels = LabelFile::new(path);
        labels.absent = match self.absent.as_deref() {
            None => None,
            Some("unlabelled") => Some(AbsentRule::Unlabelled),
            Some("incorrect") => Some(AbsentRule::Incorrect),
            Some(other) => {
                let expected = "must be unlabelled or incorrect";
                return Err(parameter(format!("absent is `{other}`, but {expected}")));
            }
        };
        labels.reason_field = self.reason_field;
        labels.form_reasons = self.form_reasons;
        labels.weight_field = self.weight_field;
        let (field, correct, incorrect, undecided) =
            (self.label_field, self.correct, self.incorrect, self.undecided);
        labels.rule = match self.similarity_field {
            None => LabelRule::Values { field, correct, incorrect, undecided },
            Some(field) => {
                let correct_at = checked_share("correct_at", self.correct_at)?;
                let undecided_at = checked_share("undecided_at", self.undecided_at)?;
                LabelRule::Similarity { field, correct_at, undecided_at }
            }
        };
        labels.rule.check().map_err(parameter)?;
        Ok(labels)
    }
}

/// Evaluates recipes; the evaluation as JSON, as a page, and as a table in CSV.
#[pyfunction]
#[pyo3(signature = (
    documents: "collections.abc.Sequence[str]", labels,
    options: "collections.abc.Mapping[str, object]",
    progress: "collections.abc.Callable[[Progress], object] | None" = None
))]
pub(crate) fn evaluate(
    py: Python<'_>,
    documents: Vec<String>,
    labels: PathBuf,
    options: &Bound<'_, PyAny>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, String, String)> {
    let own: EvaluationOptions<'_> = options.extract()?;
    let (reading, resources): (ReadingOptions, ResourceOptions<'_>) =
        (options.extract()?, options.extract()?);
    let labels = options.extract::<LabelOptions>()?.file(labels)?;
    let identical = match own.identical.as_str() {
        "removed" => CopyRule::Removed,
        "counted" => CopyRule::Counted,
        other => {
            let expected = "must be removed or counted";
            return Err(parameter(format!("identical is `{other}`, but {expected}")));
        }
    };
    let mut job = Eval::new(documents)
        .running(reading.running(&resources)?)
        .given(own.against, Eval::against)
        .given(own.equal_recall, Eval::equal_recall)
        .given(own.least_bits, Eval::least_bits)
        .repeats(own.repeats)
        .identical(identical)
        .seed(own.seed)
        .differences(own.differences)
        .temp(resources.work_folder("eval"));
    if let Some(named) = &own.recipes {
        let recipes: PyResult<Vec<Recipe>> = named.iter().map(recipe).collect();
        job = job.recipes(recipes?);
    }
    if let Some(out) = &own.out {
        job.check_apart(out).raise()?;
        let known = ["eval.json", "eval.html"].map(|name| out.join(name));
        if let Some(known) = known.iter().find(|path| !own.force && path.exists()) {
            let exists = lookalike_files::ErrorKind::Exists(known.clone());
            return Err(lookalike_files::Error::from(exists).exception());
        }
    }
    let watch = Watch::new(progress.map(Bound::unbind));
    let evaluation = watch.run(py, |observer| job.run_observed(&labels, observer))?.raise()?;
    if let Some(out) = &own.out {
        evaluation.write(out, lookalike_pages::evaluation).raise()?;
    }
    let json = serde_json::to_string(&evaluation).map_err(|error| parameter(error.to_string()))?;
    Ok((json, lookalike_pages::evaluation(&evaluation), evaluation.csv()))
}

/// A recipe, the name of a baseline, or what a recipe is loaded by.
fn recipe(named: &Bound<'_, PyAny>) -> PyResult<Recipe> {
    let known = named.extract::<String>().ok().and_then(|name| baseline(&name));
    known.map_or_else(|| judged(named, GivenJudging::default()), Ok)
}
