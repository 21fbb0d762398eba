//! Arrow columns from Python: anything with the PyCapsule interface, or what pyarrow can make one
//! of, in chunks that belong together.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, make_array, new_null_array};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::parameter;

/// A column, in chunks.
pub(crate) struct Column {
    name: String,
    kind: DataType,
    chunks: Vec<ArrayRef>,
}

impl Column {
    /// Takes a column; `name` is for messages.
    pub(crate) fn new(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pyarrow = values.py().import("pyarrow")?;
        let has = |method| values.hasattr(method);
        let array = if has("__arrow_c_array__")? || has("__arrow_c_stream__")? {
            values.clone()
        } else {
            pyarrow.call_method1("array", (values,)).map_err(|error| {
                PyTypeError::new_err(format!("{name} must be an Arrow array or a list: {error}"))
            })?
        };
        let array = pyarrow.call_method1("chunked_array", (array,))?;
        let kind = DataType::from_pyarrow_bound(&array.getattr("type")?)?;
        let chunk = |chunk: PyResult<Bound<'_, PyAny>>| {
            Ok(make_array(FromPyArrow::from_pyarrow_bound(&chunk?)?))
        };
        let chunks = array.getattr("chunks")?.try_iter()?.map(chunk).collect::<PyResult<_>>()?;
        Ok(Self { name: name.to_owned(), kind, chunks })
    }

    /// A column of texts or bytes.
    pub(crate) fn text(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut column = Self::new(name, values)?;
        if column.kind == DataType::Null {
            column.kind = DataType::Utf8;
            let nulls =
                column.chunks.iter().map(|chunk| new_null_array(&DataType::Utf8, chunk.len()));
            column.chunks = nulls.collect();
        }
        let kind = match &column.kind {
            DataType::Dictionary(_, values) => values,
            kind => kind,
        };
        let is_text = kind.is_string() || kind.is_binary();
        if is_text && !matches!(kind, DataType::FixedSizeBinary(_)) {
            return Ok(column);
        }
        Err(column.wrong("strings"))
    }

    /// That it should be of another type.
    pub(crate) fn wrong(&self, expected: &str) -> PyErr {
        PyTypeError::new_err(format!("{} must be {expected}, not {}", self.name, self.kind))
    }

    pub(crate) fn kind(&self) -> &DataType {
        &self.kind
    }

    fn len(&self) -> usize {
        self.chunks.iter().map(arrow_array::Array::len).sum()
    }
}

/// Columns side by side, under these names: cut where any of them is, so that nothing is copied.
pub(crate) fn side_by_side(columns: &[(&str, &Column)]) -> PyResult<Vec<RecordBatch>> {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.kind.clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let Some((_, first)) = columns.first() else { return Ok(Vec::new()) };
    let rows = first.len();
    for (_, column) in columns {
        if column.len() != rows {
            let (found, name) = (column.len(), &column.name);
            return Err(parameter(format!(
                "{name} has {found} rows, but {} has {rows}",
                first.name
            )));
        }
    }
    // Of each column the chunk at hand and the row in it.
    let mut at = vec![(0, 0); columns.len()];
    let mut batches = Vec::new();
    let mut done = 0;
    while done < rows {
        for (at, (_, column)) in at.iter_mut().zip(columns) {
            while at.1 == column.chunks[at.0].len() {
                *at = (at.0 + 1, 0);
            }
        }
        let left = at.iter().zip(columns).map(|(at, (_, c))| c.chunks[at.0].len() - at.1);
        let count = left.min().unwrap_or(0);
        let slice = |(at, (_, column)): (&(usize, usize), &(&str, &Column))| {
            column.chunks[at.0].slice(at.1, count)
        };
        let slices = at.iter().zip(columns).map(slice).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), slices);
        batches.push(batch.map_err(|error| parameter(error.to_string()))?);
        for at in &mut at {
            at.1 += count;
        }
        done += count;
    }
    Ok(batches)
}
