"""Laws of scores in clusters: their means, their correlations, and the sizes of clusters."""

import math

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.catalogue import scenario_for
from harness.distributions.list_laws import BetaRuns, NormalRuns, runs_truth
from harness.distributions.list_truths import (
    ClusteredPairTruth,
    ClusteredScoreTruth,
    cluster_sizes,
    draw_scores,
)
from harness.families.catalogue import family_of
from tests.test_truths import SETTINGS

PAIRS = 100_000
FAR = 5.2
"""Standard errors: a right implementation fails one comparison with a probability below 1e-6."""


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("rho", [0.0, 0.1, 0.6])
def test_two_scores_of_a_cluster_have_the_law_and_the_correlation(name, rho):
    law = runs_truth(name, SETTINGS[name])
    cluster = np.array([0, 0, 1])
    drawn = draw_scores(law, rho, cluster, PAIRS, np.random.default_rng(4))
    first, second, other = (drawn.T - law.mean) / law.sd
    for products, expected in (
        (first, 0.0),
        (first**2, 1.0),
        (first * second, rho),
        (first * other, 0.0),
    ):
        error = products.std() / math.sqrt(PAIRS)
        assert abs(products.mean() - expected) < FAR * error


def test_differences_of_two_systems_have_the_correlation_too():
    truth = ClusteredPairTruth(NormalRuns(0.7, 0.2), (0.3,), None, NormalRuns(0.6, 0.4))
    first, second, _ = truth.draw(0, np.array([2]), PAIRS, np.random.default_rng(5))
    one, other = (first - second).T - truth.mean
    products = one * other / (0.2**2 + 0.4**2)
    assert abs(products.mean() - 0.3) < FAR * products.std() / math.sqrt(PAIRS)
    assert truth.values[0] == pytest.approx([0.1])


def test_one_cluster_holds_the_share_and_the_others_differ_by_a_case_at_most():
    for clusters, size in ((5, 10), (50, 10), (7, 3), (2, 1)):
        sizes = cluster_sizes(clusters, size, 0.5)
        assert sizes.sum() == clusters * size
        assert sizes.size == clusters
        assert abs(sizes[0] - clusters * size / 2) <= 0.5
        assert np.ptp(sizes[1:]) <= 1
        assert sizes.min() >= 1


def test_a_share_below_that_of_equal_clusters_is_refused():
    truth = ClusteredScoreTruth(BetaRuns(9, 1), (0.0,), 0.1)
    scenario_for(family_of("clustered_mean"), (10, 5), truth)
    with pytest.raises(InputError, match="largest_share should be at least 1/5"):
        scenario_for(family_of("clustered_mean"), (5, 5), truth)
