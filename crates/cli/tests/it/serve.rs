//! `lookalike serve`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use crate::{folder, lookalike, path, run, run_with_input};

/// A server on a port of its own.
pub(crate) struct Served {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    pub(crate) address: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        Self::start_command(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat())
    }

    /// Runs a command that serves, until it says where.
    pub(crate) fn start_command(arguments: &[&str]) -> Self {
        let mut command = lookalike(arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("listening at http://") {
            said.clear();
            assert!(stderr.read_line(&mut said).unwrap() > 0, "it did not start");
        }
        let address = said.trim().rsplit("http://").next().unwrap();
        let address = address.trim_end_matches('/').to_owned();
        Self { child, stderr, address }
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = "Host: localhost\r\nConnection: close\r\n";
        write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks it to stop, and waits. Gives its exit code and what it said since it listened.
    pub(crate) fn terminate(mut self) -> (Option<i32>, String) {
        let kill = std::process::Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(kill.unwrap().success());
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn it_serves_and_stops_when_it_is_told_to() {
    let folder = folder("serve");
    let index = path(&folder, "index");
    let served = Served::start(&[&index, "--create"]);
    let added =
        served.post("/v1/documents", r#"{"id": "a", "text": "one two three four five six"}"#);
    assert!(added.starts_with("HTTP/1.1 201"), "{added}");
    run(&["serve", &index, "--listen", "127.0.0.1:0"]).fails_with("in use");
    let (code, said) = served.terminate();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\"route\":\"/v1/documents\"") && said.ends_with("lookalike: stopped\n"));

    let served = Served::start(&[&index, "--create", "--recipe", "text"]);
    let found = served.post("/v1/check", r#"{"text": "one two three four five six"}"#);
    assert!(found.contains("\"keeper\":\"a\""), "{found}");
    assert_eq!(served.terminate().0, Some(0));
    let other = ["serve", &index, "--create", "--recipe", "pugh", "--listen", "127.0.0.1:0"];
    run(&other).fails_with("was made by the recipe `text`, not by `pugh`");
}

#[test]
fn a_match_is_the_same_json_as_on_the_command_line() {
    let folder = folder("serve-match");
    let (index, known) = (path(&folder, "index"), path(&folder, "known.jsonl"));
    let words: Vec<String> = (0..40).map(|n| format!("w{n}")).collect();
    let text = words.join(" ");
    fs::write(
        &known,
        format!(
            "{{\"id\": \"same\", \"url\": \"http://x.org/\", \"text\": \"{text}\"}}\n\
             {{\"id\": \"near\", \"text\": \"{text} and more\"}}\n"
        ),
    )
    .unwrap();
    let matches = |answer: &str| {
        let (_, rest) = answer.split_once("\"matches\":").unwrap();
        rest.split_once(",\"limited\"").unwrap().0.to_owned()
    };
    let signatures = path(&folder, "known.signatures");
    assert_eq!(run(&["sketch", &known, "-o", &signatures]).code, 0);
    // With texts, with identities under a key, and with what anyone could have forged.
    for (stored, added, verified) in
        [(&[][..], &known, 2), (&["--no-text"], &known, 1), (&["--no-text"], &signatures, 0)]
    {
        let _ = fs::remove_dir_all(&index);
        assert_eq!(run(&[&["index", "create", &index][..], stored].concat()).code, 0);
        assert_eq!(run(&["index", "add", &index, added]).code, 0);
        let asked = format!("{{\"text\": \"{text}\"}}");
        let check = ["index", "check", &index, "-", "--format", "jsonl", "--json"];
        let printed = matches(&run_with_input(&check, asked.as_bytes()).stdout);
        let served = matches(&Served::start(&[&index]).post("/v1/check", &asked));
        assert_eq!(printed, served);
        assert!(printed.starts_with("[{\"id\":\"same\",\"url\":"), "{printed}");
        assert_eq!(printed.matches("\"verified\":true").count(), verified, "{printed}");
        assert_eq!(printed.matches("\"time\":").count(), 2, "{printed}");
    }
}

#[test]
fn mistakes_are_told_before_anything_is_served() {
    let folder = folder("serve-mistakes");
    let (index, token) = (path(&folder, "index"), path(&folder, "token"));
    run(&["serve", &index]).fails_with("is not an index\nhint: --create makes one");
    run(&["serve", &index, "--recipe", "text"]).fails_with("--create");
    run(&["serve", &index, "--create", "--listen", "example.org:80"]).fails_with("in numbers");
    run(&["serve", &index, "--create", "--max-body", "1TiB"]).fails_with("--max-body must be");
    run(&["serve", &index, "--create", "--token-file", &token]).fails_with("cannot be read");
    fs::write(&token, "short\n").unwrap();
    run(&["serve", &index, "--create", "--token-file", &token]).fails_with("hint: `openssl rand");
    run(&["serve", &index, "--create", "--runs", &index]).fails_with("no report.html");
    run(&["serve", &index, "--create", "--listen", "0.0.0.0:0"]).fails_with("--token-file FILE");
    let both = ["serve", &index, "--insecure-public", "--token-file", &token];
    run(&both).fails_with("cannot be used with");
    run(&["serve", &index, "--create", "--secret-seed", &token]).fails_with("is not a secret");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = run(&["serve", &index, "--create", "--listen", &address]);
    refused.fails_with("another program is listening there\nhint: name another port");
}

#[cfg(unix)]
#[test]
fn a_token_that_everybody_can_read_is_told_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("serve-token");
    let (index, token) = (path(&folder, "index"), path(&folder, "token"));
    fs::write(&token, "0123456789abcdef0123\n").unwrap();
    for (mode, warned) in [(0o644, true), (0o600, false)] {
        fs::set_permissions(&token, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = lookalike(&["serve", &index, "--create", "--listen", "127.0.0.1:0"]);
        let mut child =
            command.args(["--token-file", &token]).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("listening") {
            assert!(stderr.read_line(&mut said).unwrap() > 0);
        }
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(said.contains("everyone on this machine can read it"), warned, "{said}");
    }
}
