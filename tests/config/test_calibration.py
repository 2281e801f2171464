"""What a right config of the kind calibration means."""

from typing import Any

import pytest

from harness.config.values import Execution, SizeRange
from harness.distributions.truths import GammaTruth, PairTruth, UniformTruth
from harness.figures.kind import FigureSpec
from harness.kinds.calibration.experiment import Calibration
from harness.kinds.load import load_experiment

EVERY = UniformTruth(0.0, 1.0)


def calibration(**changes: Any) -> Calibration:
    config = {
        "name": "a",
        "kind": "calibration",
        "family": "proportion_difference",
        "n1": {"uniform": [1, 100]},
        "n2": 50,
        "delta": {"uniform": [-1, 1]},
        "trials": 200_000,
        "seed": 2003,
    }
    loaded = load_experiment({**config, **changes})
    assert isinstance(loaded, Calibration)
    return loaded


def test_what_is_left_out_has_a_default() -> None:
    loaded = calibration()
    assert loaded.title == "a"
    assert loaded.truth == PairTruth(EVERY, EVERY)
    assert loaded.bins == 20
    assert loaded.prior == (1.0, 1.0)
    assert loaded.execution == Execution(-1, "threading", 10.0)
    assert [figure.kind for figure in loaded.figures] == ["calibration"]


def test_what_is_drawn_is_a_range_and_what_is_fixed_has_two_equal_ends() -> None:
    loaded = calibration()
    assert loaded.sizes == (SizeRange(1, 100), SizeRange(50, 50))
    assert loaded.delta == (-1.0, 1.0)
    assert calibration(delta=0.1).delta == (0.1, 0.1)


def test_rates_have_exposures_their_own_truths_and_a_flat_prior() -> None:
    config = {
        "name": "a",
        "kind": "calibration",
        "family": "rate_difference",
        "exposure1": {"uniform": [0.5, 2]},
        "exposure2": 1,
        "truth": {"first": {"uniform": [0, 10]}, "second": {"gamma": [2, 1]}},
        "delta": -3,
        "trials": 10,
        "seed": 1,
    }
    loaded = load_experiment(config)
    assert isinstance(loaded, Calibration)
    assert loaded.sizes == (SizeRange(0.5, 2.0), SizeRange(1.0, 1.0))
    assert loaded.truth == PairTruth(UniformTruth(0.0, 10.0), GammaTruth(2.0, 1.0))
    assert loaded.prior == (1.0, 0.0)
    assert loaded.delta == (-3.0, -3.0)


def test_the_resolved_config_stands_in_the_order_of_the_documentation() -> None:
    loaded = calibration(bins=10, figures=[{"kind": "calibration"}], execution={"jobs": 2})
    assert loaded.figures == (FigureSpec("calibration", {}),)
    every = {"uniform": [0, 1]}
    assert list(loaded.document.items()) == [
        ("name", "a"),
        ("title", "a"),
        ("kind", "calibration"),
        ("family", "proportion_difference"),
        ("n1", {"uniform": [1, 100]}),
        ("n2", 50),
        ("truth", {"first": every, "second": every}),
        ("delta", {"uniform": [-1, 1]}),
        ("trials", 200_000),
        ("bins", 10),
        ("prior", [1, 1]),
        ("seed", 2003),
        ("execution", {"jobs": 2, "backend": "threading"}),
        ("figures", [{"kind": "calibration"}]),
    ]


@pytest.mark.parametrize("delta", [-0.0, {"uniform": [-0.0, 1]}])
def test_zero_has_no_sign(delta: Any) -> None:
    assert "-0" not in repr(calibration(delta=delta))
