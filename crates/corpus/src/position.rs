//! How far a file has been read, and where in it its members begin.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of the stored file, counted under whatever unpacks them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Position {
    bytes: Arc<AtomicU64>,
    /// If somebody asks for them: members that begin where nobody has asked yet.
    members: Option<Arc<Mutex<VecDeque<MemberStart>>>>,
}

/// Where a member begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberStart {
    /// In what the file unpacks to.
    pub(crate) unpacked: u64,
    pub(crate) stored: u64,
}

impl Position {
    /// One that is asked where members begin.
    pub(crate) fn with_members() -> Self {
        Self { members: Some(Arc::default()), ..Self::default() }
    }

    pub(crate) fn wants_members(&self) -> bool {
        self.members.is_some()
    }

    fn members(&self) -> Option<MutexGuard<'_, VecDeque<MemberStart>>> {
        Some(self.members.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A member begins, after all others.
    pub(crate) fn begin_member(&self, start: MemberStart) {
        if let Some(mut members) = self.members() {
            members.push_back(start);
        }
    }

    /// Where the member is stored that begins at this place of what the file unpacks to, if one does.
    /// Places are asked for in order.
    pub(crate) fn member_at(&self, unpacked: u64) -> Option<u64> {
        let mut members = self.members()?;
        while members.front().is_some_and(|member| member.unpacked < unpacked) {
            members.pop_front();
        }
        members.front().filter(|member| member.unpacked == unpacked).map(|member| member.stored)
    }

    pub(crate) fn get(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, bytes: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The same stream, counted.
    pub(crate) fn counting<R: Read>(&self, reader: R) -> CountingReader<R> {
        CountingReader { reader, position: self.clone() }
    }
}

pub(crate) struct CountingReader<R> {
    reader: R,
    position: Position,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position.advance(read);
        Ok(read)
    }
}
