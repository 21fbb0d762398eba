//! What is taken over from a known run: signatures, sources, addresses.

use super::partners::{Partners, SideRows};
use crate::error::Result;
use crate::offsets::StoredOffsets;
use crate::places::Row;
use crate::run::Run;
use crate::sign::{Carried, Sink};
use crate::signature_file::SignatureReader;
use crate::sources::{FieldNames, KnownRows, SourceRow};
use crate::urls::Urls;

/// Takes over those documents of a run that have anything in common with a new one.
pub(super) fn carry(
    run: &Run,
    at: &SideRows,
    partners: &Partners,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let offsets = StoredOffsets::open(&run.files.offsets())?;
    let mut urls = Urls::open(&run.files.urls())?;
    let signatures = SignatureReader::open(run.files.signatures())?;
    let first = sink.next_row();
    // From its row in the run to the one among those of all runs.
    let among_all = |row: Row| at.rows.start.after(row.into());
    let rows = Row::between(Row::nth(0)..Row::nth(run.documents()));
    let taken = rows.filter(|row| partners.rows.contains(among_all(*row)));
    signatures.for_each_of(taken, |row, id, signature| {
        let url = urls.as_mut().map(|urls| urls.get(row)).transpose()?.flatten();
        let offset = offsets.as_ref().map(|offsets| offsets.get(row)).transpose()?.flatten();
        let may_be_copy = partners.of_fingerprints.contains(among_all(row));
        sink.carried(id, &Carried { signature, url: url.as_deref(), offset, may_be_copy })
    })?;
    let fields = FieldNames::of(&run.manifest.read_options().fields);
    let before = partners.rows.rank(at.rows.start);
    let sources = run.sources();
    for number in 0..sources.new_sources() {
        let source = sources.get(number)?;
        let of_source = source.rows();
        let of_source = among_all(of_source.start)..among_all(of_source.end);
        let documents = partners.rows.count_in(&of_source);
        if documents == 0 {
            continue;
        }
        let of_run = KnownRows::new(of_source.start, source.documents);
        sink.source(&SourceRow {
            first_row: first.after(partners.rows.rank(of_source.start) - before),
            documents,
            fields: Some(fields.clone()),
            of_run: Some(of_run),
            ..source
        })?;
    }
    Ok(())
}
