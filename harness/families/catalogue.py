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
from harness.families import proportion, rate
from harness.families.combination import ODDS_RATIO, RATIO, weighted_sum
from harness.families.family import ENUMERATION, POSTERIOR, Family
from harness.families.lists import CLUSTERED_PROPORTION, MEAN, STRATIFIED_DIFFERENCE
from harness.families.paired import PAIRED_DIFFERENCE, PAIRED_RATIO, family_of_pairs
from harness.families.samples import family_of_samples

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        family_of_samples("proportion", "a proportion: x of n", "p", proportion),
        family_of_samples("rate", "a rate: x events in an exposure", "rate", rate),
        family_of_samples(
            "proportion_difference",
            "the difference of two proportions: x1 of n1 less x2 of n2",
            "p1 − p2",
            proportion,
            weighted_sum(1.0, -1.0),
            difference_of_proportions,
            same_cases="paired_difference",
        ),
        family_of_samples(
            "rate_difference",
            "the difference of two rates: x1 in exposure1 less x2 in exposure2",
            "rate1 − rate2",
            rate,
            weighted_sum(1.0, -1.0),
            difference_of_rates,
        ),
        family_of_samples(
            "balanced_accuracy",
            "a balanced accuracy: the mean of x1 of n1 positives and x2 of n2 negatives right",
            "(p1 + p2)/2",
            proportion,
            weighted_sum(0.5, 0.5),
            mean_of_proportions,
        ),
        family_of_samples(
            "risk_ratio",
            "the ratio of two proportions: x1 of n1 over x2 of n2",
            "p1/p2",
            proportion,
            RATIO,
            ratio_of_proportions,
            same_cases="paired_ratio",
        ),
        family_of_samples(
            "odds_ratio",
            "the ratio of two odds: p1/(1 − p1) over p2/(1 − p2), from x1 of n1 and x2 of n2",
            "odds ratio",
            proportion,
            ODDS_RATIO,
            odds_ratio_of_proportions,
        ),
        family_of_samples(
            "rate_ratio",
            "the ratio of two rates: x1 in exposure1 over x2 in exposure2",
            "rate1/rate2",
            rate,
            RATIO,
            ratio_of_rates,
        ),
        family_of_pairs(
            "paired_difference",
            "the difference of two proportions on the same cases: a table of pairs",
            "p1 − p2",
            PAIRED_DIFFERENCE,
            (POSTERIOR, ENUMERATION),
            paired_difference_posterior,
        ),
        family_of_pairs(
            "paired_ratio",
            "the ratio of two proportions on the same cases: a table of pairs",
            "p1/p2",
            PAIRED_RATIO,
            (ENUMERATION,),
        ),
        MEAN,
        CLUSTERED_PROPORTION,
        STRATIFIED_DIFFERENCE,
    )
}


def family_of(name: str) -> Family:
    """Return the family with that name."""
    return FAMILIES[name]
