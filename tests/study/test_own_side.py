"""One-sided limits of one's own: of a side that the function and the config both name."""

from __future__ import annotations

import textwrap

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.cli import main

BOUND = """
    import numpy as np
    from scipy.special import gammaincinv

    def lower_bound(x, exposure, alpha):
        x = np.asarray(x, float)
        low = np.where(x > 0, gammaincinv(np.maximum(x, 1.0), alpha), 0.0)
        return low / exposure, np.full_like(low, np.inf)

    lower_bound.side = "lower"

    def two_sided(x, exposure, alpha):
        return lower_bound(x, exposure, alpha / 2)[0], (x + 20.0) / exposure

    def wrong(x, exposure, alpha):
        return two_sided(x, exposure, alpha)

    wrong.side = "left"
"""
"""The exact lower limit of a rate: Garwood (1936)."""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(BOUND))
    return tmp_path / "mine.py"


def run(file, **entry):
    config = {
        "name": "own",
        "family": "rate",
        "exposure": 2,
        "alpha": 0.05,
        "methods": [
            {"path": str(file), "label": "mine", **entry},
            {"name": "garwood", "side": "lower"},
        ],
        "truth": {"uniform": [0, 6]},
        "trials": {"per_size": 5_000},
        "seed": 1,
    }
    return harness.run(config, out=None)


def test_an_infinite_end_is_none_of_the_limits_of_a_one_sided_method(file):
    results = run(file, function="lower_bound", side="lower")
    assert results.manifest["failures"] == []
    assert results.manifest["agreement"]["agrees"]
    ours, theirs = (
        results.cells.filter(pl.col("method") == label).drop("method")
        for label in ("mine", "garwood lower")
    )
    assert ours["side"].unique().to_list() == ["lower"]
    numbers = [name for name, kind in ours.schema.items() if kind == pl.Float64]
    for name in numbers:
        one, other = (each[name].fill_null(-1.0).to_numpy() for each in (ours, theirs))
        # Two ways to the same root.
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("function", "side"), [("lower_bound", "two-sided"), ("two_sided", "upper")]
)
def test_a_side_that_only_one_of_both_names_is_refused(file, function, side):
    with pytest.raises(InputError, match=r"mine: the config's side is .*should be the same"):
        run(file, function=function, side=side)


def test_a_side_that_is_none_is_refused(file):
    with pytest.raises(InputError, match="side should be one of two-sided, lower, upper"):
        run(file, function="wrong")


def test_it_is_checked_as_what_it_is(file, capsys):
    options = ["--family", "rate", "--contract", "at-least"]
    assert main(["check", f"{file}:lower_bound", *options]) == 0
    assert "PASS" in capsys.readouterr().out
    report = harness.check(
        f"{file}:lower_bound", family="rate", contract="none", grid="exposure=1;alpha=0.05"
    )
    assert "reaches the end" in {finding.check for finding in report.findings}


def test_the_mirror_of_a_limit_of_one_side_is_not_asked_for():
    def upper_bound(x, n, alpha):
        return 0.0 * x, 1.0 - 0.5 * (1.0 - x / n) ** 2

    upper_bound.side = "upper"
    found = harness.check(upper_bound, contract="none", sizes=(5,), alphas=(0.05,))
    by_name = {finding.check: finding for finding in found.findings}
    assert by_name["mirrors"].message == "does not apply to a method with limits of one side only"
    upper_bound.side = "up"
    with pytest.raises(InputError, match="upper_bound: side should be one of"):
        harness.check(upper_bound)
