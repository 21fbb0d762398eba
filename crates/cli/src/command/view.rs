//! `lookalike view`: the clusters and passages of a run in the browser.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use lookalike_engine::Run;
use lookalike_engine::run::{Clusters, Passages, Verdicts};
use lookalike_files::write_file;
use lookalike_server::View;

use super::serve;
use crate::exit::{Outcome, say, tell};
use crate::flags;
use crate::output::{self, count};

/// Where the page is, unless another is wanted or somebody else is there.
const PORT: u16 = 7710;

pub(crate) fn run(arguments: &flags::View) -> anyhow::Result<Outcome> {
    let folder = &arguments.run;
    let run = Run::open(folder)?;
    let verdicts = Verdicts::open(folder)?;
    if let Some(file) = &arguments.labels {
        return labels(&verdicts, file);
    }
    let clusters = Clusters::open(run, arguments.memory)?;
    let compares = clusters.run().compares_documents();
    let left = arguments.memory.saturating_sub(clusters.len() * Clusters::BYTES);
    let passages = Passages::open(Run::open(folder)?, left)?;
    // Requests of a person who looks at a page are no news; faults are.
    let options = serve::options(&arguments.access)?.log(|line| {
        if line.contains("\"fault\":") {
            tell(line);
        }
    });
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listen = arguments.listen.map_or_else(|| vec![local(PORT), local(0)], |one| vec![one]);
    let view = View::bind((clusters, passages), verdicts, folder, &listen, options)?;
    serve::stop_when_interrupted(view.stop_handle(), "stopped at once; verdicts are on disk")?;
    if view.address() != listen[0] && listen[0].port() != 0 {
        say(&format!("port {PORT} is taken, so that another is used"));
    }
    let page = if compares { "" } else { "passages" };
    say(&format!("listening at http://{}/{page}", view.address()));
    view.run()?;
    say("stopped");
    Ok(Outcome::Done)
}

/// Writes what counts of the verdicts.
fn labels(verdicts: &Verdicts, file: &Path) -> anyhow::Result<Outcome> {
    let counts = verdicts.counts();
    let judged = counts.same + counts.different + counts.unsure;
    if judged == 0 {
        say("nobody has given a verdict on a pair of this run, so that there are no labels");
        return Ok(Outcome::No);
    }
    if file == Path::new("-") {
        output::write(verdicts.labels())?;
    } else {
        write_file(file, verdicts.labels().as_bytes())?;
        say(&format!("`{}`: {}", file.display(), count(judged, "label")));
    }
    Ok(Outcome::Done)
}
