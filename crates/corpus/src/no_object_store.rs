//! What stands for object stores in a build without them: every URL is refused.

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, ErrorKind, Result};
use crate::glob::Glob;
use crate::object::{About, Object};

fn refused<T>(url: &str) -> Result<T> {
    Err(nothing_at(url))
}

pub(crate) fn nothing_at(url: &str) -> Error {
    Error::from(ErrorKind::NoObjectStores(url.to_owned()))
}

#[expect(dead_code, reason = "nothing is ever found")]
pub(crate) enum UrlTarget {
    Object(Object),
    Folder,
    Nothing,
}

pub(crate) fn look_up(url: &str) -> Result<UrlTarget> {
    refused(url)
}

pub(crate) fn reader(object: &Object) -> Result<io::Empty> {
    refused(&object.url)
}

pub(crate) fn about(object: &Object) -> Result<About> {
    refused(&object.url)
}

pub(crate) fn head(object: &Object, _: u64) -> Result<Vec<u8>> {
    refused(&object.url)
}

#[derive(Debug)]
pub(crate) struct FoundObject {
    pub(crate) object: Object,
    pub(crate) below: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Walk<C> {
    none: Infallible,
    choice: PhantomData<C>,
    pub(crate) passed_over: u64,
}

impl<C> Walk<C> {
    pub(crate) fn folder(url: &str, _: C) -> Result<Self> {
        refused(url)
    }
}

impl Walk<Glob> {
    pub(crate) fn glob(url: &str) -> Result<Self> {
        refused(url)
    }
}

impl<C> Iterator for Walk<C> {
    type Item = Result<FoundObject>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.none {}
    }
}

#[derive(Clone)]
pub(crate) struct RangedFile(Infallible);

impl RangedFile {
    pub(crate) fn open(object: &Object) -> Result<Self> {
        refused(&object.url)
    }

    pub(crate) fn announce(&self, _: &ParquetMetaData, _: &ProjectionMask) {
        match self.0 {}
    }

    pub(crate) fn take_fault(&self) -> Option<io::Error> {
        match self.0 {}
    }
}

impl Length for RangedFile {
    fn len(&self) -> u64 {
        match self.0 {}
    }
}

impl ChunkReader for RangedFile {
    type T = io::Empty;

    fn get_read(&self, _: u64) -> ParquetResult<io::Empty> {
        match self.0 {}
    }

    fn get_bytes(&self, _: u64, _: usize) -> ParquetResult<Bytes> {
        match self.0 {}
    }
}
