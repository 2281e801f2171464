"""What a report says about contracts that were not asked for, and about lengths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaincinv, ndtri

from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import behaviour
from harness.checks.check import check
from harness.checks.contract.exact import contracts_kept
from harness.checks.contract.length import check_length, check_shrinking
from harness.checks.subjects.subject import Subject
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import AT_LEAST, NOMINAL, NONE

ALPHAS = (0.05,)


def subject_of(method, family="proportion"):
    if isinstance(method, str):
        return Subject(CatalogueSource(method, CATALOGUE[family][method], seed=0), family)
    return Subject(FunctionHere("f", method), family)


def kept(method, sizes=(10, 12, 20), alphas=ALPHAS, family="proportion"):
    return contracts_kept(behaviour(subject_of(method, family), sizes, alphas), family)


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        # Its mean alpha at n = 10 is 0.0162, by the sum over all tails of Beta(x + 1, 11 - x).
        (
            "clopper_pearson",
            "keeps: at-least; not approximate: mean alpha 0.0338 below 0.05 at n = 10",
        ),
        (
            "likelihood_ratio",
            "keeps: nominal; not conservative: mean alpha 0.00409 above 0.05 at n = 10",
        ),
    ],
)
def test_the_sentence_names_the_strongest_that_is_kept_and_why_others_are_not(method, sentence):
    assert kept(method) == sentence


def test_what_is_missed_by_a_hair_is_said():
    sentence = kept("likelihood_ratio", (11,), (0.01,))
    assert sentence.startswith("keeps: approximate (by a hair, worst alpha 0.0458 at n = 11, ")


def test_wald_keeps_nothing():
    assert kept("wald").startswith("keeps: no contract; not approximate: mean alpha ")


def test_small_sizes_alone_decide_at_least_only():
    assert kept("clopper_pearson", (3,)) == "keeps: at-least"


def test_unsound_limits_keep_nothing():
    def reversed_at_three(x, n, alpha):
        return np.where(x == 3, 0.9, 0.0), np.where(x == 3, 0.1, 1.0)

    sentence = kept(reversed_at_three, (10,))
    assert sentence == "keeps: no contract, as limits are unsound at n = 10, alpha = 0.05"


def length_of(method, contract=AT_LEAST, sizes=(10, 50), alphas=ALPHAS):
    subject = subject_of(method)
    return check_length(contract, subject, behaviour(subject, sizes, alphas))


def test_the_length_is_compared_with_the_shortest_that_misses_no_truth_too_often():
    (found,) = length_of("clopper_pearson")
    assert found.verdict == "pass"
    # Sterne's intervals and Feldman-Cousins' are the shortest, by a few per cent.
    assert 0.01 < found.cell["from"] <= found.cell["found"] < 0.15
    assert "longer than the catalogue's shortest at-least interval (" in found.message
    assert length_of("wilson", NOMINAL) == []


def test_a_one_sided_limit_is_compared_with_clopper_pearsons():
    def bound(x, n, alpha):
        x = np.asarray(x, float)
        return 0.0 * x, np.where(x == n, 1.0, betaincinv(x + 1, np.maximum(n - x, 1), 1 - alpha))

    bound.side = "upper"
    (found,) = length_of(bound)
    assert found.cell["found"] == pytest.approx(0.0, abs=1e-9)
    assert "clopper_pearson" in found.message


def always(x, n, alpha):
    return 0.0 * np.asarray(x), 0.0 * np.asarray(x) + 1.0


def whole_from_1000_on(x, n, alpha):
    z, p = -ndtri(alpha / 2), np.asarray(x) / n
    centre = (x + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(n * p * (1 - p) + z * z / 4)
    large = n >= 1000
    return np.where(large, 0.0, centre - half), np.where(large, 1.0, centre + half)


def test_an_interval_that_does_not_shrink_fails_and_is_a_remark_where_nothing_is_promised():
    (found,) = check_shrinking(AT_LEAST, subject_of(always), ALPHAS)
    assert (found.kind, found.verdict, found.cell["found"]) == ("tails", "fail", 1.0)
    assert check_shrinking(NONE, subject_of(always), ALPHAS)[0].verdict == "remark"
    (found,) = check_shrinking(AT_LEAST, subject_of(whole_from_1000_on), ALPHAS)
    assert found.verdict == "fail"
    assert (found.cell["n"], found.cell["alpha"]) == (3200, 0.05)


@pytest.mark.parametrize(
    ("family", "method"),
    [
        ("proportion", "wilson"),
        ("proportion", "chebyshev"),
        ("proportion", "one_sided"),
        ("rate", "garwood"),
        ("rate", "one_sided"),
        ("proportion_difference", "newcombe"),
        ("risk_ratio", "walter"),
        ("rate_ratio", "mover_jeffreys"),
        ("paired_difference", "tango"),
    ],
)
def test_sound_intervals_shrink_by_about_a_half(family, method):
    (found,) = check_shrinking(NOMINAL, subject_of(method, family), (0.01, 0.1))
    assert found.verdict == "pass"
    # Chebyshev's, which are clipped at the first sizes, shrink least.
    assert 0.48 < found.cell["found"] < 0.64


def test_the_summary_says_what_is_kept_and_how_long_it_is():
    report = check("clopper_pearson", grid="n=10,20;alpha=0.05")
    assert report.keeps.startswith("keeps: ")
    lines = [line.strip() for line in str(report).splitlines()]
    assert report.keeps in lines
    assert any(line.startswith("mean length ") for line in lines)
    assert report.to_dict()["keeps"] == report.keeps
