"""Means of scores in clusters held against R's sandwich, matrices, and resamples of scores."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import harness
from harness.base.errors import InputError, IntervalNotFoundError
from harness.families.scores import by_clusters
from harness.methods.catalogue import CATALOGUE

ROWS = json.loads((Path(__file__).parents[1] / "data" / "clustered_scores.json").read_text())[
    "rows"
]
METHODS = CATALOGUE["clustered_mean"]
ROUNDING = 1e-12
"""A few hundred sums of numbers of about 1."""


def cases(sizes, seed=1):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=len(sizes))[cluster] + rng.gamma(1.0, size=cluster.size), cluster


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(len(row["cluster"])))
def test_limits_are_those_of_sandwich(row):
    one = {"values": row["first"], "cluster": row["cluster"]}
    two = {name: row[name] for name in ("first", "second", "cluster")}
    for family, data, name, limits in (
        ("clustered_mean", one, "mean", "t_limits_95"),
        ("clustered_difference", two, "difference", "difference_t_limits_95"),
    ):
        found = harness.interval(family, "cluster_t", **data)
        expected = [row[name], *row[limits]]
        np.testing.assert_allclose(
            [found.estimate, found.lower, found.upper], expected, rtol=0, atol=ROUNDING
        )
        error = row["se" if name == "mean" else "difference_se"]
        found = harness.interval(family, "cluster_z", alpha=0.3, **data)
        z = stats.norm.isf(0.15)
        assert found.upper - found.estimate == pytest.approx(z * error, rel=1e-10)


def cr2_by_matrices(y, cluster, alpha):
    """Bell and McCaffrey's interval from the matrices of the model y = β + ε."""
    count = y.size
    hat, identity = np.full((count, count), 1.0 / count), np.eye(count)
    residuals, variance, columns = y - y.mean(), 0.0, []
    for label in np.unique(cluster):
        inside = np.flatnonzero(cluster == label)
        values, vectors = np.linalg.eigh((identity - hat)[np.ix_(inside, inside)])
        adjustment = vectors @ np.diag(values**-0.5) @ vectors.T
        ones = np.ones(inside.size)
        variance += (ones @ adjustment @ residuals[inside] / count) ** 2
        columns.append((identity - hat)[:, inside] @ adjustment @ ones / count)
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    freedom = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    delta = stats.t.isf(alpha / 2, freedom) * np.sqrt(variance)
    return y.mean() - delta, y.mean() + delta


@pytest.mark.parametrize("sizes", [[3, 3, 3], [1, 2], [15, 9, 9, 9, 8], [30, *[7] * 10], [1] * 6])
def test_cr2_is_what_its_matrices_give(sizes):
    values, cluster = cases(sizes)
    found = harness.interval("clustered_mean", "cr2", values=values, cluster=cluster)
    expected = cr2_by_matrices(values, cluster, 0.05)
    np.testing.assert_allclose([found.lower, found.upper], expected, rtol=1e-10)


def test_cr2_is_student_t_where_clusters_have_one_size():
    values, cluster = cases([7] * 9)
    data = {"values": values, "cluster": cluster}
    cr2, t = (harness.interval("clustered_mean", name, **data) for name in ("cr2", "cluster_t"))
    assert (cr2.lower, cr2.upper) == pytest.approx((t.lower, t.upper), rel=1e-12)


def p_value(y, cluster, mean):
    """The share of sign vectors whose |t*| is at least |t|, from resampled scores."""

    def t(scores):
        sums = np.bincount(cluster, scores - scores.mean())
        with np.errstate(divide="ignore"):
            return abs(scores.mean() - mean) * scores.size / np.sqrt((sums**2).sum())

    observed, above = t(y), 0
    vectors = list(itertools.product((1.0, -1.0), repeat=int(cluster.max()) + 1))
    for signs in vectors:
        above += t(mean + np.array(signs)[cluster] * (y - mean)) >= observed * (1 - 1e-10)
    return above / len(vectors)


@pytest.mark.parametrize("sizes", [[4] * 6, [15, 9, 9, 9, 8, 3, 1], [6, 1, 1, 1, 1, 1, 1, 8]])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_wild_bootstrap_limits_part_means_that_are_rejected_from_others(sizes, alpha):
    values, cluster = cases(sizes)
    data = {"values": values, "cluster": cluster}
    found = harness.interval("clustered_mean", "wild_bootstrap_t", alpha=alpha, seed=1, **data)
    step = 1e-6 * (found.upper - found.lower)
    for limit, inside in ((found.lower, step), (found.upper, -step)):
        assert p_value(values, cluster, limit + inside) > alpha
        assert p_value(values, cluster, limit - inside) <= alpha


def test_there_is_no_wild_bootstrap_interval_where_no_p_value_is_below_alpha():
    values, cluster = cases([4] * 5)
    data = {"values": values, "cluster": cluster, "seed": 1}
    with pytest.raises(IntervalNotFoundError, match="so few clusters"):
        harness.interval("clustered_mean", "wild_bootstrap_t", **data)
    # 2/2^5 is 0.0625.
    found = harness.interval("clustered_mean", "wild_bootstrap_t", alpha=0.0625, **data)
    assert found.lower < found.estimate < found.upper


def test_one_side_of_the_wild_bootstrap_has_twice_the_alpha():
    values, cluster = cases([4] * 9)
    data = {"values": values, "cluster": cluster, "seed": 1}
    both = harness.interval("clustered_mean", "wild_bootstrap_t", alpha=0.1, **data)
    for side, limit in (("lower", "lower"), ("upper", "upper")):
        one = harness.interval("clustered_mean", "wild_bootstrap_t", alpha=0.05, side=side, **data)
        assert getattr(one, limit) == getattr(both, limit)
    beyond = harness.interval(
        "clustered_mean", "wild_bootstrap_t", alpha=0.95, side="lower", **data
    )
    assert beyond.lower == both.upper


def test_drawn_signs_come_near_all_of_them():
    """The 5 % points of 1,000 signs have a standard error of about 3 % of the half-width."""
    values, cluster = cases([4] * 13)
    data = {"values": values, "cluster": cluster}
    drawn = harness.interval("clustered_mean", "wild_bootstrap_t", seed=1, **data)
    assert p_value(values, cluster, drawn.lower) == pytest.approx(0.05, abs=0.028)
    assert p_value(values, cluster, drawn.upper) == pytest.approx(0.05, abs=0.028)


def test_labels_in_any_order_and_of_any_kind_name_clusters():
    values, cluster = cases([4, 2, 5])
    expected = harness.interval("clustered_mean", "cr2", values=values, cluster=cluster)
    order = np.random.default_rng(2).permutation(values.size)
    words = np.array(["doc 9", "", "ä"], dtype=object)[cluster]
    for labels in (cluster - 7.5, words, words.tolist()):
        found = harness.interval(
            "clustered_mean", "cr2", values=values[order], cluster=np.array(labels)[order]
        )
        assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper))


def test_totals_of_clusters_are_enough():
    values, cluster = cases([4, 2, 5])
    expected = harness.interval("clustered_mean", "cr2", values=values, cluster=cluster)
    totals = {"total": np.bincount(cluster, values), "n": [4, 2, 5]}
    found = harness.interval("clustered_mean", "cr2", **totals)
    assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper), rel=1e-12)
    both = {"total": [totals["total"], [3.0, 1.0, 0.0]], "n": [[4, 2, 5], [4, 2, 0]]}
    assert harness.interval("clustered_mean", "cr2", **both).lower[0] == found.lower


def test_data_sets_of_one_array_may_have_different_clusters():
    values = np.random.default_rng(3).normal(size=(2, 8))
    cluster = [[1, 1, 2, 2, 3, 3, 4, 4], [1, 1, 1, 2, 2, 2, 2, 2]]
    found = harness.interval("clustered_mean", "cluster_t", values=values, cluster=cluster)
    for row in range(2):
        one = {"values": values[row], "cluster": cluster[row]}
        assert harness.interval("clustered_mean", "cluster_t", **one).lower == found.lower[row]


def test_residuals_keep_the_digits_of_large_scores():
    values, cluster = np.array([1.0, 2, 4, 8]), np.array([0.0, 0, 1, 1])
    _, _, expected = by_clusters(values, cluster)
    _, _, found = by_clusters(values + 2.0**52, cluster)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"values": [1, 2], "cluster": [1, 1]},
            "cluster should be of at least 2 clusters, found 1",
        ),
        ({"values": [1, 2], "cluster": [1, 1, 2]}, "values has 2, cluster has 3"),
        ({"values": [1, 2], "cluster": ["a", None]}, "a case without one"),
        ({"values": [1, 2], "cluster": [0.5, np.nan]}, "a case without one"),
        ({"values": [1, 2], "cluster": 3}, "cluster should be a list with the label"),
        ({"values": [1, 2]}, "clustered_mean needs the data values and cluster, found values"),
        ({"total": [1, 2], "n": [1, 0]}, "total should be 0 of a cluster without cases"),
        ({"total": [1, 2], "n": [1, 1.5]}, "n should be whole numbers from 0"),
        ({"total": [1, 2, 3], "n": [1, 2]}, "total has 3 and n has 2"),
    ],
)
def test_wrong_data_are_named(data, words):
    with pytest.raises(InputError, match=words):
        harness.interval("clustered_mean", **data)


@pytest.mark.parametrize(
    ("family", "data"),
    [
        ("clustered_mean", {"values": [1e-200, 2e-200, 4e-200], "cluster": [1, 2, 3]}),
        ("clustered_mean", {"total": [1e-200, 2e-200, 4e-200], "n": [1, 1, 1]}),
        ("clustered_difference", {"first": [1e-200, 0], "second": [0, 0], "cluster": [1, 2]}),
        ("mean", {"values": [1e-200, 2e-200, 4e-200]}),
    ],
)
def test_scores_whose_squared_differences_are_no_doubles_are_refused(family, data):
    with pytest.raises(InputError, match="differ by 0 or by at least 1e-140"):
        harness.interval(family, **data)


@pytest.mark.parametrize("method", ["cluster_t", "cr2"])
def test_limits_of_scores_that_are_0_or_1_are_cut_at_0_and_1(method):
    data = {"values": [1, 1, 1, 1, 0], "cluster": [1, 1, 2, 3, 3]}
    assert harness.interval("clustered_mean", method, **data).upper == 1.0
    twice = {"values": [2, 2, 2, 2, 0], "cluster": data["cluster"]}
    assert harness.interval("clustered_mean", method, **twice).upper > 2.0
    both = {"first": data["values"], "second": [0, 0, 1, 0, 0], "cluster": data["cluster"]}
    assert harness.interval("clustered_difference", method, **both).upper == 1.0
