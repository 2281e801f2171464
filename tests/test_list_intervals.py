"""``harness.interval`` of the families whose data are lists: one interval for each row."""

import math

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.families.catalogue import FAMILIES, family_of
from harness.methods.catalogue import CATALOGUE, default_method
from harness.methods.method import ALL_SIDES
from harness.one import tails

VALUES = [75, 72, 78, 73, 77]
CLUSTERS = {"x": [3, 5, 2], "n": [10, 10, 10]}
SCORES, LABELS = [0.9, 0.4, 0.7, 0.6, 0.1, 0.8, 0.3, 0.5], ["a", "b", "b", "c", "d", "e", "f", "g"]
DATA = {
    "mean": {"values": VALUES},
    "bounded_mean": {"values": [0.75, 0.72, 0.9]},
    "clustered_proportion": CLUSTERS,
    "clustered_mean": {"values": SCORES, "cluster": LABELS},
    "clustered_difference": {"first": SCORES, "second": SCORES[3:] + SCORES[:3], "cluster": LABELS},
    "stratified_difference": {"x1": [3, 5], "n1": [9, 8], "x2": [1, 2], "n2": [7, 11]},
    "pass_at": CLUSTERS,
    "pass_hat": CLUSTERS,
    "auc": {"positives": [0.9, 0.4, 0.7], "negatives": [0.1, 0.5]},
    "auc_difference": {
        "positives1": [0.9, 0.4, 0.7],
        "negatives1": [0.1, 0.5],
        "positives2": [5, 6, 3],
        "negatives2": [4, 1],
    },
    "labelled_share": {"table": [12, 3, 1, 4], "verdicts": [80, 20]},
}
LISTS = [name for name, family in FAMILIES.items() if not family.has_outcomes]
EVERY = [(family, name) for family in LISTS for name in CATALOGUE[family]]


def test_every_family_of_lists_has_data_here():
    assert set(LISTS) <= set(DATA)


def test_the_articles_interval_is_the_mean_and_1_96_population_standard_errors():
    found = harness.interval("mean", "z_population", values=VALUES)
    # The squares of the deviations from 75 add up to 26, and the article divides by k = 5.
    half = 1.959963984540054 * math.sqrt(26 / 5) / math.sqrt(5)
    assert found.estimate == 75
    assert (found.lower, found.upper) == pytest.approx((75 - half, 75 + half), rel=1e-14)


def test_a_summary_of_the_runs_gives_the_interval_of_their_values():
    summary = {"mean": 75, "sd": math.sqrt(26 / 4), "k": 5}
    for name in ("z_population", "z_sample", "student_t"):
        found = harness.interval("mean", name, **summary)
        values = harness.interval("mean", name, values=VALUES)
        assert (found.lower, found.upper) == pytest.approx((values.lower, values.upper), rel=1e-14)


def test_summaries_broadcast_as_numbers_do():
    found = harness.interval(
        "mean", "student_t", mean=[[75], [80]], sd=[2.5, 3.0, 0.5], k=5, alpha=0.1
    )
    assert found.lower.shape == (2, 3)
    one = harness.interval("mean", "student_t", mean=80, sd=3.0, k=5, alpha=0.1)
    assert (found.lower[1, 1], found.upper[1, 1]) == (one.lower, one.upper)
    assert found.lower[0, 2] + found.upper[0, 2] == pytest.approx(150)


@pytest.mark.parametrize(("family", "name"), EVERY)
def test_there_is_an_interval_for_each_row_and_alpha_broadcasts_against_the_rows(family, name):
    method, data = CATALOGUE[family][name], DATA[family]
    two = {key: [values, values[::-1]] for key, values in data.items()}
    alpha = np.array([[0.05], [0.2], [0.4]])
    found = harness.interval(family, name, alpha=alpha, seed=3, **two)
    assert found.estimate.shape == found.lower.shape == found.upper.shape == (3, 2)
    assert (found.lower <= found.upper).all()
    one = harness.interval(family, name, seed=3, **data)
    assert type(one.lower) is float
    assert found.estimate[0, 0] == one.estimate
    if method.deterministic:
        assert (found.lower[0, 0], found.upper[0, 0]) == (one.lower, one.upper)
        # Neither the order of runs nor that of clusters matters, as that of four counts does.
        if "keeps order" not in method.exceptions and not FAMILIES[family].list_lengths:
            np.testing.assert_allclose(found.lower[:, 0], found.lower[:, 1], rtol=1e-12)


def test_a_cluster_of_no_cases_in_a_row_of_several_is_not_there():
    both = {"x": [[3, 5, 2], [9, 8, 0]], "n": [[10, 10, 10], [10, 10, 0]]}
    for name in ("wilson", "saha_wilson", "cluster_t"):
        found = harness.interval("clustered_proportion", name, **both)
        one = harness.interval("clustered_proportion", name, x=[9, 8], n=[10, 10])
        assert (found.lower[1], found.upper[1]) == (one.lower, one.upper)


def test_no_rows_give_no_intervals():
    found = harness.interval("mean", "student_t", values=np.zeros((0, 4)))
    assert found.lower.shape == found.estimate.shape == (0,)


def test_the_limits_of_a_mean_are_open_on_the_other_side():
    found = harness.interval("mean", "student_t", values=VALUES, side="lower")
    assert found.upper == math.inf
    assert found.lower == pytest.approx(75 - 2.131846786 * math.sqrt(26 / 4 / 5), rel=1e-9)


@pytest.mark.parametrize("family", CATALOGUE)
@pytest.mark.parametrize("side", ALL_SIDES)
def test_every_family_has_a_method_for_each_side_where_none_is_named(family, side):
    method = default_method(family_of(family), side)
    assert side in method.sides
    assert method.deterministic
    assert not method.needs_population


def test_there_are_no_tails_where_there_is_no_posterior():
    found = harness.interval("clustered_proportion", "wilson", **CLUSTERS)
    with pytest.raises(InputError, match="clustered_proportion has no closed posterior"):
        tails("clustered_proportion", "wilson", (found.lower, found.upper), **CLUSTERS)
