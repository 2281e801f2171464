"""The coverage of the methods of a family at n = 20, for the pictures beside their formulas.

Run as a program it writes the curves of one family as JSON, so that several processes compute the
families: ``python -m handbook.coverage_curves FAMILY FILE``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import harness
from handbook.links import ROOT
from harness.base.numerics.arrays import Floats
from harness.families.catalogue import FAMILIES, family_of
from harness.families.confusion import CONFUSION
from harness.families.family import Family
from harness.families.judged import JUDGE, SOME_LABELLED
from harness.families.lists import BOUNDED_RUNS, CLUSTERS, RUNS, STRATA
from harness.families.paired import PAIRS
from harness.families.scores import CLUSTERED_PAIRS, CLUSTERED_SCORES, PAIRED_SCORES, SCORES
from harness.families.tasks import TASKS
from harness.methods.catalogue import CATALOGUE, methods_of
from harness.methods.method import Method

CACHE = ROOT / "build" / "docs"
ALPHA, SIZE, SECOND, POPULATION = 0.05, 20, 0.3, 100
STOPPING = {"boundaries": [{"n": 10, "at_most": 2}]}
"""The rule of methods that need one."""
PREVALENCE, SPECIFICITY = 0.3, 0.9
SENSITIVITY, LABELS = 0.9, 10
"""Of a judge, and its labels of each kind."""
"""Of the confusion tables, over whose sensitivity the curves are."""
FEW_TRIALS, TRIALS = 500, 2000
"""Trials at each truth of a family of which a method draws its limits, and of others."""
_DEPEND_ON = (
    "*truths.py",
    "*scenario.py",
    "criteria.py",
    *(f"{name}/**/*.py" for name in ("engines", "families", "methods", "numerics", "planning")),
    *(f"{name}/**/*.py" for name in ("posteriors", "sampling", "study")),
)
"""The sources of the package that decide a curve."""

Curves = dict[str, "Curve"]


@dataclass(frozen=True)
class Curve:
    """The coverage of one method over the true value."""

    truths: list[float]
    coverage: list[float]
    axis: str
    """What the truths are."""
    exact: bool
    joined: bool
    """Whether the points are those of a line, with its jumps; else they are drawn as points."""
    where: str
    """The sizes and what else is held, in words."""

    @property
    def lowest(self) -> tuple[float, float]:
        """The lowest coverage and a truth at which it is."""
        place = min(range(len(self.coverage)), key=self.coverage.__getitem__)
        return self.coverage[place], self.truths[place]


def all_curves() -> dict[str, Curves]:
    """The curves of each family by its name, from the cache where nothing has changed since."""
    CACHE.mkdir(parents=True, exist_ok=True)
    version = _version()
    files = {name: CACHE / f"coverage-{name}-{version}.json" for name in CATALOGUE}
    missing = [name for name, file in files.items() if not file.exists()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: _compute_apart(name, files[name]), missing))
    return {
        family: {name: Curve(**each) for name, each in json.loads(file.read_text("utf-8")).items()}
        for family, file in files.items()
    }


def _version() -> str:
    """The hash of the sources that decide a curve."""
    folder = Path(harness.__file__).parent
    sources = [Path(__file__), *(file for each in _DEPEND_ON for file in sorted(folder.glob(each)))]
    return sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]


def _compute_apart(family: str, file: Path) -> None:
    """Compute the curves of a family in a process of its own."""
    paths = [str(Path(__file__).parents[1]), str(Path(harness.__file__).parents[1])]
    path = os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-m", "handbook.coverage_curves", family, str(file)],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
    )


def curves_of(family: str) -> Curves:
    """The curve of each method of a family."""
    known, methods = family_of(family), CATALOGUE[family]
    if not known.has_outcomes:
        return _simulated(known, list(methods))
    drawn = [name for name, method in methods.items() if not method.deterministic]
    exact = {name: _exact(known, each) for name, each in methods.items() if each.deterministic}
    return {**exact, **(_simulated(known, drawn) if drawn else {})}


def _exact(family: Family, method: Method) -> Curve:
    """The exact coverage of a method at truths that suit the family."""
    sizes = dict.fromkeys(family.sizes, SIZE)
    if family.design == JUDGE:
        sizes |= {"positives": LABELS, "negatives": LABELS}
    sampling, joined = None, False
    words = family.size_text(list(sizes.values()))
    if method.needs_population:
        first = np.arange(1, POPULATION) / POPULATION
        truths: dict[str, Any] = {family.free_symbols[0]: first}
        sampling = {"hypergeometric": {"population": POPULATION}}
        words += f" of a population of {POPULATION}"
    elif method.needs_stopping:
        first = np.linspace(0.02, 0.98, 49)
        truths = {family.free_symbols[0]: first, "stopping": STOPPING}
        words += " at most, 10 where at most 2 of these are successes"
    elif family.design == PAIRS:
        first = np.linspace(0.02, 0.88, 22)
        truths = {"p11": (1 - first - 0.1) / 2, "p10": first, "p01": 0.1}
        words += ", p01 = 0.1, p11 = p00"
    elif family.design == CONFUSION:
        first = np.linspace(0.02, 0.98, 25)
        truths = {"prevalence": PREVALENCE, "sensitivity": first, "specificity": SPECIFICITY}
        words += f", {_OF_TABLES}"
    elif family.design == JUDGE:
        first = np.linspace(0.02, 0.98, 25)
        truths = {"share": first, "sensitivity": SENSITIVITY, "specificity": SPECIFICITY}
        words += f", sensitivity {SENSITIVITY:g}, specificity {SPECIFICITY:g}"
    elif family.samples == 2:
        first = np.linspace(0.02, 0.98, 25)
        one, other = family.free_symbols
        truths = {one: first, other: SECOND}
        words += f", {other} = {SECOND:g}"
    else:
        first, joined = _with_jumps(family, method), True
        truths = {family.free_symbols[0]: first}
    found = harness.coverage(
        family.name,
        method.name,
        alpha=ALPHA,
        side=method.sides[0],
        sampling=sampling,
        **sizes,
        **truths,
    )
    axis = _AXES.get(family.design, family.free_symbols[0])
    return Curve(_short(first), _short(np.asarray(found.coverage)), axis, True, joined, words)


def _with_jumps(family: Family, method: Method) -> Floats:
    """True values in (0, 1], among them the numbers on both sides of each limit."""
    counts = np.arange(8 * SIZE if not family.model.SIZE_IS_COUNT else SIZE + 1, dtype=float)
    data = (counts, np.full(counts.shape, float(SIZE)))
    limits = np.concatenate(method.limits(data, ALPHA, method.sides[0]))
    around = np.concatenate([limits, np.nextafter(limits, 0), np.nextafter(limits, 1)])
    values = np.unique(np.concatenate([np.linspace(0.001, 0.999, 200), around]))
    return np.asarray(values[(values > 0) & (values < 1)])


_AXES = {PAIRS: "p10", CONFUSION: "sensitivity"}
"""What the curves of a design are over, where it is not the first true value."""
_OF_TABLES = f"prevalence {PREVALENCE:g}, specificity {SPECIFICITY:g}"

_SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
_AREAS = [0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
_IN_CLUSTERS = {"rho": {"values": [0, 0.1, 0.2, 0.3, 0.4, 0.5]}, "largest_share": 0.3}
_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    CONFUSION: {
        "n": [SIZE],
        "truth": {
            "prevalence": [PREVALENCE],
            "sensitivity": _SHARES,
            "specificity": [SPECIFICITY],
        },
    },
    SCORES: {"n1": [SIZE], "n2": [SIZE], "truth": {"auc": {"values": [0.5, *_AREAS]}}},
    PAIRED_SCORES: {
        "n1": [SIZE],
        "n2": [SIZE],
        "truth": {
            "auc1": {"values": _AREAS},
            "auc2": {"values": [0.8]},
            "correlation": {"values": [0.5]},
        },
    },
    SOME_LABELLED: {
        "labelled": [SIZE],
        "unlabelled": [500],
        "truth": {"share": _SHARES, "sensitivity": [0.9], "specificity": [0.85]},
    },
    RUNS: {"k": [2, 3, 5, 10, SIZE], "truth": {"normal": {"mean": 75, "sd": 2.5}}},
    BOUNDED_RUNS: {"k": [2, 3, 5, 10, SIZE], "truth": {"beta": [9, 0.5]}},
    TASKS: {
        "tasks": [5, 10, SIZE, 50],
        "samples": [10],
        "truth": {"mixture": {"never": 0.3, "always": 0.3}},
    },
    CLUSTERS: {
        "clusters": [SIZE],
        "size": [10],
        "truth": {
            "p": {"values": _SHARES},
            "rho": {"values": [0.1]},
        },
    },
    CLUSTERED_SCORES: {
        "clusters": [SIZE],
        "size": [10],
        "truth": {"scores": {"normal": {"mean": 0.7, "sd": 0.2}}, **_IN_CLUSTERS},
    },
    CLUSTERED_PAIRS: {
        "clusters": [SIZE],
        "size": [10],
        "truth": {
            "first": {"normal": {"mean": 0.7, "sd": 0.2}},
            "second": {"normal": {"mean": 0.6, "sd": 0.2}},
            **_IN_CLUSTERS,
        },
    },
    STRATA: {
        "n1": [SIZE, SIZE],
        "n2": [SIZE, SIZE],
        "truth": {
            "second": [0.3, 0.5],
            "difference": {"values": [-0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4]},
        },
    },
}
"""The config of a family of lists, scores or confusion tables, by its design."""
_WORDS = {
    CONFUSION: ("sensitivity", f"n = {SIZE}, {_OF_TABLES}"),
    SCORES: ("AUC", "20 positives, 20 negatives, binormal scores"),
    PAIRED_SCORES: (
        "AUC1 − AUC2",
        "20 positives, 20 negatives, binormal scores with correlation 0.5; AUC2 = 0.8",
    ),
    SOME_LABELLED: (
        "share",
        "20 labelled cases, 500 others; sensitivity 0.9, specificity 0.85",
    ),
    RUNS: ("k", "normal runs"),
    BOUNDED_RUNS: ("k", "values of Beta(9, ½)"),
    TASKS: ("tasks", "10 samples of each; 30 % never solved, 30 % always, the rest uniform"),
    CLUSTERS: ("p", "20 clusters of 10 cases, rho = 0.1"),
    CLUSTERED_SCORES: ("rho", "20 clusters, one with 30 % of the 200 cases, normal scores"),
    CLUSTERED_PAIRS: ("rho", "20 clusters, one with 30 % of the 200 cases, normal scores"),
    STRATA: ("p1 − p2", "two strata, 20 cases in each sample of each; p2 = 0.3 and 0.5"),
}


def _simulated(family: Family, methods: list[str]) -> Curves:
    """The coverage of methods by Monte Carlo, or in closed form where there is one."""
    draws = any(not methods_of(family)[name].deterministic for name in methods)
    settings = _SETTINGS.get(family.design) or {
        family.sizes[0]: [SIZE],
        "truth": {"grid": {"start": 0.02, "stop": 0.98, "count": 25}},
    }
    axis, words = _WORDS.get(family.design, (family.free_symbols[0], f"{family.sizes[0]} = {SIZE}"))
    trials = FEW_TRIALS if draws else TRIALS
    config = {
        "name": "handbook",
        "family": family.name,
        "alpha": ALPHA,
        "methods": methods,
        "trials": {"per_truth": trials},
        "seed": 20,
        "engines": [name for name in family.engines if name == "monte_carlo"],
        **settings,
    }
    cells = harness.run(config, out=None).cells
    if family.design == CONFUSION:
        cells = cells.with_columns(sensitivity=cells["truth_tp"] / PREVALENCE)
    over = axis if axis in cells.columns else "truth"
    found = {}
    for name in methods:
        rows = cells.filter(method=name).drop_nulls(over).sort(over)
        covered = 1 - rows["actual_alpha"].to_numpy()
        points = rows[over].to_numpy().astype(float)
        note = f"{words}; {trials} trials at each point"
        found[name] = Curve(_short(points), _short(covered), axis, False, False, note)
    return found


def _short(values: Floats) -> list[float]:
    return [round(float(each), 7) for each in values]


def main(family: str, file: str) -> None:
    """Write the curves of a family into a file, which appears when it is complete."""
    assert family in FAMILIES
    made = {name: asdict(curve) for name, curve in curves_of(family).items()}
    part = Path(file).with_suffix(f".part{os.getpid()}")
    part.write_text(json.dumps(made), "utf-8")
    part.replace(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
