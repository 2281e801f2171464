"""How many clusters suffice for a mean of scores, or for a difference of two systems."""

import json
import math

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.designs.lists import closed_form
from harness.distributions.list_laws import NormalRuns
from harness.distributions.list_truths import ClusteredScoreTruth
from harness.families.catalogue import family_of
from harness.families.scores import by_clusters
from harness.methods.catalogue import find
from harness.methods.mean import student_t

SCORES = {"sd": 0.4, "rho": 0.2, "size": 5}


def drawn(clusters, sizes, mean, count):
    """Data sets by another way than those of the size: a score for each case, of another seed."""
    truth = ClusteredScoreTruth(NormalRuns(mean, 0.4), (0.2,))
    scores, cluster = truth.draw(0, np.resize(sizes, clusters), count, np.random.default_rng(79))
    return by_clusters(scores, cluster)


@pytest.mark.parametrize("half_width", [0.03, 0.1, 0.5])
def test_clusters_of_one_size_have_the_closed_form_of_their_means(half_width):
    """Their means are independent and normal, with the variance sd² (ρ + (1 − ρ)/5)."""
    sd = 0.4 * math.sqrt(0.2 + 0.8 / 5)
    found = harness.size("clustered_mean", "cluster_t", half_width=half_width, **SCORES)
    widths = [
        closed_form(student_t, float(k), 0.05, "two-sided", sd)[2] / 2
        for k in range(2, 2 * found.clusters + 10)
    ]
    exact = 2 + next(place for place, width in enumerate(widths) if width <= half_width)
    assert abs(found.clusters - exact) <= 1
    assert abs(found.reached - widths[found.clusters - 2]) < 4 * found.std_error


def test_a_width_of_clusters_in_turn_is_that_of_other_draws():
    given = {**SCORES, "size": [2, 5, 20]}
    found = harness.size("clustered_mean", "cr2", length=0.2, **given)
    lower, upper = find(family_of("clustered_mean"), "cr2").limits(
        drawn(found.clusters, [2, 5, 20], 0.0, 3000), 0.05, "two-sided"
    )
    width = upper - lower
    assert abs(width.mean() - found.reached) < 4 * math.hypot(
        found.std_error, width.std(ddof=1) / math.sqrt(width.size)
    )


@pytest.mark.parametrize(("goal", "mean"), [({"above": 0}, 0.08), ({"below": 0.2}, 0.1)])
def test_a_power_of_clusters_is_that_of_other_draws(goal, mean):
    found = harness.size(
        "clustered_difference", mean=mean, probability=0.8, alpha=0.025, **goal, **SCORES
    )
    side = "lower" if "above" in goal else "upper"
    limits = find(family_of("clustered_difference"), "cr2").limits(
        drawn(found.clusters, [5], mean, 4000), 0.025, side
    )
    beyond = limits[0] > 0 if side == "lower" else limits[1] < 0.2
    error = math.hypot(found.std_error, math.sqrt(0.8 * 0.2 / 4000))
    assert abs(beyond.mean() - found.reached) < 4 * error
    assert found.reached >= 0.8
    assert found.assumed == {"method": "cr2"}


def test_an_assured_width_takes_more_clusters():
    few = harness.size("clustered_mean", half_width=0.1, **SCORES)
    more = harness.size("clustered_mean", half_width=0.1, assurance=0.9, **SCORES)
    assert more.clusters > few.clusters


@pytest.mark.parametrize(
    "same",
    [
        {"sd": 0.4, "design_effect": 1.8, "size": 5},
        {"sd_between": 0.4 * math.sqrt(0.2), "sd_within": 0.4 * math.sqrt(0.8), "size": 5},
    ],
)
def test_other_numbers_say_the_correlation(same):
    answers = [harness.size("clustered_mean", half_width=0.05, **each) for each in (SCORES, same)]
    assert answers[0].clusters == answers[1].clusters


def test_the_command_states_the_method_and_the_error(run_command):
    argv = ["size", "clustered_mean", "--sd", "0.4", "--rho", "0.2", "--size", "5"]
    result = run_command(*argv, "--half-width", "3%", "--format", "json")
    found = json.loads(result.out)
    assert found["method"] == "cr2"
    assert found["half_width"] <= 0.03
    assert found["assumes"] == "clusters of 5 cases, with normal scores"
    assert f"so that clusters = {found['clusters']} is known to ±" in found["checked"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"half_width": 0.1}, "needs sd, rho and size"),
        ({"half_width": 0.1, "sd": 1, "rho": 0.1}, "size"),
        ({"half_width": 0.1, "sd": -1, "rho": 0.1, "size": 5}, "sd should be a number above 0"),
        ({"half_width": 0.1, "sd": 1, "rho": 0.1, "size": 0}, "size should be a whole number"),
        ({"half_width": 0.1, "sd_between": 1, "size": 5}, "sd_between and sd_within in place of"),
        (
            {"half_width": 0.1, "sd": 1, "rho": 0.1, "design_effect": 2, "size": 5},
            "expected design_effect in place of rho",
        ),
        (
            {"half_width": 0.1, "sd": 1, "design_effect": 5, "size": 5},
            "design_effect should be a number from 1 to below 5",
        ),
        ({"half_width": 0.1, **SCORES, "ratio": 2}, "takes no ratio"),
        ({"above": 0, "mean": -0.1, "probability": 0.8, **SCORES}, "on the wrong side of 0"),
        ({"above": 0, "probability": 0.8, **SCORES}, "needs mean, sd, rho and size"),
        ({"half_width": 0.1, "method": "wild_bootstrap_t", **SCORES}, "draws its limits"),
    ],
)
def test_what_no_number_of_clusters_answers_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        harness.size("clustered_mean", **given)


def test_a_coverage_of_differences_is_that_of_their_mean():
    given = {"clusters": 6, "size": 4, "mean": 0.1, "sd": 0.5, "rho": 0.2, "trials": 4000}
    one, two = (
        harness.coverage(family, "cluster_t", **given)
        for family in ("clustered_mean", "clustered_difference")
    )
    # Means of normal clusters of one size have exactly Student's distribution.
    for found in (one, two):
        assert abs(found.coverage - 0.95) < 4 * found.std_error
    assert abs(one.mean_length - two.mean_length) < 4 * math.hypot(
        one.mean_length_std_error, two.mean_length_std_error
    )


@pytest.mark.parametrize("family", ["bounded_mean", "pass_at", "pass_hat", "auc_difference"])
def test_a_size_that_may_grow_in_many_ways_is_refused_in_a_sentence(family):
    with pytest.raises(InputError, match="whose data may grow in many ways"):
        harness.size(family, half_width=0.05, sd=0.1)
