//! `lookalike sketch`: a signature file of documents.

use lookalike_core::{Kernel, Layout, Signer};
use lookalike_engine::signature_file::SignatureWriter;
use lookalike_engine::{Error, ErrorKind, Existing, Texts, check_sets};

use crate::exit::{Outcome, say};
use crate::flags::Sketch;
use crate::output::{bytes, count, frequent, grouped};
use crate::progress::{Progress, rate};
use crate::skipped::SkipCount;
use crate::{interrupt, recipe};

pub(crate) fn run(arguments: &Sketch, kernel: Kernel) -> anyhow::Result<Outcome> {
    let name = arguments.recipe.as_deref().unwrap_or(arguments.documents.recipe());
    let recipe = recipe::load_with_ngram(name, arguments.ngram)?;
    let recipe = recipe::with_secret(recipe, arguments.secret_seed.as_deref())?;
    recipe.check_signs_alone()?;
    check_sets(&recipe, &arguments.documents.options().fields)?;
    let mut signer = Signer::with_kernel(&recipe, kernel)?;
    let mut texts = Texts::new();
    let mut inputs = arguments.documents.of(&arguments.inputs)?;
    let existing = Existing::with_force(arguments.force);
    let create = || SignatureWriter::create(&arguments.out, &recipe, existing);
    let mut writer =
        interrupt::create(|| create().map_err(with_hint), SignatureWriter::partial_path)?;

    let mut progress = Progress::start("sketch", arguments.progress);
    let (mut documents, mut empty, mut read) = (0, 0, 0);
    let mut skipped = SkipCount::default();
    for document in &mut inputs {
        let document = match document {
            Ok(document) => document,
            // What the system refuses says nothing of the document.
            Err(error) if arguments.strict || error.is_io() => return Err(error.into()),
            Err(error) => {
                skipped.add(&error, |message| progress.say(message));
                continue;
            }
        };
        let signature = signer.sign(texts.of_document(&document));
        empty += u64::from(signature.is_empty());
        writer.push(&document.id, signature)?;
        documents += 1;
        read += document.bytes.len() as u64;
        progress.document(document.bytes.len() as u64);
    }
    let time = progress.finish();
    let other = inputs.other_files();
    let passed_over = inputs.passed_over();
    let written = writer.finish()?;

    say(&format!(
        "`{}`: {} ({} empty), {} skipped{}{}",
        arguments.out.display(),
        count(documents, "document"),
        grouped(empty),
        grouped(skipped.count()),
        match passed_over.total() {
            0 => String::new(),
            n => {
                let reasons = frequent(&passed_over.most_frequent(usize::MAX));
                format!(", {} that are not documents ({reasons})", count(n, "record"))
            }
        },
        match other {
            0 => String::new(),
            n => format!(", {} of an unknown kind", count(n, "file")),
        },
    ));
    say(&format!(
        "read {} at {}; wrote {}, {} bytes a document",
        bytes(read),
        rate(read, time),
        bytes(written.bytes),
        Layout::of(&recipe).bytes(),
    ));
    Ok(Outcome::after_skipping(skipped.count()))
}

/// Says how to replace a file.
fn with_hint(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::File(fault) if fault.is_existing() => {
            anyhow::anyhow!("{error}\nhint: --force replaces it")
        }
        _ => error.into(),
    }
}
