//! Signatures, one at a time.

use lookalike_core::recipe::Digest;
use lookalike_core::{Layout, Signature as CoreSignature, Similarity};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{Raise, parameter};
use crate::recipe::Recipe;

/// What is kept of a document.
#[pyclass(frozen, eq, module = "lookalike")]
pub(crate) struct Signature {
    signature: CoreSignature,
    recipe: Py<Recipe>,
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        // As they are stored: a sketch that is not kept may be lost on the way.
        self.digest() == other.digest() && self.encoded() == other.encoded()
    }
}

impl Signature {
    pub(crate) fn new(signature: CoreSignature, recipe: Py<Recipe>) -> Self {
        Self { signature, recipe }
    }

    pub(crate) fn core(&self) -> &CoreSignature {
        &self.signature
    }

    fn digest(&self) -> Digest {
        self.recipe().core().signing_digest()
    }

    fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        Layout::of(self.recipe().core()).encode(&self.signature, &mut bytes);
        bytes
    }

    pub(crate) fn recipe(&self) -> &Recipe {
        self.recipe.get()
    }

    /// How it compares with another one of the same bits.
    fn similarity(&self, other: &Self) -> PyResult<Similarity> {
        let recipe = self.recipe();
        recipe.core().check_same_bits(other.recipe().core()).raise()?;
        Ok(Similarity::new(recipe.kernel(), recipe.core()))
    }
}

/// A function and its arguments, as pickle wants them.
type PickleParts<'py> = (Bound<'py, PyAny>, (Py<Recipe>, Bound<'py, PyBytes>));

/// Becomes a numpy array over bytes of its own.
struct Words<'a>(&'a [u64]);

impl<'py> IntoPyObject<'py> for Words<'_> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    #[cfg(feature = "stubs")]
    const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr = pyo3::type_hint_subscript!(
        pyo3::type_hint_identifier!("numpy.typing", "NDArray"),
        pyo3::type_hint_identifier!("numpy", "uint64")
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes = PyBytes::new(py, &bytes);
        py.import("numpy")?.call_method1("frombuffer", (bytes, "<u8"))
    }
}

#[pymethods]
impl Signature {
    /// A signature from the bytes that `to_bytes` gave.
    #[staticmethod]
    fn from_bytes(recipe: &Bound<'_, Recipe>, bytes: &[u8]) -> PyResult<Self> {
        let layout = Layout::of(recipe.get().core());
        let decoded = (bytes.len() == layout.bytes()).then(|| layout.decode(bytes)).flatten();
        let wrong = || {
            let (found, expected) = (bytes.len(), layout.bytes());
            parameter(format!(
                "not a signature of this recipe: {found} bytes, where it takes {expected} valid ones"
            ))
        };
        Ok(Self::new(decoded.ok_or_else(wrong)?, recipe.clone().unbind()))
    }

    /// As signature files have it; the sketch only if the recipe keeps it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.encoded())
    }

    /// The recipe that made it.
    #[getter(recipe)]
    fn made_by(&self, py: Python<'_>) -> Py<Recipe> {
        self.recipe.clone_ref(py)
    }

    /// The fingerprint of the token sequence: 16 bytes, the highest first.
    #[getter]
    fn exact<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.signature.exact.to_be_bytes())
    }

    /// Tokens of the document.
    #[getter]
    fn tokens(&self) -> u64 {
        self.signature.tokens
    }

    /// Whether the document had no tokens; then it resembles nothing.
    #[getter]
    fn empty(&self) -> bool {
        self.signature.is_empty()
    }

    /// The features, as a numpy array of u64.
    #[getter]
    fn features(&self) -> Words<'_> {
        Words(&self.signature.features)
    }

    /// The sketch, as a numpy array of u64.
    #[getter]
    fn sketch(&self) -> Words<'_> {
        Words(&self.signature.sketch)
    }

    /// The projection, place i at bit i % 8 of byte i // 8.
    #[getter]
    fn projection<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.signature.projection_bytes(self.recipe().core()))
    }

    /// Equal features, if the recipe has any.
    fn b_similarity(&self, other: &Self) -> PyResult<Option<usize>> {
        Ok(self.similarity(other)?.b(&self.signature, &other.signature))
    }

    /// Equal bits of the projections, if the recipe has one.
    fn c_similarity(&self, other: &Self) -> PyResult<Option<usize>> {
        Ok(self.similarity(other)?.c(&self.signature, &other.signature))
    }

    /// Repeats of Pugh's lists that share one, if the recipe has lists.
    fn repeats_in_common(&self, other: &Self) -> PyResult<Option<usize>> {
        Ok(self.similarity(other)?.lists(&self.signature, &other.signature))
    }

    /// The resemblance estimated from the sketches, if they can.
    fn estimate(&self, other: &Self) -> PyResult<Option<f64>> {
        Ok(self.similarity(other)?.estimate(&self.signature, &other.signature))
    }

    fn __repr__(&self) -> String {
        let CoreSignature { exact, tokens, .. } = &self.signature;
        format!("<lookalike.Signature {exact:032x}, {tokens} tokens>")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<PickleParts<'py>> {
        let (py, this) = (slf.py(), slf.get());
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (this.recipe.clone_ref(py), this.to_bytes(py))))
    }
}
