//! What must hold of the front door as a whole: everything can be sent, and every error is one.

use super::*;

fn is_send<T: Send>() {}
fn is_shared<T: Send + Sync>() {}

/// Programs hand these from thread to thread.
#[test]
fn everything_can_be_sent() {
    is_shared::<Recipe>();
    is_shared::<Signature>();
    is_shared::<Error>();
    is_send::<Signer>();
    is_send::<Comparer>();
    #[cfg(feature = "jobs")]
    {
        is_shared::<Dedup>();
        is_shared::<Report>();
        is_shared::<Document>();
        is_shared::<jobs::SignatureLookup>();
    }
    #[cfg(feature = "index")]
    is_shared::<Index>();
}

#[test]
fn errors_of_recipes_are_errors() {
    fn preset(name: &str) -> Result<Recipe> {
        Ok(Recipe::preset(name)?)
    }
    fn filter(k: u32) -> Result<recipe::Filter> {
        Ok(recipe::Filter::new(k, 1, 1)?)
    }
    fn kernel(name: &str) -> Result<Kernel> {
        Ok(Kernel::named(name)?)
    }
    let errors = [preset("no").unwrap_err(), filter(0).unwrap_err(), kernel("no").unwrap_err()];
    for error in &errors {
        assert_eq!(error.kind(), ErrorKind::Parameter);
        assert!(error.part().is::<error::RecipeError>(), "{error}");
        // What `main` prints is the message.
        assert_eq!(format!("{error:?}"), error.to_string());
    }
    assert!(errors[0].to_string().starts_with("there is no recipe `no`"), "{}", errors[0]);

    let text = Recipe::preset("text").unwrap();
    let seeded = Recipe { seed: 1, ..text.clone() };
    let mismatch = Error::from(text.check_same_bits(&seeded).unwrap_err());
    assert_eq!(mismatch.kind(), ErrorKind::Mismatch);
}

/// A folder that goes with the test.
#[cfg(any(feature = "jobs", feature = "index"))]
struct Folder(std::path::PathBuf);

#[cfg(any(feature = "jobs", feature = "index"))]
impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("lookalike-facade-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

#[cfg(any(feature = "jobs", feature = "index"))]
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(feature = "jobs")]
#[test]
fn errors_of_jobs_are_errors() {
    use std::fs;

    struct Impatient;
    impl jobs::Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }

    fn open(path: &std::path::Path) -> Result<Run> {
        Ok(Run::open(path)?)
    }

    fn first(input: &str) -> Result<Document> {
        Ok(documents::Inputs::new(&[input])?.next().unwrap()?)
    }

    fn keep(policy: &str) -> Result<KeepPolicy> {
        Ok(policy.parse::<KeepPolicy>()?)
    }

    let folder = Folder::new("jobs");
    let input = folder.0.join("in.jsonl").display().to_string();
    let line = |id: u32| format!("{{\"id\": \"{id}\", \"text\": \"the same few words\"}}\n");
    fs::write(&input, (0..10).map(line).collect::<String>()).unwrap();
    let run = |job: &Dedup, out: &str| -> Result<Report> { Ok(job.run(folder.0.join(out))?) };
    let kind = |result: Result<Report>| result.unwrap_err().kind();
    let job = dedup([input.clone()]);

    assert_eq!(kind(run(&dedup(["no such file"]), "out")), ErrorKind::NotFound);
    let budget = jobs::RemovalBudget::default().of_all(0.5);
    let careful = job.clone().removal_budget(budget);
    assert_eq!(kind(run(&careful, "careful")), ErrorKind::RemovalBudget);
    let stopped = job.run_observed(folder.0.join("stopped"), &Impatient).map_err(Error::from);
    assert_eq!(kind(stopped), ErrorKind::Interrupted);
    assert_eq!(run(&job, "out").unwrap().kept, 1);
    assert_eq!(kind(run(&job, "out")), ErrorKind::Exists);
    assert_eq!(
        kind(run(&job.clone().recipe(recipe_without_tokens()), "bad")),
        ErrorKind::Parameter
    );

    assert_eq!(keep("newest").unwrap_err().kind(), ErrorKind::Parameter);
    assert_eq!(open(&folder.0).err().unwrap().kind(), ErrorKind::NotFound);
    let signatures = folder.0.join("out/documents.signatures");
    let mut damaged = fs::read(&signatures).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&signatures, damaged).unwrap();
    let read = || -> Result<()> {
        let mut reader = jobs::SignatureReader::open(&signatures)?;
        let (mut id, mut signature) = (String::new(), Signature::default());
        while reader.read(&mut id, &mut signature)? {}
        Ok(())
    };
    assert_eq!(read().unwrap_err().kind(), ErrorKind::Corruption);

    fs::write(&input, "no JSON\n").unwrap();
    let error = first(&input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.part().is::<error::DocumentError>());

    let labels = folder.0.join("labels.jsonl");
    fs::write(&labels, "").unwrap();
    let evaluation = eval::Eval::new([input]).run(&eval::LabelFile::new(labels));
    let error = Error::from(evaluation.unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.part().is::<error::EvalError>());
}

#[cfg(feature = "jobs")]
fn recipe_without_tokens() -> Recipe {
    let mut recipe = Recipe::preset("text").unwrap();
    recipe.shingles.width = 0;
    recipe
}

#[cfg(feature = "index")]
#[test]
fn errors_of_the_index_are_errors() {
    use index::{CreateOptions, OpenOptions};

    let folder = Folder::new("index");
    let recipe = Recipe::preset("text").unwrap();
    let create = || -> Result<Index> {
        Ok(Index::create(folder.0.join("index"), &recipe, &CreateOptions::new())?)
    };
    let open = |name: &str| -> Result<Index> {
        Ok(Index::open(folder.0.join(name), &OpenOptions::new())?)
    };
    let kind = |result: Result<Index>| result.err().unwrap().kind();
    assert_eq!(kind(open("index")), ErrorKind::NotFound);
    let index = create().unwrap();
    assert_eq!(kind(open("index")), ErrorKind::Busy);
    drop(index);
    assert_eq!(kind(create()), ErrorKind::Exists);
    assert!(create().err().unwrap().part().is::<error::IndexError>());
}

#[cfg(feature = "serde")]
#[test]
fn values_come_back_as_they_were_stored() {
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let mut signer = Signer::new(&recipe).unwrap();
    let (old, new) = ("a few words for a signature", "a few more words for a signature");
    let signature = signer.sign(old).clone();
    let text = serde_json::to_string(&signature).unwrap();
    assert!(text.starts_with(&format!("{{\"exact\":\"{:032x}\"", signature.exact)), "{text}");
    assert_eq!(serde_json::from_str::<Signature>(&text).unwrap(), signature);
    for damaged in [text.replacen("\"exact\":\"", "\"exact\":\"0", 1), "{}".to_owned()] {
        assert!(serde_json::from_str::<Signature>(&damaged).is_err(), "{damaged}");
    }

    let comparison = Comparer::new(&recipe).unwrap().compare(old, new);
    let text = serde_json::to_string(&comparison).unwrap();
    assert_eq!(serde_json::from_str::<Comparison>(&text).unwrap(), comparison);

    let text = serde_json::to_string(&recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), recipe);
    assert!(serde_json::from_str::<Recipe>("\"version = 9\"").is_err());
}
