"""Synthetic results of every family, computed from closed formulas here and not by the harness."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Limits = tuple[Array, Array]
Key = Mapping[str, Any]
"""The columns that are the same in all rows of a method at one alpha."""


@dataclass(frozen=True)
class Spec:
    """A figure that a config asks for."""

    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    apart: str = ""


@dataclass(frozen=True)
class FakeResults:
    """The part of results that figures read."""

    cells: pl.DataFrame
    summary: pl.DataFrame = field(default_factory=pl.DataFrame)
    manifest: dict[str, Any] = field(default_factory=dict)
    path: Path | None = None
    curves: dict[Any, Any] = field(default_factory=dict)


# The limits of each family's methods: of x successes of n; of x events, in units of the mean; and
# of the mean of two proportions.


def wald(x: Array, n: int, alpha: float) -> Limits:
    p = x / n
    delta = -special.ndtri(alpha / 2) * np.sqrt(p * (1 - p) / n)
    return np.maximum(p - delta, 0.0), np.minimum(p + delta, 1.0)


def clopper_pearson(x: Array, n: int, alpha: float) -> Limits:
    lower = special.betaincinv(np.maximum(x, 0.5), n - x + 1, alpha / 2)
    upper = special.betainccinv(x + 1, np.maximum(n - x, 0.5), alpha / 2)
    return np.where(x == 0, 0.0, lower), np.where(x == n, 1.0, upper)


def balanced_tail(x: Array, n: int, alpha: float) -> Limits:
    lower = special.betaincinv(x + 1, n - x + 1, alpha / 2)
    return lower, special.betainccinv(x + 1, n - x + 1, alpha / 2)


def rate_wald(x: Array, alpha: float) -> Limits:
    delta = -special.ndtri(alpha / 2) * np.sqrt(x)
    return np.maximum(x - delta, 0.0), x + delta


def garwood(x: Array, alpha: float) -> Limits:
    lower = special.gammaincinv(np.maximum(x, 0.5), alpha / 2)
    return np.where(x == 0, 0.0, lower), special.gammainccinv(x + 1, alpha / 2)


def rate_balanced_tail(x: Array, alpha: float) -> Limits:
    return special.gammaincinv(x + 1, alpha / 2), special.gammainccinv(x + 1, alpha / 2)


def mean_wald(x1: Array, x2: Array, n1: int, n2: int, alpha: float) -> Limits:
    p1, p2 = x1 / n1, x2 / n2
    delta = -special.ndtri(alpha / 2) * np.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) / 2
    return (p1 + p2) / 2 - delta, (p1 + p2) / 2 + delta


def exact_union(x1: Array, x2: Array, n1: int, n2: int, alpha: float) -> Limits:
    first, second = clopper_pearson(x1, n1, alpha / 2), clopper_pearson(x2, n2, alpha / 2)
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


def ratio_wald(x1: Array, x2: Array, n1: int, n2: int, alpha: float) -> Limits:
    """Wald limits of the logarithm of a ratio; all ratios where a sample has no success."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = x1 / n1 * n2 / x2
        half = special.ndtri(1 - alpha / 2) * np.sqrt(1 / x1 - 1 / n1 + 1 / x2 - 1 / n2)
        low, high = ratio * np.exp(-half), ratio * np.exp(half)
    some = (x1 > 0) & (x2 > 0)
    return np.where(some, low, 0.0), np.where(some, high, np.inf)


METHODS: dict[str, dict[str, Callable[..., Limits]]] = {
    "proportion": {
        "wald": wald,
        "clopper_pearson": clopper_pearson,
        "balanced_tail": balanced_tail,
    },
    "rate": {"wald": rate_wald, "garwood": garwood, "balanced_tail": rate_balanced_tail},
    "balanced_accuracy": {"wald": mean_wald, "exact_union": exact_union},
    "risk_ratio": {"katz": ratio_wald},
}


# Rows of any family.

_ESTIMATE = ("trials", "std_error", "ci_lower", "ci_upper")


def key_of(family: str, label: str, alpha: float, **size: float) -> Key:
    return {"family": family, "method": label, "side": "two-sided", "alpha": alpha, **size}


def exact_rows(
    key: Key, engine: str, given: Mapping[str, Array], below: Array, above: Array, **more: Array
) -> pl.DataFrame:
    """Rows by an exact engine; `more` are limits and lengths, or further columns."""
    rows = len(below)
    actual = below + above
    columns = {name: [value] * rows for name, value in {**key, "engine": engine}.items()}
    columns |= {name: values.tolist() for name, values in given.items()}
    columns |= {"miss_below": below, "miss_above": above, "actual_alpha": actual}
    columns |= {"alpha_error": key["alpha"] - actual}
    columns |= {name: [None] * rows for name in _ESTIMATE}
    columns |= {name: np.full(rows, np.nan) for name in ("lower", "upper", "length")} | more
    frame = pl.DataFrame(columns, strict=False).cast(dict.fromkeys(_ESTIMATE, pl.Float64))
    return frame.cast({"trials": pl.Int64}).with_columns(pl.col(pl.Float64).fill_nan(None))


def simulated_rows(
    key: Key, given: Mapping[str, Array], trials: Array, hits: Array, **more: Array
) -> pl.DataFrame:
    """Monte Carlo rows; the interval of no hit or only hits reaches the end of the range."""
    share = hits / np.maximum(trials, 1)
    lower = special.betaincinv(hits + 1, trials - hits + 1, 0.025)
    upper = special.betainccinv(hits + 1, trials - hits + 1, 0.025)
    frame = exact_rows(key, "monte_carlo", given, share / 2, share / 2, **more)
    return frame.with_columns(
        trials=pl.Series(trials, dtype=pl.Int64),
        std_error=pl.Series(np.sqrt(share * (1 - share) / np.maximum(trials, 1))),
        ci_lower=pl.Series(np.where(hits == 0, 0.0, lower)),
        ci_upper=pl.Series(np.where(hits == trials, 1.0, upper)),
    )


def by_both(
    rng: np.random.Generator,
    key: Key,
    given: Mapping[str, Array],
    trials: Array,
    below: Array,
    above: Array,
    **more: Array,
) -> list[pl.DataFrame]:
    """Rows by enumeration and by Monte Carlo."""
    hits = rng.binomial(trials, np.clip(below + above, 0, 1))
    exact = exact_rows(key, "enumeration", given, below, above, **more)
    return [exact, simulated_rows(key, given, trials, hits, **more)]


def truth_rows(
    rng: np.random.Generator,
    key: Key,
    truths: Mapping[str, Array],
    weight: Array,
    parameter: Array,
    limits: Limits,
    trials: int,
) -> list[pl.DataFrame]:
    """Rows per truth by both engines, of an interval for each outcome.

    The weights are the probabilities of the outcomes under each truth, shape (t, m).
    """
    low, high = limits
    given = {"given": np.full(parameter.size, "truth"), **truths}
    below = (weight * (parameter[:, None] < low)).sum(axis=1)
    above = (weight * (parameter[:, None] > high)).sum(axis=1)
    counts = np.full(parameter.size, trials)
    return by_both(rng, key, given, counts, below, above, length=weight @ (high - low))


def together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames, how="diagonal_relaxed")


def binomial(x: Array, n: int, p: Array) -> Array:
    log_choose = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(log_choose + special.xlogy(x, p) + special.xlog1py(n - x, -p))


# Proportions.


def fraction_outcomes(n: int, fractions: int) -> list[int]:
    """x = n·f rounded half up, f from 0 to 1, without repetition."""
    steps = fractions - 1
    return sorted({(2 * n * i + steps) // (2 * steps) for i in range(fractions)})


def _by_outcome(label: str, x: Array, n: int, alpha: float) -> tuple[Any, Array, Array, Any]:
    """The outcomes as columns, the posterior mass outside the limits, and the limits."""
    lower, upper = METHODS["proportion"][label](x, n, alpha)
    below = special.betainc(x + 1, n - x + 1, lower)
    above = special.betaincc(x + 1, n - x + 1, upper)
    given = {"given": np.full(x.size, "outcome"), "x": x.astype(int)}
    return given, below, above, {"lower": lower, "upper": upper, "length": upper - lower}


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
                given, below, above, limits = _by_outcome(label, x, n, alpha)
                key = key_of("proportion", label, alpha, n=n)
                frames.append(exact_rows(key, "posterior", given, below, above, **limits))
    return together(frames)


def outcome_cells(
    n: int, methods: Sequence[str], *, alphas: Sequence[float] = (0.05,), per_outcome: int = 300
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per outcome, the truth uniform on [0, 1]."""
    rng = np.random.default_rng(2003)
    frames = []
    for label in methods:
        for alpha in alphas:
            given, below, above, limits = _by_outcome(label, np.arange(n + 1.0), n, alpha)
            key = key_of("proportion", label, alpha, n=n)
            trials = rng.poisson(per_outcome, n + 1)
            frames += by_both(rng, key, given, trials, below, above, **limits)
    return together(frames)


def truth_cells(
    n: int,
    methods: Sequence[str],
    *,
    alphas: Sequence[float] = (0.05,),
    count: int = 99,
    truths: Sequence[float] | None = None,
    trials: int = 2000,
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per truth, on a grid or of a list."""
    rng = np.random.default_rng(1927)
    p = np.linspace(0, 1, count + 2)[1:-1] if truths is None else np.array(truths)
    x = np.arange(n + 1.0)
    weight = binomial(x, n, p[:, None])
    frames = []
    for label in methods:
        for alpha in alphas:
            key = key_of("proportion", label, alpha, n=n)
            limits = METHODS["proportion"][label](x, n, alpha)
            frames += truth_rows(rng, key, {"truth": p}, weight, p, limits, trials)
    return together(frames)


# Rates.


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
            key = key_of("rate", label, alpha, exposure=exposure)
            low, high = METHODS["rate"][label](count, alpha)
            cut, top = (np.minimum(limit, largest * exposure) for limit in (low, high))
            under_truth = (
                pooled(special.gammainc(count + 1, cut) / whole),
                pooled((whole - special.gammainc(count + 1, top)) / whole),
            )
            under_prior = (
                pooled(special.gammainc(count + 1, low)),
                pooled(special.gammaincc(count + 1, high)),
            )
            limits = {"lower": low, "upper": high, "length": high - low}
            limits = {
                name: v / exposure if group is None else v[starts] * np.nan
                for name, v in limits.items()
            }
            more = {"prior_alpha": sum(under_prior)} if two_references else {}
            found = {
                "posterior": under_truth if two_references else under_prior,
                "enumeration": under_truth,
            }
            for engine, (below, above) in found.items():
                if engine in engines:
                    frames.append(exact_rows(key, engine, given, below, above, **limits, **more))
            if "monte_carlo" in engines:
                counts = np.maximum(np.round(trials * weights / weights.max()), 1).astype(int)
                hits = rng.binomial(counts, np.clip(sum(under_truth), 0, 1))
                frames.append(simulated_rows(key, given, counts, hits, **limits))
    return together(frames)


def rate_truth_cells(
    methods: Sequence[str], *, rates: Array, exposure: float = 1.0, alpha: float = 0.05
) -> pl.DataFrame:
    """Enumeration and Monte Carlo rows per truth."""
    rng = np.random.default_rng(1837)
    x = np.arange(rates.max() * exposure * 3 + 40)
    mean = rates[:, None] * exposure
    weight = np.exp(special.xlogy(x, mean) - mean - special.gammaln(x + 1))
    frames = []
    for label in methods:
        key = key_of("rate", label, alpha, exposure=exposure)
        low, high = METHODS["rate"][label](x, alpha)
        limits = low / exposure, high / exposure
        frames += truth_rows(rng, key, {"truth": rates}, weight, rates, limits, 2000)
    return together(frames)


# Balanced accuracies.


def pair_truth_cells(
    n1: int,
    n2: int,
    methods: Sequence[str],
    *,
    first: Array,
    second: Array,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Rows per pair of truths."""
    rng = np.random.default_rng(55)
    x1, x2 = (grid.ravel() for grid in np.meshgrid(np.arange(n1 + 1.0), np.arange(n2 + 1.0)))
    t1, t2 = (grid.ravel() for grid in np.meshgrid(first, second, indexing="ij"))
    weight = binomial(x1, n1, t1[:, None]) * binomial(x2, n2, t2[:, None])
    truths = {"truth1": t1, "truth2": t2}
    frames = []
    for label in methods:
        key = key_of("balanced_accuracy", label, alpha, n1=n1, n2=n2)
        limits = METHODS["balanced_accuracy"][label](x1, x2, n1, n2, alpha)
        frames += truth_rows(rng, key, truths, weight, (t1 + t2) / 2, limits, 1000)
    return together(frames)


def pair_outcome_cells(
    n1: int,
    n2: int,
    methods: Sequence[str],
    *,
    family: str = "balanced_accuracy",
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Posterior rows with the limits of every outcome."""
    x1, x2 = (grid.ravel() for grid in np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1)))
    given = {"given": np.full(x1.size, "outcome"), "x1": x1, "x2": x2}
    nothing = np.zeros(x1.size)
    frames = []
    for label in methods:
        key = key_of(family, label, alpha, n1=n1, n2=n2)
        low, high = METHODS[family][label](x1 * 1.0, x2 * 1.0, n1, n2, alpha)
        limits = {"lower": low, "upper": high, "length": high - low}
        frames.append(exact_rows(key, "posterior", given, nothing, nothing, **limits))
    return together(frames)


# Calibration experiments.


def calibration_results(
    references: Sequence[str] = ("prior",),
    *,
    family: str = "proportion_difference",
    bins: int = 20,
    trials: int = 200_000,
    bias: float = 0.0,
    empty: Sequence[int] = (),
) -> FakeResults:
    """Most trials fall into the outer bins; under the prior the fractions are off by `bias`."""
    rng = np.random.default_rng(12)
    edges = np.linspace(0, 1, bins + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    share = 1 / (middle * (1 - middle))
    counts = np.round(trials * share / share.sum()).astype(int)
    counts[list(empty)] = 0
    cells, summary = [], []
    for reference in references:
        mean = middle + rng.uniform(-0.2, 0.2, bins) / bins
        chance = mean + (bias if reference == "prior" else 0) * mean * (1 - mean)
        true = rng.binomial(counts, np.clip(chance, 0, 1))
        some = counts > 0
        fraction = np.where(some, true / np.maximum(counts, 1), np.nan)
        variance = counts * mean * (1 - mean)
        chi_squared = float(((true - counts * mean)[some] ** 2 / variance[some]).sum())
        cells.append(
            pl.DataFrame(
                {
                    "family": family,
                    "reference": reference,
                    "bin": np.arange(1, bins + 1),
                    "bin_lower": edges[:-1],
                    "bin_upper": edges[1:],
                    "trials": counts,
                    "mean_probability": np.where(some, mean, np.nan),
                    "true": true,
                    "fraction": fraction,
                    "std_error": np.sqrt(fraction * (1 - fraction) / np.maximum(counts, 1)),
                    "ci_lower": special.betaincinv(true + 1, counts - true + 1, 0.025),
                    "ci_upper": special.betainccinv(true + 1, counts - true + 1, 0.025),
                }
            ).with_columns(pl.col(pl.Float64).fill_nan(None))
        )
        summary.append(
            {
                "family": family,
                "reference": reference,
                "trials": int(counts.sum()),
                "mean_probability": float((counts * mean).sum() / max(counts.sum(), 1)),
                "fraction": float(true.sum() / max(counts.sum(), 1)),
                "chi_squared": chi_squared,
                "degrees_of_freedom": int(some.sum()),
                "p_value": float(special.chdtrc(some.sum(), chi_squared)),
            }
        )
    manifest = {"experiment": {"kind": "calibration"}}
    return FakeResults(pl.concat(cells), pl.DataFrame(summary), manifest)
