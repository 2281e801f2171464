"""What a method gains and keeps against another."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.special import betaincinv, ndtri

from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import LENGTH, MEAN, WORST, behaviour, measures
from harness.checks.check import check
from harness.checks.compare import gains_and_losses
from harness.checks.contract.exact import contracts_kept
from harness.checks.contract.length import check_length, check_shrinking
from harness.checks.findings import with_digits_apart
from harness.checks.formats import format_json, format_markdown, format_table
from harness.checks.options import Tolerance
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import AT_LEAST, NOMINAL, NONE

# Gains and losses of a change, and the digits and tolerances of a comparison.


SIZES, ALPHAS = (1, 10, 50), (0.05, 0.1)


@pytest.fixture(scope="module")
def base():
    method = CATALOGUE["proportion"]["wilson"]
    return measures(
        Subject(CatalogueSource("wilson", method, seed=0), family_of("proportion")), SIZES, ALPHAS
    )


def gains(found, base, tolerance=None):
    return gains_and_losses(found, base, "it", tolerance or Tolerance())


def counts(tally):
    return tally.better, tally.same, tally.worse


def test_better_the_same_and_worse_are_counted_by_measure(base):
    at = pl.col("n")
    changed = base.with_columns(
        pl.when(at == 10).then(pl.col(WORST) - 0.01).otherwise(pl.col(WORST)).alias(WORST),
        (pl.col(MEAN) * 2.0).alias(MEAN),
        pl.when(at == 50).then(pl.col(LENGTH) * 1.012).otherwise(pl.col(LENGTH)).alias(LENGTH),
    )
    found = gains(changed, base)
    assert [counts(each) for each in found.tallies] == [(2, 4, 0), (0, 0, 6), (0, 4, 2)]
    worst, _, length = found.tallies
    assert worst.mean_change == pytest.approx(-0.01 / 3.0)
    assert length.mean_change == pytest.approx(0.004)
    assert found.sentence == (
        "against it: safer at 2 of 6 sizes and alphas; longer by 0.4 % on average"
    )
    back = gains(base, changed)
    assert [counts(each) for each in back.tallies] == [(0, 4, 2), (6, 0, 0), (2, 4, 0)]
    assert back.sentence.startswith("against it: less safe at 2 of 6 sizes and alphas; shorter by")


def test_safer_here_and_less_safe_there_are_both_told(base):
    step = pl.when(pl.col("n") == 1).then(0.01).otherwise(-0.01)
    found = gains(base.with_columns(pl.col(WORST) + step), base)
    assert found.sentence == (
        "against it: safer at 4 of 6 sizes and alphas, less safe at 2; as long on average"
    )


def test_what_did_not_change_is_told_in_one_line(base):
    found = gains(base.with_columns(pl.col(WORST) + 1e-12), base)
    assert found.lines() == ["against it: as safe at all 6 sizes and alphas; as long on average"]


def test_only_sizes_and_alphas_of_both_are_counted(base):
    assert gains(base.filter(pl.col("n") > 1), base).tallies[0].cells == 4
    assert gains(base.filter(pl.col("n") == 1), base.filter(pl.col("n") > 1)) is None


def test_a_tolerance_is_of_its_measure_alone(base):
    moved = base.with_columns(pl.col(WORST) + 1e-6, pl.col(LENGTH) * (1.0 + 1e-6))
    for tolerance, worse in (
        (Tolerance(), [6, 6]),
        (Tolerance(alpha=1e-5), [0, 6]),
        (Tolerance(length=1e-5), [6, 0]),
    ):
        found = gains(moved, base, tolerance)
        assert [found.tallies[0].worse, found.tallies[2].worse] == worse


@pytest.fixture(scope="module")
def compared():
    return check("wilson", against="clopper_pearson", contract="none", sizes=(10,), alphas=(0.05,))


def test_every_format_has_the_gains_and_losses(compared):
    sentence = "against clopper_pearson: less safe at 1 of 1 sizes and alphas; shorter by 14 %"
    text, found = format_table(compared), json.loads(format_json(compared))["gains"]
    assert sentence in text
    assert "  worst alpha                   0     0      1        +0.13\n" in text
    assert found["summary"].startswith(sentence)
    assert [each["measure"] for each in found["measures"]] == [
        "worst alpha",
        "mean alpha error",
        "length",
    ]
    assert found["measures"][0]["worse"] == 1
    assert "| worst alpha | 0 | 0 | 1 | +0.13 |" in format_markdown(compared)


def test_numbers_show_the_digits_in_which_they_differ():
    assert with_digits_apart(0.1234567891, 0.1234567899) == ("0.1234567891", "0.1234567899")
    assert with_digits_apart(0.1 + 0.2, 0.3) == ("0.30000000000000004", "0.29999999999999999")
    assert with_digits_apart(0.25, float("inf")) == ("0.25", "inf")
    assert with_digits_apart(1 / 3, 1 / 3) == ("0.333333", "0.333333")


def test_a_tolerance_is_read_from_a_text_or_a_mapping():
    expected = Tolerance(limits=1e-7, length=1e-6, alpha=0.0)
    assert Tolerance.of("limits=1e-7, length=1e-6,alpha=0") == expected
    assert Tolerance.of({"limits": 1e-7, "length": 1e-6, "alpha": 0}) == expected
    assert Tolerance.of(None) == Tolerance()


# What a report says about contracts that were not asked for, and about lengths.


KEPT_ALPHAS = (0.05,)


def subject_of(method, family="proportion"):
    if isinstance(method, str):
        return Subject(
            CatalogueSource(method, CATALOGUE[family][method], seed=0), family_of(family)
        )
    return Subject(FunctionHere("f", method), family_of(family))


def kept(method, sizes=(10, 12, 20), alphas=KEPT_ALPHAS, family="proportion"):
    return contracts_kept(behaviour(subject_of(method, family), sizes, alphas), family_of(family))


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        # Its mean alpha at n = 10 is 0.0162, by the sum over all tails of Beta(x + 1, 11 - x).
        (
            "clopper_pearson",
            "keeps: at-least; not approximate: mean alpha is 0.0162, nominal 0.05, at n = 10",
        ),
        (
            "likelihood_ratio",
            "keeps: nominal; not conservative: mean alpha is 0.0541, nominal 0.05, at n = 10",
        ),
    ],
)
def test_the_sentence_names_the_strongest_that_is_kept_and_why_others_are_not(method, sentence):
    assert kept(method) == sentence


def test_what_is_missed_by_a_hair_is_said():
    sentence = kept("likelihood_ratio", (11,), (0.01,))
    assert sentence.startswith("keeps: approximate (narrowly, worst alpha 0.0458 at n = 11, ")


def test_wald_keeps_nothing():
    assert kept("wald").startswith("keeps: no contract; not approximate or ")


def test_small_sizes_alone_decide_at_least_only():
    assert kept("clopper_pearson", (3,)) == "keeps: at-least"


def test_unsound_limits_keep_nothing():
    def reversed_at_three(x, n, alpha):
        return np.where(x == 3, 0.9, 0.0), np.where(x == 3, 0.1, 1.0)

    sentence = kept(reversed_at_three, (10,))
    assert sentence == "keeps: no contract, as limits are unsound at n = 10, alpha = 0.05"


def length_of(method, contract=AT_LEAST, sizes=(10, 50), alphas=KEPT_ALPHAS):
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
    (found,) = check_shrinking(AT_LEAST, subject_of(always), KEPT_ALPHAS)
    assert (found.kind, found.verdict, found.cell["found"]) == ("tails", "fail", 1.0)
    assert check_shrinking(NONE, subject_of(always), KEPT_ALPHAS)[0].verdict == "remark"
    (found,) = check_shrinking(AT_LEAST, subject_of(whole_from_1000_on), KEPT_ALPHAS)
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
