"""Changed configs: each is refused, or planned; a few small ones are run."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from benchmarks.fuzz.outcomes import Outcome, in_another_process, in_process
from benchmarks.fuzz.values import changed, changed_text, odd, yaml_of
from harness.figures.catalogue import FIGURES

SHIPPED = Path(__file__).parents[2] / "configs"
OWN = """\
import numpy as np

def f(x, n, alpha):
    return np.clip(x / n - 0.2, 0, 1), np.clip(x / n + 0.2, 0, 1)

def drawn(x, n, alpha, rng):
    return 0.0, 1 - 0.1 * rng.random()

def outside(x, n, alpha):
    return x / n - 1.0, x / n + 1.0

def failing(x, n, alpha):
    raise ValueError("a\\x1b[31m\\u202e")
"""
_OWN = {"path": "own.py", "function": "f", "label": "own"}
_FIGURES = [
    {"kind": "coverage_curve", "n": 5, "methods": ["wald"]},
    {"kind": "alpha_by_outcome", "n": 5, "alpha": 0.1, "method": "wald"},
    {"kind": "alpha_surface", "engine": "enumeration"},
    {"kind": "length_curve"},
]
GOOD: tuple[dict[str, Any], ...] = (
    {
        "name": "a/b", "title": "A", "family": "proportion", "n": [5, 10], "alpha": [0.05, 0.1],
        "methods": ["wald", {"name": "balanced_tail", "prior": [1, 2], "label": "b"}, _OWN],
        "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 9}}, "trials": {"per_size": 90},
        "engines": ["monte_carlo", "posterior", "enumeration"],
        "reference_prior": [1, 1], "seed": 1, "execution": {"jobs": 1, "backend": "threading"},
        "figures": _FIGURES[:2],
    },
    {
        "name": "c", "family": "proportion", "n": [5, 7], "alpha": 0.05,
        "methods": ["wald", "wilson", {"name": "clopper_pearson", "side": "upper"}],
        "trials": {"per_outcome": 20}, "outcomes": {"fractions": 3}, "seed": 2, "figures": [],
    },
    {
        "name": "e", "kind": "coverage", "family": "rate", "exposure": [1, 2.5],
        "methods": ["score", "balanced_tail"], "truth": {"gamma": [2, 0.5]},
        "trials": {"per_size": 100}, "reference": "truth", "group": {"width": 10, "last": 50},
        "reference_prior": [0.5, 0], "seed": 1,
        "figures": [{"kind": "alpha_by_outcome", "n": 2.5}],
    },
    {
        "name": "g", "family": "proportion_difference", "n1": [3, 5], "n2": [4, 6], "cross": True,
        "methods": ["wald"], "truth": {"first": {"beta": [2, 5]}, "second": {"uniform": [0, 1]}},
        "trials": {"per_size": 100}, "seed": 1,
    },
    {
        "name": "h", "kind": "calibration", "family": "rate_difference",
        "exposure1": {"uniform": [1, 10]}, "exposure2": 2.5,
        "truth": {"first": {"uniform": [0, 10]}, "second": {"gamma": [1, 2]}},
        "delta": {"uniform": [-1, 1]}, "trials": 100, "bins": 10, "prior": [1, 0], "seed": 1,
        "figures": [],
    },
)  # fmt: skip
"""Right configs, small enough to run."""

_TRUTHS: tuple[Any, ...] = (
    {"uniform": [0, 1]}, {"uniform": [0.3, 0.300001]}, {"uniform": [0, 50]}, {"beta": [1e-3, 1e-3]},
    {"beta": [50, 1e4]}, {"gamma": [0.01, 1]}, {"gamma": [1e4, 1e-2]}, {"values": [0]},
    {"values": [0, 1]}, {"values": [1e-300, 0.5, 1 - 2**-53]}, {"values": [0.5] * 3},
    {"grid": {"start": 0, "stop": 1, "count": 101}}, {"grid": {"start": 0, "stop": 9, "count": 4}},
    {"grid": {"start": 0.1, "stop": 0.2, "count": 10**6}},
)  # fmt: skip
_SIZES: tuple[Any, ...] = (
    1, 2, 3, 40, 10**4, 10**6, 10**9, 2**31, 2**53, 2**63, [1, 2, 3], [7, 7], [10**5, 1],
    list(range(1, 200)), {"log_grid": {"start": 1, "stop": 10_000, "count": 9}}, 1e-9, 0.5, 1e12,
)  # fmt: skip
_EVERY_ENGINE = ("monte_carlo", "posterior", "enumeration")
PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("n", "exposure", "n1", "n2", "exposure1", "exposure2"), _SIZES),
    "alpha": (1e-300, 1e-12, 0.5, 1 - 2**-53, [0.05, 0.05], [0.9, 0.001], 0.05, [0.01] * 40),
    "methods": (
        ["wald"], ["minimal_length", "balanced_width"], ["bootstrap"],
        ["feldman_cousins", "sterne"],
        ["mover_jeffreys"], [{"name": "one_sided", "side": "lower"}], [_OWN],
        [{"path": "own.py", "function": "drawn"}], [{"path": "own.py", "function": "failing"}],
        [{"path": "own.py", "function": "outside"}, "wald"], ["clopper_pearson"] * 2, ["score"],
        [{"name": "balanced_tail", "prior": [1e-9, 1e9], "label": "b"}],
    ),
    "truth": (*_TRUTHS, *({"first": each, "second": _TRUTHS[0]} for each in _TRUTHS)),
    "trials": (
        None, {"per_size": 1}, {"per_size": 10**9}, {"per_size": 10**13}, {"per_outcome": 1},
        {"per_outcome": 10**6}, {"per_truth": 3}, {"half_width": 0.05, "max": 2000},
        {"half_width": 1e-9, "max": 10**15}, 1, 5000, 10**12,
    ),
    "outcomes": (
        "all", {"fractions": 2}, {"fractions": 10**6},
        {"log_grid": {"start": 1, "stop": 9, "count": 3}},
    ),
    "engines": tuple(
        [*_EVERY_ENGINE[:i], *_EVERY_ENGINE[j:]] for i in range(4) for j in range(i, 4)
    ),
    "reference": ("prior", "truth"),
    "group": ({"width": 1}, {"width": 3}, {"width": 10**9}, {"width": 2, "last": 3}),
    **dict.fromkeys(("reference_prior", "prior"), ([1, 1], [1e-6, 1], [0.5, 0], [1e6, 1e6])),
    "seed": (0, 2**128 - 1, 2**128),
    "cross": (True, False),
    "bins": (2, 1000),
    "delta": (0, 1, -1, 1e300, {"uniform": [-1, 1]}, {"uniform": [0, 1e-300]}),
    "execution": (
        {"jobs": 2}, {"jobs": -1, "backend": "loky"}, {"timeout": 1e-9}, {"timeout": 1e9},
    ),
    "figures": (
        *([{"kind": kind}] for kind in FIGURES),
        *([{"kind": kind, "n": 5}] for kind in FIGURES),
        *([{"kind": kind, "n": 5, "method": "wald", "alpha": 0.05}] for kind in FIGURES),
        *([{"kind": kind, "methods": ["wald"], "fractions": 5}] for kind in FIGURES),
        [{"kind": "outcome_tails", "n": 10**9, "x": 1, "method": "wald"}],
    ),
    "title": ("x" * 3000, "$\\frac{a}{b}$", "$x", "\\bad{", "数 é 👩", "%d {0} [b]"),
    "name": ("x" * 100, "a/" * 60 + "a", "con", "figures", "-", "--help", "manifest.json"),
}  # fmt: skip
"""Values that a key may have, by the key; not all of them for every family or together."""

_MOST_TRIALS, _MOST_ROWS = 20_000, 4_000


def case(rng: random.Random, folder: Path, number: int) -> list[Outcome]:
    """Change a config and plan it; run it where it is small, now and then in another process."""
    (folder / "own.py").write_text(OWN)
    file = folder / "config.yaml"
    file.write_bytes(_text(rng).encode("utf-8", "surrogatepass"))
    argv: tuple[str, ...] = ("run", str(file), "--out", str(folder / "out"))
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        key = rng.choice(["n", "name", "alpha", "methods", "truth", "trials", "figures[0]", "x.y"])
        # A process takes no argument with a NUL.
        argv += ("--set", f"{key}={yaml_of(odd(rng))}".replace("\0", ""))
    found = [in_process((*argv, "--dry-run"))]
    if number % 100 == 0:
        found.append(in_another_process((*argv, "--dry-run")))
    if found[0].code == 0 and rng.random() < 0.05 and _is_small(found[0].out):
        found.append(in_process((*argv, "--jobs", "1", "--backend", "threading")))
    return found


def _text(rng: random.Random) -> str:
    """The text of a changed config: its values, its text, or both are changed."""
    if rng.random() < 0.1:
        text = rng.choice(sorted(SHIPPED.rglob("*.yaml"))).read_text("utf-8")
        return changed_text(text, rng)
    config = dict(rng.choice(GOOD))
    how = rng.randrange(10)
    if how >= 3:
        known = [key for key in PLAUSIBLE if key in config or rng.random() < 0.1]
        for key in rng.sample(known, min(len(known), rng.choice([1, 1, 2, 3]))):
            config[key] = rng.choice(PLAUSIBLE[key])
    if 1 <= how <= 4:
        config = changed(config, rng)
    text = yaml_of(config)
    return changed_text(text, rng) if how <= 1 else text


def _is_small(plan: str) -> bool:
    """Whether a dry run foresees few trials and rows."""

    def number(pattern: str) -> int:
        found = re.search(pattern, plan)
        return int(found[1].replace(",", "")) if found else 0

    trials, rows = number(r"trials: ([\d,]+)"), number(r"at most ([\d,]+) of cells")
    return trials <= _MOST_TRIALS and rows <= _MOST_ROWS
