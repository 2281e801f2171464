"""What a method promises of its misses, held against exact computation.

"at-least": no truth is missed with a probability above alpha. "mean": the mean alpha error under
the method's own prior is zero.
"""

import numpy as np
import pytest

from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.posteriors.beta import Beta
from harness.distributions.sampling import poisson
from harness.distributions.truths import BetaTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES, family_of
from harness.families.family import POSTERIOR
from harness.methods.catalogue import CATALOGUE, methods_for
from harness.methods.method import ANYTIME

ALPHAS = (0.01, 0.05, 0.1, 0.3)
SIZES = (*range(1, 16), 20, 25, 30, 50, 100, 151)
SMALL_SIZES = (1, 2, 3, 5, 10, 20)
PRIORS = ((1.0, 1.0), (0.5, 0.5), (2.0, 5.0))
# A limit that is a root of its tail to the last bit misses alpha by its rounding: 2e-13 seen.
ROUNDING = 1e-9
# Posterior tails are right to 1e-12 of themselves, and so is their mean. (At an alpha far below
# these an upper limit next to 1 cannot be told from it closely enough.)
MEAN_ROUNDING = 1e-12

PROPORTION = {
    name: m for name, m in methods_for(family_of("proportion")).items() if m.deterministic
}
AT_LEAST = {"clopper_pearson", "blaker", "sterne", "feldman_cousins", "chebyshev", "hoeffding"}
UNCONDITIONAL = {"santner_snell", "chan_zhang", "agresti_min_exact"}


def promising(promise):
    """Names and sides of the methods with that promise."""
    return [
        (name, side) for name, m in PROPORTION.items() if m.promise == promise for side in m.sides
    ]


def limits(name, side, n, alpha, prior=None):
    x = np.arange(n + 1.0)
    return PROPORTION[name].limits((x, np.full(n + 1, float(n))), alpha, side, prior)


def excess(name, side, n, alpha):
    """By how much the worst miss probability is above alpha."""
    return worst_case(n, *limits(name, side, n, alpha)).alpha - alpha


def test_the_methods_that_promise_at_least_the_nominal_coverage_are_these():
    assert {name for name, _ in promising("at-least")} == AT_LEAST
    assert {n for n, m in CATALOGUE["rate"].items() if m.promise == "at-least"} == {
        "garwood",
        "blaker",
        "sterne",
        "feldman_cousins",
    }
    accuracy = CATALOGUE["balanced_accuracy"].items()
    assert {name for name, m in accuracy if m.promise == "at-least"} == {"exact_union"}
    differences = CATALOGUE["proportion_difference"].items()
    assert {name for name, m in differences if m.promise == "at-least"} == UNCONDITIONAL
    assert all(m.promise != "at-least" for m in CATALOGUE["rate_difference"].values())


@pytest.mark.parametrize(("name", "side"), promising("at-least"))
def test_no_truth_is_missed_more_often_than_promised(name, side):
    for alpha in ALPHAS:
        for n in SIZES:
            assert excess(name, side, n, alpha) <= ROUNDING, (n, alpha)


@pytest.mark.parametrize("name", ["garwood", "blaker", "sterne", "feldman_cousins"])
def test_no_rate_is_missed_more_often_than_promised(name):
    # Means up to 30, at which counts above 120 have a probability below 1e-30.
    x, exposure, most = np.arange(121.0), 2.0, 15.0
    for side in CATALOGUE["rate"][name].sides:
        for alpha in ALPHAS:
            found = CATALOGUE["rate"][name].limits((x, np.full(x.size, exposure)), alpha, side)
            worst = worst_case(exposure, *found, over=(0.0, most), sampling=poisson)
            assert worst.alpha <= alpha + ROUNDING, (side, alpha)


@pytest.mark.parametrize(
    "name", [name for name, m in PROPORTION.items() if m.promise != "at-least"]
)
def test_a_method_that_does_not_promise_it_misses_some_truth_too_often(name):
    sides = PROPORTION[name].sides
    assert any(
        excess(name, side, n, alpha) > ROUNDING
        for side in sides
        for alpha in ALPHAS
        for n in SMALL_SIZES
    )


@pytest.mark.parametrize(("name", "side"), promising("mean"))
def test_the_mean_alpha_error_under_its_own_prior_is_zero(name, side):
    takes_prior = PROPORTION[name].takes_prior
    for prior in PRIORS if takes_prior else [(0.5, 0.5)]:
        for n in (1, 2, 7, 30, 200):
            x = np.arange(n + 1)
            weights = proportion.outcome_weights(BetaTruth(*prior), x, n)
            posterior = Beta(x + prior[0], n - x + prior[1])
            for alpha in (*ALPHAS, 0.9):
                lower, upper = limits(name, side, n, alpha, prior if takes_prior else None)
                missed = weights @ (posterior.cdf(lower) + posterior.sf(upper))
                assert missed == pytest.approx(alpha, rel=0, abs=MEAN_ROUNDING), (prior, n, alpha)


@pytest.mark.parametrize("family", CATALOGUE)
def test_a_method_with_a_prior_of_choice_promises_the_mean(family):
    """But of a ratio: where both limits are an end of the range by rule, no mass is outside.

    So it is of a confusion table where a metric is 0/0.
    """
    known = FAMILIES[family]
    mean = POSTERIOR in known.engines and not known.is_ratio and known.as_pairs is None
    promise = "mean" if mean else "none"
    for method in CATALOGUE[family].values():
        # The prior of an interval that holds at any time is the one that its likelihood is averaged
        # over, and no posterior's.
        bayes = method.takes_prior and method.category != ANYTIME
        assert not bayes or method.promise == promise
