//! What is taken over from a known run: signatures, sources, addresses of what stayed.

use crate::error::Result;
use crate::offsets::StoredOffsets;
use crate::run::Run;
use crate::sign::Sink;
use crate::signature_file::SignatureReader;
use crate::sources::{FieldNames, KnownRows, SourceRow};
use crate::urls::Urls;

/// Takes over the documents of a run that stayed.
pub(super) fn carry(run: &Run, sink: &mut Sink<'_>) -> Result<()> {
    let stays = run.survivors()?.count();
    let offsets = StoredOffsets::open(&run.files.offsets())?;
    let mut urls = Urls::open(&run.files.urls())?;
    let signatures = SignatureReader::open(run.files.signatures())?;
    let first = sink.next_row();
    signatures.for_each_row(|row, id, signature| {
        if run.is_known(row) || !stays.contains(row) {
            return Ok(());
        }
        let url = urls.as_mut().map(|urls| urls.get(row)).transpose()?.flatten();
        let offset = offsets.as_ref().map(|offsets| offsets.get(row)).transpose()?.flatten();
        sink.carried(id, signature, url.as_deref(), offset)
    })?;
    let fields = FieldNames::of(&run.manifest.read_options().fields);
    let before = sink.stays(&stays)?;
    let sources = run.sources();
    for number in 0..sources.new_sources() {
        let source = sources.get(number)?;
        let rows = source.rows();
        let of_run = KnownRows::new(rows.start.after(before), source.documents);
        sink.source(&SourceRow {
            first_row: first.after(stays.rank(rows.start)),
            documents: stays.count_in(&rows),
            fields: Some(fields.clone()),
            of_run: Some(of_run),
            ..source
        })?;
    }
    Ok(())
}
