//! Tables with other content under right checksums.

use std::path::Path;

use lookalike_files::{CheckedFile, CheckedWriter, Format};

const TABLE: Format = Format { magic: *b"LOOKROWS", version: 3 };

/// Where rows begin, behind the format, the width and the kind.
pub(crate) const ROWS: usize = Format::BYTES + 4 + 8;

/// Writes a table again as a table of this version, with what `change` makes of its bytes.
pub(crate) fn rewrite(path: &Path, version: u32, change: impl FnOnce(&mut [u8])) {
    let file = CheckedFile::open(path, &TABLE).unwrap();
    let mut bytes = vec![0; file.bytes() as usize];
    file.read_at(0, &mut bytes).unwrap();
    change(&mut bytes);
    let mut file = CheckedWriter::create(path, &Format { version, ..TABLE }).unwrap();
    file.write(&bytes[Format::BYTES..]).unwrap();
    file.finish().unwrap();
}

/// Writes a table again with other rows or counts.
pub(crate) fn tamper(path: &Path, change: impl FnOnce(&mut [u8])) {
    rewrite(path, TABLE.version, |bytes| change(&mut bytes[ROWS..]));
}
