//! The library looks at no environment variable: whoever calls it says which kernel to use.

use std::process::Command;

use lookalike_core::{Comparer, Recipe, Signer};

/// Also run by the test below, in a process whose environment names a kernel that is none.
#[test]
fn signs_and_compares() {
    let recipe = Recipe::default();
    assert!(!Signer::new(&recipe).unwrap().sign("a rose is a rose").is_empty());
    Comparer::new(&recipe).unwrap();
}

#[test]
fn the_environment_chooses_no_kernel() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "environment::signs_and_compares"]).env("LOOKALIKE_KERNEL", "bogus");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
