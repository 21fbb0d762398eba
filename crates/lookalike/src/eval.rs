//! Recipes judged by labels: how much of what each returns is right, and how much of what is right it
//! finds.
//!
//! [`Eval`] gives an [`Evaluation`] from labels that people have made, or a [`Sample`] of pairs for them to
//! judge. [`pages`](crate::pages) shows both.

pub use lookalike_eval::{
    AbsentRule, Agreement, BASELINES, BitsRow, ClusterQuality, CombinedAlgorithm, CopyRule, Curve,
    CurveBasis, CurvePoint, Disagreement, EditDistances, EqualRecall, Eval, Evaluation, Faults,
    FaultyPair, FilterBin, FilterMeasurement, FilterSample, HostSize, Hosts, JudgeLabels,
    Judgements, Label, LabelFile, LabelRule, LabelSummary, LabelledDifferences, Opinion,
    PageQuality, PageToJudge, PairCandidates, PairToJudge, PowerLaw, PrecisionRecall, Quality,
    ReasonRow, RecipeCost, RecipeEvaluation, Row, Sample, SeedMean, SeedQuality, SeedRun, Share,
    SimilarityRow, SiteFaults, Sites, TermDifferences, ThresholdRow, ThresholdTest, TwoJudges,
    WithoutPictures, baseline,
};
