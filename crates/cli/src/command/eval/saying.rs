//! How the commands of `eval` say what they found and what they refuse.

use std::path::Path;

use anyhow::{anyhow, bail};
use lookalike_engine as engine;
use lookalike_eval::{Error, ErrorKind, Share};

use crate::interrupt;

pub(super) const INTERRUPTED: &str =
    "interrupted, and nothing was written\nhint: run the same command to start again";

pub(super) fn check_absent(path: &Path, force: bool) -> anyhow::Result<()> {
    if !force && path.exists() {
        bail!("`{}`: exists already\nhint: --force replaces it", path.display());
    }
    Ok(())
}

/// An interrupt ends the program here.
pub(super) fn told(error: Error) -> anyhow::Error {
    let cause = match error.kind() {
        ErrorKind::Engine(cause) => cause,
        ErrorKind::NoLabels { .. } => {
            return anyhow!(
                "{error}\nhint: --label-field or --similarity-field names the field with the label, \
                 --correct, --incorrect and --undecided its values"
            );
        }
        ErrorKind::OtherDocuments { .. } => {
            return anyhow!("{error}\nhint: --id-field names the field with the ids of documents");
        }
        _ => return error.into(),
    };
    match cause.kind() {
        engine::ErrorKind::Interrupted => interrupt::exit_after(INTERRUPTED),
        engine::ErrorKind::TooManyCandidates { .. } => {
            anyhow!("{error}, or allow more by --max-candidates")
        }
        _ => error.into(),
    }
}

/// A share with its interval.
pub(super) fn whole(share: Option<Share>) -> String {
    let shown = |s: Share| format!("{} [{}, {}]", two(s.share), two(s.low), two(s.high));
    share.map_or("-".to_owned(), shown)
}

/// A share as the paper writes them, with a digit more where two would say 1.
pub(super) fn two(share: f64) -> String {
    if share > 0.985 && share < 1.0 {
        return format!("{:.3}", share.min(0.999));
    }
    format!("{share:.2}")
}
