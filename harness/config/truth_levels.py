"""The truths that the values of a config stand for."""

from __future__ import annotations

from harness.config.pair_truth_entry import AnyTruth, PairEntry
from harness.config.rate_truth_entry import Gamma
from harness.config.truth_entry import Beta, Grid, Uniform, Values
from harness.truths import BetaTruth, DiscreteTruth, GammaTruth, PairTruth, Truth, UniformTruth


def truth_of(entry: AnyTruth) -> Truth:
    """The truth; adding 0.0 makes a zero of -0.0."""
    if isinstance(entry, Uniform):
        lower, upper = entry.uniform
        return UniformTruth(lower + 0.0, upper + 0.0)
    if isinstance(entry, Beta):
        s, t = entry.beta
        return BetaTruth(float(s), float(t))
    if isinstance(entry, Gamma):
        shape, rate = entry.gamma
        return GammaTruth(float(shape), float(rate))
    values = entry.grid.values() if isinstance(entry, Grid) else tuple(sorted(entry.values))
    return DiscreteTruth(tuple(value + 0.0 for value in values))


def truths_of(entry: AnyTruth | PairEntry) -> tuple[Truth, ...]:
    """The truth of each sample."""
    return tuple(truth_of(each) for each in entries_of(entry))


def pair_of(entry: PairEntry) -> PairTruth:
    """The truths of two samples."""
    return PairTruth(truth_of(entry.first), truth_of(entry.second))


def entries_of(entry: AnyTruth | PairEntry) -> tuple[AnyTruth, ...]:
    """The entry of each sample."""
    return (entry.first, entry.second) if isinstance(entry, PairEntry) else (entry,)


def is_discrete(entry: AnyTruth | PairEntry) -> bool:
    """Whether there are finitely many true values."""
    return isinstance(entries_of(entry)[0], Grid | Values)
