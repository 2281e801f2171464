"""The families by name: everything that can be estimated."""

from __future__ import annotations

from harness.distributions.posteriors.difference.proportions import (
    difference_of_proportions,
    mean_of_proportions,
)
from harness.distributions.posteriors.difference.rates import difference_of_rates
from harness.distributions.posteriors.paired.posterior import paired_difference_posterior
from harness.distributions.posteriors.ratio.posterior import (
    odds_ratio_of_proportions,
    ratio_of_proportions,
    ratio_of_rates,
)
from harness.families import pairs, proportion, rate, run_model
from harness.families.combination import OddsRatio, Ratio, WeightedSum
from harness.families.family import (
    CLOSED_FORM,
    CLUSTERS,
    ENUMERATION,
    PAIRS,
    POSTERIOR,
    RUNS,
    STRATA,
    TWO_SAMPLES,
    Family,
)
from harness.families.list_data import CLUSTER_DATA, RUN_DATA, STRATUM_DATA
from harness.families.lists import ListFamily
from harness.families.paired import PairedFamily, PairedRatio

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("proportion", "a proportion: x of n", "p", proportion),
        Family("rate", "a rate: x events in an exposure", "rate", rate),
        Family(
            "proportion_difference",
            "the difference of two proportions: x1 of n1 less x2 of n2",
            "p1 − p2",
            proportion,
            WeightedSum((1.0, -1.0)),
            difference_of_proportions,
            design=TWO_SAMPLES,
            same_cases="paired_difference",
        ),
        Family(
            "rate_difference",
            "the difference of two rates: x1 in exposure1 less x2 in exposure2",
            "rate1 − rate2",
            rate,
            WeightedSum((1.0, -1.0)),
            difference_of_rates,
            design=TWO_SAMPLES,
        ),
        Family(
            "balanced_accuracy",
            "a balanced accuracy: the mean of x1 of n1 positives and x2 of n2 negatives right",
            "(p1 + p2)/2",
            proportion,
            WeightedSum((0.5, 0.5)),
            mean_of_proportions,
            design=TWO_SAMPLES,
        ),
        Family(
            "risk_ratio",
            "the ratio of two proportions: x1 of n1 over x2 of n2",
            "p1/p2",
            proportion,
            Ratio(),
            ratio_of_proportions,
            design=TWO_SAMPLES,
            same_cases="paired_ratio",
        ),
        Family(
            "odds_ratio",
            "the ratio of two odds: p1/(1 − p1) over p2/(1 − p2), from x1 of n1 and x2 of n2",
            "odds ratio",
            proportion,
            OddsRatio(),
            odds_ratio_of_proportions,
            design=TWO_SAMPLES,
        ),
        Family(
            "rate_ratio",
            "the ratio of two rates: x1 in exposure1 over x2 in exposure2",
            "rate1/rate2",
            rate,
            Ratio(),
            ratio_of_rates,
            design=TWO_SAMPLES,
        ),
        PairedFamily(
            "paired_difference",
            "the difference of two proportions on the same cases: a table of pairs",
            "p1 − p2",
            pairs,
            design=PAIRS,
            exact_engines=(POSTERIOR, ENUMERATION),
            posterior_of_pairs=paired_difference_posterior,
        ),
        PairedFamily(
            "paired_ratio",
            "the ratio of two proportions on the same cases: a table of pairs",
            "p1/p2",
            pairs,
            design=PAIRS,
            exact_engines=(ENUMERATION,),
            of_pairs=PairedRatio(),
        ),
        ListFamily(
            "mean",
            "the mean of repeated runs: a value for each of k runs",
            "mean",
            run_model,
            design=RUNS,
            exact_engines=(CLOSED_FORM,),
            of_lists=RUN_DATA,
        ),
        ListFamily(
            "clustered_proportion",
            "a proportion of clustered cases: x of n in each cluster",
            "p",
            proportion,
            design=CLUSTERS,
            exact_engines=(),
            of_lists=CLUSTER_DATA,
        ),
        ListFamily(
            "stratified_difference",
            "the difference of two proportions over strata: x1 of n1 less x2 of n2 in each",
            "p1 − p2",
            proportion,
            design=STRATA,
            exact_engines=(ENUMERATION,),
            of_lists=STRATUM_DATA,
        ),
    )
}


def family_of(name: str) -> Family:
    """Return the family with that name."""
    return FAMILIES[name]
