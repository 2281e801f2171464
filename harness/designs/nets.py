"""Nets of truths on which a worst case is sought a second time, by no search.

A net has truths at random within a range, and truths at which the parameter is a limit of a column,
where its miss probability jumps. The numbers drawn are the same in every run of a scenario: exact
values depend on no seed of an experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.design import Scenario, keyed_stream
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.designs.one_sample.law_worst_case import lattice_above, lattice_below
from harness.designs.pairs.worst_case import random_tables, tables_with
from harness.designs.two_samples.table import PairTable
from harness.designs.two_samples.worst_case import inner_spans
from harness.distributions.sampling.law import Sampling
from harness.families.combination import Span

NET_SEED = 20030101
"""The seed of all nets, by which and by the scenario their random truths are drawn."""

Truths = tuple[Floats, ...]
"""The true value of each sample, or of each cell of pairs, shape (t,) each."""


@dataclass(frozen=True)
class Net:
    """Truths, the parameter at each of them, and how it is approached; shape (t,)."""

    truths: Truths
    theta: Floats
    approach: Integers
    """AT the parameter, or the limit towards it FROM_BELOW or FROM_ABOVE."""

    def at(self, index: Positions) -> Net:
        """Return some of the truths."""
        truths = tuple(each[index] for each in self.truths)
        return Net(truths, self.theta[index], self.approach[index])


@dataclass(frozen=True)
class Places:
    """Where the truths of a net can be, for one scenario and one range of truths."""

    between: Callable[[int, np.random.Generator], Truths]
    """Return truths at random in the range, at most as many as asked."""
    beside: Callable[[Floats, np.random.Generator], Truths]
    """Return truths within the range with given parameters, not numbers where there are none."""
    range: Span
    """The range of the parameter."""
    lattice: int | None = None
    """The number N where all truths are M/N."""

    def seen(self, view: Callable[[Truths], Truths]) -> Places:
        """Return the places of the same truths in another order of the cells."""
        return replace(
            self,
            between=lambda count, rng: view(self.between(count, rng)),
            beside=lambda theta, rng: view(self.beside(theta, rng)),
        )


def random_net(places: Places, scenario: Scenario, count: int) -> Net:
    """Return at most ``count`` truths at random within the range."""
    truths = places.between(count, _stream(scenario, "between"))
    theta = scenario.family.parameter_at(truths)
    return _sorted(Net(truths, theta, np.full(theta.size, AT)))


def net_at_limits(
    places: Places, scenario: Scenario, lower: Floats, upper: Floats, count: int
) -> Net:
    """Return truths at which one column jumps: both ends of the range, and limits at random.

    Args:
        places: where truths can be.
        scenario: what draws random numbers, beside ``NET_SEED``.
        lower, upper: the limits of the column, shape (m,).
        count: the largest number of truths.
    """
    rng, (low, high) = _stream(scenario, "beside"), places.range
    above = np.unique(np.append(upper[(upper >= low) & (upper < high)], low))
    below = np.unique(np.append(lower[(lower > low) & (lower <= high)], high))
    chosen = [_some(each, count // 2, rng) for each in (above, below)]
    theta = np.concatenate(chosen)
    approach = np.repeat([FROM_ABOVE, FROM_BELOW], [each.size for each in chosen])
    if places.lattice is not None:
        theta = np.concatenate(
            (lattice_above(chosen[0], places.lattice), lattice_below(chosen[1], places.lattice))
        )
        theta, approach = np.clip(theta, low, high), np.zeros_like(approach)
    net = Net(places.beside(theta, rng), theta, approach)
    return _sorted(net.at(np.flatnonzero(np.isfinite(sum(net.truths)))))


def _some(limits: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return the first and the last limits, and others at random."""
    if limits.size <= count:
        return limits
    kept = rng.choice(limits.size, count, replace=False)
    kept[:4] = 0, 1, limits.size - 2, limits.size - 1
    return limits[np.unique(kept)]


def _sorted(net: Net) -> Net:
    return net.at(np.argsort(net.truths[0], kind="stable"))


def _stream(scenario: Scenario, what: str) -> np.random.Generator:
    return keyed_stream({"net": what, **scenario.content_of_limits()}, NET_SEED, 0)


def _spread(
    sampling: Sampling, low: Floats | float, high: Floats | float, size: float, share: Floats
) -> Floats:
    """Return truths between two, by shares of the variance-stabilized scale; broadcast."""
    start, stop = (
        sampling.variance_stabilized(np.asarray(each, np.float64), size) for each in (low, high)
    )
    return np.clip(
        sampling.from_variance_stabilized(start + share * (stop - start), size), low, high
    )


def places_of_one(scenario: Scenario, over: Span) -> Places:
    """Return the places of truths of one sample, of one law too."""
    low, high = over
    lattice = None if scenario.law is None else scenario.law.lattice

    def between(count: int, rng: np.random.Generator) -> Truths:
        sampling, share = scenario.model.SAMPLING, rng.random(count)
        truths = _spread(sampling, low, high, scenario.size, share)
        return (truths if lattice is None else np.unique(np.rint(truths * lattice)) / lattice,)

    return Places(between, lambda theta, _: (theta,), over, lattice)


def places_of_two(scenario: Scenario, over: Sequence[Span]) -> Places:
    """Return the places of pairs of truths of two samples."""
    combination, sampling = scenario.family.combination, scenario.model.SAMPLING
    first, second = inner_spans(scenario, (over[0], over[1]))
    nothing, sizes = np.zeros((1, 1)), (scenario.sizes[0], scenario.sizes[1])
    table = PairTable(nothing, nothing, (0, 0), sizes, combination, sampling, (first, second))

    def between(count: int, rng: np.random.Generator) -> Truths:
        shares = rng.random((2, count))
        return tuple(
            _spread(sampling, *span, size, share)
            for span, size, share in zip((first, second), sizes, shares, strict=True)
        )

    def beside(theta: Floats, rng: np.random.Generator) -> Truths:
        scaled = combination.scale(theta)
        low, high = table.line(scaled)
        truths = _spread(sampling, low, high, sizes[0], rng.random(theta.size))
        partner = table.partner(scaled, truths)
        inside = (low <= high) & (partner >= second[0]) & (partner <= second[1])
        return np.where(inside, truths, np.nan), partner

    low, high = table.range
    ends = (np.exp(low), np.exp(high)) if combination.is_ratio else (low, high)
    return Places(between, beside, (float(ends[0]), float(ends[1])))


def places_of_pairs(scenario: Scenario, over: Sequence[Span]) -> Places:
    """Return the places of tables of pairs."""
    corners = random_tables(scenario, over, 0, np.random.default_rng(0))
    theta = scenario.family.parameter_at(corners)
    theta = theta[np.isfinite(theta)]

    def between(count: int, rng: np.random.Generator) -> Truths:
        return random_tables(scenario, over, count, rng)

    def beside(theta: Floats, rng: np.random.Generator) -> Truths:
        return tables_with(scenario, over, theta, rng)

    return Places(between, beside, (float(theta.min()), float(theta.max())))
