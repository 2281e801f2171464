"""Gains and losses of a change, and the digits and tolerances of a comparison."""

import json

import polars as pl
import pytest

from harness.base.errors import InputError
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import LENGTH, MEAN, WORST, measures
from harness.checks.check import check
from harness.checks.compare import gains_and_losses
from harness.checks.findings import with_digits_apart
from harness.checks.formats import format_json, format_markdown, format_table
from harness.checks.options import Tolerance
from harness.checks.subjects.subject import Subject
from harness.methods.catalogue import CATALOGUE

SIZES, ALPHAS = (1, 10, 50), (0.05, 0.1)


@pytest.fixture(scope="module")
def base():
    method = CATALOGUE["proportion"]["wilson"]
    return measures(Subject(CatalogueSource("wilson", method, seed=0), "proportion"), SIZES, ALPHAS)


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
    assert worst.change == pytest.approx(-0.01 / 3.0)
    assert length.change == pytest.approx(0.004)
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "tolerance should be such as limits=1e-9,length=1e-6,alpha=1e-6, found ''"),
        ("1e-6", "tolerance should be such as limits=1e-9,.* found '1e-6'"),
        ("length=1e-6,", "tolerance should be such as limits=1e-9"),
        ("lenght=1e-6", "limits, length or alpha, found 'lenght'; did you mean length?"),
        ("limits=small", "tolerance of limits should be a number, found 'small'"),
        ("limits=nan", "tolerance of limits should be a number, found 'nan'"),
        ("limits=1e-9,limits=1e-8", "tolerance has limits twice"),
        ("alpha=-1e-9", "tolerance of alpha should be at least 0 and less than 1, found -1e-09"),
        (
            {"alpha": "1e-9"},
            "tolerance of alpha should be at least 0 and less than 1, found '1e-9'",
        ),
        ({"alpha": True}, "tolerance of alpha should be at least 0"),
        ({1: 1e-9}, "limits, length or alpha, found 1"),
        (3.0, "tolerance should be numbers by measure, found 3.0"),
    ],
)
def test_a_tolerance_that_is_none_is_refused_in_one_sentence(given, message):
    with pytest.raises(InputError, match=message):
        Tolerance.of(given)
