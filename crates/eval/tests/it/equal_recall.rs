//! The bits by which Algorithm C returns as many correct pairs as another recipe.

use lookalike_core::{Kernel, Recipe, Sequence, Signature, Signer, Similarity};
use lookalike_eval::{Eval, Label, LabelFile};

use crate::equals_naive::{judgements, near, pages};
use crate::{folder, naive, name, write_labels, write_pages};

/// For every threshold the pairs are those of brute force, and the chosen one is the largest that is
/// enough.
#[test]
fn chosen_bits_are_those_of_brute_force() {
    let folder = folder("equal-recall");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let mut chosen = 0;
    for seed in 0..4 {
        let mut random = Sequence::new(seed, 31);
        let pages = pages(&mut random, 50);
        let judgements = judgements(&mut random, &pages, seed == 3);
        write_pages(&documents, &pages);
        write_labels(&labels, &judgements);
        let b = Recipe::preset("henzinger-b").unwrap();
        // Bits of its own: others than those that all recipes are measured by.
        let mut c = Recipe { seed: 5, ..Recipe::preset("henzinger-c").unwrap() };
        c.projection = c.projection.map(|mut of| {
            (of.bits, of.agree, of.agree_combined, of.pieces) = (192, 186, 178, 6);
            of
        });
        let found = Eval::new([name(&documents)])
            .recipes([b.clone(), c.clone()])
            .equal_recall("henzinger-c")
            .least_bits(150)
            .memory(80 << 20)
            .run(&LabelFile::new(&labels))
            .unwrap();
        let naive = naive::evaluate(&pages, &judgements, &[b], Label::Unlabelled, true);
        let mut signer = Signer::new(&c).unwrap();
        let signed: Vec<Signature> =
            pages.iter().map(|page| signer.sign(page.text.as_bytes()).clone()).collect();
        let similarity = Similarity::new(Kernel::best(), &c);
        let equal = |(a, b): (usize, usize)| similarity.c(&signed[a], &signed[b]).unwrap();
        let correct = |pair: &&naive::Pair| pair.label == Label::Correct;
        let weight =
            |pairs: &mut dyn Iterator<Item = &naive::Pair>| pairs.map(|p| p.weight).sum::<f64>();
        let wanted = weight(&mut naive.returned[0].iter().filter(correct));
        let told = found.equal_recall.unwrap();
        assert_eq!((told.bits, told.own, told.thresholds.len()), (192, 186, 43));
        for row in &told.thresholds {
            let at = |pair: &&naive::Pair| equal(pair.rows) >= row.agree;
            let here = || naive.labelled.iter().filter(at);
            assert_eq!(row.judged, here().count() as u64, "{seed} {}", row.agree);
            let right = row.correct.map_or(0, |correct| correct.number);
            assert_eq!(right, here().filter(correct).count() as u64, "{seed} {}", row.agree);
            let kept = |row: usize| !naive.removed[row] && !signed[row].is_empty();
            let all = (0..pages.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let all = all.filter(|&(a, b)| kept(a) && kept(b) && equal((a, b)) >= row.agree);
            assert_eq!(row.pairs, all.count() as u64, "{seed} {}", row.agree);
            let ours = weight(&mut here().filter(correct));
            assert!(row.r.is_none_or(|r| near(r, ours / wanted)), "{seed}: {row:?}");
            let is_enough = ours >= wanted * (1.0 - 1e-9) && wanted > 0.0;
            assert_eq!(
                is_enough,
                told.chosen.is_some_and(|chosen| chosen >= row.agree),
                "{seed}: {row:?}"
            );
        }
        if let Some(agree) = told.chosen {
            chosen += 1;
            assert_eq!(told.pieces, Some(192 - agree + 1));
            let row = told.thresholds.iter().find(|row| row.agree == agree).unwrap();
            assert_eq!(&told.rows[0], row);
            let parts: u64 = told.rows[1..].iter().map(|row| row.pairs).sum();
            assert_eq!(parts, row.pairs, "sites are apart");
        }
    }
    assert!(chosen > 0, "some is enough");
}

#[test]
fn what_has_no_bits_is_refused() {
    let folder = folder("equal-recall-refused");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let mut random = Sequence::new(1, 31);
    let pages = pages(&mut random, 10);
    write_pages(&documents, &pages);
    write_labels(&labels, &judgements(&mut random, &pages, false));
    let job = || Eval::new([name(&documents)]);
    let fails = |job: Eval| job.run(&LabelFile::new(&labels)).unwrap_err().to_string();
    let error = fails(job().equal_recall("text"));
    assert!(error.contains("`text` has no equal bits to choose"), "{error}");
    let error = fails(job().equal_recall("others"));
    assert!(error.contains("no recipe is named `others`"), "{error}");
    let error = fails(job().equal_recall("henzinger-c").least_bits(385));
    assert!(error.contains("384 bits, of which 385 cannot agree"), "{error}");
}
