"""The least mean length that intervals of one sample can have, by how often they may miss.

With m(x) = Pr(X = x) under the truth, intervals or other sets C(x) have the mean length
Σ_x m(x)|C(x)| = ∫ Σ_x m(x) [θ ∈ C(x)] dθ, which is minimised for each θ alone (Pratt 1961, J. Am.
Stat. Assoc. 56, 549–567).

*Guaranteed*: Σ_x φ(x) Pr(x | θ) ≥ 1 − alpha at every θ of the parameter's range, 0 ≤ φ(x) ≤ 1.
By the lemma of Neyman and Pearson Σ_x m(x) φ(x) is least if outcomes are left out in ascending
Pr(x | θ)/m(x) until they have the probability alpha, the last by a fraction:

    g(θ) = Σ_x m(x) − max {Σ_x m(x) ψ(x) : Σ_x ψ(x) Pr(x | θ) ≤ alpha, 0 ≤ ψ ≤ 1}

and ∫ g(θ) dθ bounds every method, those that decide at random about the last outcome included.

*Deterministic*: the same with φ(x) = 0 or 1, of methods whose limits are a function of the outcome.
Where m is constant, as under the uniform truth on [0, 1], the same order without the fraction
minimises the number of outcomes. Elsewhere whole outcomes are a knapsack problem for each θ, and
this bound, which is at least the guaranteed one, is not computed.

*On average*: Σ_x m(x) Pr(θ ∈ C(x) | x) ≥ 1 − alpha. The mean length is least for the sets
C(x) = {θ : f(θ | x) ≥ c} of the posteriors under the truth's own density, with one c for all
outcomes. Listed truths have no density: sets of single points have no length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, gammaln

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.base.numerics.root_finding import bracketed_newton
from harness.designs.design import Scenario
from harness.designs.engines.listed import consecutive_probabilities
from harness.designs.engines.solver import LeastLengths, solver_of
from harness.designs.limits import Column
from harness.designs.one_sample.exact import LARGEST_INTEGRATED, outcome_weights
from harness.designs.results import Enumerated, weighted_mean, weighted_sums
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling import binomial
from harness.families.combination import Span
from harness.families.model import truth_posterior
from harness.methods.method import TWO_SIDED

LARGEST_WORST_ALPHA = 0.5
"""The largest worst alpha of a method that is compared with the guaranteed bound."""
_SMALLEST_ALPHA = 1e-12
# Outcomes with a smaller probability under the truth are covered at no cost.
_COSTS_NOTHING = 1e-18
# g is continuous with a kink wherever the order of outcomes or their number changes. Kinks come
# about twice with every outcome; so many nodes average their errors to at most 5e-7 of the length.
_NODES, _NODES_PER_OUTCOME = 12_000, 6
_PANELS_PER_SD = 14 * np.pi
_STEPS, _CONVERGED = 60, 1e-9
_STEP = 1.0


def of_columns(
    scenario: Scenario, enumerated: Enumerated, columns: Sequence[Column]
) -> LeastLengths:
    """Return the least lengths of two-sided columns, and how close to them each column comes.

    Args:
        scenario: size and truth.
        enumerated: the mean length, the mean alpha and the worst alpha of each column.
        columns: the method and alpha of each.
    """
    nominal = np.array([c.alpha if c.side == TWO_SIDED else np.nan for c in columns])
    unknown = np.full(nominal.size, np.nan)
    worst, mean, length = unknown.copy(), unknown.copy(), unknown.copy()
    for row, case in enumerate(enumerated.worst_anywhere):
        if case is not None and case.alpha <= LARGEST_WORST_ALPHA:
            worst[row] = case.alpha
    if enumerated.mean is not None:
        mean = enumerated.mean.missed
        length = np.where(enumerated.mean.length > 0, enumerated.mean.length, np.nan)
    own = np.where(np.isnan(nominal), np.nan, [worst, mean])
    bounds = guaranteed(scenario, np.concatenate((nominal, own[0])))
    averages = on_average(scenario, np.concatenate((nominal, own[1])))
    return LeastLengths(
        bounds[: nominal.size],
        deterministic(scenario, nominal),
        averages[: nominal.size],
        bounds[nominal.size :] / length,
        averages[nominal.size :] / length,
    )


def guaranteed(scenario: Scenario, alpha: Floats) -> Floats:
    """Return the least mean length of methods that never miss more often than each alpha.

    It bounds every method, and is reached by one that takes random decisions.

    Args:
        scenario: size and truth.
        alpha: shape (a,); not a number where nothing is asked.

    Returns:
        Shape (a,); not a number beyond ``LARGEST_INTEGRATED`` trials or expected events.
    """
    if not _is_computed(scenario):
        return np.full(alpha.size, np.nan)
    return _where_known(alpha, lambda alphas: _of_any_method(scenario, alphas))


def deterministic(scenario: Scenario, alpha: Floats) -> Floats:
    """Return the least mean length of such methods whose limits are a function of the outcome.

    Args:
        scenario: size and truth.
        alpha: shape (a,); not a number where nothing is asked.

    Returns:
        Shape (a,); not a number but for a proportion all of whose outcomes are equally likely, and
        beyond ``LARGEST_INTEGRATED`` trials.
    """
    if not _is_computed(scenario):
        return np.full(alpha.size, np.nan)
    outcomes = solver_of(scenario).possible_outcomes()
    weight = outcome_weights(scenario, outcomes)
    every = scenario.model.IS_BOUNDED and outcomes.size == scenario.size + 1
    if not every or not np.allclose(weight, weight[0], rtol=1e-9, atol=0.0):
        return np.full(alpha.size, np.nan)
    return _where_known(alpha, lambda alphas: _whole(int(scenario.size), alphas))


def _is_computed(scenario: Scenario) -> bool:
    largest = 1.0 if scenario.model.IS_BOUNDED else scenario.truth.effective_support[1]
    return bool(scenario.size * largest <= LARGEST_INTEGRATED)


def _where_known(alpha: Floats, least: Any) -> Floats:
    """Return the least lengths at the alphas inside (0, 1), each computed once."""
    lengths = np.full(alpha.size, np.nan)
    inside = (alpha >= _SMALLEST_ALPHA) & (alpha < 1.0)
    if inside.any():
        distinct, back = np.unique(alpha[inside], return_inverse=True)
        lengths[inside] = least(distinct)[back]
    return lengths


def _of_any_method(scenario: Scenario, alpha: Floats) -> Floats:
    """Return ∫ g(θ) dθ over the whole range of the parameter, shape (a,).

    A method of a rate is guaranteed at all rates from 0 on, those above all truths of the run
    included. Outcomes x with m(x) < 1e-18 cost nothing and are never left out, so that g vanishes
    from where they alone have the probability 1 − alpha: the integral ends there, for a proportion
    too. Between the nodes of Gauss's rule g may have a kink, and the nodes are so many that the
    errors there are negligible.

    Args:
        scenario: size and truth.
        alpha: ascending, in (0, 1), shape (a,).
    """
    model, size = scenario.model, scenario.size
    outcomes = solver_of(scenario).possible_outcomes()
    weight = outcome_weights(scenario, outcomes)
    costly = np.flatnonzero(weight > _COSTS_NOTHING)
    first, last = int(outcomes[costly[0]]), int(outcomes[costly[-1]])
    cost = np.zeros(last + 1 - first)
    cost[outcomes[costly] - first] = weight[costly]
    low, high = _where_something_costs(scenario, (first, last))
    span = np.array([low, high])
    across = np.diff(model.SAMPLING.variance_stabilized(span, size))[0] / np.pi
    finer = max(_NODES, _NODES_PER_OUTCOME * cost.size) / (_PANELS_PER_SD * max(across, 1.0))
    nodes, widths = model.prior_rule(span, model.FLAT_PRIOR, size * max(finer, 1.0) ** 2)
    total = np.zeros(alpha.size)
    inside = np.clip(nodes.value, np.nextafter(low, 1.0), np.nextafter(high, 0.0))
    blocks = consecutive_probabilities(model.SAMPLING, first, last, inside, size)
    for part, at, probability in blocks:
        total += weighted_sums(_least_cost(probability, cost[at], alpha).T, widths[part])
    return total


def _where_something_costs(scenario: Scenario, costly: tuple[int, int]) -> Span:
    """Return the range of θ outside of which the outcomes with a cost can all be left out.

    Below it Pr(X ≥ first | θ), and above it Pr(X ≤ last | θ), is less than any alpha.
    """
    model, size, (first, last) = scenario.model, scenario.size, costly
    low, high = model.SUPPORT
    # The tails of the posteriors of first − 1 and last + 1 are these, or a little larger.
    ends = np.array([max(first - 1.0, 0.0), min(last + 1.0, model.SAMPLING.largest_outcome(size))])
    posterior = model.posterior(ends, np.full(2, float(size)), model.FLAT_PRIOR)
    tail = np.full(2, _SMALLEST_ALPHA)
    if first > 0:
        low = float(posterior.ppf(tail).value[0])
    if last < model.SAMPLING.largest_outcome(size):
        high = float(posterior.isf(tail).value[1])
    return low, high


def _least_cost(probability: Floats, cost: Floats, alpha: Floats) -> Floats:
    """Return g at t truths for each alpha, shape (t, a).

    Args:
        probability: Pr(x | θ), shape (t, m).
        cost: m(x), shape (m,); outcomes without a cost are covered.
        alpha: shape (a,).
    """
    priced = np.flatnonzero(cost)
    if priced.size == 0:
        return np.zeros((len(probability), alpha.size))
    probability, cost = probability[:, priced], cost[priced]
    order = np.argsort(probability / cost, axis=1)
    chance = np.take_along_axis(probability, order, axis=1)
    left_out, saved = chance.cumsum(axis=1), cost[order].cumsum(axis=1)
    row = np.arange(len(chance))[:, np.newaxis]
    count = np.stack([np.count_nonzero(left_out <= budget, axis=1) for budget in alpha], axis=1)
    next_out, before = np.minimum(count, cost.size - 1), np.maximum(count - 1, 0)
    spent = np.where(count > 0, left_out[row, before], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (alpha - spent) / chance[row, next_out]
    share = np.where(count < cost.size, share, 0.0)
    gained = np.where(count > 0, saved[row, before], 0.0) + share * cost[order[row, next_out]]
    return np.asarray(saved[:, -1:] - gained)


def _whole(n: int, alpha: Floats) -> Floats:
    """Return ∫ g(p) dp with whole outcomes, all of them equally likely, shape (a,).

    The k likeliest outcomes at p are a run i … i + k − 1. With their probability S_k(p), the
    number of outcomes covered at p is the number of k ≥ 0 with S_k(p) < 1 − alpha, so that

        ∫ g(p) dp = Σ_k |{p : S_k(p) < 1 − alpha}| / (n + 1)

    The run from i is the likeliest between the p at which i − 1 and i + k − 1 are equally likely
    and the t at which i and i + k are. Its probability rises up to the c at which they are so of
    n − 1 trials, b(i − 1; n − 1, c) = b(i + k − 1; n − 1, c), and falls from there on: the boundary
    of the set is a root between c and t, or between its mirror images.
    """
    first, count, needed = _runs(n, alpha)
    last, mirrored = first + count - 1, n - (first + count - 1)
    row = np.arange(first.size) - first
    peak = np.where(first > 0, _equally_likely(n - 1, first - 1, last), 0.0)
    turn = _equally_likely(n, first, first + count)
    least = _by_halves(n, first, last, peak, row + mirrored)
    most = _by_halves(n, first, last, turn, row + mirrored - 1)
    budget = alpha[:, np.newaxis]
    spans = turn - peak
    # Each alpha has the sum over its own runs, whatever others there are.
    covered = np.array(
        [
            np.where(most[:end] <= own_alpha, spans[:end], 0.0).sum()
            for own_alpha, end in zip(
                alpha, np.searchsorted(count, needed, side="right"), strict=True
            )
        ]
    )
    column, part = np.nonzero((least < budget) & (most > budget))
    runs, ends = (first[part], last[part]), (peak[part], turn[part], least[part], most[part])
    beyond = _root(n, alpha[column], runs, ends) - peak[part]
    covered += np.bincount(column, beyond, minlength=alpha.size)
    return np.asarray((1.0 + needed - 2.0 * covered) / (n + 1))


def _by_halves(n: int, first: Integers, last: Integers, p: Floats, mirror: Integers) -> Floats:
    """Return ``_missed`` of runs, computed for one of two that are mirror images.

    Args:
        n, first, last, p: as of ``_missed``.
        mirror: the position of the mirror image of each run.
    """
    own = np.arange(first.size) <= mirror
    # A run from 0 has its peak at p = 0 and misses nothing there, and has no mirror image.
    missed = np.zeros(first.size)
    missed[own] = _missed(n, first[own], last[own], p[own])
    missed[~own] = missed[mirror[~own]]
    return missed


def _runs(n: int, alpha: Floats) -> tuple[Integers, Integers, Integers]:
    """Return the first outcome and the number of outcomes of the runs that may miss more often.

    The third result is the largest number for each alpha, shape (a,). Longer runs miss at most
    alpha at every p: half of all outcomes next to p = ½ do so last.
    """
    count = np.arange(1, n + 1)
    middle = (n - count) // 2
    missed = _missed(n, middle, middle + count - 1, _equally_likely(n, middle, middle + count))
    needed = np.minimum((missed > alpha[:, np.newaxis]).sum(axis=1) + 2, n)
    longest = int(needed.max())
    count = np.repeat(count[:longest], n + 1 - count[:longest])
    start = np.flatnonzero(np.diff(count, prepend=0))
    first = np.arange(count.size) - np.repeat(start, np.diff(start, append=count.size))
    return first, count, needed


def _equally_likely(n: int, first: Integers, second: Integers) -> Floats:
    """Return the p at which two numbers of successes of n are equally likely."""

    def log_choose(x: Integers) -> Floats:
        return np.asarray(-gammaln(x + 1.0) - gammaln(n - x + 1.0))

    with np.errstate(invalid="ignore"):
        return np.asarray(expit((log_choose(first) - log_choose(second)) / (second - first)))


def _missed(n: int, first: Integers, last: Integers, p: Floats) -> Floats:
    """Return Pr(X < first or X > last | p)."""
    below = np.where(first > 0, binomial.cdf(np.maximum(first - 1, 0), p, n), 0.0)
    return below + np.where(last < n, binomial.sf(np.minimum(last, n - 1), p, n), 0.0)


def _root(
    n: int,
    alpha: Floats,
    runs: tuple[Integers, Integers],
    ends: tuple[Floats, Floats, Floats, Floats],
) -> Floats:
    """Return the p from the peak to the turn of each run at which it misses alpha, shape (m,).

    Args:
        n: the number of trials.
        alpha: shape (m,).
        runs: the first and the last outcome.
        ends: the peak and the turn, and what is missed at each.
    """
    (first, last), (peak, turn, least, most) = runs, ends

    def kept(p: Floats, index: Positions) -> tuple[Floats, Floats]:
        low, high = first[index], last[index]
        slope = binomial.minus_cdf_derivative(high, p, n)
        slope -= np.where(low > 0, binomial.minus_cdf_derivative(np.maximum(low - 1, 0), p, n), 0.0)
        return 1.0 - _missed(n, low, high, p) / alpha[index], -slope / alpha[index]

    # Between the two, misses are about a parabola.
    start = peak + (turn - peak) * np.sqrt((alpha - least) / (most - least))
    root, _ = bracketed_newton(kept, peak, turn, start)
    return root


def on_average(scenario: Scenario, alpha: Floats) -> Floats:
    """Return the least mean length of methods that miss as often as each alpha on average.

    Args:
        scenario: size and truth.
        alpha: shape (a,); not a number where nothing is asked.

    Returns:
        Shape (a,); not a number for listed truths, and beyond ``LARGEST_INTEGRATED``.
    """
    if scenario.truth.is_discrete or not _is_computed(scenario):
        return np.full(alpha.size, np.nan)
    return _where_known(alpha, _Levels.of(scenario).least_lengths)


@dataclass(frozen=True)
class _Levels:
    """The sets of posterior density at least c, for all outcomes."""

    posterior: Any
    weight: Floats
    """m(x), shape (m,)."""
    centre: Any
    """A point inside the range at which the density has no singularity: the mode or the median."""
    top: Floats
    """The logarithm of the density there."""
    peak: Floats
    """The logarithm of the largest density; infinite at a singularity."""
    curvature: Floats
    """The size of the second derivative of its logarithm there, by the coordinate; 0.01 or more."""
    falls: tuple[Bools, Bools]
    """Whether the density falls from the mode towards the lower and the upper end, (m,) each."""

    @classmethod
    def of(cls, scenario: Scenario) -> _Levels:
        outcomes = solver_of(scenario).possible_outcomes()
        weight = outcome_weights(scenario, outcomes)
        outcomes, weight = outcomes[weight > _COSTS_NOTHING], weight[weight > _COSTS_NOTHING]
        posterior = truth_posterior(scenario.model, scenario.truth, outcomes, scenario.size)
        whole: Any = posterior.whole if isinstance(posterior, Truncated) else posterior
        low, high = (end.value for end in whole.boundary)
        mode = whole.mode
        falls = mode.value > low, mode.value < high
        centre = mode.where(falls[0] & falls[1], whole.ppf(np.full(whole.size, 0.5)))
        top, peak = whole.logpdf(centre), whole.logpdf(mode)
        if isinstance(posterior, Truncated):
            top, peak = top - np.log(posterior.mass()), peak - np.log(posterior.mass())
        small = np.full(whole.size, 0.01)
        slopes = [whole.log_density_slope(whole.shift(centre, step)) for step in (-small, small)]
        curvature = np.maximum(np.abs(slopes[0] - slopes[1]) / 0.02, 0.01)
        return cls(posterior, weight, centre, top, peak, curvature, falls)

    def least_lengths(self, alpha: Floats) -> Floats:
        """Return the least mean length at each alpha, ascending in (0, 1).

        With L(c) the mean length and α(c) the mean alpha of the sets, dα = −c dL: at an alpha
        beside α(c), the length is L(c) + (α(c) − alpha)/c but for |α(c) − alpha| times what 1/c may
        change by. Between two levels the next one is interpolated until that is negligible, and
        every third time halved, since over a short range of truths α(c) is almost a step. The
        length at an alpha does not depend on what others are asked for.
        """
        level = np.array([weighted_mean(self.top, self.weight)])
        missed, length = self._evaluate(level)
        while missed[0] > alpha[0] or (missed[-1] < alpha[-1] and length[-1] > 0):
            before = missed[0] > alpha[0]
            more = level[0 if before else -1] + _STEP * np.array(
                [-4, -3, -2, -1] if before else [1]
            )
            level, missed, length = (
                np.concatenate((new, old) if before else (old, new))
                for new, old in zip(
                    (more, *self._evaluate(more)), (level, missed, length), strict=True
                )
            )
        above = np.searchsorted(np.maximum.accumulate(missed), alpha).clip(1, level.size - 1)
        ends = [level[above - 1], level[above]]
        chance = [np.log(np.maximum(missed[i], _SMALLEST_ALPHA**2)) for i in (above - 1, above)]
        least, active = np.empty(alpha.size), np.arange(alpha.size)
        for step in range(_STEPS):
            wanted = alpha[active]
            (low, high), (less, more) = (
                [values[active] for values in two] for two in (ends, chance)
            )
            with np.errstate(divide="ignore", invalid="ignore"):
                share = (np.log(wanted) - less) / (more - less)
            share = np.where((share >= 0) & (share <= 1) & (step % 3 < 2), share, 0.5)
            guess = low + share * (high - low)
            there, length = self._evaluate(guess)
            change = (there - wanted) * np.exp(-guess)
            least[active] = length + change
            log_there = np.log(np.maximum(there, _SMALLEST_ALPHA**2))
            for side, moved in enumerate((there < wanted, there >= wanted)):
                ends[side][active[moved]] = guess[moved]
                chance[side][active[moved]] = log_there[moved]
            active = active[np.abs(change) * (high - low) > _CONVERGED * least[active]]
            if active.size == 0:
                break
        return np.maximum(least, 0.0)

    def _evaluate(self, level: Floats) -> tuple[Floats, Floats]:
        """Return the mean alpha and the mean length of the sets above each log c, shape (a,)."""
        index = np.tile(np.arange(self.weight.size), level.size)
        posterior = self.posterior.at(index)
        whole = posterior.whole if isinstance(posterior, Truncated) else posterior
        level = np.repeat(level, self.weight.size)
        low, high = (self._boundary(whole, index, level, side) for side in (0, 1))
        length = whole.length(low, high)
        if isinstance(posterior, Truncated):
            low, high = (np.clip(end.value, *posterior.support) for end in (low, high))
            length = high - low
        missed = np.where(length > 0, posterior.cdf(low) + posterior.sf(high), 1.0)
        missed, length = (
            weighted_sums(values.reshape(-1, self.weight.size), self.weight)
            for values in (missed, length)
        )
        return missed, length

    def _boundary(self, whole: Any, index: Positions, level: Floats, side: int) -> Any:
        """Return where the density falls to the level, towards the lower or the upper end.

        The logarithm of the density is concave in the coordinate, so that Newton's method converges
        from any start beyond the mode. Where the density is lower everywhere, it is the centre.

        Args:
            whole: the posteriors, not truncated, shape (m,).
            index: their outcomes.
            level: log c of each.
            side: 0 for the lower end, 1 for the upper one.
        """
        centre, above = self.centre.at(index), self.top[index] - level
        reach = np.sqrt(2.0 * np.maximum(above, 0.0) / self.curvature[index])
        reached, falls = self.peak[index] > level, self.falls[side][index]
        crossing = whole.shift(centre, (2 * side - 1) * np.maximum(reach, 0.1))
        crossing = whole.boundary[side].where(~falls, crossing)
        crossing = centre.where(~reached, crossing)
        active = np.flatnonzero(reached & falls)
        for _ in range(_STEPS):
            part, here = whole.at(active), crossing.at(active)
            middle = centre.at(active)
            left = here.value < middle.value
            ratio = part.log_density_ratio(here.where(left, middle), middle.where(left, here))
            excess = above[active] + np.where(left, -ratio, ratio)
            slope = part.log_density_slope(here)
            step = np.where(slope != 0, -excess / np.where(slope != 0, slope, 1.0), 0.0)
            crossing = crossing.replaced(active, part.shift(here, step))
            active = active[np.abs(step) > _CONVERGED]
            if active.size == 0:
                break
        return crossing
