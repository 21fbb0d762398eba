//! A stream of operations, one a line, and their answers in order.
//!
//! Lines are read as they come and answered before more are read, so that an
//! endless stream takes the memory of a few lines: a client that does not read
//! its answers is not read from either. Each operation sees what those before it
//! did; neighbours of one kind are done together. What lines take is counted from
//! their first byte until they are done, also while they wait for a thread.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, header};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

use crate::app::App;
use crate::body::{LARGE, has_type, next, refuse};
use crate::memory::{Reservation, SharedReservation};
use crate::model::{CheckedAndAdded, IndexDocument, Judged, LineAnswer, Operation, Outcome};
use crate::problem::{Problem, Result};
use crate::streamed::{Part, streamed};
use crate::writer::{ChangeResult, Changes};

/// The types of a stream of JSON lines. As bytes, for clients whose generators know no JSON lines.
const TYPES: [&str; 4] = ["application/x-ndjson", "application/ndjson", "application/jsonl", BYTES];
const BYTES: &str = "application/octet-stream";

/// A stream, as descriptions can have it.
#[derive(utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
struct ByteStream(#[expect(dead_code, reason = "only described")] Vec<u8>);

/// How long a stream may pause. It holds a connection meanwhile, and no thread.
const PAUSE: Duration = Duration::from_mins(5);

/// Answers that wait to be sent.
const ANSWERS: usize = 2;

/// Operations that are done before their answers are sent.
const TOGETHER: usize = 1024;

/// Does a stream of operations: a JSON object a line, answered with one a line, in order.
///
/// A line that is wrong is answered with an `error`, and the stream goes on. Answers come while
/// lines are still being sent, and must be read meanwhile. Lines with nothing in them are skipped.
#[utoipa::path(
    post,
    path = "/v1/bulk",
    request_body(content = inline(ByteStream), content_type = "application/octet-stream",
        description = "an `Operation` a line; may as well be sent as `application/x-ndjson`"),
    responses(
        (status = 200, description = "a `LineAnswer` a line, of the type that the request had",
         body = inline(ByteStream), content_type = "application/octet-stream"),
    )
)]
pub(super) async fn bulk(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response<Body>, Response<Body>> {
    if !has_type(request.headers(), &TYPES) {
        let problem = Problem::media_type(
            "send JSON lines, and say so in the header `Content-Type: application/x-ndjson`",
        );
        return Err(refuse(request, problem).await);
    }
    let kind = if has_type(request.headers(), &[BYTES]) { BYTES } else { TYPES[0] };
    let (answers, body) = streamed(ANSWERS);
    let lines = Lines::new(request.into_body(), Arc::clone(&app));
    tokio::spawn(Bulk { app, lines, answers }.run());
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

struct Bulk {
    app: Arc<App>,
    lines: Lines,
    answers: Sender<Part>,
}

impl Bulk {
    /// Goes on until the stream ends, the client goes away, or the server stops.
    async fn run(mut self) {
        let mut stopping = self.app.stopping.clone();
        loop {
            let read = tokio::select! {
                read = timeout(PAUSE, self.lines.read()) => read.unwrap_or_else(|_| {
                    Err(Problem::timeout(format!("nothing came for {} seconds", PAUSE.as_secs())))
                }),
                _ = stopping.wait_for(|stop| *stop) => {
                    Err(Problem::stopping("this line and those after it were not looked at"))
                }
            };
            let more = match read {
                Ok(more) => more,
                Err(problem) => {
                    let _ = self.send(vec![failed(self.lines.number + 1, problem)]).await;
                    return;
                }
            };
            while let Some(steps) = self.lines.parse() {
                let (steps, memory) = steps;
                for step in steps {
                    let answers = step.work(&self.app, &memory).await;
                    if self.send(answers).await.is_err() {
                        return;
                    }
                }
            }
            if !more {
                return;
            }
        }
    }

    async fn send(&mut self, answers: Vec<LineAnswer>) -> Result<(), ()> {
        let mut bytes = Vec::new();
        for answer in answers {
            // Only maps with keys that are no strings could fail.
            let _ = serde_json::to_writer(&mut bytes, &answer);
            bytes.push(b'\n');
        }
        self.answers.send(Ok(bytes.into())).await.map_err(|_| ())
    }
}

fn failed(line: u64, problem: Problem) -> LineAnswer {
    LineAnswer { line, outcome: Outcome::Failed { error: problem.without_line() } }
}

/// The lines of a body.
struct Lines {
    body: Body,
    app: Arc<App>,
    memory: Reservation,
    /// What has come and was not looked at.
    buffer: Vec<u8>,
    /// Of which so many bytes have no end of a line in them.
    searched: usize,
    /// Whether nothing more comes.
    ended: bool,
    /// Whether the beginning of the line was too long to keep.
    too_long: bool,
    /// The last line that was looked at.
    number: u64,
}

impl Lines {
    fn new(body: Body, app: Arc<App>) -> Self {
        let (memory, buffer) = (Reservation::default(), Vec::new());
        Self { body, app, memory, buffer, searched: 0, ended: false, too_long: false, number: 0 }
    }

    /// Waits for more of the body. False if there is none.
    async fn read(&mut self) -> Result<bool> {
        let Some(data) = next(&mut self.body).await? else {
            self.ended = true;
            return Ok(false);
        };
        self.app.memory.reserve(&mut self.memory, (self.buffer.len() + data.len()) as u64)?;
        self.buffer.extend_from_slice(&data);
        Ok(true)
    }

    /// The next operations and what they take, where parsing them stops no other request.
    fn parse(&mut self) -> Option<(Vec<Step>, SharedReservation)> {
        match self.buffer.len() {
            LARGE.. => tokio::task::block_in_place(|| self.steps(TOGETHER)),
            _ => self.steps(TOGETHER),
        }
    }

    /// The next operations that are complete, at most so many, in steps of one kind. `None` if
    /// there are none.
    fn steps(&mut self, most: usize) -> Option<(Vec<Step>, SharedReservation)> {
        let mut steps: Vec<Step> = Vec::new();
        let mut at = 0;
        for _ in 0..most {
            let rest = &self.buffer[at..];
            let searched = std::mem::take(&mut self.searched);
            let found = memchr::memchr(b'\n', &rest[searched..]);
            let (line, end) = match found.map(|found| searched + found) {
                Some(end) => (&rest[..end], at + end + 1),
                None if self.ended && (self.too_long || !rest.is_empty()) => {
                    (rest, self.buffer.len())
                }
                None => {
                    self.searched = rest.len();
                    break;
                }
            };
            at = end;
            self.number += 1;
            let limit = self.app.options.limits.body_bytes;
            let operation = if std::mem::take(&mut self.too_long) || line.len() as u64 > limit {
                Err(too_long(limit))
            } else if line.trim_ascii().is_empty() {
                continue;
            } else {
                serde_json::from_slice(line).map_err(|error| Problem::of_json(&error))
            };
            let step = Step::new(self.number, operation);
            let left = match steps.last_mut() {
                Some(last) => last.join(step),
                None => Some(step),
            };
            steps.extend(left);
        }
        // A line that is done takes no memory any more; that of what it says goes with the step.
        self.buffer = self.buffer.split_off(at);
        let unfinished = self.searched as u64;
        if unfinished > self.app.options.limits.body_bytes {
            self.buffer.clear();
            self.searched = 0;
            self.too_long = true;
        }
        let memory = self.memory.split(self.buffer.len() as u64);
        (at > 0 || !steps.is_empty()).then(|| (steps, SharedReservation::new(memory)))
    }
}

fn too_long(limit: u64) -> Problem {
    Problem::too_large(format!("the line has more than the {limit} bytes that this server takes"))
}

/// Operations of one kind that follow each other.
struct Step {
    lines: Vec<u64>,
    kind: StepKind,
}

enum StepKind {
    Check(Vec<(IndexDocument, Option<f64>)>),
    Change(Changes),
    Failed(Vec<Problem>),
}

impl Step {
    fn new(line: u64, operation: Result<Operation>) -> Self {
        let kind = match operation {
            Err(problem) => StepKind::Failed(vec![problem]),
            Ok(Operation::Check { document, threshold }) => {
                StepKind::Check(vec![(document.into(), threshold)])
            }
            Ok(Operation::Add { document }) => {
                StepKind::Change(Changes::Add(vec![document.into()]))
            }
            Ok(Operation::CheckAndAdd { document, add_if }) => {
                let changes = Changes::CheckAndAdd(vec![document.into()], add_if);
                StepKind::Change(changes)
            }
            Ok(Operation::Remove { id }) => StepKind::Change(Changes::Remove(vec![id])),
        };
        Self { lines: vec![line], kind }
    }

    /// Takes over another step if that is of the same kind; otherwise gives it back.
    fn join(&mut self, mut other: Self) -> Option<Self> {
        use Changes::{Add, CheckAndAdd, Remove};
        use StepKind::{Change, Check, Failed};
        match (&mut self.kind, &mut other.kind) {
            (Failed(these), Failed(more)) => these.append(more),
            (Change(Remove(these)), Change(Remove(more))) => these.append(more),
            (Check(these), Check(more)) => these.append(more),
            (Change(Add(these)), Change(Add(more))) => these.append(more),
            (Change(CheckAndAdd(these, a)), Change(CheckAndAdd(more, b))) if a == b => {
                these.append(more);
            }
            _ => return Some(other),
        }
        self.lines.append(&mut other.lines);
        None
    }

    async fn work(self, app: &Arc<App>, memory: &SharedReservation) -> Vec<LineAnswer> {
        let Self { lines, kind } = self;
        let outcomes = match kind {
            StepKind::Failed(problems) => {
                let failed = |error: Problem| Outcome::Failed { error: error.without_line() };
                Ok(problems.into_iter().map(failed).collect())
            }
            StepKind::Check(documents) => {
                check(app, documents, SharedReservation::clone(memory)).await
            }
            StepKind::Change(changes) => {
                change(app, changes, SharedReservation::clone(memory)).await
            }
        };
        match outcomes {
            Ok(outcomes) => {
                let answers = lines.into_iter().zip(outcomes);
                answers.map(|(line, outcome)| LineAnswer { line, outcome }).collect()
            }
            Err(problem) => lines.into_iter().map(|line| failed(line, problem.clone())).collect(),
        }
    }
}

async fn check(
    app: &Arc<App>,
    documents: Vec<(IndexDocument, Option<f64>)>,
    memory: SharedReservation,
) -> Result<Vec<Outcome>> {
    let turn = app.work.turn_of_stream().await;
    let shared = Arc::clone(app);
    app.work
        .run(&turn, move || {
            let _memory = memory;
            let check = |(document, threshold)| match shared.check(&document, threshold) {
                Ok(answer) => Ok(Outcome::Checked(answer)),
                // The fault of a line is that of no other.
                Err(error) if error.status().is_client_error() => {
                    Ok(Outcome::Failed { error: error.without_line() })
                }
                Err(error) => Err(error),
            };
            documents.into_iter().map(check).collect()
        })
        .await
}

async fn change(
    app: &Arc<App>,
    changes: Changes,
    memory: SharedReservation,
) -> Result<Vec<Outcome>> {
    let turn = app.work.turn_of_stream().await;
    let done = app.change_in_turn(changes, memory, &turn).await?;
    let judged = Judged::by(&app.index);
    let outcomes = done.into_iter().map(|done| match done {
        ChangeResult::Removed(removed) => Outcome::Removed { removed },
        ChangeResult::Added(added) => Outcome::Added { added },
        ChangeResult::CheckedAndAdded(done) => {
            Outcome::CheckedAndAdded(CheckedAndAdded::new(done, judged))
        }
    });
    Ok(outcomes.collect())
}
