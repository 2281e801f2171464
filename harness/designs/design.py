"""Designs, which say how data arise, and scenarios: one size of a design with one truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Observed
from harness.distributions.list_truths import ListTruth
from harness.distributions.paired_truths import JudgedTruth, PairedTruth
from harness.distributions.sampling.law import NUMPY, THINNED, Law, Sampling
from harness.distributions.truths import DiscreteTruth, PairTruth, Truth
from harness.families.family import Data, Family
from harness.families.model import Model

AnyTruth = Truth | PairTruth | PairedTruth | ListTruth | JudgedTruth

NUMBERS_AT_ONCE = 1 << 20
"""The most numbers of a list of all trials that are drawn together."""
_LARGEST_CODE = 1 << 43
"""Codes from here on, followed by the 20 bits of a rank, are no whole numbers of 63 bits."""


Decode = Callable[[Integers], Integers]


@dataclass(frozen=True)
class Draws:
    """Trials with their truths drawn from distributions, in ascending order of the parameter."""

    parameter: Floats
    """The true values of the parameter, ascending, shape (trials,)."""
    codes: Integers
    """A whole number of at least 0 for each trial, one for each outcome and in the order of the
    outcomes; shape (trials,)."""
    decode: Decode | None = None
    """Returns the outcomes of codes; None where the codes are the outcomes."""

    def outcomes(self, codes: Integers) -> Integers:
        """Return the outcomes of the codes."""
        return codes if self.decode is None else self.decode(codes)


@dataclass(frozen=True)
class Outcomes:
    """How an outcome is one whole number that stands for the counts of all samples.

    The functions take the scenario first.
    """

    count: Callable[[Scenario], float]
    """The number of all outcomes; infinite where counts are unbounded."""
    draw: Callable[..., Integers]
    """Draw an outcome at each row of true values, or ``count`` outcomes at a single row.

    Args: the scenario, an array or a number of each true value, the generator, the count or None.
    """
    probabilities: Callable[[Scenario, Sequence[float], Integers], Floats] | None = None
    """Return the probabilities of outcomes at one row of true values, shape (m,); None where the
    solver of the design has a way of its own."""
    encode: Callable[..., Integers] = lambda _, counts: counts
    """Return the outcomes with these counts of the family, broadcast."""
    decode: Callable[[Scenario, Integers], tuple[Integers, ...]] = lambda _, outcomes: (outcomes,)
    """Return the family's counts at the outcomes, shape (m,) each."""
    trials_unit: Callable[[Scenario], int] = lambda scenario: int(scenario.outcome_count)
    """What ``per_outcome`` trials are multiplied by: the number of outcomes.

    Of pairs it is the number of pairs of discordant counts, whatever an outcome says.
    """
    codes: Callable[[Scenario, Integers], tuple[Integers, Decode]] | None = None
    """Return small codes of large outcomes in their order, and a function that decodes them."""
    alike: Callable[[Scenario, Integers], Integers | Floats] = lambda _, outcomes: outcomes
    """Return a number for each outcome, the same for those that mirror each other.

    Their limits are asked for together: a method may solve for those of one and mirror them.
    """
    at_once: int = 1 << 11
    """The number of outcomes whose limits are asked for together.

    It keeps the temporary arrays of a large table small, and spreads over the cores what takes
    long, as pairs of counts do.
    """


@dataclass(frozen=True)
class Distributions:
    """What a design with truths from distributions has; the functions take the scenario first."""

    draw: Callable[[Scenario, int, np.random.Generator], tuple[Floats, ...]]
    """Draw true values, in the order of the family's; (t,) each."""
    weights: Callable[[Scenario, Integers], Floats]
    """Return the probabilities of the outcomes under the truth's distribution, shape (m,)."""
    posterior: Callable[[Scenario, Integers], Any]
    """Return the posteriors of the parameter under the truth's distribution, given outcomes."""
    draw_trials: Callable[[Scenario, int, np.random.Generator], Draws | None] = lambda *_: None
    """Draw trials in a faster way than by ``draw`` and the outcomes; None for those two."""


@dataclass(frozen=True)
class Lists:
    """How the data of a design arise that are lists, of which no outcomes are numbered.

    Limits are computed for the data of every trial. The functions take the scenario first.
    """

    draw: Callable[[Scenario, int, int, np.random.Generator], tuple[Floats, ...]]
    """Draw data sets at one listed truth: its lists, shape (trials, width) each.

    Args: the scenario, the number of the truth, the number of trials, and the generator.
    """
    width: Callable[[Scenario], int]
    """Return the number of numbers in each list."""
    at_truths: Callable[[Scenario, Any], tuple[Floats, Floats, Floats] | None] | None = None
    """Return the probabilities of a miss below and above and the expected length of a column at
    each listed truth, shape (t,) each; None where they are not known."""
    assumes: str | None = None
    """What the exact values rest on that a truth need not have, in words."""
    words: Mapping[str, float | None] = field(default_factory=dict)
    """The names of the numbers that make up one truth, each with the number where none is given,
    or None; of strata each is a list."""
    truth_at: Callable[..., ListTruth] | None = None
    """Return the truth with these numbers; None where there are no words."""
    draw_growing: Callable[..., tuple[Floats, ...]] | None = None
    """Draw data sets at the first listed truth that begin with those of smaller sizes, as methods
    take them; None where a size is no number of cases of each list, or of clusters.

    Args: the truth, the size of each list or the clusters and their sizes in turn, the number of
    data sets, and the seed.
    """
    restated: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda numbers: numbers
    """Return numbers of a truth with those of ``words`` in place of others that say the same."""


Example = tuple[tuple[Any, ...], dict[str, Any], dict[str, int]]
"""The sizes, the truth and the trials of a config, as plain data."""
PER_TRUTH = {"per_truth": 2000}


def grid(start: float, stop: float, count: int) -> dict[str, Any]:
    """Return a grid of true values as a config has it."""
    return {"grid": {"start": start, "stop": stop, "count": count}}


@dataclass(frozen=True)
class Design:
    """How data arise, with all that differs between designs; what one lacks is None."""

    name: str
    """The name in words, as a family has it: ``one sample``."""
    outcomes: Outcomes | None
    """How outcomes are whole numbers; None where data are lists."""
    lists: Lists | None = None
    distributions: Distributions | None = None
    sizes: Callable[[Any], tuple[float, ...]] = lambda size: (size,)
    """Return the sizes as the tables have them, from that of a scenario."""
    size_of: Callable[[Sequence[float]], Any] = lambda sizes: sizes[0]
    """Return the size of a scenario from those of its samples."""
    size_key: str = "size"
    """The name of the size in the key of random streams."""
    listed_truth: type[Any] = DiscreteTruth
    """The class of its truths that list true values; a config writes truths by it. Where outcomes
    are numbered, its ``listing`` yields truths that list given true values, one array of each: a
    truth, the positions of the values in the arrays that it lists, and the position of each of them
    in the truth."""
    values: Callable[[Scenario], tuple[Floats, ...]] = lambda scenario: scenario.truth.values
    """Return the listed true values, shape (t,) each; of lists the parameter is the first."""
    scored: Callable[[Scenario], Mapping[str, Any]] = lambda _: {}
    """Return what intervals are scored against as plain data, where it is not the parameter of the
    family; nothing that is drawn depends on it."""
    known_as: Callable[[Scenario], Mapping[str, Any]] = lambda _: {}
    """Return what stands in the content of a scenario for functions, whose names say too little."""
    keyed_by_value: bool = False
    """Whether tallies have the true values as conditions, in place of the numbers of truths."""
    samples: Callable[[Scenario], tuple[Scenario, ...]] = lambda _: ()
    """Return the scenario of each independent sample alone."""
    trials_made: Callable[[Scenario, Integers], Floats] | None = None
    """Return the numbers of trials made at outcomes, shape (m,); None where all are made."""
    sampling_title: Callable[[Scenario], str | None] = lambda _: None
    """Return how data arise, in words; None where it is the model's own way."""
    beside: Callable[[Scenario, Sequence[float], float], tuple[float, ...]] = (
        lambda scenario, truths, step: tuple(truths)
    )
    """Return true values beside some, at which the parameter is larger by about a step.

    A negative step makes it smaller; a step of 0 changes nothing. The values stay in range: where
    none is known beside them, they are the same.
    """
    refuse: Callable[[Scenario], None] = lambda _: None
    """Raise an error for a scenario that cannot be computed."""
    exact: Callable[[Scenario], Any] | None = None
    """Return the exact engines where outcomes are numbered: the class ``engines.solver.Solver``, or
    one that overrides some of it."""
    examples: Mapping[str, Example] = field(default_factory=dict)
    """What a config to begin with has, where sizes are ``counts`` or ``amounts``."""
    sizes_are_lists: bool = False
    """Whether a size is a list, of a number for each stratum."""
    smallest_size: int = 1
    """The smallest first size that has an interval."""
    size_needs: tuple[str, ...] = ()
    """What the size of lists that suffices depends on beside the method, and beside the truth where
    lists are drawn that grow; empty where it may grow in many ways."""
    plans_labels: bool = False
    """Whether a size that suffices is of cases and of labels, at the least cost of both."""
    most_summed: float = np.inf
    """The most outcomes that a coverage is summed over; of more they are drawn."""
    most_enumerated: float = np.inf
    """The most outcomes that are enumerated; a scenario with more of them has trials alone."""


@dataclass(frozen=True)
class Scenario:
    """One size with one truth.

    An outcome is one whole number that stands for the counts of all samples; of lists it is 0,
    which stands for every data set.
    """

    design: Design = field(repr=False, compare=False)
    """How the data arise."""
    family: Family
    size: Any
    """n, a whole number, or an exposure; of two samples a pair of them; of lists k, the number of
    clusters and their sizes, which are repeated in turn, or the sizes of both samples in each
    stratum."""
    truth: Any
    """The truth, by the design: ``Truth``, ``PairTruth``, ``PairedTruth`` or ``ListTruth``."""
    draws: str = NUMPY
    """Where outcomes of one sample at drawn truths come from: ``numpy`` or ``thinned``."""
    law: Law | None = None
    """How the count of one sample arises; None where it is the model's own way."""
    with_both: bool = True
    """Whether an outcome of pairs says how many are right in both; that of a confusion table,
    whether it says the whole table."""
    solver: Any = field(init=False, default=None, repr=False, compare=False)
    """The exact engines, once ``solver_of`` has chosen them."""

    def __post_init__(self) -> None:
        if self.law is not None and self.draws == THINNED:
            raise HarnessError(f"no tables thin the outcomes of {self.law.title}")
        self.design.refuse(self)

    def __getstate__(self) -> dict[str, Any]:
        # Another process chooses the engines itself, and computes what follows from the fields.
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"solver": None}

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """The size of each sample: n, which is a whole number, or an exposure."""
        return self.design.sizes(self.size)

    @cached_property
    def named_sizes(self) -> Mapping[str, float]:
        """The size of each sample by its column's name."""
        return dict(zip(self.family.sizes, self.sizes, strict=True))

    @cached_property
    def model(self) -> Model:
        """The model of each sample."""
        return self.family.model

    @cached_property
    def sampling(self) -> Law | Sampling:
        """How the count of a sample arises: by the law, or as the model has it."""
        return self.model.SAMPLING if self.law is None else self.law

    @cached_property
    def sampling_title(self) -> str | None:
        """How data arise, in words; None where it is the model's own way."""
        if self.law is None or self.law is self.family.law:
            return self.design.sampling_title(self)
        return self.law.title

    @cached_property
    def has_outcomes(self) -> bool:
        """Whether outcomes are numbered; otherwise the data are lists."""
        return self.design.outcomes is not None

    @cached_property
    def numbered(self) -> Outcomes:
        """How outcomes are numbered."""
        assert self.design.outcomes is not None
        return self.design.outcomes

    @cached_property
    def distributed(self) -> Distributions:
        """What there is of truths that come from distributions."""
        assert self.design.distributions is not None
        return self.design.distributions

    @cached_property
    def outcome_count(self) -> float:
        """The number of all outcomes; infinite where counts are unbounded."""
        return self.numbered.count(self) if self.has_outcomes else 1.0

    @cached_property
    def trials_unit(self) -> int:
        """What ``per_outcome`` trials are multiplied by."""
        return self.numbered.trials_unit(self) if self.has_outcomes else 1

    def samples(self) -> tuple[Scenario, ...]:
        """Return the scenario of each independent sample alone; none of pairs."""
        return self.design.samples(self)

    def outcomes(self, *counts: Integers) -> Integers:
        """Return the outcomes with these counts of the family, broadcast."""
        return self.numbered.encode(self, *counts)

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        """Return the family's counts at the outcomes, shape (m,) each."""
        return self.numbered.decode(self, outcomes)

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        """Return the counts that an outcome says, by their names, shape (m,) each."""
        if not self.has_outcomes:
            return {}
        family = self.family
        named = dict(zip(family.counts, self.counts(outcomes), strict=True))
        if self.with_both:
            return named
        # Where it does not say both, it says the discordant pairs alone.
        order = family.as_pairs.order if family.as_pairs is not None else range(4)
        return {name: named[name] for name in (family.counts[place] for place in order[1:3])}

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        """Return the key of each listed truth and the parameter there, shape (t,) each.

        Tallies have the keys as conditions: the true values of a single sample, the numbers of
        the pairs of true values of two.
        """
        values = self.design.values(self)
        parameter = self.family.parameter_at(values)
        return values[0] if self.design.keyed_by_value else np.arange(parameter.size), parameter

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        """Return the true values with these keys, in the order of the family's, (t,) each."""
        if self.design.keyed_by_value:
            return (keys.astype(np.float64),)
        numbers = keys.astype(np.int64)
        return tuple(values[numbers] for values in self.design.values(self))

    def distribution_weights(self, outcomes: Integers) -> Floats:
        """Return the probabilities of the outcomes under the truth's distribution, shape (m,)."""
        return self.distributed.weights(self, outcomes)

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Draw true values from the truth's distribution, in the order of the family's; (t,)."""
        if self.truth.is_discrete:
            return self.truths_of(rng.integers(self.truth.count, size=trials))
        return self.distributed.draw(self, trials, rng)

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        """Draw an outcome at each of the true values, shape (t,)."""
        return self.numbered.draw(self, truths, rng, None)

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        """Draw trials, each with a truth from its distribution and an outcome."""
        drawn = self.distributed.draw_trials(self, trials, rng)
        if drawn is not None:
            return drawn
        truths = self.distributed.draw(self, trials, rng)
        parameter = self.family.parameter_at(truths)
        order = np.argsort(parameter, kind="stable")
        outcomes = self.draw_outcomes([truth[order] for truth in truths], rng)
        if int(outcomes.max()) < _LARGEST_CODE:
            return Draws(parameter[order], outcomes)
        if self.numbered.codes is not None:
            return Draws(parameter[order], *self.numbered.codes(self, outcomes))
        # The places among the distinct outcomes are small enough.
        distinct, codes = np.unique(outcomes, return_inverse=True)
        return Draws(parameter[order], codes.astype(np.int64), lambda codes: distinct[codes])

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        """Draw trials at one listed truth.

        Returns:
            The distinct outcomes, and the number of trials with each.
        """
        if self.design.keyed_by_value:
            truths = [self.truth.values[index]]
        else:
            truths = [values[index] for values in self.design.values(self)]
        outcomes = self.numbered.draw(self, truths, rng, trials)
        smallest = int(outcomes.min())
        if int(outcomes.max()) - smallest > 4 * trials + 4096:
            return np.unique(outcomes, return_counts=True)
        count = np.bincount(outcomes - smallest)
        occurred = np.flatnonzero(count)
        return occurred + smallest, count[occurred]

    def draw_observed(
        self, number: int, trials: int, rng: np.random.Generator
    ) -> Iterator[Observed]:
        """Yield the data sets of trials at one listed truth, some at once; of lists."""
        lists = self.design.lists
        assert lists is not None
        at_once = max(1, NUMBERS_AT_ONCE // lists.width(self))
        for start in range(0, trials, at_once):
            drawn = lists.draw(self, number, min(at_once, trials - start), rng)
            yield Observed(self.family, self.sizes, drawn)

    def with_truths(self, truths: Sequence[float]) -> Scenario:
        """Return the scenario with one true value of each sample, or of each cell of pairs."""
        ((truth, *_),) = self.design.listed_truth.listing([np.array([value]) for value in truths])
        return replace(self, truth=truth)

    def content(self) -> Mapping[str, Any]:
        """Return the scenario as plain data."""
        return {**self.content_of_limits(), **self.design.scored(self)}

    def content_of_limits(self) -> Mapping[str, Any]:
        """Return as plain data what decides the data and their limits, and not how these score."""
        outcomes = {} if self.with_both else {"outcomes": "discordant"}
        return {**self._drawn_from, **outcomes}

    @cached_property
    def _drawn_from(self) -> Mapping[str, Any]:
        # What an outcome says of the data is no part of how they are drawn.
        draws = {} if self.draws == NUMPY else {"draws": self.draws}
        law = {} if self.law is None else {"sampling": dict(self.law.content())}
        truth = dict(self.truth.content())
        key = self.design.size_key
        size = list(self.size) if key == "sizes" else np.asarray(self.size).tolist()
        family = {"family": self.family.public_name, **self.family.settings}
        functions = self.design.known_as(self)
        return {**family, key: size, "truth": truth, **draws, **law, **functions}

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """Return the random generator of one shard, keyed by the scenario's content alone."""
        return keyed_stream(self._drawn_from, seed, shard)


def keyed_stream(content: Mapping[str, Any], seed: int, shard: int) -> np.random.Generator:
    """Return a random generator for the content and the shard, independent of all others.

    The key consists of fixed-width words, a digest of the content followed by the shard, so that
    adding a size, a method or a worker changes no draw of another scenario.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=">u4")
    key = (*digest.tolist(), shard >> 32, shard & 0xFFFFFFFF)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def crossed_outcomes(scenario: Scenario, counts: Sequence[Integers]) -> Integers:
    """Return the outcomes of all combinations of some counts of each sample, ascending."""
    return scenario.outcomes(*np.ix_(*counts)).ravel()


def data_of(scenario: Scenario, outcomes: Integers) -> Data:
    """Return the family's columns at the outcomes, as methods of the catalogue take them."""
    return observed_at(scenario, outcomes).columns()


def observed_at(scenario: Scenario, outcomes: Integers) -> Observed:
    """Return the counts and sizes of the outcomes, as a source of limits takes them."""
    counts = tuple(count.astype(np.float64) for count in scenario.counts(outcomes))
    population = None if scenario.law is None else scenario.law.lattice
    return Observed(scenario.family, scenario.sizes, counts, population)


def scenario_words(scenario: Scenario) -> str:
    """Return the family and the sizes, as a message names the scenario of a run."""
    sizes = ", ".join(f"{name} = {size:.15g}" for name, size in scenario.named_sizes.items())
    return f"{scenario.family.name} at {sizes}"
