"""Intervals of a confusion table: reference limits and exact coverage, and what all of them have.

tests/data/confusion.json has limits of tables, and the probabilities of a miss and the mean length
by enumeration of all tables of 8 and of 20 cases, computed with 30 digits. In it f1 and f2 are the
F score with β = 1 and with β = 2.
"""

import json
import math
import pickle
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.families import metrics
from harness.families.catalogue import family_of
from harness.families.confusion import f_score
from harness.methods.catalogue.confusion import CONFUSION, f_score_methods
from harness.methods.catalogue.one_sample import PROPORTION
from harness.methods.method import LOWER, TWO_SIDED, UPPER, for_family
from tests.sample import sampled

ROWS = json.loads((Path(__file__).parents[2] / "data" / "confusion.json").read_text("utf-8"))[
    "rows"
]
CELLS = ("tp", "fp", "fn", "tn")
CORRELATIONS = ("mcc", "kappa", "informedness")
LISTS = {**CONFUSION, "f1": f_score_methods(f_score(1.0)), "f2": f_score_methods(f_score(2.0))}
FAMILY = {"f1": f_score(1.0), "f2": f_score(2.0)}
METRICS = {
    **{name: getattr(metrics, name) for name in CONFUSION},
    "f1": metrics.f_score,
    "f2": partial(metrics.f_score, beta=2.0),
}
# Limits that follow a posterior of the family of F scores or Jaccard indices.
OVER_POSTERIOR = ("one_sided", "minimal_length", "balanced_width", "balanced_tail")
EVERY = [
    (metric, name)
    for metric, methods in LISTS.items()
    for name in methods
    if not (metric in ("f1", "f2", "jaccard") and name in OVER_POSTERIOR)
    and (metric, name) != ("f2", "jeffreys_equal_tailed")
]
LIMITED_AT_0_OF_0 = {
    ("f1", "jeffreys_equal_tailed"),
    ("jaccard", "jeffreys_equal_tailed"),
    *(
        (metric, name)
        for metric in ("mcc", "kappa")
        for name in ("jeffreys", "jeffreys_minimal_length")
    ),
    ("informedness", "mover_wilson"),
}
# Sums of 1771 terms in double precision, and limits to a few units in the last place.
ROUNDING = 1e-14


def lowest(metric):
    return -1.0 if metric in CORRELATIONS else 0.0


@cache
def method(metric, name):
    return for_family(LISTS[metric][name], name, FAMILY.get(metric) or family_of(metric))


@cache
def tables(n):
    rows = [
        (tp, fp, fn, n - tp - fp - fn)
        for tp in range(n + 1)
        for fp in range(n + 1 - tp)
        for fn in range(n + 1 - tp - fp)
    ]
    return tuple(np.array(rows, dtype=np.float64).T)


@cache
def probabilities(n, truth):
    factorial = [math.factorial(k) for k in range(n + 1)]
    counts = zip(*tables(n), strict=True)
    return np.array(
        [
            math.prod(p**k / factorial[int(k)] for p, k in zip(truth, row, strict=True))
            * factorial[n]
            for row in counts
        ]
    )


def limits_at(metric, name, data, alpha, side=TWO_SIDED):
    rng = None if method(metric, name).deterministic else np.random.default_rng(27)
    return method(metric, name).limits(data, alpha, side, rng=rng)


def test_the_limits_of_the_reference_tables_agree():
    for row in (row for row in ROWS if row["quantity"] == "limits"):
        data = tuple(np.array([float(row[cell])]) for cell in CELLS)
        found = limits_at(row["metric"], row["method"], data, row["alpha"])
        estimate = METRICS[row["metric"]](data)
        expected = math.nan if row["estimate"] is None else row["estimate"]
        np.testing.assert_allclose(estimate, expected, rtol=ROUNDING)
        np.testing.assert_allclose(np.ravel(found), [row["lower"], row["upper"]], atol=ROUNDING)


def test_the_exact_probabilities_of_a_miss_and_the_mean_lengths_agree():
    for row in (row for row in ROWS if row["quantity"] == "alpha"):
        lower, upper = limits_at(row["metric"], row["method"], tables(row["n"]), row["alpha"])
        chance = probabilities(row["n"], tuple(row["truth"]))
        truth = float(METRICS[row["metric"]]([np.array(p) for p in row["truth"]]))
        assert truth == pytest.approx(row["parameter"], rel=ROUNDING)
        below, above = chance[truth < lower].sum(), chance[truth > upper].sum()
        found = [below + above, below, above, chance @ (upper - lower)]
        expected = [row[part] for part in ("value", "below", "above", "length")]
        np.testing.assert_allclose(found, expected, atol=ROUNDING)


@pytest.mark.parametrize(
    ("metric", "name"),
    sampled((pytest.param(*case) for case in EVERY), one_in=5, by=lambda case: case[0]),
)
def test_an_interval_lies_in_the_range_and_is_the_whole_range_at_0_of_0(metric, name):
    undefined = np.isnan(METRICS[metric](tables(5)))
    assert undefined.any()
    low = lowest(metric)
    for side in method(metric, name).sides:
        lower, upper = limits_at(metric, name, tables(5), 0.05, side)
        assert ((low <= lower) & (lower <= upper) & (upper <= 1.0)).all()
        assert side != LOWER or (upper == 1.0).all()
        assert side != UPPER or (lower == low).all()
        # Jeffreys limits of F and of J are quantiles of the prior there, and the posterior of a
        # correlation, or the class that there is, limits it there too.
        if (metric, name) not in LIMITED_AT_0_OF_0:
            assert (lower[undefined] == low).all()
            assert (upper[undefined] == 1.0).all()


@pytest.mark.parametrize("metric", LISTS)
def test_methods_can_be_pickled_and_are_described(metric):
    for name in LISTS[metric]:
        known = method(metric, name)
        assert pickle.loads(pickle.dumps(known)).description == known.description
        assert known.description
        assert known.reference


def test_a_variance_is_the_sum_of_counts_times_squared_differences_of_the_metric():
    cells, z = np.array([31.0, 7.0, 12.0, 50.0]), 1.959963984540054
    step = 1e-4
    for metric in ("f1", "f2", "jaccard", *CORRELATIONS):
        moved = cells + step * np.concatenate((np.eye(4), -np.eye(4)))
        value = METRICS[metric](moved.T)
        slopes = (value[:4] - value[4:]) / (2.0 * step)
        lower, upper = limits_at(metric, "delta", tuple(cells[:, None]), 0.05)
        # Central differences are off by the square of the step.
        assert (upper - lower)[0] == pytest.approx(2 * z * math.sqrt(cells @ slopes**2), rel=1e-8)


def test_metrics_are_exact_where_products_nearly_cancel_and_at_the_ends():
    # tp·tn is one less than fp·fn, both above 2^53.
    middle = 94906266.0
    cells = [np.array(k) for k in (middle + 1.0, middle, middle, middle - 1.0)]
    tp, fp, fn, tn = cells
    expected = -1.0 / ((tp + fn) * (fp + tn))
    assert metrics.informedness(cells) == expected
    assert metrics.mcc(cells) == pytest.approx(expected, rel=ROUNDING)
    assert metrics.kappa(cells) == pytest.approx(expected, rel=ROUNDING)
    for metric in (metrics.mcc, metrics.kappa, metrics.informedness):
        assert metric([np.array(k) for k in (3.0, 0.0, 0.0, 7.0)]) == 1.0
        assert metric([np.array(k) for k in (0.0, 7.0, 7.0, 0.0)]) == -1.0


def test_a_prior_of_the_table_is_a_beta_prior_of_a_fraction_of_it():
    data = tuple(np.array([k]) for k in (7.0, 2.0, 4.0, 30.0))
    given, prior = (
        for_family(PROPORTION["balanced_tail"], "", family_of("proportion")),
        (2.0, 3.0, 4.0, 5.0),
    )
    for metric, x, y, shapes in (
        ("precision", 7.0, 2.0, (2.0, 3.0)),
        ("recall", 7.0, 4.0, (2.0, 4.0)),
        ("specificity", 30.0, 2.0, (5.0, 3.0)),
        ("npv", 30.0, 4.0, (5.0, 4.0)),
    ):
        found = method(metric, "balanced_tail").limits(data, 0.1, prior=prior)
        expected = given.limits((np.array([x]), np.array([x + y])), 0.1, prior=shapes)
        assert found == expected


@pytest.mark.parametrize("metric", ["mcc", "informedness"])
def test_a_resample_at_0_of_0_counts_as_outside_on_either_side(metric):
    # A resample has no positive with a probability of (29/30)^30 = 0.36, far above either tail.
    data = tuple(np.array([k]) for k in (1.0, 9.0, 0.0, 20.0))
    assert limits_at(metric, "bootstrap_percentile", data, 0.05) == (-1.0, 1.0)


@pytest.mark.parametrize("metric", CORRELATIONS)
def test_bootstrap_and_delta_limits_agree_in_a_large_table(metric):
    data = tuple(np.array([k]) for k in (4000.0, 1000.0, 500.0, 4500.0))
    found = np.ravel(limits_at(metric, "bootstrap_percentile", data, 0.05))
    expected = np.ravel(limits_at(metric, "delta", data, 0.05))
    # The 25th of 999 resamples has a standard error of 0.085 of the estimate's: at four of these
    # and a fixed seed, a false alarm in one of ten thousand changes of the stream.
    standard_error = (expected[1] - expected[0]) / 3.92
    np.testing.assert_allclose(found, expected, atol=0.34 * standard_error)


@pytest.mark.parametrize("name", ["wilson", "blaker", "delta_logit", "jeffreys_equal_tailed"])
def test_limits_of_f_are_those_of_the_jaccard_index_transformed(name):
    for side in method("jaccard", name).sides:
        of_j = np.array(limits_at("jaccard", name, tables(6), 0.1, side))
        of_f = limits_at("f1", name, tables(6), 0.1, side)
        np.testing.assert_allclose(of_f, 2.0 * of_j / (1.0 + of_j), atol=ROUNDING)


# These declare that they do not hold the estimate, as those of a proportion of their names.
INSIDE = {"second_order", "rindskopf", "add_four", "jeffreys_equal_tailed"}


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_limits_of_f_are_at_the_ends_where_all_are_right_or_no_hit_is(beta):
    family = f_score(beta)
    tp, fp, fn, _ = data = tables(7)
    for name, listed in f_score_methods(family).items():
        known = for_family(listed, name, family)
        if name in INSIDE or not known.deterministic:
            continue
        for side in known.sides:
            lower, upper = known.limits(data, 0.05, side)
            assert (upper[fp + fn == 0] == 1.0).all(), name
            assert (lower[tp == 0] == 0.0).all(), name


def test_an_f_score_next_to_1_is_covered():
    rates = {"prevalence": 0.5, "sensitivity": 0.9999, "specificity": 0.9999}
    for beta in (0.5, 2.0):
        found = harness.coverage("f_score", "minimal_length", beta=beta, n=10, **rates)
        assert found.coverage > 0.99
