"""The whole check of a method, and its options."""

from __future__ import annotations

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.checks.check import check
from harness.methods.catalogue import CATALOGUE, PROPORTION

ONE = {"sizes": (10,), "alphas": (0.05,)}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("margin", -1.0),
        ("margin", float("nan")),
        ("trials", 0),
        ("seed", -1),
        ("call_timeout", 0.0),
        ("timeout", float("nan")),
        ("call_timeout", float("inf")),
        ("sizes", []),
        ("sizes", 5),
        ("sizes", [0]),
        ("sizes", [2.5]),
        ("sizes", ["a"]),
        ("sizes", [float("nan")]),
        ("alphas", []),
        ("alphas", [1.0]),
        ("alphas", ["0.05"]),
    ],
)
def test_an_option_out_of_its_range_is_refused(option, value):
    with pytest.raises(InputError, match=option):
        check("wilson", **{**ONE, option: value})


@pytest.mark.parametrize(
    ("family", "sizes", "wanted"),
    [
        ("proportion_difference", (5, 10), "pairs of numbers, found 5"),
        ("rate_difference", ((1.0, 2.0, 3.0),), "pairs of numbers, found"),
        ("proportion", ((5, 10),), "numbers, found"),
    ],
)
def test_sizes_that_are_not_of_the_family_are_refused(family, sizes, wanted):
    with pytest.raises(InputError, match=f"sizes of {family} should be {wanted}"):
        check("wald", family=family, sizes=sizes)


def test_sizes_and_alphas_may_be_arrays():
    given = {"sizes": np.array([10, 20]), "alphas": np.array([0.05])}
    assert check("wilson", **given).behaviour.height == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"contract": "always"},
            "contract should be one of nominal, at-least, conservative, approximate, none",
        ),
        ({"alphas": (0.05, 1.0)}, "alphas should lie between 0 and 1"),
        ({"family": "median"}, "family should be one of"),
    ],
)
def test_an_unknown_name_or_level_is_an_input_error(options, message):
    with pytest.raises(InputError, match=message):
        check("wilson", **options)


def test_sizes_and_alphas_come_from_a_config(tmp_path):
    config = {
        "name": "mine",
        "family": "proportion",
        "n": [3, 12],
        "alpha": [0.2],
        "methods": ["wilson"],
        "engines": ["posterior"],
    }
    file = tmp_path / "mine.yaml"
    file.write_text(str(config).replace("'", '"'))
    rows = check("wilson", config=file).behaviour
    assert rows.select("n", "alpha").rows() == [(3.0, 0.2), (12.0, 0.2)]
    with pytest.raises(InputError, match="no experiment of the family rate"):
        check("garwood", family="rate", config=file)


def test_a_method_is_no_worse_than_itself():
    report = check("wilson", against="wilson", grid="n=1,10,30;alpha=0.05")
    assert report.passed, str(report)
    assert {finding.kind for finding in report.findings} >= {"against", "cross-check", "behaviour"}


@pytest.mark.parametrize(
    ("family", "name"),
    [
        *(("proportion", name) for name in PROPORTION),
        *(("rate", name) for name in CATALOGUE["rate"]),
        ("proportion_difference", "newcombe"),
        ("rate_difference", "score"),
        ("balanced_accuracy", "exact_union"),
    ],
)
def test_a_method_of_the_catalogue_passes_its_whole_check(family, name):
    """On a smaller grid than the usual one."""
    quick = {
        "proportion": {"sizes": (1, 2, 10, 25), "alphas": (0.01, 0.1)},
        "rate": {"sizes": (2.0,), "alphas": (0.05,)},
        "proportion_difference": {"sizes": ((4.0, 10.0),)},
        "balanced_accuracy": {"sizes": ((4.0, 10.0),)},
    }
    report = check(name, family=family, **quick.get(family, {}))
    assert report.passed, str(report)


def test_a_mean_alpha_error_is_never_within_a_margin_of_zero():
    assert check("wilson", contract="nominal", margin=0.0, grid="n=10;alpha=0.05").verdict == "fail"
