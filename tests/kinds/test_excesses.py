"""The mean excess of the one-sided methods of an experiment."""

from typing import Any

import pytest
from scipy import stats

import harness
from harness.base.errors import InputError
from harness.kinds.choice import run as choice
from harness.kinds.choice.run import excesses
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment

DEVIATIONS = 4.5
"""Standard errors of a Monte Carlo mean: a false alarm in 1.5e5 comparisons."""


def experiment(**keys: Any) -> Experiment:
    given = {"name": "one", "seed": 1, "trials": {"per_truth": 10}, "engines": ["monte_carlo"]}
    found = load_experiment({**given, **keys})
    assert isinstance(found, Experiment)
    return found


def test_every_one_sided_method_has_a_row_at_every_size_and_alpha() -> None:
    methods = [
        {"name": "clopper_pearson", "side": "lower"},
        "wilson",
        {"name": "wald", "side": "upper"},
    ]
    found = excesses(
        experiment(
            family="proportion", n=[2, 5], alpha=[0.05, 0.1], methods=methods, truth={"values": [1]}
        )
    )
    assert found.columns == ["method", "side", "alpha", "n", "mean_excess", "std_error"]
    assert found.select("method", "n", "alpha").rows() == [
        (method, n, alpha)
        for n in (2, 5)
        for method in ("clopper_pearson lower", "wald upper")
        for alpha in (0.05, 0.1)
    ]
    # At p = 1 every trial succeeds: alpha^(1/n) is the lower limit, and no upper one exceeds 1.
    expected = [1 - 0.05 ** (1 / 2), 1 - 0.1 ** (1 / 2), 0, 0]
    expected += [1 - 0.05 ** (1 / 5), 1 - 0.1 ** (1 / 5), 0, 0]
    assert found["mean_excess"].to_list() == pytest.approx(expected, abs=1e-12)
    assert found["std_error"].to_list() == [0.0] * 8


def test_a_choice_computes_the_limits_of_one_side_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(choice, "compute_limits", lambda *_: calls.append("again") or [])
    config: dict[str, Any] = {"kind": "choice", "name": "one", "family": "proportion", "n": [4, 9]}
    config |= {"methods": [{"name": "wilson", "side": "upper"}, "wilson"], "figures": []}
    harness.run({**config, "truths": {"flat": {"uniform": [0, 1]}}}, out=None)
    assert calls == []


def test_the_excess_of_lists_is_that_of_trials() -> None:
    # The upper limit exceeds the mean of normal values by z − Z standard errors, with Z normal and
    # the estimated standard error that of 400 values: E(z − Z)⁺ = z Φ(z) + φ(z).
    of_runs = experiment(
        family="mean",
        k=[400],
        methods=[{"name": "z_sample", "side": "upper"}],
        truth={"normal": {"mean": 1.0, "sd": 2.0}},
    )
    found = excesses(of_runs, trials=500).row(0, named=True)
    z = stats.norm.isf(0.05)
    expected = 2.0 / 20.0 * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
    assert abs(found["mean_excess"] - expected) < DEVIATIONS * found["std_error"]
    # The deviation of (z − Z)⁺ is a little below 1.
    assert found["std_error"] == pytest.approx(0.1 / 500**0.5, rel=0.2)


def test_lists_need_two_trials() -> None:
    of_runs = experiment(
        family="mean",
        k=[4],
        methods=[{"name": "z_sample", "side": "upper"}],
        truth={"normal": {"mean": 1.0, "sd": 2.0}},
    )
    with pytest.raises(InputError, match="at least 2 trials"):
        excesses(of_runs, trials=1)
