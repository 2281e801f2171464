"""Designs of lists, whose trials draw a data set: repeated runs, clusters, strata and scores.

Data sets are drawn as an array of a row for each trial. Where a closed form or an enumeration has
them, methods have exact values at the truths: for the mean of runs where the values are normal,
and over strata from the probabilities of all tables of counts. A table has a count of each sample
in each stratum, and its probability is the product of their binomial probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.numerics.special import mean_of_sd, upper_tail
from harness.callers.source import Observed
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario, grid
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.designs.results import Enumerated, Exact
from harness.distributions.list_laws import BetaRuns, BetaTasks, NormalRuns
from harness.distributions.list_truths import ClusterTruth, RunTruth, StratumTruth, TaskTruth
from harness.distributions.sampling import binomial
from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.families.family import Data
from harness.families.lists import BOUNDED_RUNS, CLUSTERS, RUNS, STRATA, weighted_mean, weights
from harness.families.scores import PAIRED_SCORES, SCORES
from harness.families.tasks import TASKS, K
from harness.methods.method import LOWER, TWO_SIDED, UPPER, LimitPair, StandardErrors


def closed_form(
    standard_errors: StandardErrors, k: float, alpha: float, side: str, sd: float
) -> tuple[float, float, float]:
    """Return the miss probabilities and the mean length of mean ± f(k, tail)·sd/√k.

    (mean − μ)/(sd/√k) of k normal values has Student's distribution T with k − 1 degrees of
    freedom, so that each limit misses with the probability Pr(T > f). The mean length is
    2 f σ c₄(k)/√k, with c₄(k) = E[sd]/σ.

    Student (1908), Biometrika 6, 1–25.

    Args:
        standard_errors: f.
        k: the number of values, 2 or more.
        alpha: of both tails together, or of the one tail of a one-sided interval.
        side: the side of the interval.
        sd: the standard deviation σ of a value.

    Returns:
        The probability that the true mean lies below the lower limit, that it lies above the
        upper one, and the mean length, which is infinite of a one-sided interval.

    Example:
        >>> from harness.methods.mean import z_population
        >>> below, above, length = closed_form(z_population, 5, 0.05, "two-sided", 1.0)
        >>> round(1 - below - above, 4)
        0.8455
    """
    tail = alpha / 2 if side == TWO_SIDED else alpha
    factor = float(standard_errors(np.array([float(k)]), tail)[0])
    miss = float(upper_tail(k - 1.0, factor))
    length = 2.0 * factor * sd * float(mean_of_sd(k)) / math.sqrt(k)
    return (
        0.0 if side == UPPER else miss,
        0.0 if side == LOWER else miss,
        length if side == TWO_SIDED else math.inf,
    )


ASSUMES = "normal values of runs"


def values_of_runs(
    scenario: Scenario, column: StochasticColumn
) -> tuple[Floats, Floats, Floats] | None:
    """Return the probabilities of a miss below and above, and the expected length, shape (1,) each.

    Args:
        scenario: k runs with values of one law.
        column: a method at one alpha.

    Returns:
        None where the law is not normal, where its mean is not the estimand, or the limits are not
        so many standard errors sd/√k from the mean.
    """
    law, standard_errors = scenario.truth.law, column.source.standard_errors
    if standard_errors is None or not scenario.truth.has_closed_form:
        return None
    alpha, side = column.column.alpha, column.column.side
    below, above, length = closed_form(standard_errors, scenario.sizes[0], alpha, side, law.sd)
    return np.array([below]), np.array([above]), np.array([length])


MOST_TABLES = 2**22
"""The most tables that are enumerated."""
# Tables whose limits are computed together.
_BLOCK = 2**15

Cells = tuple[float, ...]
"""A number for the first sample of each stratum, then one for the second sample of each."""
LimitsOf = Callable[[tuple[Floats, ...]], LimitPair]
"""The limits, shape (m,) each, of the columns x₁, n₁, x₂ and n₂, shape (m, S) each."""


StratumSizes = tuple[Sequence[float], Sequence[float]]
"""The sizes of both samples in each stratum."""


def values_of_strata(
    scenario: Scenario, column: StochasticColumn
) -> tuple[Floats, Floats, Floats] | None:
    """Return the exact values of a column, as ``sums_at_truths`` does.

    Args:
        scenario: sizes and truths of the strata.
        column: the method.

    Returns:
        None where limits are drawn, and where there are more than 2^22 tables.
    """
    sizes, truths = cells_of(scenario.size, scenario.truth)
    if not column.source.deterministic or table_count(sizes, truths) > MOST_TABLES:
        return None

    def limits_of(data: Data) -> LimitPair:
        answers = column.intervals(Observed(scenario.family, scenario.sizes, data))
        return answers.lower, answers.upper

    return sums_at_truths(limits_of, sizes, truths, scenario.listed_truths()[1])


def cells_of(size: StratumSizes, truth: StratumTruth) -> tuple[Cells, list[Cells]]:
    """Return the size and the probabilities of each sample of each stratum."""
    first, second = size
    return (*first, *second), [(*p1, *p2) for p1, p2 in truth.tables]


def sums_at_truths(
    limits_of: LimitsOf, sizes: Cells, truths: Sequence[Cells], parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the miss probabilities and the expected length of an interval at each truth.

    The limits of all tables that can occur at one of the truths are computed once.

    Args:
        limits_of: the interval method.
        sizes: the size of each sample of each stratum.
        truths: t probabilities of a success in each of them.
        parameters: the weighted difference at each truth, shape (t,).

    Returns:
        The probability that the difference is below the lower limit, that it is above the upper
        one, and the expected length, shape (t,) each; not numbers where a limit is not.

    Raises:
        InputError: there are more than 2^22 tables.
    """
    count = table_count(sizes, truths)
    if count > MOST_TABLES:
        raise InputError(
            f"expected strata with at most {MOST_TABLES} tables of counts to enumerate, found "
            f"{count}"
        )
    windows = _windows(sizes, truths)
    below, above, length = np.zeros((3, len(truths)))
    probabilities = [
        binomial.pmf(np.arange(first, last + 1), np.array(p)[:, np.newaxis], n)
        for (first, last), p, n in zip(windows, zip(*truths, strict=True), sizes, strict=True)
    ]
    strata = len(sizes) // 2
    n = np.array(sizes, np.float64)
    shape = tuple(last - first + 1 for first, last in windows)
    for start in range(0, count, _BLOCK):
        # The places of counts in their windows.
        places = np.unravel_index(np.arange(start, min(start + _BLOCK, count)), shape)
        x = np.stack([place + first for place, (first, _) in zip(places, windows, strict=True)])
        wide = np.broadcast_to(n[:, np.newaxis], x.shape)
        columns = x[:strata], wide[:strata], x[strata:], wide[strata:]
        lower, upper = limits_of(tuple(column.T.astype(np.float64) for column in columns))
        probability = np.ones((len(truths), lower.size))
        for factors, place in zip(probabilities, places, strict=True):
            probability *= factors[:, place]
        missed_below = np.where(np.isnan(lower), np.nan, parameters[:, np.newaxis] < lower)
        missed_above = np.where(np.isnan(upper), np.nan, parameters[:, np.newaxis] > upper)
        below += (probability * missed_below).sum(axis=1)
        above += (probability * missed_above).sum(axis=1)
        length += probability @ (upper - lower)
    return below, above, length


def table_count(sizes: Cells, truths: Sequence[Cells]) -> int:
    """Return the number of tables that can occur at one of the truths, but for 1e-15 of them."""
    return math.prod(last - first + 1 for first, last in _windows(sizes, truths))


def _windows(sizes: Cells, truths: Sequence[Cells]) -> list[tuple[int, int]]:
    """The first and the last count of each sample of each stratum."""
    spans = ((min(p), max(p)) for p in zip(*truths, strict=True))
    return [binomial.window(*span, n) for span, n in zip(spans, sizes, strict=True)]


REPEATED_RUNS = Design(
    RUNS,
    outcomes=None,
    lists=Lists(
        lambda scenario, _, trials, rng: (
            scenario.truth.law.draw(rng, (trials, int(scenario.size))),
        ),
        width=lambda scenario: int(scenario.size),
        at_truths=values_of_runs,
        assumes=ASSUMES,
        words={"mean": None, "sd": None},
        truth_at=lambda mean, sd: RunTruth(NormalRuns(mean, sd)),
    ),
    listed_truth=RunTruth,
    sizes=lambda size: (float(size),),
    scored=lambda scenario: scenario.truth.estimand,
    sampling_title=lambda scenario: str(scenario.truth.law.title),
    examples={
        "counts": (([3, 5, 10],), {"normal": {"mean": 0.75, "sd": 0.02}}, {"per_size": 20_000})
    },
    smallest_size=2,
    size_needs=("sd",),
)
"""k runs, whose values are drawn from one law."""


def _shapes(mean: float, sd: float) -> tuple[float, float]:
    """s and t of the beta distribution with this mean and standard deviation."""
    if not (0 < mean < 1 and 0 < sd * sd < mean * (1 - mean)):
        raise InputError(
            f"mean should be above 0 and below 1, and sd below the root of mean (1 - mean), found "
            f"{mean:g} and {sd:g}"
        )
    total = mean * (1 - mean) / (sd * sd) - 1
    return mean * total, (1 - mean) * total


BOUNDED = replace(
    REPEATED_RUNS,
    name=BOUNDED_RUNS,
    lists=replace(
        cast(Lists, REPEATED_RUNS.lists),
        at_truths=None,
        assumes="values of a beta distribution",
        truth_at=lambda mean, sd: RunTruth(BetaRuns(*_shapes(mean, sd))),
    ),
    examples={"counts": (([5, 20],), {"beta": [9, 0.5]}, {"per_size": 20_000})},
    size_needs=(),
)
"""k values in [0, 1], drawn from one law."""


def _draw_clusters(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    p, rho = (np.full(trials, values[number]) for values in scenario.truth.values)
    clusters, *sizes = map(int, scenario.size)
    drawn = sizes[0] if len(sizes) == 1 else np.resize(sizes, clusters)
    return draw_clusters(p, rho, clusters, drawn, rng)


CLUSTERED = Design(
    CLUSTERS,
    outcomes=None,
    lists=Lists(
        _draw_clusters,
        width=lambda scenario: int(scenario.size[0]),
        words={"p": None, "rho": None},
        truth_at=lambda p, rho: ClusterTruth((p,), (rho,)),
    ),
    listed_truth=ClusterTruth,
    sizes=lambda size: (float(size[0]), float(np.mean(size[1:]))),
    examples={
        "counts": (([20, 50], 10), {"p": {"values": [0.8]}, "rho": {"values": [0, 0.2]}}, PER_TRUTH)
    },
    size_needs=("p", "rho", "size"),
)
"""Clusters, each with a probability of its own from a Beta distribution."""


def _draw_tasks(
    scenario: Scenario, _: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    tasks, samples = map(int, scenario.size)
    p = scenario.truth.law.draw(rng, (trials, tasks))
    return rng.binomial(samples, p).astype(np.float64), np.full(p.shape, float(samples))


def _refuse_few_samples(scenario: Scenario) -> None:
    k, (_, samples) = scenario.family.settings[K], scenario.size
    if samples < k:
        raise InputError(f"samples should be at least {K} = {k}, found {samples}")


TRIED_TASKS = Design(
    TASKS,
    outcomes=None,
    lists=Lists(
        _draw_tasks,
        width=lambda scenario: int(scenario.size[0]),
        assumes="tasks whose probabilities are of a beta distribution",
        words={"mean": None, "sd": None},
        truth_at=lambda mean, sd: TaskTruth(BetaTasks(*_shapes(mean, sd))),
    ),
    listed_truth=TaskTruth,
    sizes=lambda size: (float(size[0]), float(size[1])),
    values=lambda scenario: scenario.family.true_values(scenario.truth),
    refuse=_refuse_few_samples,
    sampling_title=lambda scenario: str(scenario.truth.law.title),
    examples={"counts": (([10, 30], 10), {"mixture": {"never": 0.3, "always": 0.3}}, PER_TRUTH)},
    smallest_size=2,
)
"""Tasks, each with a probability of its own, by which its samples are right."""


def of_strata(size: Any) -> tuple[Floats, Floats]:
    """Return the sizes of both samples in each stratum, shape (S,) each."""
    first, second = size
    return np.array(first, np.float64), np.array(second, np.float64)


def _mean_differences(scenario: Scenario) -> tuple[Floats, ...]:
    if scenario.truth.differences is not None:
        return scenario.truth.values  # type: ignore[no-any-return]
    first, second = (np.array(strata) for strata in zip(*scenario.truth.tables, strict=True))
    return (weighted_mean(weights(*of_strata(scenario.size)), first - second),)


def _draw_strata(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    drawn: list[Floats] = []
    for p, n in zip(scenario.truth.tables[number], of_strata(scenario.size), strict=True):
        shape = trials, n.size
        x = rng.binomial(n.astype(np.int64), np.array(p), shape).astype(np.float64)
        drawn += [x, np.broadcast_to(n, shape)]
    return tuple(drawn)


STRATIFIED = Design(
    STRATA,
    outcomes=None,
    lists=Lists(
        _draw_strata,
        width=lambda scenario: len(scenario.size[0]),
        at_truths=values_of_strata,
        words={"p1": None, "p2": None},
        truth_at=lambda p1, p2: StratumTruth(((p1, p2),)),
    ),
    listed_truth=StratumTruth,
    sizes=lambda size: tuple(float(sizes.sum()) for sizes in of_strata(size)),
    values=_mean_differences,
    examples={
        "counts": (
            ([8, 6, 4], [8, 6, 4]),
            {"second": [0.9, 0.6, 0.2], "difference": grid(-0.2, 0.1, 7)},
            PER_TRUTH,
        )
    },
    sizes_are_lists=True,
    size_needs=("p1", "p2", "shares"),
)
"""Two samples in each stratum, all independent."""


def _draw_scores(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    n1, n2 = map(int, scenario.size)
    drawn: tuple[Floats, ...] = scenario.truth.draw(number, ((trials, n1), (trials, n2)), rng)
    return drawn


def _draw_growing_scores(
    truth: ScoreTruth, sizes: Sequence[int], trials: int, seed: int
) -> tuple[Floats, ...]:
    # A generator for each list; the row of a case has one score of each data set.
    deviates = (
        np.ascontiguousarray(np.random.default_rng((seed, place)).standard_normal((n, trials)).T)
        for place, n in enumerate(sizes)
    )
    return truth.law(0).scores(*deviates)


ONE_SCORE = Design(
    SCORES,
    outcomes=None,
    lists=Lists(
        _draw_scores,
        width=lambda scenario: int(sum(scenario.size)),
        words={"auc": None, "sd_ratio": 1.0},
        truth_at=lambda auc, sd_ratio: ScoreTruth((auc,), (sd_ratio,)),
        draw_growing=_draw_growing_scores,
    ),
    listed_truth=ScoreTruth,
    sizes=lambda size: (float(size[0]), float(size[1])),
    examples={"counts": (([20, 60], [20, 60]), {"auc": {"values": [0.8, 0.95]}}, PER_TRUTH)},
)
"""n1 positives and n2 negatives with binormal scores."""

TWO_SCORES = replace(
    ONE_SCORE,
    name=PAIRED_SCORES,
    lists=Lists(
        _draw_scores,
        width=lambda scenario: int(2 * sum(scenario.size)),
        words={"auc1": None, "auc2": None, "correlation": None},
        truth_at=lambda auc1, auc2, correlation: PairedScoreTruth((auc1,), (auc2,), (correlation,)),
    ),
    listed_truth=PairedScoreTruth,
    examples={
        "counts": (
            ([20, 60], [20, 60]),
            {
                "auc1": {"values": [0.9]},
                "auc2": {"values": [0.8, 0.9]},
                "correlation": {"values": [0.5]},
            },
            PER_TRUTH,
        )
    },
)
"""n1 positives and n2 negatives, each with two correlated binormal scores."""


def enumerate_lists(scenario: Scenario, columns: Sequence[StochasticColumn]) -> Enumerated | None:
    """Return the exact values of columns at listed truths, not numbers where a column has none.

    Args:
        scenario: size and truths.
        columns: k columns.

    Returns:
        None where no column has any.
    """
    lists = scenario.design.lists
    if lists is None or lists.at_truths is None:
        return None
    count = scenario.truth.count
    below, above, length = np.full((3, len(columns), count), np.nan)
    for row, column in enumerate(columns):
        values = lists.at_truths(scenario, column)
        if values is not None:
            below[row], above[row], length[row] = values
    if np.isnan(below).all():
        return None
    conditions, _ = scenario.listed_truths()
    whole = Exact(conditions, np.full(count, 1.0 / count), below, above, length)
    nothing = Exact(np.empty(0, np.int64), np.empty(0), *np.empty((3, len(columns), 0)))
    unknown, engine = (None,) * len(columns), scenario.family.engines[-1]
    return Enumerated(nothing, whole, whole.mean(), engine, unknown, unknown, assumes=lists.assumes)
