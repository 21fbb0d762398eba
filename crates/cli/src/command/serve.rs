//! `lookalike serve`: the HTTP service and its page.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use lookalike_core::{Kernel, Recipe};
use lookalike_index::{CreateOptions, ErrorKind, Index};
use lookalike_server::{Exposure, Options, Server, Stop, Token, is_world_readable};

use super::index::open_options;
use crate::exit::{Outcome, say, tell};
use crate::flags::{Access, Serve};
use crate::{interrupt, recipe};

pub(crate) fn run(arguments: &Serve, kernel: Kernel) -> anyhow::Result<Outcome> {
    let mut options = options(&arguments.access)?.limits(arguments.limits());
    for run in &arguments.runs {
        options = options.run(run)?;
    }
    let server = Server::bind(index(arguments, kernel)?, arguments.listen, options)?;
    let last_words = "stopped at once; what was answered is on disk";
    stop_when_interrupted(server.stop_handle(), last_words)?;
    say(&format!("listening at http://{}/", server.address()));
    server.run()?;
    say("stopped");
    Ok(Outcome::Done)
}

/// How a server behaves that only these may reach.
pub(super) fn options(access: &Access) -> anyhow::Result<Options> {
    let everybody = access.insecure_public;
    let exposure = if everybody { Exposure::Everybody } else { Exposure::Loopback };
    let options = Options::new().exposure(exposure);
    let Some(path) = &access.token_file else { return Ok(options) };
    let token = Token::read(path)?;
    if is_world_readable(path) {
        let path = path.display();
        tell(&format!("`{path}`: everyone on this machine can read it\nhint: chmod 600 {path}"));
    }
    Ok(options.token(token))
}

/// Makes Ctrl-C and SIGTERM stop a server, and the second one end it with these words.
pub(super) fn stop_when_interrupted(stop: Stop, last_words: &'static str) -> anyhow::Result<()> {
    let stopping = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if stopping.swap(true, Ordering::Relaxed) {
            interrupt::exit_after(last_words);
        }
        say("stopping; once more stops it at once");
        stop.stop();
    })
    .context("cannot prepare for Ctrl-C")
}

/// The index, made if that is wanted.
fn index(arguments: &Serve, kernel: Kernel) -> anyhow::Result<Index> {
    let open = open_options(arguments.secret_seed.as_deref(), kernel)?;
    if !arguments.create {
        return Index::open(&arguments.folder, &open).map_err(|error| match error.kind() {
            ErrorKind::NoIndex(path) => {
                anyhow::anyhow!("`{}`: is not an index\nhint: --create makes one", path.display())
            }
            _ => error.into(),
        });
    }
    let name = arguments.recipe.as_deref();
    let wanted = recipe::load(name.unwrap_or("text"))?;
    match Index::open(&arguments.folder, &open) {
        Ok(index) if name.is_some() && !is_same(index.recipe(), &wanted) => bail!(
            "`{}`: was made by the recipe `{}`, not by `{}`\n\
             hint: leave out --recipe, or name another folder",
            arguments.folder.display(),
            index.recipe().name,
            wanted.name
        ),
        Err(error) if matches!(error.kind(), ErrorKind::NoIndex(_)) => {
            let create = CreateOptions::new().open(open);
            Ok(Index::create(&arguments.folder, &wanted, &create)?)
        }
        opened => Ok(opened?),
    }
}

/// Whether two recipes are the same but for the secret, which an index has opened with, and for sketches that
/// an index keeps in any case.
fn is_same(found: &Recipe, wanted: &Recipe) -> bool {
    let wanted = Recipe { keep_sketch: found.keep_sketch, ..wanted.without_secret() };
    found.without_secret().digest() == wanted.digest()
}
