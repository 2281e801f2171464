"""Runs with a user's function of lists, which is called for the data of every trial."""

from __future__ import annotations

import pytest

import harness

SOURCE = """
import numpy as np

def all_right(x, n, alpha):
    # Wilson's interval of all cases together.
    x, n, z = float(np.sum(x)), float(np.sum(n)), 1.959963984540054
    p, half = x / n, z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - half) / (n + z * z), (x + z * z / 2 + half) / (n + z * z)

def drawn(values, alpha, rng):
    half = 2 * np.std(values, ddof=1) / np.sqrt(len(values)) * (1 + 0.1 * rng.random())
    return np.mean(values) - half, np.mean(values) + half
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return str(path)


def run(family, function, methods, **keys):
    entry = {"path": function[0], "function": function[1], "label": "mine"}
    config = {
        "name": "lists",
        "figures": [],
        "family": family,
        "methods": [entry, *methods],
        "trials": {"per_truth": 300},
        "seed": 7,
        **keys,
    }
    return harness.run(config, out=None)


def test_a_function_of_lists_has_the_misses_of_the_same_formula(file):
    found = run(
        "clustered_proportion",
        (file, "all_right"),
        ["wilson"],
        clusters=[5],
        size=4,
        truth={"p": {"values": [0.7]}, "rho": {"values": [0.2]}},
    )
    mine, wilson = (
        found.cells.filter(method=name, given="truth").row(0, named=True)
        for name in ("mine", "wilson")
    )
    assert mine["miss_below"] == wilson["miss_below"] > 0
    assert mine["miss_above"] == wilson["miss_above"]
    assert mine["length"] == pytest.approx(wilson["length"], rel=1e-12)
    assert found.manifest["failures"] == []


def test_a_function_of_lists_may_draw_its_limits_and_draws_them_again(file):
    runs = [
        run("mean", (file, "drawn"), [], k=[6], truth={"normal": {"mean": 1, "sd": 2}})
        for _ in range(2)
    ]
    first, second = (each.summary.drop("sampling") for each in runs)
    assert first.equals(second)
    assert 0.03 < first["actual_alpha"][0] < 0.25
