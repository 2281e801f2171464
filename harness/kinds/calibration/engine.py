"""The calibration engine: whether events with a computed probability of 30 % occur that often.

Each trial draws sizes, truths, outcomes and a threshold delta, computes from the outcomes alone the
probability that the parameter is at least delta, and tests whether it is (Ross 2003, section 6.1.1
and Fig. 12). Trials are counted in bins of the computed probability, and a chi-squared test over
the bins decides whether the probabilities are calibrated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.designs.design import keyed_stream
from harness.distributions.truths import ContinuousTruth, PairTruth, Prior, as_distribution
from harness.families.combination import Span
from harness.families.family import Data, Family
from harness.families.model import Model, truth_posterior
from harness.families.samples import by_sample
from harness.methods.significance import at_least

SHARD = 1 << 13
"""The number of trials of a shard, small enough for the temporary arrays of the quadrature."""

PRIOR, TRUTH = "prior", "truth"
"""The references: the posterior under the prior, and the one under the distributions of the truths.
"""

SMALLEST_VARIANCE = 5.0
"""The smallest variance of a pool of bins in which a count is near enough to normal.

A test at the level 0.001 should reject 0.1 % of calibrated samples; in simulations it rejects 0.11
to 0.16 % (300 to 20,000 trials, most probabilities next to 0 or 1).
"""


@dataclass(frozen=True)
class CalibrationDesign:
    """The distributions that a trial draws from, the prior and the bins."""

    family: Family
    sizes: tuple[Span, Span]
    """The range of each size, drawn uniformly; counts are whole numbers, boundaries included."""
    truth: PairTruth
    """Two distributions."""
    delta: Span
    """The range of the threshold, drawn uniformly."""
    prior: Prior
    """The prior of each sample."""
    bins: int
    """The number of equal bins of [0, 1], the last of which is closed."""

    @property
    def truths(self) -> tuple[ContinuousTruth, ContinuousTruth]:
        return as_distribution(self.truth.first), as_distribution(self.truth.second)

    @property
    def references(self) -> tuple[str, ...]:
        """The posteriors that compute probabilities; both only where they differ."""
        model = self.family.model
        same = all(implied_prior(model, truth) == self.prior for truth in self.truths)
        return (PRIOR,) if same else (PRIOR, TRUTH)

    @property
    def edges(self) -> Floats:
        """The edges of the bins, shape (bins + 1,)."""
        return np.arange(self.bins + 1) / self.bins

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """Return the generator of one shard, keyed by the distributions that it draws from."""
        content = {
            "calibration": self.family.name,
            "sizes": [list(span) for span in self.sizes],
            "truth": dict(self.truth.content()),
            "delta": list(self.delta),
        }
        return keyed_stream(content, seed, shard)


def implied_prior(model: Model, truth: ContinuousTruth) -> Prior | None:
    """Return the prior that is the truth's distribution; None for a part of a flat prior."""
    flat = model.FLAT_PRIOR if truth.support == model.SUPPORT else None
    return truth.conjugate_prior or flat


@dataclass(frozen=True)
class CalibrationShard:
    """Consecutive trials of a calibration, which are simulated as one task."""

    design: CalibrationDesign
    number: int
    trials: int
    seed: int


@dataclass(frozen=True)
class CalibrationTrials:
    """The trials of a shard, all arrays of shape (trials,)."""

    data: Data
    parameter: Floats
    delta: Floats

    @property
    def event(self) -> Bools:
        """Whether the parameter is at least delta."""
        return self.parameter >= self.delta


@dataclass(frozen=True)
class BinTally:
    """The trials of one reference by their computed probability, shape (bins,) each."""

    trials: Integers
    true: Integers
    """The number of trials in which the parameter is at least delta."""
    probability: Floats
    """The sum of the computed probabilities p."""
    variance: Floats
    """The sum of p(1 − p)."""

    def plus(self, other: BinTally) -> BinTally:
        """Return the sum of the tallies."""
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return BinTally(*(mine + its for mine, its in both))


@dataclass(frozen=True)
class ChiSquared:
    """The result of a chi-squared test."""

    statistic: float
    degrees_of_freedom: int
    p_value: float


def shards(design: CalibrationDesign, trials: int, seed: int) -> list[CalibrationShard]:
    """Return all shards of a calibration, in order."""
    return [
        CalibrationShard(design, number, min(SHARD, trials - start), seed)
        for number, start in enumerate(range(0, trials, SHARD))
    ]


def simulate(shard: CalibrationShard) -> tuple[BinTally, ...]:
    """Draw the trials of a shard, and return their tally for each of the design's references."""
    design, trials = shard.design, draw_trials(shard)
    return tuple(
        tally_by_bin(probabilities(design, trials, reference), trials.event, design.edges)
        for reference in design.references
    )


def draw_trials(shard: CalibrationShard) -> CalibrationTrials:
    """Draw the sizes, truths, outcomes and thresholds of the trials."""
    design, rng = shard.design, shard.design.stream(shard.seed, shard.number)
    family = design.family
    sizes: list[Floats] = []
    for low, high in design.sizes:
        if family.model.SIZE_IS_COUNT:
            whole = rng.integers(int(low), int(high), shard.trials, endpoint=True)
            sizes.append(whole.astype(np.float64))
        else:
            sizes.append(rng.uniform(low, high, shard.trials))
    truths = [truth.draw(shard.trials, rng) for truth in design.truths]
    data: list[Floats] = []
    for truth, size in zip(truths, sizes, strict=True):
        # A call draws for all trials of one size.
        counts, order = np.empty(size.size), np.argsort(size, kind="stable")
        changes = np.flatnonzero(np.diff(size[order])) + 1
        for trials in np.split(order, changes):
            counts[trials] = family.model.SAMPLING.draw(truth[trials], float(size[trials[0]]), rng)
        data += [counts, size]
    delta = rng.uniform(*design.delta, shard.trials)
    return CalibrationTrials(tuple(data), family.parameter_at(tuple(truths)), delta)


def probabilities(design: CalibrationDesign, trials: CalibrationTrials, reference: str) -> Floats:
    """Return Pr(parameter ≥ delta | data) under the posterior of a reference, shape (trials,)."""
    family, data = design.family, trials.data
    if reference == PRIOR:
        posterior = family.posterior(data, design.prior)
    else:
        samples = zip(design.truths, by_sample(data), strict=True)
        assert family.combine_posteriors is not None
        posterior = family.combine_posteriors(
            *(truth_posterior(family.model, truth, x, size) for truth, (x, size) in samples)
        )
    return at_least(family, posterior, trials.delta)


def tally_by_bin(probability: Floats, event: Bools, edges: Floats) -> BinTally:
    """Return the trials by bin; a probability on an edge belongs to the bin above it."""
    bins = edges.size - 1
    index = np.searchsorted(edges[1:-1], probability, side="right")

    def summed(values: Floats) -> Floats:
        return np.bincount(index, values, minlength=bins).astype(np.float64)

    return BinTally(
        np.bincount(index, minlength=bins).astype(np.int64),
        np.bincount(index[event], minlength=bins).astype(np.int64),
        summed(probability),
        summed(probability * (1.0 - probability)),
    )


def chi_squared(tally: BinTally) -> ChiSquared | None:
    """Test whether the probabilities of a tally are calibrated; None for too few trials.

    The statistic is Σ (true − Σp)² / Σp(1 − p) over pools of bins. Given their computed
    probabilities p, the events are independent with these very probabilities if those are
    calibrated. The sum is then chi-squared with as many degrees of freedom as there are pools,
    since nothing is fitted.
    """
    pool = pool_bins(tally.variance)
    excess = np.bincount(pool, tally.true - tally.probability)
    variance = np.bincount(pool, tally.variance)
    if variance.min() < SMALLEST_VARIANCE:
        return None
    statistic = float((excess * excess / variance).sum())
    return ChiSquared(statistic, variance.size, float(chdtrc(variance.size, statistic)))


def pool_bins(variance: Floats) -> Integers:
    """Return the number of each bin's pool, ascending.

    A bin or pool whose variance is too small is joined to its neighbour towards the middle, the
    outermost first: computed probabilities are often next to 0 or 1, where many trials together
    have next to no variance.
    """
    pools = [[bin_] for bin_ in range(variance.size)]
    middle = (variance.size - 1) / 2

    def distance(index: int) -> float:
        return (pools[index][0] + pools[index][-1]) / 2 - middle

    while len(pools) > 1:
        small = [i for i, pool in enumerate(pools) if variance[pool].sum() < SMALLEST_VARIANCE]
        if not small:
            break
        index = max(small, key=lambda i: abs(distance(i)))
        first = index if distance(index) < 0 else index - 1
        pools[first : first + 2] = [pools[first] + pools[first + 1]]
    return np.repeat(np.arange(len(pools)), [len(pool) for pool in pools])
