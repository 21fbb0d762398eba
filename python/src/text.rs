//! Texts as Python has them.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString};

/// The bytes of a `str` or `bytes`. Lone surrogates separate words, as any other fault of UTF-8.
pub(crate) fn bytes<'a>(text: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(string) = text.cast::<PyString>() {
        if let Ok(string) = string.to_str() {
            return Ok(Cow::Borrowed(string.as_bytes()));
        }
        let encoded = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
        return Ok(Cow::Owned(encoded.extract()?));
    }
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let found = text.get_type().name()?;
    Err(PyTypeError::new_err(format!("{what} must be str or bytes, not {found}")))
}

/// The bytes of an item of a set: a `str`, `bytes`, or a number as it is written.
pub(crate) fn item(item: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if item.is_instance_of::<PyInt>() && !item.is_instance_of::<PyBool>() {
        return Ok(item.str()?.to_str()?.as_bytes().to_vec());
    }
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>() {
        return Ok(bytes(item, "an item")?.into_owned());
    }
    let found = item.get_type().name()?;
    Err(PyTypeError::new_err(format!("an item must be str, bytes or int, not {found}")))
}

/// A web page in UTF-8: a `str`, or bytes in the charset that they say or look like.
pub(crate) fn page<'a>(page: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    let bytes = bytes(page, "a web page")?;
    if page.is_instance_of::<PyString>() || std::str::from_utf8(&bytes).is_ok() {
        return Ok(bytes);
    }
    Ok(Cow::Owned(lookalike_corpus::decode_page(&bytes, None).into_owned().into_bytes()))
}
