"""Results of small runs of several families, and the arrays of a section as scripts read them."""

import base64
import math
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

import harness
from harness.base.numerics.arrays import Floats
from harness.report.page import Page, PagePart, Section, render
from harness.tables.results import Results

CONFIGS: Mapping[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text("utf-8")
)
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
    return render(Page("Some sections", [PagePart("part", "A part", sections)]))


def unpacked(stored: Mapping[str, str]) -> npt.NDArray[Any]:
    """The array that ``packed`` wrote, as scripts read it."""
    kind = np.dtype(stored["type"]).newbyteorder("<")
    planes = np.frombuffer(zlib.decompress(base64.b64decode(stored["packed"])), np.uint8)
    joined = np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T)
    return joined.view(kind).ravel()


def restored(stored: dict[str, Any]) -> Floats:
    """What the script of the page reads."""
    found = unpacked(stored["bits"]).astype(np.float64).reshape(-1, stored["count"]).copy()
    weights = stored["weights"]
    for row in found:
        for at in range(row.size):
            expected = 0.0
            if at >= len(weights):
                for back, weight in enumerate(weights, 1):
                    expected += weight * float(row[at - back])
            if not math.isfinite(expected):
                expected = 0.0
            bits = row[at : at + 1].view(np.uint64)
            bits ^= np.array([expected]).view(np.uint64)
    return found
