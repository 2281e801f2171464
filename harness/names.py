"""The names of families, methods and sides as types, for editors and type checkers.

A list of the methods of a family has its aliases too. ``python -m tests.names`` writes this file
from the catalogue.
"""

from typing import Literal

Side = Literal[
    "two-sided", "lower", "upper",
]

FamilyName = Literal[
    "proportion", "rate", "proportion_difference", "rate_difference", "balanced_accuracy",
    "risk_ratio", "odds_ratio", "rate_ratio", "paired_difference", "paired_ratio", "mean",
    "bounded_mean", "clustered_proportion", "clustered_mean", "clustered_difference",
    "stratified_difference", "pass_at", "pass_hat", "precision", "recall", "specificity", "npv",
    "f_score", "jaccard", "mcc", "kappa", "informedness", "auc", "auc_difference", "labelled_share",
    "judged_share",
]
"""What is estimated."""

ComparedFamily = Literal[
    "proportion_difference", "rate_difference", "balanced_accuracy", "risk_ratio", "odds_ratio",
    "rate_ratio", "paired_difference",
]
"""The families that compare two samples."""

SimulatedFamily = Literal[
    "mean", "bounded_mean", "clustered_proportion", "clustered_mean", "clustered_difference",
    "stratified_difference", "pass_at", "pass_hat", "auc", "auc_difference", "labelled_share",
]
"""The families whose coverage is that of data sets that are drawn."""

PlannedFamily = Literal[
    "proportion", "rate", "proportion_difference", "rate_difference", "balanced_accuracy",
    "risk_ratio", "odds_ratio", "rate_ratio", "paired_difference", "paired_ratio", "mean",
    "clustered_proportion", "clustered_mean", "clustered_difference", "stratified_difference",
    "precision", "recall", "specificity", "npv", "f_score", "jaccard", "mcc", "kappa",
    "informedness", "auc", "labelled_share", "judged_share",
]
"""The families that have an answer to how many suffice."""

ProportionMethod = Literal[
    "wald", "wald_cc", "wald_t", "add_four", "agresti_coull", "wilson", "wilson_cc",
    "wilson_modified", "second_order", "scas", "scas_cc", "clopper_pearson", "mid_p", "blaker",
    "sterne", "feldman_cousins", "likelihood_ratio", "arcsine", "logit", "rindskopf", "probit",
    "cloglog", "chebyshev", "hoeffding", "jeffreys", "jeffreys_equal_tailed", "jeffreys_modified",
    "jeffreys_minimal_length", "one_sided", "minimal_length", "balanced_width", "balanced_tail",
    "bootstrap_percentile", "hypergeometric_exact", "hypergeometric_wang", "beta_binomial_mixture",
    "stagewise", "stagewise_mid_p", "mle_order", "bonferroni_looks", "exact_tail",
]

RateMethod = Literal[
    "wald", "score", "score_cc", "sqrt", "byar", "garwood", "jeffreys", "jeffreys_equal_tailed",
    "one_sided", "minimal_length", "balanced_width", "balanced_tail", "mid_p", "blaker", "sterne",
    "feldman_cousins", "likelihood_ratio", "scas", "exact_tail",
]

ProportionDifferenceMethod = Literal[
    "one_sided", "minimal_length", "balanced_width", "balanced_tail", "wald", "wald_cc",
    "agresti_caffo", "newcombe", "newcombe_cc", "mover_jeffreys", "mee", "miettinen_nurminen",
    "scas", "gart_nam", "santner_snell", "chan_zhang", "agresti_min_exact", "fagan", "rss_normal",
]

RateDifferenceMethod = Literal[
    "one_sided", "minimal_length", "balanced_width", "balanced_tail", "wald", "score",
    "mover_score", "mover_jeffreys",
]

BalancedAccuracyMethod = Literal[
    "one_sided", "minimal_length", "balanced_width", "balanced_tail", "exact_union", "wald",
    "mover_wilson", "mover_clopper_pearson",
]

RiskRatioMethod = Literal[
    "one_sided", "minimal_length", "balanced_tail", "katz", "walter", "price_bonett", "koopman",
    "miettinen_nurminen", "scas", "mover_wilson", "mover_jeffreys",
]

OddsRatioMethod = Literal[
    "one_sided", "minimal_length", "balanced_tail", "woolf", "gart", "agresti_smoothed", "score",
    "miettinen_nurminen", "scas", "mover_wilson", "mover_jeffreys", "cornfield", "mid_p",
    "baptista_pike", "baptista_pike_mid_p",
]

RateRatioMethod = Literal[
    "one_sided", "minimal_length", "balanced_tail", "wald_log", "wald_log_half", "score", "scas",
    "mover_score", "mover_jeffreys", "exact_conditional", "mid_p",
]

PairedDifferenceMethod = Literal[
    "one_sided", "minimal_length", "balanced_width", "balanced_tail", "wald", "wald_cc",
    "wald_cc_fagerland", "agresti_min", "bonett_price", "tango", "tango_corrected", "newcombe",
    "newcombe_uncorrected", "mover_jeffreys", "scas",
]

PairedRatioMethod = Literal[
    "wald_log", "tang", "bonett_price", "mover_wilson", "mover_jeffreys", "scas",
]

MeanMethod = Literal[
    "z_population", "z_sample", "student_t", "bootstrap_percentile", "bootstrap_t",
]

BoundedMeanMethod = Literal[
    "gaffke", "student_t", "bootstrap_t", "hoeffding", "empirical_bernstein", "betting",
]

ClusteredProportionMethod = Literal[
    "wilson", "saha_wilson", "saha_scas", "rao_scott", "effective_wilson", "korn_graubard",
    "cluster_wald", "cluster_t", "cluster_logit", "cluster_bootstrap",
]

ClusteredMeanMethod = Literal[
    "cluster_z", "cluster_t", "cr2", "wild_bootstrap_t",
]

ClusteredDifferenceMethod = ClusteredMeanMethod

StratifiedDifferenceMethod = Literal[
    "miettinen_nurminen", "scas", "sato", "mantel_haenszel", "newcombe",
]

PassAtMethod = Literal[
    "gaffke", "student_t", "bootstrap_t", "beta_binomial", "betting",
]

PassHatMethod = PassAtMethod

PrecisionMethod = Literal[
    "wald", "wald_cc", "wald_t", "add_four", "agresti_coull", "wilson", "wilson_cc",
    "wilson_modified", "second_order", "scas", "scas_cc", "clopper_pearson", "mid_p", "blaker",
    "sterne", "feldman_cousins", "likelihood_ratio", "arcsine", "logit", "rindskopf", "probit",
    "cloglog", "chebyshev", "hoeffding", "jeffreys", "jeffreys_equal_tailed", "jeffreys_modified",
    "jeffreys_minimal_length", "one_sided", "minimal_length", "balanced_width", "balanced_tail",
    "bootstrap_percentile", "exact_tail",
]

RecallMethod = PrecisionMethod

SpecificityMethod = PrecisionMethod

NpvMethod = PrecisionMethod

FScoreMethod = Literal[
    "wald", "wald_cc", "wald_t", "add_four", "agresti_coull", "wilson", "wilson_cc",
    "wilson_modified", "second_order", "scas", "scas_cc", "clopper_pearson", "mid_p", "blaker",
    "sterne", "feldman_cousins", "likelihood_ratio", "arcsine", "logit", "rindskopf", "probit",
    "cloglog", "chebyshev", "hoeffding", "bootstrap_percentile", "jeffreys_equal_tailed", "delta",
    "delta_logit", "one_sided", "minimal_length", "balanced_width", "balanced_tail", "exact_tail",
]

JaccardMethod = FScoreMethod

MccMethod = Literal[
    "delta", "delta_atanh", "bootstrap_percentile", "jeffreys", "jeffreys_minimal_length",
]

KappaMethod = MccMethod

InformednessMethod = Literal[
    "delta", "delta_atanh", "bootstrap_percentile", "mover_wilson",
]

AucMethod = Literal[
    "hanley_mcneil", "delong", "delong_logit", "newcombe", "bootstrap_percentile",
]

AucDifferenceMethod = Literal[
    "delong", "bootstrap_percentile",
]

LabelledShareMethod = Literal[
    "post_stratified", "labels_only", "ppi", "ppi_plus",
]

JudgedShareMethod = Literal[
    "lang_reiczigel_modified", "profile_likelihood", "lang_reiczigel", "rogan_gladen_delta",
    "posterior",
]

MethodName = (
    ProportionMethod
    | RateMethod
    | ProportionDifferenceMethod
    | RateDifferenceMethod
    | BalancedAccuracyMethod
    | RiskRatioMethod
    | OddsRatioMethod
    | RateRatioMethod
    | PairedDifferenceMethod
    | PairedRatioMethod
    | MeanMethod
    | BoundedMeanMethod
    | ClusteredProportionMethod
    | ClusteredMeanMethod
    | ClusteredDifferenceMethod
    | StratifiedDifferenceMethod
    | PassAtMethod
    | PassHatMethod
    | PrecisionMethod
    | RecallMethod
    | SpecificityMethod
    | NpvMethod
    | FScoreMethod
    | JaccardMethod
    | MccMethod
    | KappaMethod
    | InformednessMethod
    | AucMethod
    | AucDifferenceMethod
    | LabelledShareMethod
    | JudgedShareMethod
)
"""The methods of all families."""
