//! `lookalike view`.

use std::fs;
use std::net::TcpListener;

use crate::serve::Served;
use crate::why::{CORPUS, finished};
use crate::{folder, json_values, path, run};

/// What an answer has behind its head.
fn body(answer: &str) -> serde_json::Value {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(body).unwrap()
}

#[cfg(unix)]
#[test]
fn a_run_is_looked_through_judged_and_evaluated() {
    let folder = folder("view");
    let out = finished(&folder, &[CORPUS], &[]);
    let labels = path(&folder, "labels.jsonl");
    let none = run(&["view", &out, "--labels", &labels]);
    assert_eq!(none.code, 1, "{}", none.stderr);
    none.says("nobody has given a verdict");

    let served = Served::start_command(&["view", &out, "--bind", "127.0.0.1:0"]);
    assert!(served.get("/").contains("<title>Clusters"));
    let list = body(&served.get("/v1/clusters?limit=100&kind=near"));
    let near: Vec<u64> = list["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["cluster"].as_u64().unwrap())
        .collect();
    assert!(near.len() > 10, "{list}");
    for (n, cluster) in near.iter().take(6).enumerate() {
        let opened = body(&served.get(&format!("/v1/clusters/{cluster}")));
        let (a, b) = (&opened["members"][0]["row"], &opened["members"][1]["row"]);
        let compared = body(&served.get(&format!("/v1/compare?a={a}&b={b}")));
        assert_eq!(compared["resemblance"], opened["members"][1]["resemblance"], "{opened}");
        let verdict = ["same", "different", "unsure"][n % 3];
        let given = format!("{{\"a\":{a},\"b\":{b},\"verdict\":\"{verdict}\"}}");
        let given = body(&served.post("/v1/verdicts", &given));
        assert_eq!(given["verdict"]["verdict"], verdict);
    }
    let (code, said) = served.terminate();
    assert_eq!((code, said.ends_with("lookalike: stopped\n")), (Some(0), true), "{said}");
    assert!(!said.contains("/v1/clusters"), "requests are no news: {said}");

    run(&["view", &out, "--labels", &labels]).succeeds().says("6 labels");
    let exported = json_values(&fs::read_to_string(&labels).unwrap());
    assert_eq!(exported.len(), 6);
    let printed = run(&["view", &out, "--labels", "-", "--quiet"]).succeeds();
    assert_eq!(json_values(&printed.stdout), exported);
    assert_eq!(printed.stderr, "");

    let judged = path(&folder, "judged");
    let eval = ["eval", "--documents", CORPUS, "--labels", &labels, "--recipes", "text"];
    let evaluated = run(&[&eval[..], &["--out", &judged, "--json"]].concat()).succeeds();
    let summary = evaluated.json();
    let summary = &summary["labels"];
    let counts =
        ["correct", "incorrect", "undecided", "skipped"].map(|name| summary[name].as_u64());
    assert_eq!(counts, [Some(2), Some(2), Some(2), Some(0)], "{}", evaluated.stdout);
}

#[test]
fn a_port_that_is_taken_is_told_of() {
    let folder = folder("view-port");
    let out = finished(&folder, &[CORPUS], &["--exact-only"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&["view", &out, "--listen", &address]).fails_with("another program is listening there");
    run(&["view", &out, "--listen", "0.0.0.0:0"]).fails_with("--token-file FILE");
    // Whoever is at the usual port, this one or another program, both find a place.
    let both = [(); 2].map(|()| Served::start_command(&["view", &out]));
    assert_ne!(both[0].address, both[1].address);
    for served in &both {
        assert_eq!(body(&served.get("/v1/run"))["documents"], 300);
    }
}

#[test]
fn what_is_no_finished_run_is_refused() {
    let folder = folder("view-mistakes");
    let nothing = path(&folder, "nothing");
    run(&["view", &nothing]).fails_with("has no results of a run\nhint: name the folder");
    run(&["view", CORPUS, "--labels", "-"]).fails_with("has no results of a run");
    run(&["view", &nothing, "--labels", "x", "--listen", "127.0.0.1:0"])
        .fails_with("cannot be used");

    let out = finished(&folder, &[CORPUS], &[]);
    run(&["view", &out, "--memory", "100"]).fails_with("51 clusters need 1 MiB of memory");
    let [clusters, verdicts] =
        &["clusters.parquet", "verdicts.jsonl"].map(|n| format!("{out}/{n}"));
    fs::write(verdicts, "{\"a\": 1}\n").unwrap();
    run(&["view", &out]).fails_with("verdicts.jsonl");
    fs::remove_file(verdicts).unwrap();

    let whole = fs::read(clusters).unwrap();
    fs::write(clusters, &whole[..whole.len() / 2]).unwrap();
    run(&["view", &out]).fails_with("clusters.parquet");
    fs::remove_file(clusters).unwrap();
    run(&["view", &out]).fails_with("clusters.parquet");
    fs::write(clusters, whole).unwrap();

    let begun = path(&folder, "begun");
    run(&["dedup", CORPUS, "--out", &begun, "--max-removed", "0.01"])
        .fails_with("would be removed");
    run(&["view", &begun])
        .fails_with("the run is not finished\nhint: run the command that began it");
}
