//! What Python's users do by a recipe. Apart from what a recipe is, which signatures and batches know.

use lookalike_core::recipe::{PRESETS, SET_PRESETS, SketchParameters};
use lookalike_core::shingle::Counting;
use lookalike_core::text::items;
use lookalike_core::{Layout, Recipe as CoreRecipe, VerificationKey};
use pyo3::prelude::*;

use crate::compare::Comparison;
use crate::error::{Raise, parameter};
use crate::names::{SiteRuleName, UnitName, VerifyName};
use crate::recipe::{GivenJudging, Recipe, Tools, judged};
use crate::signature::Signature;
use crate::text;
use crate::{batch, judge};

#[pymethods]
impl Recipe {
    /// The names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        [&PRESETS[..], &SET_PRESETS].concat()
    }

    /// A named recipe.
    #[staticmethod]
    fn preset(name: &str) -> PyResult<Self> {
        Self::new(CoreRecipe::preset(name).raise()?)
    }

    /// The recipe `text` for another target: of the pairs at exactly the threshold, the share
    /// `recall` becomes candidates.
    #[staticmethod]
    #[pyo3(signature = (threshold=0.8, recall=0.95))]
    fn tune(threshold: f64, recall: f64) -> PyResult<Self> {
        Self::new(CoreRecipe::tune(threshold, recall).raise()?)
    }

    /// A recipe from TOML.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        Self::new(CoreRecipe::from_toml(text).raise()?)
    }

    /// The preset of this name, the recipe in this file, or this recipe, as a job judges by it: the
    /// filter is chosen for the threshold and the recall where it is open, as in `text`, `sites` and
    /// files that do not say what it is. `ngram` is the width of shingles.
    #[staticmethod]
    #[pyo3(signature = (
        recipe: "Recipe | str | os.PathLike[str]", *,
        threshold=None, recall=None, ngram=None, verify=None, sites=None, templates=None
    ))]
    fn load(
        recipe: &Bound<'_, PyAny>,
        threshold: Option<f64>,
        recall: Option<f64>,
        ngram: Option<usize>,
        verify: Option<&str>,
        sites: Option<&str>,
        templates: Option<&str>,
    ) -> PyResult<Self> {
        let given = GivenJudging { threshold, recall, ngram, verify, sites, templates };
        Self::new(judged(recipe, given)?)
    }

    /// The recipe, judged in another way; its signatures stay the same unless estimates need the
    /// sketches.
    #[pyo3(signature = (*, threshold=None, verify=None, sites=None))]
    fn judging(
        slf: &Bound<'_, Self>,
        threshold: Option<f64>,
        verify: Option<&str>,
        sites: Option<&str>,
    ) -> PyResult<Self> {
        let given = GivenJudging { threshold, verify, sites, ..GivenJudging::default() };
        Self::new(judged(slf.as_any(), given)?)
    }

    /// The recipe as a TOML file.
    fn to_toml(&self) -> String {
        self.core.to_toml()
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.core.name
    }

    /// Identifies all parameters but the name.
    #[getter]
    fn digest(&self) -> String {
        self.core.digest().to_string()
    }

    /// Identifies the parameters that signatures depend on.
    #[getter]
    fn signing_digest(&self) -> String {
        self.core.signing_digest().to_string()
    }

    /// The resemblance from which on a verified candidate is a pair.
    #[getter]
    fn threshold(&self) -> f64 {
        self.core.threshold
    }

    /// What makes a candidate a pair: exact, estimate or none.
    #[getter]
    fn verify(&self) -> VerifyName {
        self.core.verify.into()
    }

    /// What makes two documents a candidate.
    #[getter]
    fn candidates(&self) -> &'static str {
        self.core.candidates.name()
    }

    /// Whether it is counted what two documents have in common, since to share one key is not enough
    /// for a candidate: features of which a document would have too many super-features, or the
    /// elements of sketches.
    #[getter]
    fn counts_in_common(&self) -> bool {
        self.core.counts_in_common()
    }

    /// What a site is: label or public-suffix.
    #[getter]
    fn sites(&self) -> SiteRuleName {
        self.core.sites.into()
    }

    /// What a token is: words, characters, lines, sentences, paragraphs or items.
    #[getter]
    fn tokens(&self) -> UnitName {
        self.core.tokens.into()
    }

    /// Tokens in a shingle.
    #[getter]
    fn shingle_width(&self) -> usize {
        self.core.shingles.width
    }

    /// From which all random choices are drawn.
    #[getter]
    fn seed(&self) -> u64 {
        self.core.seed
    }

    /// Permutations of the minwise sketch, if there is one.
    #[getter]
    fn permutations(&self) -> Option<usize> {
        match self.core.sketch {
            SketchParameters::Minwise { permutations } => Some(permutations),
            _ => None,
        }
    }

    /// The filter (k, s, r), if there is one.
    #[getter]
    fn filter(&self) -> Option<(u32, u32, u32)> {
        self.core.features.map(|filter| (filter.k(), filter.s(), filter.r()))
    }

    /// Bits of the projection, if there is one.
    #[getter]
    fn projection_bits(&self) -> Option<usize> {
        self.core.projection.map(|projection| projection.bits)
    }

    /// Whether signatures keep the projection.
    #[getter]
    fn keeps_projection(&self) -> bool {
        !self.core.projects_when_needed()
    }

    /// Bytes of a signature as it is stored.
    #[getter]
    fn signature_bytes(&self) -> usize {
        Layout::of(&self.core).bytes()
    }

    /// The probability that two documents of this resemblance become a candidate, by the filter.
    fn probability(&self, resemblance: f64) -> PyResult<f64> {
        if !(0.0..=1.0).contains(&resemblance) {
            return Err(parameter(format!(
                "resemblance is {resemblance}, but must be from 0 to 1"
            )));
        }
        let filter = self.core.features;
        let none = || parameter(format!("the recipe `{}` has no filter", self.core.name));
        filter.map(|filter| filter.probability(resemblance)).ok_or_else(none)
    }

    /// The site of a URL, if it has one.
    fn site(&self, url: &str) -> Option<String> {
        self.core.sites.site(url)
    }

    /// The signature of a text.
    #[pyo3(signature = (text: "str | bytes"))]
    fn sign(slf: &Bound<'_, Self>, text: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let bytes = text::bytes(text, "text")?;
        let this = slf.get();
        this.core.check_of_texts().raise()?;
        let signed =
            slf.py().detach(|| this.with_tools(|tools| tools.signer.sign(&*bytes).clone()))?;
        Ok(Signature::new(signed, slf.clone().unbind()))
    }

    /// The signature of what a visitor sees of a web page.
    #[pyo3(signature = (html: "str | bytes", url=None))]
    fn sign_html(
        slf: &Bound<'_, Self>,
        html: &Bound<'_, PyAny>,
        url: Option<&str>,
    ) -> PyResult<Signature> {
        let page = text::page(html)?;
        let this = slf.get();
        this.core.check_of_texts().raise()?;
        let signed = slf.py().detach(|| {
            this.with_tools(|tools| {
                let Tools { signer, extractors: [extractor, _], .. } = tools;
                signer.sign(extractor.extract(&page, url)).clone()
            })
        })?;
        Ok(Signature::new(signed, slf.clone().unbind()))
    }

    /// The signature of a set of items: texts, bytes, numbers or truth values, of which a number counts as
    /// the text that it is written as, and None as nothing. Resemblance is then the Jaccard similarity of
    /// the sets. For recipes with shingles of one token, as `sets` is.
    #[pyo3(signature = (items: "collections.abc.Iterable[str | bytes | float | None]"))]
    fn sign_items(slf: &Bound<'_, Self>, items: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let this = slf.get();
        let width = this.core.shingles.width;
        if width != 1 {
            let name = &this.core.name;
            return Err(parameter(format!(
                "the recipe `{name}` has shingles of {width} tokens, in which the items of a set \
                 have no order\nhint: `Recipe.preset(\"sets\")` has shingles of one"
            )));
        }
        let mut items = text::items(items)?;
        let signed = slf.py().detach(|| {
            // Sets have no order, and fingerprints of sequences would have one.
            items.sort_unstable();
            if this.core.shingles.counting == Counting::Set {
                items.dedup();
            }
            this.with_tools(|tools| tools.signer.sign_items(&items).clone())
        })?;
        Ok(Signature::new(signed, slf.clone().unbind()))
    }

    /// Everything that can be said of two sets of items, by the recipe `sets` or one like it.
    #[pyo3(signature = (
        a: "collections.abc.Iterable[str | bytes | float | None]",
        b: "collections.abc.Iterable[str | bytes | float | None]"
    ))]
    fn compare_items(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
    ) -> PyResult<Comparison> {
        if !self.core.is_of_sets() {
            let name = &self.core.name;
            return Err(parameter(format!(
                "the recipe `{name}` is of texts\nhint: `Recipe.preset(\"sets\")` compares sets"
            )));
        }
        let (a, b) = (items::of(text::items(a)?), items::of(text::items(b)?));
        let compared = py.detach(|| self.with_tools(|tools| tools.comparer.compare(&a, &b)))?;
        Ok(Comparison::new(&compared, self.core.tokens, [(&a).into(), (&b).into()]))
    }

    /// Everything that can be said of two texts.
    #[pyo3(signature = (a: "str | bytes", b: "str | bytes"))]
    fn compare(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
    ) -> PyResult<Comparison> {
        self.core.check_of_texts().raise()?;
        let (a, b) = (text::bytes(a, "a")?, text::bytes(b, "b")?);
        let compared = py.detach(|| self.with_tools(|tools| tools.comparer.compare(&*a, &*b)))?;
        Ok(Comparison::new(&compared, self.core.tokens, [(&*a).into(), (&*b).into()]))
    }

    /// Everything that can be said of two web pages.
    #[pyo3(signature = (a: "str | bytes", b: "str | bytes", url_a=None, url_b=None))]
    fn compare_html(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        url_a: Option<&str>,
        url_b: Option<&str>,
    ) -> PyResult<Comparison> {
        self.core.check_of_texts().raise()?;
        let (a, b) = (text::page(a)?, text::page(b)?);
        py.detach(|| {
            self.with_tools(|tools| {
                let Tools { comparer, extractors: [left, right], .. } = tools;
                let texts = [left.extract(&a, url_a), right.extract(&b, url_b)];
                let compared = comparer.compare(texts[0], texts[1]);
                Comparison::new(&compared, self.core.tokens, texts)
            })
        })
    }

    /// Signs a column of texts or web pages; see the guide.
    #[pyo3(signature = (
        texts: "object | None" = None, *, html: "object | None" = None,
        urls: "object | None" = None, keep=None, keep_values: "object | None" = None,
        dates: "object | None" = None,
        columns: "collections.abc.Sequence[str] | None" = None, key: "bytes | None" = None
    ) -> "pyarrow.RecordBatch")]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn sign_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Option<Bound<'py, PyAny>>,
        html: Option<Bound<'py, PyAny>>,
        urls: Option<Bound<'py, PyAny>>,
        keep: Option<&str>,
        keep_values: Option<Bound<'py, PyAny>>,
        dates: Option<Bound<'py, PyAny>>,
        columns: Option<Vec<String>>,
        key: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = key.map(verification_key).transpose()?;
        self.core.check_of_texts().raise()?;
        let documents = batch::Documents { texts, html, urls, keep, keep_values, dates, key };
        batch::sign(py, self, &documents, columns)
    }

    /// The shingle sets of a column of texts or web pages, as verification compares them: under a
    /// key of 16 bytes that is secret, or nobody can rely on them. Of recipes that verify by difference,
    /// what stands for the words in their order.
    #[pyo3(signature = (
        texts: "object | None" = None, *, html: "object | None" = None,
        urls: "object | None" = None, key: "bytes | None" = None
    ) -> "pyarrow.ListArray[typing.Any]")]
    fn shingles_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Option<Bound<'py, PyAny>>,
        html: Option<Bound<'py, PyAny>>,
        urls: Option<Bound<'py, PyAny>>,
        key: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (keep, keep_values, dates) = (None, None, None);
        let key = key.map(verification_key).transpose()?;
        self.core.check_of_texts().raise()?;
        let documents = batch::Documents { texts, html, urls, keep, keep_values, dates, key };
        batch::shingles(py, self, &documents)
    }

    /// Judges pairs of documents that share a key, as the job does.
    #[pyo3(signature = (
        shingles_a: "object | None" = None, shingles_b: "object | None" = None, *,
        signatures_a: "object | None" = None, signatures_b: "object | None" = None,
        same_site: "object | None" = None
    ) -> "pyarrow.RecordBatch")]
    fn judge_batch<'py>(
        &self,
        py: Python<'py>,
        shingles_a: Option<Bound<'py, PyAny>>,
        shingles_b: Option<Bound<'py, PyAny>>,
        signatures_a: Option<Bound<'py, PyAny>>,
        signatures_b: Option<Bound<'py, PyAny>>,
        same_site: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs = judge::Pairs {
            shingles: [shingles_a, shingles_b],
            signatures: [signatures_a, signatures_b],
            same_site,
        };
        judge::judge(py, self, &pairs)
    }

    fn __repr__(&self) -> String {
        let CoreRecipe { name, threshold, .. } = &self.core;
        let digest = self.core.digest().to_string();
        format!("<lookalike.Recipe {name:?}, threshold {threshold}, digest {}>", &digest[..12])
    }

    /// Recipes go from process to process as TOML.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let from_toml = slf.get_type().getattr("from_toml")?;
        Ok((from_toml, (slf.get().core.to_toml(),)))
    }
}

/// A key of 16 bytes.
fn verification_key(bytes: &[u8]) -> PyResult<VerificationKey> {
    let bytes = bytes.try_into().map_err(|_| {
        parameter(format!("a verification key has 16 bytes, and this one has {}", bytes.len()))
    })?;
    Ok(VerificationKey::from_bytes(bytes))
}
