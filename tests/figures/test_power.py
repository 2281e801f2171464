"""Curves of power show what ``harness.power`` computes."""

import numpy as np
import pytest

import harness
from harness.base.errors import InputError

CONFIG = {
    "name": "power",
    "family": "proportion_difference",
    "n1": [8, 12, 20],
    "n2": [8, 12, 20],
    "alpha": 0.05,
    "methods": [{"name": "newcombe", "side": "lower"}, {"name": "wald_cc", "side": "lower"}],
    "truth": {"first": {"values": [0.6, 0.75, 0.9]}, "second": {"values": [0.3]}},
    "engines": ["enumeration"],
    "figures": [],
}


@pytest.fixture(scope="module")
def results():
    return harness.run(CONFIG, out=None)


def curve(figure, gid):
    (line,) = (each for each in figure.axes[0].lines if each.get_gid() == gid)
    return line.get_data()


@pytest.mark.parametrize(("place", "method"), [(0, "newcombe"), (1, "wald_cc")])
def test_over_the_size_each_point_is_the_power(results, place, method):
    x, y = curve(results.plot("power_curve", truth=0.75), f"power-{place}")
    given = {"n1": [8, 12, 20], "n2": [8, 12, 20], "p1": 0.75, "p2": 0.3, "above": 0}
    assert list(x) == [8, 12, 20]
    assert y == pytest.approx(harness.power("proportion_difference", method, **given).probability)


def test_over_the_truth_they_lie_at_the_difference(results):
    figure = results.plot("power_curve", over="truth", size=(12, 12), above=0.1)
    x, y = curve(figure, "power-0")
    assert x == pytest.approx([0.3, 0.45, 0.6])
    for p1, found in zip((0.6, 0.75, 0.9), y, strict=True):
        given = {"n1": 12, "n2": 12, "p1": p1, "p2": 0.3, "above": 0.1}
        power = harness.power("proportion_difference", "newcombe", **given)
        assert found == pytest.approx(power.probability)
    assert figure.axes[0].get_ylabel() == "power, %"
    assert np.unique(curve(figure, "goal")[1]).tolist() == [0.8]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "say which p1 to draw, one of 0.6, 0.75, 0.9"),
        ({"over": "truth"}, "say which size to draw"),
        ({"truth": 0.75, "below": 0.5}, "newcombe lower has no limit that can be beyond"),
        ({"truth": 0.75, "above": 0, "below": 0.5}, "expected one of above and below, found both"),
    ],
)
def test_what_cannot_be_drawn_is_refused(results, options, words):
    with pytest.raises(InputError, match=words):
        results.plot("power_curve", **options)
