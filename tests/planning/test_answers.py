"""Answers of ``harness.size`` at small sizes, by the limits of every outcome."""

from itertools import islice

import numpy as np
import pytest

import harness
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import find, methods_for
from harness.methods.method import LOWER, TWO_SIDED
from tests.planning.test_power import brute, outcomes

TABLES = ("precision", "recall", "specificity", "npv", "f_score", "jaccard")
CORRELATIONS = ("mcc", "kappa", "informedness")
TRUTHS = {
    "proportion": (0.7,),
    "rate": (2.0,),
    "proportion_difference": (0.8, 0.4),
    "balanced_accuracy": (0.8, 0.7),
    "rate_difference": (2.0, 1.0),
    "risk_ratio": (0.8, 0.4),
    "odds_ratio": (0.7, 0.4),
    "rate_ratio": (2.0, 1.0),
    "paired_difference": (0.4, 0.3, 0.1),
    "paired_ratio": (0.4, 0.3, 0.1),
    **dict.fromkeys((*TABLES, *CORRELATIONS), (0.4, 0.2, 0.1)),
}
"""p11, p10 and p01 of pairs; p_tp, p_fp and p_fn of tables."""
VALUES = {"proportion": 0.4, "proportion_difference": -0.1, "balanced_accuracy": 0.5}
VALUES |= {"risk_ratio": 0.8, "odds_ratio": 0.8, "paired_difference": -0.3, "paired_ratio": 0.7}
ABOUT = 12
"""The size at which an expected width is what is asked for."""


def widths(family, method, size):
    """The widths at every outcome, of ratios on the logarithm, and their probability."""
    record, truths = FAMILIES[family], TRUTHS[family]
    if family in (*TABLES, *CORRELATIONS):
        # Outcomes of pairs are in the order of the cells p11, p10, p01 and p00 too.
        data, chance = outcomes("paired_difference", (size,), truths)
    else:
        data, chance = outcomes(family, (size,) * len(record.sizes), truths)
    limits = find(record, method).limits(data, 0.05, TWO_SIDED)
    low, high = (np.clip(limit, *record.support) for limit in limits)
    with np.errstate(divide="ignore"):
        return (np.log(high) - np.log(low) if record.is_ratio else high - low), chance


def expected(family, method, size, goal):
    """The expected length, or the probability that it is at most the one asked for."""
    length, chance = widths(family, method, size)
    if "assurance" in goal:
        return chance[length <= goal["length"] * (1 + 1e-12)].sum()
    return length[chance > 0] @ chance[chance > 0]


def hold_against_every_outcome(family, method, assurance=None):
    record = FAMILIES[family]
    length, chance = widths(family, method, ABOUT)
    if record.is_ratio:
        assurance = assurance or 0.6
    if assurance is None:
        goal = {"length": 1.001 * expected(family, method, ABOUT, {})}
    else:
        order = np.argsort(length)
        place = np.searchsorted(np.cumsum(chance[order]), assurance + 0.02)
        # Between two lengths, as rounding decides on one that is the goal itself.
        least = length[order][place]
        following = length[length > least * (1.0 + 1e-9)].min(initial=1.01 * least)
        goal = {"length": float(0.5 * (least + following)), "assurance": assurance}
    truths = dict(zip(record.free_symbols, TRUTHS[family], strict=True))
    found = harness.size(family, method, **truths, **goal)
    answer = next(iter(found.sizes.values()))
    at_answer = expected(family, method, answer, goal)
    # Sums are replaced by few limits where their error is below 1e-8.
    assert found.reached == pytest.approx(at_answer, rel=1e-8)
    before = answer - (1 if record.model.SIZE_IS_COUNT else 10.0 ** np.floor(np.log10(answer) - 2))
    reaches = [
        value >= assurance if assurance else value <= goal["length"]
        for value in (at_answer, expected(family, method, before, goal))
    ]
    assert reaches == [True, bool(np.isclose(found.smaller, before).any())]


@pytest.mark.parametrize(
    ("family", "method", "assurance"),
    [
        ("proportion", "wilson", None),
        ("rate", "garwood", None),
        ("proportion_difference", "mee", 0.7),
        ("balanced_accuracy", "mover_wilson", None),
        ("odds_ratio", "woolf", 0.7),
        ("paired_difference", "newcombe", None),
        ("f_score", "wilson", 0.7),
        ("informedness", "delta", None),
    ],
)
def test_of_a_width_the_answer_is_that_of_every_outcome(family, method, assurance):
    hold_against_every_outcome(family, method, assurance)


@pytest.mark.slow
@pytest.mark.parametrize("family", TRUTHS)
def test_ten_answers_of_each_family_are_those_of_every_outcome(family):
    record = FAMILIES[family]
    usable = [
        name
        for name, method in methods_for(record).items()
        if method.deterministic and {LOWER, TWO_SIDED} <= set(method.sides)
    ]
    for number, method in enumerate(islice(usable * 10, 10)):
        if number % 3 == 2 and family in VALUES:
            goal = {"above": VALUES[family]}
            truths = dict(zip(record.free_symbols, TRUTHS[family], strict=True))
            found = harness.size(family, method, probability=0.7, **truths, **goal)
            for size, reaches in ((found.reached, True), (None, False)):
                n = next(iter(found.sizes.values())) - (0 if reaches else 1)
                sizes = (n,) * len(record.sizes)
                power = brute(family, method, sizes, TRUTHS[family], goal, 0.05) if n else 0.0
                assert (power >= 0.7) is reaches
                assert size is None or size == pytest.approx(power, abs=1e-12)
        else:
            hold_against_every_outcome(family, method, 0.7 if number % 3 == 1 else None)
