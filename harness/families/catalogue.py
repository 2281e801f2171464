"""The families by name: everything that can be estimated."""

from __future__ import annotations

import copyreg
import pickle
from dataclasses import fields, replace
from typing import Any

from harness.distributions.posteriors.difference import (
    RateDifference,
    difference_of_proportions,
    mean_of_proportions,
)
from harness.distributions.posteriors.paired import paired_difference_posterior
from harness.distributions.posteriors.ratio import (
    odds_ratio_of_proportions,
    ratio_of_proportions,
    ratio_of_rates,
)
from harness.families import combination, proportion, rate
from harness.families.confusion import BETA, CONFUSION_FAMILIES, f_score
from harness.families.family import ENUMERATION, POSTERIOR, Family
from harness.families.judged import JUDGED_SHARE, KNOWN_JUDGE, LABELLED_SHARE, known_judge
from harness.families.lists import (
    CLUSTERED_PROPORTION,
    MEAN,
    STRATIFIED_DIFFERENCE,
    bounded_mean,
)
from harness.families.paired import OF_DIFFERENCE, OF_RATIO, family_of_pairs
from harness.families.samples import family_of_one_sample, family_of_samples
from harness.families.scores import AUC, AUC_DIFFERENCE, CLUSTERED_DIFFERENCE, CLUSTERED_MEAN
from harness.families.tasks import DEFAULT_K, OF_FAILURES, K, of_tasks

PROPORTION = replace(
    family_of_one_sample("proportion", "a proportion: x of n", "p", proportion), may_stop=True
)
RATE = family_of_one_sample("rate", "a rate: x events in an exposure", "rate", rate)
PAIRED_DIFFERENCE = family_of_pairs(
    "paired_difference",
    "the difference of two proportions on the same cases: a table of pairs",
    "p1 − p2",
    OF_DIFFERENCE,
    (POSTERIOR, ENUMERATION),
    paired_difference_posterior,
)
PAIRED_RATIO = family_of_pairs(
    "paired_ratio",
    "the ratio of two proportions on the same cases: a table of pairs",
    "p1/p2",
    OF_RATIO,
    (ENUMERATION,),
)
PROPORTION_DIFFERENCE = family_of_samples(
    "proportion_difference",
    "the difference of two proportions: x1 of n1 less x2 of n2",
    "p1 − p2",
    PROPORTION,
    combination.weighted_sum(1.0, -1.0),
    difference_of_proportions,
    same_cases=PAIRED_DIFFERENCE,
)
RATE_DIFFERENCE = family_of_samples(
    "rate_difference",
    "the difference of two rates: x1 in exposure1 less x2 in exposure2",
    "rate1 − rate2",
    RATE,
    combination.weighted_sum(1.0, -1.0),
    RateDifference,
)
BALANCED_ACCURACY = family_of_samples(
    "balanced_accuracy",
    "a balanced accuracy: the mean of x1 of n1 positives and x2 of n2 negatives right",
    "(p1 + p2)/2",
    PROPORTION,
    combination.weighted_sum(0.5, 0.5),
    mean_of_proportions,
)
RISK_RATIO = family_of_samples(
    "risk_ratio",
    "the ratio of two proportions: x1 of n1 over x2 of n2",
    "p1/p2",
    PROPORTION,
    combination.RATIO,
    ratio_of_proportions,
    same_cases=PAIRED_RATIO,
)
ODDS_RATIO = family_of_samples(
    "odds_ratio",
    "the ratio of two odds: p1/(1 − p1) over p2/(1 − p2), from x1 of n1 and x2 of n2",
    "odds ratio",
    PROPORTION,
    combination.ODDS_RATIO,
    odds_ratio_of_proportions,
)
RATE_RATIO = family_of_samples(
    "rate_ratio",
    "the ratio of two rates: x1 in exposure1 over x2 in exposure2",
    "rate1/rate2",
    RATE,
    combination.RATIO,
    ratio_of_rates,
)

FAMILIES = {
    family.name: family
    for family in (
        PROPORTION,
        RATE,
        PROPORTION_DIFFERENCE,
        RATE_DIFFERENCE,
        BALANCED_ACCURACY,
        RISK_RATIO,
        ODDS_RATIO,
        RATE_RATIO,
        PAIRED_DIFFERENCE,
        PAIRED_RATIO,
        MEAN,
        bounded_mean(),
        CLUSTERED_PROPORTION,
        CLUSTERED_MEAN,
        CLUSTERED_DIFFERENCE,
        STRATIFIED_DIFFERENCE,
        *(of_tasks(name, DEFAULT_K) for name in OF_FAILURES),
        *CONFUSION_FAMILIES,
        AUC,
        AUC_DIFFERENCE,
        LABELLED_SHARE,
        JUDGED_SHARE,
    )
}


COMPARED = tuple(
    family for family in FAMILIES.values() if family.samples == 2 or family is PAIRED_DIFFERENCE
)
"""The families that compare two proportions or two rates, and have a posterior."""


def family_of(name: str) -> Family:
    """Return the family of that name."""
    return FAMILIES[name]


_OF_THE_PACKAGE = frozenset(FAMILIES)


def _pickled(family: Family) -> Any:
    """Return how a family is pickled.

    It is its name, or its settings; of a family that was added its content, by which another
    process adds it too; and of any other family its content.
    """
    if FAMILIES.get(family.name) is not family:
        if BETA in family.settings and f_score(family.settings[BETA]) is family:
            return f_score, (family.settings[BETA],)
        if K in family.settings and of_tasks(family.public_name, family.settings[K]) is family:
            return of_tasks, (family.public_name, family.settings[K])
        if family.design == KNOWN_JUDGE:
            return known_judge, tuple(family.settings.values())
        return family.__reduce_ex__(2)
    if family.name in _OF_THE_PACKAGE:
        return family_of, (family.name,)
    import cloudpickle

    content = {field.name: getattr(family, field.name) for field in fields(family)}
    return _added, (family.name, cloudpickle.dumps(content))


def _added(name: str, content: bytes) -> Family:
    """Return the family that another process has added, added to those of this process."""
    if name not in FAMILIES:
        FAMILIES[name] = Family(**pickle.loads(content))
    return FAMILIES[name]


copyreg.pickle(Family, _pickled)
