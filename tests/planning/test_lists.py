"""How many runs and clusters suffice."""

import json
import math

import numpy as np
import pytest
from scipy.special import gammaln, stdtrit

import harness
from harness.planning.lists import cases_of_strata


def expected_half_width(k, sd):
    """t · sd · c₄(k)/√k, with c₄ by log-gammas."""
    c4 = math.sqrt(2 / (k - 1)) * math.exp(gammaln(k / 2) - gammaln((k - 1) / 2))
    return stdtrit(k - 1, 0.975) * sd * c4 / math.sqrt(k)


def test_runs_of_an_expected_half_width():
    found = harness.size("mean", "student_t", sd=2.0, half_width=1.0)
    assert found.k == 18
    assert found.reached == pytest.approx(expected_half_width(18, 2.0), rel=1e-12)
    assert expected_half_width(17, 2.0) > 1.0
    assert found.std_error is None


def test_a_length_is_twice_a_half_width_of_runs():
    assert harness.size("mean", "student_t", sd=2.0, length=2.0).k == 18


def test_clusters_of_an_expected_half_width():
    asked = {"p": 0.8, "size": 10, "half_width": 0.05}
    alone = harness.size("clustered_proportion", "saha_wilson", rho=0.0, **asked)
    alike = harness.size("clustered_proportion", "saha_wilson", rho=0.1, **asked)
    # Independent cases need 246 by Wald, and clusters of 10 with rho = 0.1 1.9 times as many.
    assert alone.clusters == pytest.approx(24.6, abs=1.5)
    assert alike.clusters == pytest.approx(1.9 * 24.6, abs=3)
    assert 0 < alike.std_error < 2e-4
    assert alike.reached <= 0.05


def test_the_curve_falls_through_the_answer():
    found = harness.size("mean", "z_sample", sd=1.0, half_width=0.5)
    numbers, reached = found.curve()
    assert (np.diff(reached) < 0).all()
    assert ((reached <= 0.5) == (numbers >= found.k)).all()


CLUSTERS = {"p": 0.8, "rho": 0.1, "half_width": 0.05}


def test_a_list_of_one_size_is_that_size():
    one = harness.size("clustered_proportion", "cluster_wald", size=10, **CLUSTERS)
    listed = harness.size("clustered_proportion", "cluster_wald", size=[10, 10.0], **CLUSTERS)
    assert listed == one


def test_unequal_clusters_need_as_many_as_their_variance_says():
    """Var p̂ = p(1 − p)/N · (1 + ρ(Σm²/Σm − 1)), N cases in all (Kish, Survey Sampling, 1965)."""
    sizes = np.array([3, 5, 20])
    found = harness.size("clustered_proportion", "cluster_wald", size=sizes, **CLUSTERS)
    effect = 1 + 0.1 * ((sizes**2).sum() / sizes.sum() - 1)
    cases = 0.16 * (1.959964 / 0.05) ** 2 * effect
    assert found.clusters == pytest.approx(cases / sizes.mean(), rel=0.05)
    assert found.checked_to == found.clusters + 2
    assert (
        found.assumes == "clusters of 3, 5 and 20 cases in turn, with proportions from a beta "
        "distribution"
    )


STRATA = {"p1": [0.9, 0.8, 0.6], "p2": [0.8, 0.7, 0.5], "shares": [5, 3, 2]}


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_strata_need_as_many_cases_as_their_variance_says(ratio):
    """Var = Σ wₛ²·(p₁(1 − p₁)/n₁ₛ + p₂(1 − p₂)/n₂ₛ), where the weights are the shares."""
    found = harness.size(
        "stratified_difference", "mantel_haenszel", half_width=0.05, ratio=ratio, **STRATA
    )
    w = np.array(STRATA["shares"]) / 10
    p1, p2 = np.array(STRATA["p1"]), np.array(STRATA["p2"])
    variance = (w * (p1 * (1 - p1) + p2 * (1 - p2) / ratio)).sum()
    assert found.n1 == pytest.approx((1.959964 / 0.05) ** 2 * variance, rel=0.02)
    assert found.n2 == pytest.approx(ratio * found.n1, abs=2)
    assert [sum(each) for each in found.strata.values()] == [found.n1, found.n2]
    assert np.array(found.strata["n1"]) / found.n1 == pytest.approx(w, abs=2 / found.n1)


def test_strata_whose_single_cases_have_no_spread_are_no_answer():
    """Mantel and Haenszel's interval of one case in each cell has a length of 0."""
    found = harness.size("stratified_difference", "mantel_haenszel", length=0.5, **STRATA)
    assert min(found.strata["n1"]) > 1


def test_every_stratum_has_a_case():
    assert cases_of_strata(3, np.array([0.98, 0.01, 0.01])) == (3, 1, 1)
    assert sum(cases_of_strata(101, np.array([0.5, 0.3, 0.2]))) == 101


def test_the_command_says_the_cases_of_each_stratum(run_command):
    argv = "size stratified_difference --method newcombe --p1 0.9,0.8 --p2 0.8,0.7 --shares 3,1"
    found = json.loads(run_command(*argv.split(), "--half-width", "0.2", "--format", "json").out)
    assert (sum(found["n1_of_strata"]), sum(found["n2_of_strata"])) == (found["n1"], found["n2"])
    assert found["assumes"] == "cases of strata in the given shares, at least one in each"


def test_a_long_name_of_an_axis_is_wrapped(run_command, tmp_path):
    argv = "size stratified_difference --method newcombe --p1 0.9,0.8 --p2 0.8,0.7 --shares 3,1"
    path = tmp_path / "curve.svg"
    run_command(*argv.split(), "--half-width", "0.3", "--figure", str(path))
    assert "<!-- difference p1 − p2 -->" in path.read_text("utf-8")
