"""The calibration engine: does what is called 30 % probable come true in 30 % of cases?

Each trial draws sizes, truths, outcomes and a threshold delta, computes from the outcomes alone
how probable it is that the parameter is at least delta, and asks whether it is (Ross 2003,
section 6.1.1 and Fig. 12). Trials are counted in bins of the computed probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from harness.families.catalogue import family_of
from harness.families.family import Data, Family, Model, pairs
from harness.numerics.arrays import Bools, Floats, Integers
from harness.posteriors.truncated import Truncated
from harness.scenario import keyed_stream
from harness.significances import at_least
from harness.truths import ContinuousTruth, PairTruth, UniformTruth, as_distribution

SHARD = 1 << 13
"""Small enough that the quadrature's temporary arrays stay so too."""

PRIOR, TRUTH = "prior", "truth"
Span = tuple[float, float]


@dataclass(frozen=True)
class Design:
    """What a trial draws, and how its probabilities are computed and counted."""

    family: str
    sizes: tuple[Span, Span]
    """Drawn uniformly, whole numbers with both ends where the size is one."""
    truth: PairTruth
    """Two distributions."""
    delta: Span
    """Drawn uniformly."""
    prior: tuple[float, float]
    """Of each sample."""
    bins: int
    """Equal bins of [0, 1], the last one closed."""

    @property
    def known(self) -> Family:
        return family_of(self.family)

    @property
    def truths(self) -> tuple[ContinuousTruth, ContinuousTruth]:
        return as_distribution(self.truth.first), as_distribution(self.truth.second)

    @property
    def references(self) -> tuple[str, ...]:
        """Posteriors to compute by; that of the truths only where it is not that of the prior."""
        model = self.known.model
        same = all(implied_prior(model, truth) == self.prior for truth in self.truths)
        return (PRIOR,) if same else (PRIOR, TRUTH)

    @property
    def edges(self) -> Floats:
        """The ends of the bins, shape (bins + 1,)."""
        return np.arange(self.bins + 1) / self.bins

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """The generator of one shard, keyed by what is drawn and by nothing else."""
        content = {
            "calibration": self.family,
            "sizes": [list(span) for span in self.sizes],
            "truth": dict(self.truth.content()),
            "delta": list(self.delta),
        }
        return keyed_stream(content, seed, shard)


@dataclass(frozen=True)
class Shard:
    """One task: some of the trials."""

    design: Design
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
        return self.parameter >= self.delta


@dataclass(frozen=True)
class BinTally:
    """The trials of one reference by their computed probability, shape (bins,) each."""

    trials: Integers
    true: Integers
    """Trials in which the parameter was at least delta."""
    probability: Floats
    """The sum of the computed probabilities p."""
    variance: Floats
    """The sum of p(1 − p)."""

    def plus(self, other: BinTally) -> BinTally:
        return BinTally(
            self.trials + other.trials,
            self.true + other.true,
            self.probability + other.probability,
            self.variance + other.variance,
        )


def shards(design: Design, trials: int, seed: int) -> list[Shard]:
    """All shards of a calibration, in order."""
    return [
        Shard(design, number, min(SHARD, trials - start), seed)
        for number, start in enumerate(range(0, trials, SHARD))
    ]


def simulate(shard: Shard) -> tuple[BinTally, ...]:
    """Draw the trials of a shard and count them, for each of the design's references."""
    design, trials = shard.design, draw_trials(shard)
    return tuple(
        tally_by_bin(probabilities(design, trials, reference), trials.event, design.edges)
        for reference in design.references
    )


def draw_trials(shard: Shard) -> CalibrationTrials:
    """The trials: sizes, truths, outcomes and thresholds."""
    design, rng = shard.design, shard.design.stream(shard.seed, shard.number)
    model = design.known.model
    sizes = [_sizes(model, span, shard.trials, rng) for span in design.sizes]
    truths = [truth.draw(shard.trials, rng) for truth in design.truths]
    data: list[Floats] = []
    for truth, size in zip(truths, sizes, strict=True):
        data += [_outcomes(model, truth, size, rng), size]
    delta = rng.uniform(*design.delta, shard.trials)
    return CalibrationTrials(tuple(data), design.known.value(tuple(truths)), delta)


def _sizes(model: Model, span: Span, count: int, rng: np.random.Generator) -> Floats:
    low, high = span
    if np.isfinite(model.SAMPLING.largest_outcome(low)):
        return rng.integers(int(low), int(high), count, endpoint=True).astype(np.float64)
    return rng.uniform(low, high, count)


def _outcomes(model: Model, truth: Floats, size: Floats, rng: np.random.Generator) -> Floats:
    """An outcome for each truth and size, drawn size by size."""
    outcomes = np.empty(size.size)
    order = np.argsort(size, kind="stable")
    changes = np.flatnonzero(np.diff(size[order])) + 1
    for trials in np.split(order, changes):
        outcomes[trials] = model.SAMPLING.draw(truth[trials], float(size[trials[0]]), rng)
    return outcomes


def probabilities(design: Design, trials: CalibrationTrials, reference: str) -> Floats:
    """Pr(parameter ≥ delta | data) under the posterior of a reference, shape (trials,)."""
    family, data = design.known, trials.data
    if reference == PRIOR:
        posterior = family.posterior(data, design.prior)
    else:
        each = zip(design.truths, pairs(data), strict=True)
        posterior = family.combined(
            *(truth_posterior(family.model, truth, x, size) for truth, (x, size) in each)
        )
    return at_least(family, posterior, trials.delta)


def truth_posterior(model: Model, truth: ContinuousTruth, x: Floats, size: Floats) -> Any:
    """What the truth's own distribution implies given each outcome, each with a size of its own."""
    prior = implied_prior(model, truth)
    if prior is not None:
        return model.posterior(x, size, prior)
    return Truncated(model.posterior(x, size, model.FLAT_PRIOR), *truth.support)


def implied_prior(model: Model, truth: ContinuousTruth) -> tuple[float, float] | None:
    """The prior that is the truth's distribution; None for a part of a flat one."""
    if not isinstance(truth, UniformTruth):
        return truth.s, truth.t
    return model.FLAT_PRIOR if truth.support == model.SUPPORT else None


def tally_by_bin(probability: Floats, event: Bools, edges: Floats) -> BinTally:
    """Trials by bin; a probability on an edge belongs to the bin above it."""
    bins = edges.size - 1
    place = np.searchsorted(edges[1:-1], probability, side="right")

    def summed(values: Floats) -> Floats:
        return np.bincount(place, values, minlength=bins).astype(np.float64)

    return BinTally(
        np.bincount(place, minlength=bins).astype(np.int64),
        np.bincount(place[event], minlength=bins).astype(np.int64),
        summed(probability),
        summed(probability * (1.0 - probability)),
    )


SMALLEST_VARIANCE = 5.0
"""Pools below this are joined to a neighbour, so that a count is near enough to normal.

Of calibrated samples 0.1 % should then be refused at the level 0.001, and by simulation 0.11 to
0.16 % are (300 to 20,000 trials, most probabilities next to 0 or 1).
"""


@dataclass(frozen=True)
class ChiSquared:
    """The statistic, with its p-value."""

    statistic: float
    degrees_of_freedom: int
    p_value: float


def chi_squared(tally: BinTally) -> ChiSquared | None:
    """Σ (true − Σp)² / Σp(1 − p) over pools of bins; None where all trials make no pool.

    Given their computed probabilities p, the events are independent with these very
    probabilities if those are calibrated: the sum is then chi-squared with as many degrees of
    freedom as there are pools, since nothing is fitted.
    """
    pool = pool_bins(tally.variance)
    excess = np.bincount(pool, tally.true - tally.probability)
    variance = np.bincount(pool, tally.variance)
    if variance.min() < SMALLEST_VARIANCE:
        return None
    statistic = float((excess * excess / variance).sum())
    return ChiSquared(statistic, variance.size, float(chdtrc(variance.size, statistic)))


def pool_bins(variance: Floats) -> Integers:
    """The number of each bin's pool, ascending.

    A bin or pool whose variance is too small is joined to its neighbour towards the middle, the
    outermost first: computed probabilities are often next to 0 or 1, where many trials together
    have next to no variance.
    """
    found = [[bin_] for bin_ in range(variance.size)]
    middle = (variance.size - 1) / 2

    def off_middle(place: int) -> float:
        return (found[place][0] + found[place][-1]) / 2 - middle

    while len(found) > 1:
        small = [i for i, pool in enumerate(found) if variance[pool].sum() < SMALLEST_VARIANCE]
        if not small:
            break
        place = max(small, key=lambda i: abs(off_middle(i)))
        first = place if off_middle(place) < 0 else place - 1
        found[first : first + 2] = [found[first] + found[first + 1]]
    return np.repeat(np.arange(len(found)), [len(pool) for pool in found])
