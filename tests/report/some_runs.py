"""Results of small runs of several families, and the arrays of a section as scripts read them."""

import base64
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import harness
from harness.report.page import Page, Part, Section, render
from harness.tables.results import Results

GRID = {"grid": {"start": 0.1, "stop": 0.9, "count": 9}}
CONFIGS: Mapping[str, dict[str, Any]] = {
    "outcomes": {
        "family": "proportion",
        "n": [5, 10, 20],
        "methods": [
            "minimal_length",
            "wald",
            "clopper_pearson",
            {"name": "wilson", "side": "upper"},
        ],
        "truth": {"uniform": [0, 1]},
        "trials": {"per_outcome": 40},
    },
    "truths": {
        "family": "proportion",
        "n": [5, 150],
        "alpha": [0.1, 0.05],
        "methods": ["wald", {"name": "wilson", "label": '<b>"Wilson"</b>, ours'}],
        "truth": GRID,
        "trials": {"per_truth": 200},
    },
    "rates": {
        "family": "rate",
        "exposure": [1, 400.5],
        "methods": ["garwood", "wald"],
        "truth": {"values": [0.5, 1, 2]},
        "engines": ["enumeration"],
    },
    "two_samples": {
        "family": "proportion_difference",
        "n1": [5, 10],
        "n2": [5, 10],
        "methods": ["wald", "newcombe"],
        "truth": {"first": GRID, "second": {"values": [0.2, 0.5]}},
        "engines": ["enumeration"],
    },
    "estimates": {
        "family": "proportion",
        "n": [5, 10],
        "methods": ["wald", "wilson"],
        "truth": GRID,
        "trials": {"per_truth": 300},
        "engines": ["monte_carlo"],
    },
    "one_size": {
        "family": "proportion",
        "n": 8,
        "methods": ["wald"],
        "truth": GRID,
        "engines": ["enumeration"],
    },
    "lists": {
        "family": "mean",
        "k": [3, 5],
        "methods": ["student_t"],
        "truth": {"normal": {"mean": 1, "sd": 2}},
        "trials": {"per_size": 200},
    },
    "ratios": {
        "family": "rate_ratio",
        "exposure1": [2, 3],
        "exposure2": [2, 3],
        "methods": ["wald_log", "score"],
        "truth": {"first": {"values": [0.2, 1]}, "second": {"values": [1]}},
        "engines": ["enumeration"],
    },
    "calibrated": {
        "kind": "calibration",
        "family": "proportion_difference",
        "n1": {"uniform": [1, 20]},
        "n2": {"uniform": [1, 20]},
        "truth": {"first": {"uniform": [0, 1]}, "second": {"uniform": [0, 1]}},
        "delta": {"uniform": [-1, 1]},
        "trials": 2000,
        "bins": 5,
    },
}
"""Configs of small runs by the names of their results."""


@cache
def results_of(name: str) -> Results:
    """The results of one of the configs, in memory."""
    usual: dict[str, Any] = {"name": name, "title": name, "seed": 5, "figures": []}
    if CONFIGS[name].get("kind") != "calibration":
        usual["alpha"] = 0.05
    return harness.run({**usual, **CONFIGS[name]}, out=None)


def page_of(*sections: Section) -> str:
    """The page of these sections alone."""
    return render(Page("Some sections", [Part("part", "A part", sections)]))


def unpacked(stored: Mapping[str, str]) -> npt.NDArray[Any]:
    """The array that ``packed`` wrote, as scripts read it."""
    kind = np.dtype(stored["type"]).newbyteorder("<")
    planes = np.frombuffer(zlib.decompress(base64.b64decode(stored["packed"])), np.uint8)
    joined = np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T)
    return joined.view(kind).ravel()
