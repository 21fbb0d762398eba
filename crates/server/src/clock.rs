//! The time of day, which stamps documents and log lines; no answer depends on it.

#![expect(clippy::disallowed_methods, reason = "documents and log lines are stamped with the time")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Since 1970.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
