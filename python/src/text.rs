//! Texts as Python has them.

use std::borrow::Cow;

use lookalike_core::text::items::Item;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};

use crate::error::parameter;

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

/// The items of a set, but for those that are None.
pub(crate) fn items(given: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u8>>> {
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
        let found = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a set must be a list of items, not {found}")));
    }
    let items = given.try_iter()?.filter(|item| !item.as_ref().is_ok_and(PyAnyMethods::is_none));
    items.map(|given| item(&given?)).collect()
}

/// The bytes of an item of a set: a `str`, `bytes`, or a number or truth value as it is written.
fn item(item: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(value) = item.cast::<PyBool>() {
        return Ok(if value.is_true() { b"true".to_vec() } else { b"false".to_vec() });
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(item.str()?.to_str()?.as_bytes().to_vec());
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        let bytes = Item::Float(number.value()).bytes();
        let bytes =
            bytes.ok_or_else(|| parameter(format!("an item is {number}, which is no number")))?;
        return Ok(bytes.into_owned());
    }
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>() {
        return Ok(bytes(item, "an item")?.into_owned());
    }
    let found = item.get_type().name()?;
    Err(PyTypeError::new_err(format!("an item must be str, bytes, a number or bool, not {found}")))
}

/// A web page in UTF-8: a `str`, or bytes in the charset that they say or look like.
pub(crate) fn page<'a>(page: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    let bytes = bytes(page, "a web page")?;
    if page.is_instance_of::<PyString>() || std::str::from_utf8(&bytes).is_ok() {
        return Ok(bytes);
    }
    Ok(Cow::Owned(lookalike_corpus::decode_page(&bytes, None).into_owned().into_bytes()))
}
