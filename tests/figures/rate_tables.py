"""Synthetic results of rates, computed from closed formulas here and not by the harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from scipy import special

from tests.figures.frames import Array, exact, simulated

Limits = Callable[[Array, float], tuple[Array, Array]]


def wald(x: Array, alpha: float) -> tuple[Array, Array]:
    delta = -special.ndtri(alpha / 2) * np.sqrt(x)
    return np.maximum(x - delta, 0.0), x + delta


def garwood(x: Array, alpha: float) -> tuple[Array, Array]:
    lower = special.gammaincinv(np.maximum(x, 0.5), alpha / 2)
    return np.where(x == 0, 0.0, lower), special.gammainccinv(x + 1, alpha / 2)


def balanced_tail(x: Array, alpha: float) -> tuple[Array, Array]:
    return special.gammaincinv(x + 1, alpha / 2), special.gammainccinv(x + 1, alpha / 2)


METHODS: dict[str, Limits] = {"wald": wald, "garwood": garwood, "balanced_tail": balanced_tail}


def log_outcomes(last: int) -> list[int]:
    """0, and about 20 outcomes per decade."""
    steps = np.geomspace(1, last, 1 + round(20 * np.log10(last)))
    return sorted({0, *np.round(steps).astype(int).tolist()})


def rate_outcome_cells(
    methods: Sequence[str],
    *,
    x: Sequence[int],
    largest: float = np.inf,
    exposure: float = 1.0,
    alphas: Sequence[float] = (0.05,),
    group: int | None = None,
    two_references: bool = False,
    engines: Sequence[str] = ("monte_carlo", "posterior", "enumeration"),
    trials: int = 1000,
) -> pl.DataFrame:
    """Rows per outcome, the truth uniform up to `largest`; the last group is open."""
    rng = np.random.default_rng(458)
    count = np.asarray(x, dtype=float)
    whole = special.gammainc(count + 1, largest * exposure)
    firsts = count if group is None else np.arange(0, count[-1] - group + 2, group)
    starts = np.searchsorted(count, firsts)
    weights = np.add.reduceat(whole, starts)

    def pooled(values: Array) -> Array:
        return np.add.reduceat(values * whole, starts) / weights

    given = {"given": np.full(firsts.size, "outcome"), "x": firsts.astype(int)}
    if group is not None:
        last = (firsts + group - 1).astype(object)
        last[-1] = None
        given["x_last"] = last
    frames = []
    for label in methods:
        for alpha in alphas:
            low, high = METHODS[label](count, alpha)
            top = np.minimum(high, largest * exposure)
            cut = np.minimum(low, largest * exposure)
            below, above = (
                special.gammainc(count + 1, low),
                special.gammaincc(count + 1, high),
            )
            own = (
                pooled(special.gammainc(count + 1, cut) / whole),
                pooled((whole - special.gammainc(count + 1, top)) / whole),
            )
            prior = pooled(below), pooled(above)
            limits = {
                "lower": low / exposure,
                "upper": high / exposure,
                "length": (high - low) / exposure,
            }
            limits = {
                name: v if group is None else v[starts] * np.nan for name, v in limits.items()
            }
            key = {
                "family": "rate",
                "method": label,
                "side": "two-sided",
                "alpha": alpha,
                "exposure": exposure,
            }
            more = dict(limits)
            if two_references:
                more["prior_alpha"] = prior[0] + prior[1]
            kinds = {"posterior": own if two_references else prior, "enumeration": own}
            for engine, (down, up) in kinds.items():
                if engine in engines:
                    frames.append(exact({**key, "engine": engine}, given, down, up, **more))
            if "monte_carlo" in engines:
                counts = np.maximum(np.round(trials * weights / weights.max()), 1).astype(int)
                hits = rng.binomial(counts, np.clip(own[0] + own[1], 0, 1))
                frames.append(simulated(key, given, counts, hits, **limits))
    return pl.concat(frames, how="diagonal_relaxed")


def rate_truth_cells(
    methods: Sequence[str], *, rates: Array, exposure: float = 1.0, alpha: float = 0.05
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per truth."""
    rng = np.random.default_rng(1837)
    x = np.arange(rates.max() * exposure * 3 + 40)
    mean = rates[:, None] * exposure
    weight = np.exp(special.xlogy(x, mean) - mean - special.gammaln(x + 1))
    given = {"given": np.full(rates.size, "truth"), "truth": rates}
    frames = []
    for label in methods:
        low, high = METHODS[label](x, alpha)
        below = (weight * (mean < low)).sum(axis=1)
        above = (weight * (mean > high)).sum(axis=1)
        length = weight @ (high - low) / exposure
        key = {
            "family": "rate",
            "method": label,
            "side": "two-sided",
            "alpha": alpha,
            "exposure": exposure,
        }
        frames.append(exact({**key, "engine": "enumeration"}, given, below, above, length=length))
        counts = np.full(rates.size, 2000)
        hits = rng.binomial(counts, np.clip(below + above, 0, 1))
        frames.append(simulated(key, given, counts, hits, length=length))
    return pl.concat(frames, how="diagonal_relaxed")
