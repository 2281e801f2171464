"""Synthetic results of two samples, computed from closed formulas here and not by the harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from scipy import special

from tests.figures.frames import Array, exact, simulated
from tests.figures.tables import clopper_pearson

Limits = Callable[[Array, Array, int, int, float], tuple[Array, Array]]


def wald(x1: Array, x2: Array, n1: int, n2: int, alpha: float) -> tuple[Array, Array]:
    p1, p2 = x1 / n1, x2 / n2
    delta = -special.ndtri(alpha / 2) * np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) / 2
    return (p1 + p2) / 2 - delta, (p1 + p2) / 2 + delta


def exact_union(x1: Array, x2: Array, n1: int, n2: int, alpha: float) -> tuple[Array, Array]:
    first, second = clopper_pearson(x1, n1, alpha / 2), clopper_pearson(x2, n2, alpha / 2)
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


METHODS: dict[str, Limits] = {"wald": wald, "exact_union": exact_union}


def pair_truth_cells(
    n1: int,
    n2: int,
    methods: Sequence[str],
    *,
    first: Array,
    second: Array,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Rows of a balanced accuracy per pair of truths."""
    rng = np.random.default_rng(55)
    x1, x2 = (grid.ravel() for grid in np.meshgrid(np.arange(n1 + 1.0), np.arange(n2 + 1.0)))
    t1, t2 = (grid.ravel() for grid in np.meshgrid(first, second, indexing="ij"))
    weight = _pmf(x1, n1, t1[:, None]) * _pmf(x2, n2, t2[:, None])
    parameter = ((t1 + t2) / 2)[:, None]
    given = {"given": np.full(t1.size, "truth"), "truth1": t1, "truth2": t2}
    frames = []
    for label in methods:
        low, high = METHODS[label](x1, x2, n1, n2, alpha)
        below = (weight * (parameter < low)).sum(axis=1)
        above = (weight * (parameter > high)).sum(axis=1)
        length = weight @ (high - low)
        key = _key(label, alpha, n1, n2)
        frames.append(exact({**key, "engine": "enumeration"}, given, below, above, length=length))
        trials = np.full(t1.size, 1000)
        hits = rng.binomial(trials, np.clip(below + above, 0, 1))
        frames.append(simulated(key, given, trials, hits, length=length))
    return pl.concat(frames, how="diagonal_relaxed")


def pair_outcome_cells(
    n1: int, n2: int, methods: Sequence[str], *, alpha: float = 0.05
) -> pl.DataFrame:
    """Posterior rows of a balanced accuracy with the limits of every outcome."""
    x1, x2 = (grid.ravel() for grid in np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1)))
    given = {"given": np.full(x1.size, "outcome"), "x1": x1, "x2": x2}
    nothing = np.zeros(x1.size)
    frames = []
    for label in methods:
        low, high = METHODS[label](x1.astype(float), x2.astype(float), n1, n2, alpha)
        key = {**_key(label, alpha, n1, n2), "engine": "posterior"}
        limits = {"lower": low, "upper": high, "length": high - low}
        frames.append(exact(key, given, nothing, nothing, **limits))
    return pl.concat(frames, how="diagonal_relaxed")


def _key(label: str, alpha: float, n1: int, n2: int) -> dict[str, object]:
    return {
        "family": "balanced_accuracy",
        "method": label,
        "side": "two-sided",
        "alpha": alpha,
        "n1": n1,
        "n2": n2,
    }


def _pmf(x: Array, n: int, p: Array) -> Array:
    log_choose = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(log_choose + special.xlogy(x, p) + special.xlog1py(n - x, -p))
