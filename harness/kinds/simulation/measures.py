"""The performance measures of a simulation study, each with its Monte Carlo standard error.

Morris, White and Crowther (2019), "Using simulation studies to evaluate statistical methods",
Statistics in Medicine 38:2074, Table 6; the interval score is that of Gneiting and Raftery (2007),
"Strictly proper scoring rules, prediction, and estimation", JASA 102:359, equation 43.

The errors of what is made of the empirical standard error do not take the estimates as normal, as
those of that table do: they have the fourth moment of the estimates. By Mood, Graybill and Boes
(1974), "Introduction to the Theory of Statistics", 3rd edition, section VI.2, theorem 2 (exercise
5.8 of Casella and Berger, 2002), the variance s² of n independent values with variance σ² and
fourth central moment μ₄ has

    Var(s²) = (μ₄ − (n − 3)/(n − 1)·σ⁴)/n,

which is 2σ⁴/(n − 1) where they are normal. Here μ₄ is Σ(x − x̄)⁴/n, and σ² is s².

Where the model draws the truth, θ is that of the trial, and what is said of estimates as such, of
their standard deviation and of their mean, is said of their errors x − θ.

Symbols: m trials; θ, the true value; x, the estimates, with the mean x̄; s, their standard errors;
[l, u], their closed intervals; n, how many of the m trials a measure counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from scipy.special import ndtri, stdtrit

from harness.base.numerics.arrays import Bools, Floats, Rows
from harness.callers.simulation.answers import AGAINST_TRUTH, FIELDS
from harness.designs.precision import estimate_interval
from harness.distributions.ranks import uniformity

_Values = TypeVar("_Values", float, Floats)

RELATIVE_PRECISION, JOINT_COVERAGE = "relative_precision", "joint_coverage"
RANK_UNIFORMITY = "rank_uniformity"
MEASURES = (
    *("bias", "relative_bias", "empirical_se", "mse", "rmse", "model_se"),
    *("relative_error_model_se", "coverage", "coverage_answered", "bias_eliminated_coverage"),
    *("miss_below", "miss_above", "mean_length", "interval_score", "mean_set_size"),
    *("rejection_rate", RELATIVE_PRECISION, "rank_bias", "rank_spread", RANK_UNIFORMITY),
    *(JOINT_COVERAGE, "failures"),
)
"""The names of the measures, in the order of a table. Relative ones are fractions."""

ESTIMATED = tuple(name for name in MEASURES if name != RANK_UNIFORMITY)
"""The measures with a Monte Carlo standard error; the other one is a p-value."""
FRACTIONS = frozenset(
    {
        *("coverage", "coverage_answered", "bias_eliminated_coverage", "miss_below", "miss_above"),
        *("rejection_rate", "failures", JOINT_COVERAGE),
    }
)
"""The measures that are fractions of the trials that they count."""


RESERVED = (
    *("scenario", "method", "measure", "estimate", "mcse", "trials", "ci_lower", "ci_upper"),
    *("reference", "difference", "trial", "truth", "se", "lower", "upper", "p_value", "df"),
    "answered",
)
"""The columns of the tables beside factors, which no factor is called like."""
RESERVED_WITH_MORE = ("estimand", "covered", "set_size", "rank", "draws")
"""Further ones where the model draws truths, or there are several estimands."""
SOLVED = (
    "equals",
    "status",
    "crossing",
    "crossing_lower",
    "crossing_upper",
    "crossing_slope",
    "tried",
)
"""The columns of the table of a search."""
LOWEST: Mapping[str, float] = {
    **dict.fromkeys(("empirical_se", "mse", "rmse", "model_se", "mean_length"), 0.0),
    **dict.fromkeys(("relative_error_model_se", RELATIVE_PRECISION, "rank_spread"), -1.0),
    **dict.fromkeys(("interval_score", "mean_set_size"), 0.0),
}
"""The values that measures are above, of those that are no fractions and have such a value."""


@dataclass(frozen=True)
class Replicates(Rows):
    """What one method answered in m trials of one scenario.

    Each array has the shape (m,), and is NaN where the method did not give the number.
    """

    estimate: Floats
    se: Floats
    """The standard error that the method states."""
    lower: Floats
    upper: Floats
    """The limits of a closed interval; infinite ones are those of a one-sided interval."""
    p_value: Floats
    df: Floats
    """The degrees of freedom of the t distribution that limits are made with."""
    answered: Bools
    """False where the method raised an error, gave no estimate or did not converge. Such a trial
    has no answer, whatever its numbers."""
    covered: Floats
    """Whether a set has the truth, 1 or 0."""
    set_size: Floats
    """The number of labels of a set."""
    rank: Floats
    """How many of the ranked draws are below the truth."""
    draws: Floats
    """The number of ranked draws."""

    @classmethod
    def of(cls, estimate: Floats, answered: Bools | None = None, **given: Floats) -> Self:
        """Return replicates of which only some numbers are known.

        Args:
            estimate: shape (m,).
            answered: shape (m,); None where the trials with an estimate have an answer.
            **given: the other numbers by name, shape (m,); those not given are NaN.
        """
        missing = np.full(estimate.shape, np.nan)
        numbers: dict[str, Any] = dict.fromkeys((*FIELDS[1:], *AGAINST_TRUTH), missing)
        answers = ~np.isnan(estimate) if answered is None else answered
        return cls(estimate=estimate, answered=answers, **numbers | given)

    def with_limits(self, alpha: float) -> Self:
        """Return the replicates with limits x ± q·s where no limit was given, but x and s were.

        q is the upper alpha/2 point of the standard normal distribution, or of the t distribution
        where its degrees of freedom were given.
        """
        made = np.isnan(self.lower) & np.isnan(self.upper)
        if not made.any():
            return self
        with np.errstate(all="ignore"):
            of_t: float | Floats = ndtri(alpha / 2)
            if not np.isnan(self.df).all():
                of_t = np.where(np.isfinite(self.df), stdtrit(self.df, alpha / 2), of_t)
            half = -of_t * self.se
            lower = np.where(made, self.estimate - half, self.lower)
            upper = np.where(made, self.estimate + half, self.upper)
        return replace(self, lower=lower, upper=upper)

    def less(self, truth: Floats) -> Self:
        """Return the replicates with the errors of the estimates in their place."""
        return replace(self, estimate=self.estimate - truth)


@dataclass(frozen=True)
class Measure:
    """A performance measure of one method in one scenario."""

    estimate: float
    mcse: float
    """The Monte Carlo standard error; NaN where it is not known, as of a single trial."""
    trials: int
    """The number n of trials that the measure counts."""
    influence: Floats
    """ψ, shape (m,): the measure is, to first order, a constant plus the mean of these numbers.
    NaN in the trials that do not count."""
    values: tuple[Floats, ...] = ()
    """What the estimate is a function of, shape (m,) each; none of a difference."""


def measures(
    replicates: Replicates, truth: float | Floats | None, alpha: float, null: float | None
) -> dict[str, Measure]:
    """Return the measures of a method by name, in the order of ``MEASURES``.

    ``coverage``, ``miss_below``, ``miss_above`` and ``failures`` count all m trials. One without
    an answer is not covered, but in neither of the misses: where every answer has limits, the four
    add up to 1. Of a method that never answers the coverage is 0. The other measures count the
    answered trials that have the numbers they need.

    Args:
        replicates: with limits, where ``with_limits`` is to make them.
        truth: θ; of each trial where it is drawn, shape (m,); None where it is not known.
        alpha: the probability outside the intervals, and the level of tests; in (0, 1).
        null: the value that ``rejection_rate`` tests by the intervals, where there are no
            p-values; None for no such test.

    Returns:
        No measure that needs what was never given: the truth, which must not be 0, nor have both
        signs, for ``relative_bias``, the null, or numbers that no trial has. ``relative_precision``
        compares two methods, and has a function of its own.
    """
    answered = replicates.answered
    x, se, lower, upper, p_value, rank, draws = (
        numbers if answered.all() else np.where(answered, numbers, np.nan)
        for numbers in (
            *(replicates.estimate, replicates.se, replicates.lower, replicates.upper),
            *(replicates.p_value, replicates.rank, replicates.draws),
        )
    )
    if isinstance(truth, np.ndarray) and np.isnan(truth[answered]).any():
        truth = None  # labels, which only sets have to do with
    # What differs with the truth of a trial is told apart from what differs with the estimate.
    shift = truth if isinstance(truth, np.ndarray) else 0.0
    limited = ~(np.isnan(lower) | np.isnan(upper))
    has_x, has_se = not np.isnan(x).all(), not np.isnan(se).all()
    means: dict[str, Floats] = {}
    with np.errstate(all="ignore"):
        squares = {"model_se": se * se} if has_se else {}
        if has_x and truth is not None:
            error = x - truth
            means |= {"bias": error, "mse": error * error}
            squares["rmse"] = error * error
            # Of truths of both signs, the mean of errors over truths is dominated by those near 0.
            if not (np.any(truth >= 0) and np.any(truth <= 0)):
                means["relative_bias"] = error / truth
        if limited.any():
            means |= _of_limits(lower, upper, limited, truth, alpha)
        if has_x and limited.any():
            center = _mean(_known(x - shift))
            covered = (lower - shift <= center) & (center <= upper - shift)
            means["bias_eliminated_coverage"] = np.where(limited & ~np.isnan(x), covered, np.nan)
        if not np.isnan(replicates.set_size).all():
            size, held = replicates.set_size, replicates.covered
            means["coverage"] = np.where(np.isnan(size), 0.0, held)
            means |= {"coverage_answered": held, "mean_set_size": size}
        if not np.isnan(p_value).all():
            means["rejection_rate"] = np.where(np.isnan(p_value), np.nan, p_value <= alpha)
        elif null is not None:
            outside = (null < lower) | (null > upper)
            means["rejection_rate"] = np.where(limited, outside, np.nan)
        if truth is not None and not answered.any():
            means["coverage"] = np.zeros(answered.size)
        means["failures"] = (~answered).astype(np.float64)
        means |= _of_ranks(rank, draws)
        by_name = {name: _mean_measure(name, values) for name, values in means.items()}
        by_name |= {name: _root_measure(values) for name, values in squares.items()}
        if has_x:
            by_name["empirical_se"] = _empirical_se(x - shift)
            if has_se:
                by_name["relative_error_model_se"] = _relative_error(x - shift, se)
    by_name |= _uniformity(rank, draws)
    return {name: by_name[name] for name in MEASURES if name in by_name and by_name[name].trials}


def joint_coverage(
    replicates: Mapping[str, Replicates], truths: Mapping[str, float | Floats]
) -> Measure | None:
    """Return the share of all m trials in which each interval, or set, has its own truth.

    Args:
        replicates: of one method by estimand, with limits.
        truths: those of ``measures``.

    Returns:
        None where an estimand has no interval and no set in any trial.
    """
    held = []
    for estimand, of_estimand in replicates.items():
        covered = (of_estimand.lower <= truths[estimand]) & (truths[estimand] <= of_estimand.upper)
        answers = np.isnan(of_estimand.lower) & np.isnan(of_estimand.set_size)
        if answers.all():
            return None
        held.append(of_estimand.answered & (covered | (of_estimand.covered == 1.0)))
    return _mean_measure(JOINT_COVERAGE, np.all(held, axis=0).astype(np.float64))


def _of_ranks(rank: Floats, draws: Floats) -> dict[str, Floats]:
    """The values of the measures that are means over ranks r among L draws.

    u = (r + ½)/(L + 1) has the mean ½ and the variance (1 − 1/(L + 1)²)/12 of uniform ranks.
    """
    if np.isnan(rank).all():
        return {}
    centred = (rank + 0.5) / (draws + 1.0) - 0.5
    variance = (1.0 - (draws + 1.0) ** -2) / 12.0
    return {"rank_bias": centred, "rank_spread": centred * centred / variance - 1.0}


def _uniformity(rank: Floats, draws: Floats) -> dict[str, Measure]:
    """The p-value of uniform ranks, which is exact; none where the numbers of draws differ."""
    counts = np.unique(_known(draws))
    if counts.size != 1:
        return {}
    ranks = _known(rank).astype(np.int64)
    p, no_influence = uniformity(ranks, int(counts[0])), np.full(rank.size, np.nan)
    return {RANK_UNIFORMITY: Measure(p, math.nan, ranks.size, no_influence)}


def _of_limits(
    lower: Floats, upper: Floats, limited: Bools, truth: float | Floats | None, alpha: float
) -> dict[str, Floats]:
    """The values of the measures that are means of what the intervals of the trials are like.

    The interval score is (u − l) + (2/alpha)·(l − θ)₊ + (2/alpha)·(θ − u)₊.
    """
    length = upper - lower if limited.all() else np.where(limited, upper - lower, np.nan)
    if truth is None:
        return {"mean_length": length}
    below, above = limited & (truth < lower), limited & (truth > upper)
    covered = (limited & ~(below | above)).astype(np.float64)
    outside = np.zeros(limited.size)
    outside[below] = (lower - truth)[below]
    outside[above] = (truth - upper)[above]
    return {
        "coverage": covered,
        "coverage_answered": covered if limited.all() else np.where(limited, covered, np.nan),
        "miss_below": below.astype(np.float64),
        "miss_above": above.astype(np.float64),
        "mean_length": length,
        "interval_score": length + 2.0 / alpha * outside,
    }


def _mean_measure(name: str, values: Floats) -> Measure:
    """The mean v̄ of values, with √(Σ(v − v̄)²/(n(n − 1))); of a fraction f, with √(f(1 − f)/n)."""
    counted = _known(values)
    mean, n = _mean(counted), counted.size
    spread = math.sqrt(mean * (1.0 - mean)) if name in FRACTIONS and n > 1 else _sd(counted)
    return Measure(mean, float(spread / np.sqrt(n)), n, values, (values,))


def _root_measure(squares: Floats) -> Measure:
    """The root r of the mean of squares v², with √(Var(v²)/(4 n r²))."""
    counted = _known(squares)
    root, n = _root_mean(counted), counted.size
    error = _over(_sd(counted), 2.0 * root) / np.sqrt(n)
    return Measure(root, float(error), n, _over(squares, 2.0 * root), (squares,))


def _empirical_se(x: Floats) -> Measure:
    """EmpSE = √(Σ(x − x̄)²/(n − 1)), with √(Var(EmpSE²))/(2 EmpSE), Var as at the top."""
    spread, n = _spread(_known(x)), np.float64(_known(x).size)
    squares = _over(_deviations(_known(x)), spread)
    variance = ((squares * squares).mean() - (n - 3.0) / (n - 1.0) * spread * spread) / n
    influence = _over(_deviations(x), 2.0 * spread)
    return Measure(spread, float(0.5 * np.sqrt(variance)), int(n), influence, (x,))


def _relative_error(x: Floats, se: Floats) -> Measure:
    """r − 1 for r = ModSE/EmpSE, with r·√(Var(u)/(4n) + 1/(2n(n − 1))).

    u = s²/ModSE² − (x − x̄)²/EmpSE² has the covariance of both, which is 0 of normal estimates; the
    second term makes the variance of EmpSE² that at the top.
    """
    x, squares = np.where(np.isnan(se), np.nan, x), np.where(np.isnan(x), np.nan, se * se)
    estimates = _known(x)
    model, spread, n = _root_mean(_known(squares)), _spread(estimates), np.float64(estimates.size)
    ratio = np.float64(model) / spread
    change = _over(squares, model * model) - _over(_deviations(x), spread * spread)
    error = 0.5 * ratio * np.sqrt((_sd(_known(change)) ** 2 + 2.0 / (n - 1.0)) / n)
    influence = 0.5 * ratio * change
    return Measure(float(ratio - 1.0), float(error), int(n), influence, (x, se))


def relative_precision(replicates: Replicates, reference: Replicates) -> Measure:
    """Return (EmpSE_ref/EmpSE)² − 1, with (EmpSE_ref/EmpSE)²·√(Σφ²).

    φ = ((y − ȳ)²/EmpSE_ref² − 1)/n_ref − ((x − x̄)²/EmpSE² − 1)/n, summed over all trials: x are
    the estimates of the method, y those of the reference, and a term is 0 in a trial that its
    method did not answer. Of normal estimates with correlation ρ, all of them answered, Σφ² is
    about 4(1 − ρ²)/(n − 1). Each EmpSE is that of all answered trials of its method, n counts those
    of the first, and ψ is of the trials that both answered.

    Args:
        replicates: of a method.
        reference: those of the method to compare with, in the same trials.
    """
    x, y = (
        np.where(trials.answered, trials.estimate, np.nan) for trials in (replicates, reference)
    )
    with np.errstate(all="ignore"):
        own, other, n = _spread(_known(x)), _spread(_known(y)), _known(x).size
        ratio = (np.float64(other) / own) ** 2
        of_own = _over(_deviations(x), own * own)
        of_other = _over(_deviations(y), other * other)
        change = np.where(np.isnan(y), 0.0, (of_other - 1.0) / np.float64(_known(y).size))
        change -= np.where(np.isnan(x), 0.0, (of_own - 1.0) / np.float64(n))
        error = ratio * np.sqrt((change * change).sum())
        influence = ratio * (of_other - of_own)
    return Measure(float(ratio - 1.0), float(error), n, influence, (x, y))


def differences(
    measures: Mapping[str, Measure], reference: Mapping[str, Measure]
) -> dict[str, Measure]:
    """Return the measures of a method minus those of another in the same trials, paired by trial.

    Both measures are computed again from the n trials that count in both, and subtracted. For
    means such as the bias or the coverage this is the mean of the differences; the empirical
    standard error, say, of either method is then that of these trials alone. (Bias-eliminated
    coverage still compares the limits with the mean estimate of all trials of the method.) The
    Monte Carlo standard error is sd(ψ − ψ_ref)/√n, with the deviation over the same trials.

    Args:
        measures: of a method.
        reference: those of the method to compare with.

    Returns:
        The differences by name, where both methods have the measure and a trial in common.
    """
    by_name = {}
    for name in [name for name in measures if name in reference]:
        pair = (measures[name], reference[name])
        counted = ~(np.isnan(pair[0].influence) | np.isnan(pair[1].influence))
        n = int(counted.sum())
        if n:
            statistic = _STATISTICS.get(name, _mean)
            with np.errstate(all="ignore"):
                influence = pair[0].influence - pair[1].influence
                own, other = (
                    statistic(*(values[counted] for values in one.values)) for one in pair
                )
                error = _sd(influence[counted]) / math.sqrt(n)
            by_name[name] = Measure(own - other, error, n, influence)
    return by_name


def intervals(
    named: Sequence[tuple[str, Measure]], looks: int = 0
) -> list[tuple[float | None, float | None]]:
    """Return the 95 % interval of each measure that is a fraction of trials; of others None.

    It is that of ``estimate_interval``, not a multiple of the standard error.

    Args:
        named: measures with their names.
        looks: the number of planned looks at which the trials might have stopped; 0 where their
            number was fixed.
    """
    places = [place for place, (name, _) in enumerate(named) if name in FRACTIONS]
    trials = np.array([named[place][1].trials for place in places], np.int64)
    fractions = np.array([named[place][1].estimate for place in places], np.float64)
    events = np.rint(fractions * trials).astype(np.int64)
    lower, upper = estimate_interval(events, trials, looks)
    limits = dict(zip(places, zip(lower.tolist(), upper.tolist(), strict=True), strict=True))
    return [limits.get(place, (None, None)) for place in range(len(named))]


def _known(values: Floats) -> Floats:
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def _deviations(x: Floats) -> Floats:
    """(x − x̄)² in the trials that have an estimate."""
    return (x - _mean(_known(x))) ** 2


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else math.nan


def _root_mean(squares: Floats) -> float:
    return math.sqrt(_mean(squares))


def _sd(values: Floats) -> float:
    """√(Σ(v − v̄)²/(n − 1)), in two passes; NaN of fewer than two values."""
    return float(values.std(ddof=1)) if values.size > 1 else math.nan


def _spread(estimates: Floats) -> float:
    """The standard deviation of estimates; 0 where all are one number, whose mean is rounded."""
    is_one = estimates.size > 1 and bool(estimates.min() == estimates.max())
    return 0.0 if is_one else _sd(estimates)


def _over(values: _Values, scale: float) -> _Values:
    """The values divided by a scale that is 0 only if all of them are, as are the quotients."""
    return values / scale if scale else values * 0.0


_STATISTICS: Mapping[str, Callable[..., float]] = {
    "empirical_se": _spread,
    "rmse": _root_mean,
    "model_se": _root_mean,
    "relative_error_model_se": lambda x, se: _relative_error(x, se).estimate,
    RELATIVE_PRECISION: lambda x, y: (
        relative_precision(Replicates.of(x), Replicates.of(y)).estimate
    ),
}
"""The measures that are no means, as functions of their values."""
