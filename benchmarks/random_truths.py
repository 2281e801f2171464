"""Worst cases beside alphas at random truths: ``python -m benchmarks.random_truths``.

For every deterministic two-sided method of families whose outcomes are enumerated, the worst alpha
that a run publishes is compared with

    alpha(truth) = Σ Pr(outcome | truth) [θ < lower limit or θ > upper limit]

at many truths: uniform ones, ones near and on the faces, edges and corners of their space, ones at
which the parameter θ lies just beside a limit, and ones near the worst of those. A published worst
alpha is beaten by one that is larger by more than ``TOLERANCE``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy.special import gammaln

import harness
from harness.base.numerics.arrays import Bools, Floats
from harness.catalogue import scenario_for, with_settings
from harness.designs.design import Scenario, data_of
from harness.designs.engines.solver import solver_of
from harness.distributions.paired_truths import CELLS, DirichletTruth, TableTruth, table_of_cells
from harness.distributions.truths import PairTruth, UniformTruth
from harness.families.family import Family
from harness.methods.catalogue import methods_for
from harness.methods.method import TWO_SIDED, Method

TOLERANCE = 1e-6
ALPHA = 0.05
SEED = 2003
# A parameter this near to a limit, relatively, is no miss: rounding may have moved it there.
_ROUNDING = 1e-13
# The distance of a parameter from the limit that it lies beside.
_BESIDE = 1e-9
# The shares of truths beside limits, and of those near the worst ones of the others.
_SHARE_BESIDE, _SHARE_NEAR, _WORST = 0.3, 0.1, 20
_BISECTIONS = 70
# The numbers of one block of probabilities.
_CELLS = 1 << 22


@dataclass(frozen=True)
class Case:
    """A family with sizes and the range of its truths."""

    family: str
    span: tuple[float, float] = (0.0, 1.0)
    """The range of the truth of each sample; of tables all are taken."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Of pairs: the values of both, first_only and second_only, of which the hull is taken."""

    @property
    def label(self) -> str:
        """The family, with what distinguishes it from others."""
        settings = "".join(f" {name} {value:g}" for name, value in self.settings.items())
        spans = [*self.tables.values()] or [self.span]
        ranges = " × ".join(f"[{span[0]:g}, {span[-1]:g}]" for span in spans)
        return f"{self.family}{settings} {ranges}"


CASES = (
    Case("proportion"),
    Case("rate", (0.0, 10.0)),
    Case("proportion_difference"),
    Case("rate_difference", (0.0, 10.0)),
    Case("balanced_accuracy"),
    *(Case(name, span) for name in ("risk_ratio", "odds_ratio") for span in ((0.05, 0.95), (0, 1))),
    Case("rate_ratio", (0.5, 10.0)),
    Case("paired_difference"),
    *(
        Case("paired_ratio", tables=dict(zip(CELLS, spans, strict=False)))
        for spans in (
            ((0.2, 0.4, 0.6), (0.05, 0.1, 0.2), (0.05, 0.1, 0.2)),
            ((0.001, 0.85), (0.0, 0.1), (0.01, 0.05)),
            ((0.001, 0.01), (0.0, 0.49), (0.01, 0.5)),
        )
    ),
    *(Case(name) for name in ("precision", "recall", "specificity", "npv", "jaccard")),
    *(Case("f_score", settings={"beta": beta}) for beta in (0.5, 1.0, 2.0)),
)
"""The families, and their ranges of truths as ``configs/recommendation`` has them; ratios of two
proportions over all of theirs too."""


@dataclass(frozen=True)
class Found:
    """The published worst alpha of one method, and the largest one at random truths."""

    case: Case
    method: str
    published: float
    largest: float
    truth: tuple[float, ...]
    """The truth of each sample, or of each cell, of the largest one."""

    @property
    def is_beaten(self) -> bool:
        """Whether the published one is too small."""
        return not self.published + TOLERANCE >= self.largest


def compared(case: Case, size: float, truths: int) -> list[Found]:
    """Return the worst alphas of all methods of a family, and the largest at random truths.

    Args:
        case: the family and the range of its truths.
        size: n, or an exposure; of two samples half of it for each.
        truths: the number of random truths for each method.
    """
    family = with_settings(case.family, dict(case.settings))
    methods = {
        name: method
        for name, method in methods_for(family).items()
        if TWO_SIDED in method.sides and method.deterministic
    }
    space = _Space(case, family, size)
    worst = published_worst(case, space.config(), list(methods))
    return [
        Found(case, name, worst[name], alpha, truth)
        for name, (alpha, truth) in _largest(space, methods, truths).items()
    ]


def published_worst(case: Case, config: Mapping[str, Any], methods: list[str]) -> dict[str, float]:
    """Return the worst alpha of each method in ``summary.csv`` of a run."""
    document = {
        "name": "random_truths",
        "family": case.family,
        **case.settings,
        "alpha": ALPHA,
        "methods": methods,
        "engines": ["enumeration"],
        "figures": [],
        "execution": {"jobs": 1},
        **config,
    }
    summary = harness.run(document, out=None).summary
    return dict(summary.select("method", "worst_alpha").rows())


@dataclass(frozen=True)
class _Space:
    """The truths of a family: an interval, a square, or the tables of four cells."""

    case: Case
    family: Family
    size: float

    @property
    def is_of_tables(self) -> bool:
        return len(self.family.truths) == 4

    def config(self) -> dict[str, Any]:
        """Return the sizes and the truth of a config."""
        names, uniform = self.family.sizes, {"uniform": list(self.case.span)}
        if self.case.tables:
            truth = {name: {"values": list(each)} for name, each in self.case.tables.items()}
            return {names[0]: self.size, "truth": truth}
        if self.is_of_tables:
            return {names[0]: self.size, "truth": {"dirichlet": [1, 1, 1, 1]}}
        if len(names) == 1:
            return {names[0]: self.size, "truth": uniform}
        half = dict.fromkeys(names, self.size / 2 if "exposure" in names[0] else self.size // 2)
        return {**half, "truth": {"first": uniform, "second": uniform}}

    def scenario(self, with_both: bool) -> Scenario:
        """Return the scenario of the config."""
        uniform, sizes = UniformTruth(*self.case.span), self.config()
        if self.is_of_tables:
            truth: Any = self.listed() or DirichletTruth((1.0, 1.0, 1.0, 1.0))
            return scenario_for(self.family, self.size, truth, with_both=with_both)
        if len(self.family.sizes) == 1:
            return scenario_for(self.family, self.size, uniform)
        size = tuple(sizes[name] for name in self.family.sizes)
        return scenario_for(self.family, size, PairTruth(uniform, uniform))

    def listed(self) -> TableTruth | None:
        """Return the tables of a list; None of all tables."""
        if not self.case.tables:
            return None
        both, first, second = self.case.tables.values()
        every = product(first, second, both)
        return TableTruth.of(table_of_cells(*cells) for cells in every)

    def random(self, count: int, rng: np.random.Generator) -> Floats:
        """Return random truths, shape (d, count): uniform, near boundaries, and on them."""
        cells = 4 if self.is_of_tables else len(self.family.truths)
        kind = rng.random(count)
        tiny = 10.0 ** -rng.uniform(0.0, 12.0, (cells, count))
        which = rng.random((cells, count))
        listed = self.listed()
        if self.is_of_tables and listed is None:
            shape = 10.0 ** rng.uniform(-1.0, 1.0, count)
            weight = np.where(kind < 0.3, rng.exponential(size=(cells, count)), 0.0)
            weight += np.where(kind >= 0.3, rng.gamma(shape, size=(cells, count)), 0.0)
            weight *= np.where((kind > 0.5) & (which < 0.3), tiny, 1.0)
            weight *= np.where((kind > 0.5) & (which > 0.7), 0.0, 1.0)
            total = weight.sum(axis=0)
            weight[:, total <= 1e-200] = 0.25
            return np.asarray(weight / weight.sum(axis=0))
        spans = np.array([self.case.span] * cells if listed is None else listed.hull)
        low, high = spans.T[:, :, np.newaxis]
        share = rng.random((cells, count))
        share = np.where((kind > 0.5) & (kind < 0.7), rng.beta(0.1, 0.1, share.shape), share)
        share = np.where((kind > 0.7) & (which < 0.2), tiny, share)
        share = np.where((kind > 0.7) & (which > 0.8), 1.0 - tiny, share)
        share = np.where((kind > 0.7) & (which > 0.4) & (which < 0.5), 0.0, share)
        share = np.where((kind > 0.7) & (which > 0.5) & (which < 0.6), 1.0, share)
        drawn = np.clip(low + share * (high - low), low, high)
        if listed is None:
            return np.asarray(drawn)
        # One cell is what the others leave, where that is in its range.
        free = rng.integers(4, size=count), np.arange(count)
        drawn[free] = 0.0
        drawn[free] = 1.0 - drawn.sum(axis=0)
        kept = ((drawn >= low) & (drawn <= high)).all(axis=0)
        return np.asarray(drawn[:, rng.choice(np.flatnonzero(kept), count)])

    def near(self, truths: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Return truths near some, on the segments to others at random, shape (d, count)."""
        start = truths[:, rng.integers(truths.shape[1], size=count)]
        step = 10.0 ** -rng.uniform(0.5, 6.0, count)
        return np.asarray(start + step * (self.random(count, rng) - start))

    def beside(self, limits: Floats, ends: tuple[Floats, Floats], below: Bools) -> Floats:
        """Return the truths on segments at which the parameter passes limits, shape (d, c).

        Args:
            limits: shape (c,).
            ends: the truths at both ends of each segment, shape (d, c).
            below: whether the parameter should lie just below the limit, or just above it.
        """
        scale = _BESIDE * np.maximum(np.abs(limits), 1e-3)
        aim = limits + np.where(below, -scale, scale)
        first, last = (self.family.parameter_at(tuple(end)) for end in ends)
        with np.errstate(invalid="ignore"):
            crosses = np.isfinite(first + last) & ((first - aim) * (last - aim) < 0)
        aim, (start, stop) = aim[crosses], (end[:, crosses] for end in ends)
        rises = first[crosses] < aim
        low, high = np.zeros(aim.size), np.ones(aim.size)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            theta = self.family.parameter_at(tuple(start + middle * (stop - start)))
            is_before = (theta < aim) == rises
            low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
        return np.asarray(start + low * (stop - start))


def _largest(
    space: _Space, methods: Mapping[str, Method], count: int
) -> dict[str, tuple[float, tuple[float, ...]]]:
    """Return the largest alpha of each method, and the truth where it is."""
    rng, found = np.random.default_rng(SEED), {}
    for with_both in (False, True):
        names = [name for name, method in methods.items() if method.uses_both == with_both]
        if not names:
            continue
        scenario = space.scenario(with_both)
        table = _Table.of(scenario)
        data = data_of(scenario, solver_of(scenario).possible_outcomes())
        limits = [methods[name].limits(data, ALPHA) for name in names]
        shares = (1.0 - _SHARE_BESIDE - _SHARE_NEAR, _SHARE_BESIDE, _SHARE_NEAR)
        many, beside, near = (max(int(share * count), 1) for share in shares)
        drawn = space.random(many, rng)
        alphas = table.alphas(space.family, drawn, limits)
        for name, pair, alpha in zip(names, limits, alphas, strict=True):
            ends = np.unique(np.concatenate(pair))
            # Limits of likely outcomes and rare ones are asked for as often.
            chosen = ends[np.isfinite(ends)][rng.integers(np.isfinite(ends).sum(), size=2 * beside)]
            segments = (space.random(2 * beside, rng), space.random(2 * beside, rng))
            at_limits = space.beside(chosen, segments, rng.random(2 * beside) < 0.5)
            (there,) = table.alphas(space.family, at_limits, [pair])
            every, alpha = np.concatenate((drawn, at_limits), axis=1), np.append(alpha, there)
            worst = every[:, np.argsort(-alpha)[:_WORST]]
            close = space.near(worst, near, rng)
            limit = chosen[rng.integers(chosen.size, size=near)]
            segments = (close, space.random(near, rng))
            close = np.concatenate(
                (close, space.beside(limit, segments, rng.random(near) < 0.5)), axis=1
            )
            (there,) = table.alphas(space.family, close, [pair])
            every, alpha = np.concatenate((every, close), axis=1), np.append(alpha, there)
            place = int(alpha.argmax())
            found[name] = float(alpha[place]), tuple(every[:, place].tolist())
    return {name: found[name] for name in methods}


@dataclass(frozen=True)
class _Table:
    """The outcomes of a scenario: ln Pr = ln w + Σ count · ln p − Σ size · rate."""

    counts: Floats
    """The counts of the cells, of successes and failures, or of events, shape (c, m)."""
    log_ways: Floats
    """Shape (m,)."""
    sizes: tuple[float, ...]
    scenario: Scenario

    @classmethod
    def of(cls, scenario: Scenario) -> _Table:
        """Return the outcomes that can occur, in their order."""
        outcomes = solver_of(scenario).possible_outcomes()
        counts = np.array(scenario.counts(outcomes), np.float64)
        sizes = tuple(map(float, scenario.sizes))
        if len(scenario.family.truths) == 4:
            if not scenario.with_both:
                # The cells beside the two that an outcome says are one.
                kept = _said(scenario)
                counts = np.stack((*counts[kept], sizes[0] - counts[kept].sum(axis=0)))
            ways = gammaln(sizes[0] + 1.0) - gammaln(counts + 1.0).sum(axis=0)
        elif _are_rates(scenario):
            exposure = np.log(np.array(sizes))[:, np.newaxis]
            ways = (counts * exposure - gammaln(counts + 1.0)).sum(axis=0)
        else:
            trials = np.array(sizes)[:, np.newaxis]
            failures = trials - counts
            ways = gammaln(trials + 1.0) - gammaln(counts + 1.0) - gammaln(failures + 1.0)
            ways, counts = ways.sum(axis=0), np.concatenate((counts, failures))
        return cls(counts, ways, sizes, scenario)

    def _log_probability(self, truths: Floats) -> Floats:
        """Return the logarithm of the probability of each outcome at truths, shape (t, m)."""
        minus = np.zeros(truths.shape[1])
        factors = truths
        if len(self.scenario.family.truths) == 4:
            if not self.scenario.with_both:
                kept = _said(self.scenario)
                others = [place for place in range(4) if place not in kept]
                factors = np.stack((*truths[kept], truths[others].sum(axis=0)))
        elif _are_rates(self.scenario):
            minus = np.array(self.sizes) @ truths
        else:
            factors = np.concatenate((truths, 1.0 - truths))
        logs = np.log(np.maximum(factors, 1e-300))
        return np.asarray(logs.T @ self.counts + self.log_ways - minus[:, np.newaxis])

    def alphas(
        self, family: Family, truths: Floats, limits: Sequence[tuple[Floats, Floats]]
    ) -> Floats:
        """Return the probability of a miss at truths for each pair of limits, shape (k, t).

        It is 0 where the parameter is not a finite number.
        """
        found = np.zeros((len(limits), truths.shape[1]))
        for part in _blocks(truths.shape[1], self.log_ways.size):
            there = truths[:, part]
            theta = np.asarray(family.parameter_at(tuple(there)), np.float64)
            known = np.isfinite(theta)
            theta = np.where(known, theta, 0.0)[:, np.newaxis]
            slack = _ROUNDING * np.abs(theta)
            probability = np.exp(self._log_probability(there))
            for row, (lower, upper) in enumerate(limits):
                missed = (theta < lower - slack) | (theta > upper + slack)
                alpha = np.einsum("tm,tm->t", probability, missed)
                found[row, part] = np.where(known, alpha, 0.0)
        return found


def _said(scenario: Scenario) -> list[int]:
    """Return the places of the cells that an outcome says where it does not say the table."""
    view = scenario.family.as_pairs
    return list(view.order[1:3] if view is not None else (1, 2))


def _are_rates(scenario: Scenario) -> bool:
    return "exposure" in scenario.family.sizes[0]


def _blocks(count: int, width: int) -> Iterator[slice]:
    step = max(1, _CELLS // width)
    for start in range(0, count, step):
        yield slice(start, start + step)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each method; return 1 where a published worst alpha is beaten."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_truths")
    parser.add_argument("--family", help="one family alone")
    parser.add_argument("--truths", type=int, default=100_000, help="for each method")
    parser.add_argument("--n", type=int, default=20, help="cases, pairs, or both samples together")
    parser.add_argument("--beaten", action="store_true", help="print the beaten ones alone")
    asked = parser.parse_args(argv)
    beaten = 0
    for case in CASES:
        if asked.family not in (None, case.family):
            continue
        start = time.perf_counter()
        size = asked.n / 10 if "rate_" in case.family or case.family == "rate" else asked.n
        every = compared(case, size, asked.truths)
        print(f"{case.label}: {len(every)} methods, {time.perf_counter() - start:.0f} s")
        for found in every:
            beaten += found.is_beaten
            if found.is_beaten or not asked.beaten:
                where = ", ".join(f"{value:.12g}" for value in found.truth)
                print(
                    f"  {'BEATEN' if found.is_beaten else '':<7}{found.method:<24}"
                    f"{found.published:12.8f}{found.largest:12.8f}"
                    f"{found.largest - found.published:+12.2e}   {where}",
                    flush=True,
                )
    print(f"{beaten} published worst alphas are beaten")
    return 1 if beaten else 0


if __name__ == "__main__":
    sys.exit(main())
