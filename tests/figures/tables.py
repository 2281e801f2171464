"""Synthetic results, computed from closed formulas here and not by the harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Limits = Callable[[Array, int, float], tuple[Array, Array]]


@dataclass(frozen=True)
class Spec:
    """A figure asked for."""

    kind: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FakeResults:
    """What figures read."""

    cells: pl.DataFrame
    summary: pl.DataFrame = field(default_factory=pl.DataFrame)
    manifest: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None


def wald(x: Array, n: int, alpha: float) -> tuple[Array, Array]:
    p = x / n
    delta = -special.ndtri(alpha / 2) * np.sqrt(p * (1 - p) / n)
    return np.maximum(p - delta, 0.0), np.minimum(p + delta, 1.0)


def clopper_pearson(x: Array, n: int, alpha: float) -> tuple[Array, Array]:
    lower = special.betaincinv(np.maximum(x, 0.5), n - x + 1, alpha / 2)
    upper = special.betainccinv(x + 1, np.maximum(n - x, 0.5), alpha / 2)
    return np.where(x == 0, 0.0, lower), np.where(x == n, 1.0, upper)


def balanced_tail(x: Array, n: int, alpha: float) -> tuple[Array, Array]:
    lower = special.betaincinv(x + 1, n - x + 1, alpha / 2)
    return lower, special.betainccinv(x + 1, n - x + 1, alpha / 2)


METHODS: dict[str, Limits] = {
    "wald": wald,
    "clopper_pearson": clopper_pearson,
    "balanced_tail": balanced_tail,
}


def fraction_outcomes(n: int, fractions: int) -> list[int]:
    """x = n·f rounded half up, f from 0 to 1, without repetition."""
    steps = fractions - 1
    return sorted({(2 * n * i + steps) // (2 * steps) for i in range(fractions)})


def surface_cells(
    sizes: Sequence[int],
    methods: Sequence[str],
    *,
    fractions: int = 21,
    alphas: Sequence[float] = (0.05,),
) -> pl.DataFrame:
    """Posterior rows of `outcomes: {fractions: …}`."""
    frames = []
    for label in methods:
        for alpha in alphas:
            for n in sizes:
                x = np.array(fraction_outcomes(n, fractions), dtype=float)
                lower, upper = METHODS[label](x, n, alpha)
                below = special.betainc(x + 1, n - x + 1, lower)
                above = special.betaincc(x + 1, n - x + 1, upper)
                frames.append(
                    _frame(
                        label,
                        alpha,
                        n,
                        "posterior",
                        "outcome",
                        x=x,
                        below=below,
                        above=above,
                        lower=lower,
                        upper=upper,
                        length=upper - lower,
                    )
                )
    return pl.concat(frames)


def outcome_cells(
    n: int, methods: Sequence[str], *, alphas: Sequence[float] = (0.05,), per_outcome: int = 300
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per outcome, the truth uniform on [0, 1]."""
    rng = np.random.default_rng(2003)
    x = np.arange(n + 1.0)
    frames = []
    for label in methods:
        for alpha in alphas:
            lower, upper = METHODS[label](x, n, alpha)
            below = special.betainc(x + 1, n - x + 1, lower)
            above = special.betaincc(x + 1, n - x + 1, upper)
            limits = {"lower": lower, "upper": upper, "length": upper - lower}
            frames.append(
                _frame(
                    label,
                    alpha,
                    n,
                    "enumeration",
                    "outcome",
                    x=x,
                    below=below,
                    above=above,
                    **limits,
                )
            )
            trials = rng.poisson(per_outcome, n + 1)
            hits = rng.binomial(trials, np.clip(below + above, 0, 1))
            frames.append(_simulated(label, alpha, n, "outcome", trials, hits, x=x, **limits))
    return pl.concat(frames)


def truth_cells(
    n: int,
    methods: Sequence[str],
    *,
    alphas: Sequence[float] = (0.05,),
    count: int = 99,
    trials: int = 2000,
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per truth on a grid."""
    rng = np.random.default_rng(1927)
    p = np.linspace(0, 1, count + 2)[1:-1]
    x = np.arange(n + 1.0)
    log_weight = (
        special.gammaln(n + 1)
        - special.gammaln(x + 1)
        - special.gammaln(n - x + 1)
        + x * np.log(p)[:, None]
        + (n - x) * np.log1p(-p)[:, None]
    )
    weight = np.exp(log_weight)
    frames = []
    for label in methods:
        for alpha in alphas:
            lower, upper = METHODS[label](x, n, alpha)
            below = (weight * (p[:, None] < lower)).sum(axis=1)
            above = (weight * (p[:, None] > upper)).sum(axis=1)
            length = weight @ (upper - lower)
            frames.append(
                _frame(
                    label,
                    alpha,
                    n,
                    "enumeration",
                    "truth",
                    truth=p,
                    below=below,
                    above=above,
                    length=length,
                )
            )
            counts = np.full(count, trials)
            hits = rng.binomial(counts, np.clip(below + above, 0, 1))
            frames.append(
                _simulated(label, alpha, n, "truth", counts, hits, truth=p, length=length)
            )
    return pl.concat(frames)


def _simulated(
    label: str, alpha: float, n: int, given: str, trials: Array, hits: Array, **columns: Array
) -> pl.DataFrame:
    """Monte Carlo rows; the interval of no hit or only hits reaches the end of the range."""
    share = hits / trials
    frame = _frame(
        label, alpha, n, "monte_carlo", given, below=share / 2, above=share / 2, **columns
    )
    lower = special.betaincinv(hits + 1, trials - hits + 1, 0.025)
    upper = special.betainccinv(hits + 1, trials - hits + 1, 0.025)
    return frame.with_columns(
        trials=pl.Series(trials, dtype=pl.Int64),
        std_error=pl.Series(np.sqrt(share * (1 - share) / trials)),
        ci_lower=pl.Series(np.where(hits == 0, 0.0, lower)),
        ci_upper=pl.Series(np.where(hits == trials, 1.0, upper)),
    )


def _frame(
    label: str,
    alpha: float,
    n: int,
    engine: str,
    given: str,
    *,
    below: Array,
    above: Array,
    x: Array | None = None,
    truth: Array | None = None,
    lower: Array | None = None,
    upper: Array | None = None,
    length: Array | None = None,
) -> pl.DataFrame:
    m = len(below)

    def series(values: Array | None, dtype: Any = pl.Float64) -> pl.Series:
        return pl.Series([None] * m if values is None else values.tolist(), dtype=dtype)

    return pl.DataFrame(
        {
            "family": ["proportion"] * m,
            "method": [label] * m,
            "side": ["two-sided"] * m,
            "alpha": [alpha] * m,
            "n": pl.Series([n] * m, dtype=pl.Int64),
            "engine": [engine] * m,
            "given": [given] * m,
            "x": series(None if x is None else x.astype(int), pl.Int64),
            "truth": series(truth),
            "trials": series(None, pl.Int64),
            "miss_below": below,
            "miss_above": above,
            "actual_alpha": below + above,
            "std_error": series(None),
            "ci_lower": series(None),
            "ci_upper": series(None),
            "alpha_error": alpha - (below + above),
            "lower": series(lower),
            "upper": series(upper),
            "length": series(length),
        }
    )
