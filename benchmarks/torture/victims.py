"""The experiments that are disturbed, with what they give undisturbed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.torture.command import Machine, files_of

OWN = """
import os
import time

import numpy as np

ON = os.environ.get("TORTURE_SLEEP", "0")


def limits(x, n, alpha):
    time.sleep(float(ON))
    return max(x / n - 0.2, 0.0), min(x / n + 0.2, 1.0)


def draw(rng, n):
    return rng.normal(size=n)


def z(data, alpha):
    time.sleep(float(ON))
    half = 1.96 * data.std(ddof=1) / np.sqrt(data.size)
    return data.mean() - half, data.mean() + half
"""
COVERAGE: dict[str, Any] = {
    "name": "one",
    "family": "proportion",
    "n": [8, 12, 150],
    "methods": [
        "wilson",
        {"path": "own.py", "function": "limits", "label": "own"},
    ],
    "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 9}},
    "trials": {"per_size": 900},
    "engines": ["monte_carlo", "enumeration"],
    "seed": 1,
    "execution": {"jobs": 2, "timeout": 20},
    "figures": [{"kind": "coverage_curve", "n": 8, "methods": ["wilson"]}],
}
STUDY: dict[str, Any] = {
    "kind": "simulation",
    "name": "one",
    "model": {"path": "own.py", "function": "draw"},
    "factors": {"n": [5, 20]},
    "estimand": 0,
    "methods": [{"path": "own.py", "function": "z", "label": "z"}],
    "trials": {"per_scenario": 1500},
    "seed": 1,
    "execution": {"jobs": 2, "timeout": 20},
    "figures": [],
}
VICTIMS = {"coverage": COVERAGE, "study": STUDY}
RUN = ("run", "config.yaml", "--quiet")


@dataclass(frozen=True)
class Prepared:
    """What cases begin with, made once: results of each victim, undisturbed."""

    top: Path
    expected: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The files of the result of a victim, by its name."""
    seconds: dict[str, float] = field(default_factory=dict)

    def make(self) -> None:
        """Run the victims.

        Raises:
            RuntimeError: one of them has no result.
        """
        for name, config in VICTIMS.items():
            machine = self.machine(self.top / name, config)
            machine.run(*RUN)
            # The first one compiles all modules.
            ending = machine.run(*RUN, "--fresh")
            if ending.code:
                raise RuntimeError(f"{name} has no result: {ending.err}")
            self.expected[name] = files_of(self.result(name))
            self.seconds[name] = ending.seconds

    def result(self, name: str) -> Path:
        """Return the folder with the result of a victim."""
        return self.top / name / "results" / "one"

    def machine(self, place: Path, config: dict[str, Any], source: str = OWN) -> Machine:
        """Return a place that holds a config and its functions."""
        place.mkdir(parents=True, exist_ok=True)
        (place / "config.yaml").write_text(json.dumps(config))
        (place / "own.py").write_text(source)
        return Machine(place, self.top)

    def copy(self, name: str, place: Path, only: Sequence[str] = ()) -> Path:
        """Copy the result of a victim to a place, all of it or some files; return its folder."""
        folder = place / "results" / "one"
        if not only:
            return Path(shutil.copytree(self.result(name), folder))
        folder.mkdir(parents=True)
        for file in only:
            shutil.copy2(self.result(name) / file, folder / file)
        return folder


@dataclass(frozen=True)
class Tried:
    """What was tried in one case."""

    what: str
    faults: list[str]
    count: int = 1
