//! The search against brute force, and what it refuses.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "equal calls give equal bits; a failed unwrap is a failed test"
)]

use lookalike_core::filter::{Error, Filter, Found, Limit, Search, UNWANTED_AT};

/// Every filter within the limits, judged one by one.
fn brute_force(search: &Search, most_permutations: u32) -> Option<Filter> {
    let permutations = search.max_permutations.unwrap_or(most_permutations);
    let features = search.max_bytes.map_or(permutations, |bytes| bytes / 8);
    let budget = search.max_permutations.is_some() || search.max_bytes.is_some();
    let mut all = Vec::new();
    for k in 1..=features.min(permutations) {
        for s in 1..=permutations / k {
            for r in 1..=k {
                let filter = Filter::new(k, s, r).unwrap();
                let unwanted = filter.probability(UNWANTED_AT * search.threshold);
                if (r < k || k == 1)
                    && filter.super_features() <= search.max_super_features.unwrap_or(64)
                    && filter.probability(search.threshold) >= search.recall
                    && (budget || unwanted <= search.unwanted.unwrap_or(1.0 / 3.0))
                {
                    all.push((filter, if budget { unwanted } else { 0.0 }));
                }
            }
        }
    }
    all.sort_by(|(f, u), (g, v)| {
        u.total_cmp(v)
            .then(f.permutations().cmp(&g.permutations()))
            .then(g.slope(search.threshold).total_cmp(&f.slope(search.threshold)))
            .then(f.k().cmp(&g.k()))
    });
    all.first().map(|(filter, _)| *filter)
}

#[test]
fn search_without_a_budget_equals_brute_force() {
    for threshold in [0.5, 0.7, 0.8, 0.9, 0.97, 1.0] {
        for recall in [0.5, 0.9, 0.95, 0.99] {
            for max_super_features in [1, 10, 64, u64::MAX] {
                let search = Search {
                    max_super_features: Some(max_super_features),
                    ..Search::new(threshold, recall)
                };
                let wanted = brute_force(&search, 120);
                match search.run() {
                    Ok(found)
                        if found.filter.permutations() <= 120 && found.unwanted <= 1.0 / 3.0 =>
                    {
                        assert_eq!(Some(found.filter), wanted, "{search:?}");
                    }
                    Ok(found) => {
                        // None is useful: the least unwanted share takes its place.
                        assert_eq!(wanted, None, "{search:?}");
                        keeps_its_word(&search, &found);
                    }
                    Err(_) => assert_eq!(wanted, None, "{search:?}"),
                }
            }
        }
    }
}

#[test]
fn search_within_a_budget_equals_brute_force() {
    for threshold in [0.3, 0.6, 0.8, 0.95, 1.0] {
        for recall in [0.5, 0.95, 0.99] {
            for (permutations, bytes) in [(16, None), (64, None), (100, Some(48)), (100, Some(160))]
            {
                for max_super_features in [5, 64, u64::MAX] {
                    let search = Search {
                        max_permutations: Some(permutations),
                        max_bytes: bytes,
                        max_super_features: Some(max_super_features),
                        ..Search::new(threshold, recall)
                    };
                    let found = search.run().ok().map(|found| found.filter);
                    assert_eq!(found, brute_force(&search, permutations), "{search:?}");
                }
            }
        }
    }
}

fn keeps_its_word(search: &Search, found: &Found) {
    let filter = found.filter;
    assert!(found.recall >= search.recall);
    assert_eq!(found.recall, filter.probability(search.threshold));
    assert_eq!(found.unwanted, filter.probability(found.unwanted_at));
    assert!(filter.super_features() <= search.max_super_features.unwrap_or(512));
    assert!(search.max_permutations.is_none_or(|n| filter.permutations() <= n));
    assert!(search.max_bytes.is_none_or(|n| filter.bytes_per_document() <= n));
}

#[test]
fn every_search_keeps_its_word() {
    for i in 1..=20 {
        let threshold = f64::from(i) / 20.0;
        for recall in [0.01, 0.95, 0.999_999] {
            for max_permutations in [None, Some(1), Some(128), Some(1000)] {
                for max_super_features in [64, u64::MAX] {
                    let search = Search {
                        max_permutations,
                        max_super_features: Some(max_super_features),
                        ..Search::new(threshold, recall)
                    };
                    if let Ok(found) = search.run() {
                        keeps_its_word(&search, &found);
                    }
                }
            }
        }
    }
}

#[test]
fn a_larger_budget_never_buys_less() {
    let mut last = 1.0;
    for n in 1..300 {
        let search = Search { max_permutations: Some(n), ..Search::new(0.8, 0.95) };
        if let Ok(found) = search.run() {
            assert!(found.unwanted <= last);
            last = found.unwanted;
        }
    }
    assert!(last < 0.2);
}

#[test]
fn threshold_of_one_finds_the_equal() {
    let found = Search::new(1.0, 0.999).run().unwrap();
    assert_eq!(found.filter, Filter::new(1, 4, 1).unwrap());
    assert_eq!(found.recall, 1.0);
}

#[test]
fn values_out_of_range_are_refused() {
    for bad in [f64::NAN, 0.0, -0.1, 1.5, f64::INFINITY] {
        let error = Search::new(bad, 0.9).run().unwrap_err();
        assert!(matches!(error, Error::Threshold(_)), "{error}");
        let error = Search::new(0.8, bad).run().unwrap_err();
        assert!(matches!(error, Error::Recall(_)), "{error}");
        let error = Search { unwanted: Some(bad), ..Search::new(0.8, 0.9) }.run().unwrap_err();
        assert!(matches!(error, Error::Unwanted(_)), "{error}");
    }
    assert_eq!(
        Search::new(1.5, 0.9).run().unwrap_err().to_string(),
        "threshold 1.5 is not above 0 and at most 1"
    );
    assert_eq!(
        Search::new(0.8, 1.0).run().unwrap_err().to_string(),
        "recall 1 is not above 0 and below 1"
    );
}

#[test]
fn a_budget_for_nothing_is_refused() {
    let search = Search::new(0.8, 0.95);
    for search in [
        Search { max_permutations: Some(0), ..search },
        Search { max_bytes: Some(7), ..search },
        Search { max_super_features: Some(0), ..search },
    ] {
        assert!(matches!(search.run(), Err(Error::Budget { .. })), "{search:?}");
    }
}

#[test]
fn recall_out_of_reach_says_what_can_be_had() {
    let search = Search { max_permutations: Some(4), ..Search::new(0.3, 0.95) };
    let error = search.run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "recall 0.95 at a resemblance of 0.3 is out of reach: the best is 0.7599, by [4, 1, 1]\n\
         hint: raise the 4 permutations"
    );
    let limit = |search: Search| match search.run() {
        Err(Error::RecallOutOfReach { limit, .. }) => limit,
        other => panic!("{other:?}"),
    };
    let search = Search::new(0.01, 0.9);
    assert_eq!(limit(search), Limit::SuperFeatures(64));
    assert_eq!(limit(Search { max_bytes: Some(80), ..search }), Limit::Bytes(80));
    let all = Search { max_super_features: Some(u64::MAX), ..Search::new(0.001, 0.9) };
    assert_eq!(limit(all), Limit::Fixed);
}

#[test]
fn unwanted_out_of_reach_says_what_can_be_had() {
    let search = Search { unwanted: Some(0.001), ..Search::new(0.8, 0.95) };
    let Err(Error::UnwantedOutOfReach { least, filter, .. }) = search.run() else {
        panic!("{:?}", search.run());
    };
    assert_eq!(least, filter.probability(UNWANTED_AT * 0.8));
    assert!(least > 0.001);
    let message = search.run().unwrap_err().to_string();
    assert!(
        message.starts_with("no filter lets at most 0.0010 of the pairs of resemblance 0.6000")
    );
    assert!(Search { unwanted: Some(least), ..search }.run().is_ok());
}

#[test]
fn an_unwanted_share_holds_beside_a_budget() {
    let search = Search { max_permutations: Some(400), ..Search::new(0.8, 0.95) };
    let most = search.run().unwrap();
    let modest = Search { unwanted: Some(0.3), ..search }.run().unwrap();
    assert!(most.unwanted < modest.unwanted && modest.unwanted <= 0.3);
    assert!(modest.filter.permutations() < most.filter.permutations());
    for budget in [
        Search { max_permutations: Some(91), ..Search::new(0.8, 0.95) },
        Search { max_bytes: Some(48), ..Search::new(0.8, 0.95) },
    ] {
        let least = budget.run().unwrap().unwanted;
        let error = Search { unwanted: Some(least / 2.0), ..budget }.run().unwrap_err();
        assert!(matches!(error, Error::UnwantedOutOfReach { .. }), "{error}");
    }
}

/// What a hint says can be done, by a flag of some command.
#[test]
fn hints_name_no_limit_that_cannot_be_raised() {
    let recall = Search::new(0.01, 0.9).run().unwrap_err().to_string();
    assert!(recall.ends_with("\nhint: lower the recall or raise the threshold"), "{recall}");
    let search = Search { unwanted: Some(0.001), ..Search::new(0.8, 0.95) };
    let unwanted = search.run().unwrap_err().to_string();
    let hint = unwanted.split_once("\nhint: ").unwrap().1;
    assert!(hint.starts_with("raise that share") && !hint.contains("super-features"), "{hint}");
}

#[test]
fn the_largest_budget_ends() {
    let search = Search { max_permutations: Some(u32::MAX), ..Search::new(0.8, 0.95) };
    keeps_its_word(&search, &search.run().unwrap());
}

#[test]
fn a_low_threshold_gets_the_most_useful_filter_there_is() {
    let search = Search::new(0.5, 0.95);
    let found = search.run().unwrap();
    assert!(found.recall >= 0.95 && found.unwanted > 1.0 / 3.0);
    let better = Search { unwanted: Some(found.unwanted * 0.999), ..search };
    assert!(matches!(better.run(), Err(Error::UnwantedOutOfReach { .. })));
}

/// What related documents need few features for is not changed by what unrelated ones would.
#[test]
fn sixty_four_super_features_suffice_from_a_threshold_of_0_7_up() {
    for percent in (70..=100).step_by(5) {
        for recall in [0.5, 0.9, 0.95, 0.99, 0.999] {
            let open = Search::new(f64::from(percent) / 100.0, recall);
            let few = Search { max_super_features: Some(64), ..open };
            assert_eq!(open.run(), few.run(), "{open:?}");
        }
    }
}

#[test]
fn below_it_more_features_keep_unrelated_documents_apart() {
    let at = |threshold| Search::new(threshold, 0.95);
    let few = Search { max_super_features: Some(64), ..at(0.3) }.run().unwrap();
    assert_eq!(few.filter, Filter::new(32, 2, 1).unwrap());
    let many = at(0.3).run().unwrap();
    assert_eq!(many.filter, Filter::new(369, 4, 1).unwrap());
    assert!(few.filter.probability(0.05) > 0.07 && many.filter.probability(0.05) < 0.0024);
    for threshold in [0.4, 0.45] {
        let found = at(threshold).run().unwrap();
        keeps_its_word(&at(threshold), &found);
        // The fewest permutations that let at most one in a thousand through, one by one.
        let apart = |filter: &Filter| {
            filter.super_features() <= 512
                && filter.probability(threshold) >= 0.95
                && filter.probability(0.05) <= 0.001
        };
        let all = (1..=512).flat_map(|k| (1..=8).map(move |s| (k, s)));
        let all = all.flat_map(|(k, s)| (1..=k.min(4)).map(move |r| Filter::new(k, s, r)));
        let cheapest = all.flatten().filter(apart).min_by_key(Filter::permutations);
        assert_eq!(cheapest, Some(found.filter), "{threshold}");
    }
    // Whoever says what is good enough gets that.
    let told = Search { unwanted: Some(0.9), ..at(0.3) }.run().unwrap();
    assert!(told.filter.super_features() <= 64 && told.unwanted <= 0.9);
    let budget = Search { max_bytes: Some(1000), ..at(0.3) }.run().unwrap();
    assert!(budget.filter.super_features() > 64 && budget.filter.bytes_per_document() <= 1000);
}
