"""The worst case of each column, computed a second time.

The miss probability at its truth is the sum of the probabilities of the outcomes that miss, from
the recurrences of the second computation, and not of tails or of what a search used. On a net of
truths that no search used none may be missed more often: an exact worst case is wrong where one is.
Where a search found the worst case, which it does not call exact, the larger one replaces it.

A net has truths at random within a range, and truths at which the parameter is a limit of a column,
where its miss probability jumps. The numbers drawn are the same in every run of a scenario: exact
values depend on no seed of an experiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.design import Scenario, keyed_stream
from harness.designs.engines.solver import Places, Solver, Truths
from harness.designs.engines.verification import SECOND, Comparison, Rows, relative_difference
from harness.designs.limits import Limits
from harness.designs.miss_sets import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    SIDES,
    are_ordered,
    beside,
    beside_all,
    ends_within,
    lattice_above,
    lattice_below,
)
from harness.designs.results import Enumerated, WorstCase
from harness.families.family import ENUMERATION

NET_SEED = 20030101
"""The seed of all nets, by which and by the scenario their random truths are drawn."""

A_NET = "a net of truths"
"""What the worst cases are compared with, in the manifest of a run."""

BY_NET = "a net of truths, on which a search found less"

# Truths at random, and at the limits of each column; the fewest of each.
_RANDOM, _AT_LIMITS, _FEWEST = 16_000, 4_000, 16
# The most truths by outcomes, of exact worst cases and of searched ones. A net is the same whatever
# other columns there are, as what a search found is replaced by it.
_EXACT_CELLS, _SEARCHED_CELLS = 1 << 22, 1 << 24
# Differences below this are compared with an absolute error of this times the tolerance.
_SMALL = 1e-5
# Of truths that are equally bad but for this, relatively, the first one is published with the
# largest alpha of all.
_SAME = 2e-11
# The parameter at a searched truth is a limit but for rounding.
_ROUNDED = 1e-9


def confirmed(
    solver: Solver, limits: Limits, found: Enumerated
) -> tuple[Enumerated, list[Comparison]]:
    """Return the results with confirmed worst cases, and how far these are from a second route.

    Args:
        solver: of the scenario.
        limits: those that the engines used.
        found: the results, whose worst cases a search may have found.
    """
    comparisons: list[Comparison] = []
    cases: dict[str, tuple[WorstCase | None, ...]] = {}
    for name, over in (("worst", solver.hull()), ("worst_anywhere", solver.whole_range())):
        given = getattr(found, name)
        if all(case is None for case in given):
            continue
        if name != "worst" and all(a in (None, b) for a, b in zip(given, found.worst, strict=True)):
            continue
        apart = _apart(solver, limits, found, given)
        comparisons.append(Comparison(ENUMERATION, SECOND, "worst cases", apart))
        is_point = all(low == high for low, high in over)
        places = None if is_point else solver.places(over)
        if places is not None:
            given, excess = _against_net(solver, limits, given, places, solver.cost_of_truth(over))
            comparisons.append(Comparison(ENUMERATION, A_NET, "worst cases", excess))
        cases[name] = given
    worst, anywhere = (
        cases.get(name, getattr(found, name)) for name in ("worst", "worst_anywhere")
    )
    return replace(found, worst=worst, worst_anywhere=anywhere), comparisons


def _apart(
    solver: Solver, limits: Limits, found: Enumerated, cases: Sequence[WorstCase | None]
) -> Floats:
    """Return how far each worst case is from the sum of probabilities at its own truth, (k,)."""
    apart = np.zeros(len(cases))
    for row, case in enumerate(cases):
        if case is None:
            continue
        column = _Intervals(limits.lower[row], limits.upper[row])
        truths = tuple(np.array([truth]) for truth in case.truths)
        rows = solver.rows_again(limits, truths)
        if rows is not None:
            theta = solver.scenario.family.parameter_at(truths)
            again = column.missed_beside(list(rows), float(theta[0]), case)
        elif found.by_truth is not None:
            again = found.by_truth.missed[row].max(keepdims=True)
        else:
            continue
        apart[row] = relative_difference(np.array(case.alpha), again, _SMALL).min()
    return np.maximum(apart - _SAME, 0.0)


@dataclass(frozen=True)
class _Intervals:
    """The limits of one column, shape (m,)."""

    lower: Floats
    upper: Floats

    def missed(self, rows: Iterable[Rows], theta: Floats, approach: Integers) -> Floats:
        """Return the sum of the probabilities of the outcomes that miss, shape (t,)."""
        sums = np.zeros(theta.size)
        under, over = beside_all(theta, approach)
        for truths, outcomes, probability in rows:
            lower, upper = self.lower[outcomes], self.upper[outcomes]
            missed = lower > under[truths, np.newaxis]
            missed |= upper < over[truths, np.newaxis]
            sums[truths] = (probability * missed).sum(axis=1)
        return sums

    def missed_by_sums(
        self, total: Floats, outcomes: Positions, theta: Floats, approach: Integers
    ) -> Floats:
        """Return what is missed where no limit decreases, from running sums; shape (t,)."""
        under, over = beside_all(theta, approach)
        first = np.searchsorted(self.upper[outcomes], over)
        last = np.searchsorted(self.lower[outcomes], under, side="right")
        row = np.arange(theta.size)
        return np.where(
            first >= last, total[:, -1], total[row, first] + (total[:, -1] - total[row, last])
        )

    def missed_beside(self, rows: Sequence[Rows], theta: float, case: WorstCase) -> Floats:
        """Return what may be missed at θ on the side of a worst case, shape (c,).

        A search knows θ itself, which follows from its truths but for rounding: every limit that
        equals it so far may be meant, and AT a θ that is one, either side of it.
        """
        approach = {text: number for number, text in SIDES.items()}[case.side]
        if case.found_by is None:
            return self.missed(rows, np.array([theta]), np.array([approach]))
        ends = {FROM_ABOVE: self.upper, FROM_BELOW: self.lower}.get(approach)
        near = np.concatenate((self.lower, self.upper)) if ends is None else ends
        near = np.unique(near[np.abs(near - theta) <= _ROUNDED * max(abs(theta), _SMALL)])
        sides = [*SIDES] if approach == AT else [approach]
        asked = [(theta, approach), *product(near.tolist(), sides)]
        misses = (self.missed(rows, np.array([one]), np.array([side])) for one, side in asked)
        return np.concatenate(list(misses))


def _against_net(
    solver: Solver,
    limits: Limits,
    cases: Sequence[WorstCase | None],
    places: Places,
    cost: float,
) -> tuple[tuple[WorstCase | None, ...], Floats]:
    """Return the worst cases with larger ones of a net where a search found them.

    The second result is by how much exact ones are exceeded on the net, shape (k,); ``cost`` is
    about the number of outcomes at one truth.
    """
    scenario, excess = solver.scenario, np.zeros(len(cases))
    searched = [case is not None and case.found_by is not None for case in cases]
    cells = _SEARCHED_CELLS if any(searched) else _EXACT_CELLS
    truths = places.between(_count(_RANDOM, cells, cost), _stream(scenario, "between"))
    theta = scenario.family.parameter_at(truths)
    between = Net(truths, theta, np.full(theta.size, AT)).ascending()
    largest = _largest(solver, limits, between, range(len(cases)))
    replaced = list(cases)
    for row, case in enumerate(cases):
        if case is None:
            continue
        lower, upper = limits.lower[row], limits.upper[row]
        count = _count(_AT_LIMITS, cells // 4, cost)
        at_limits = net_at_limits(places, scenario, lower, upper, count)
        (beside_limits,) = _largest(solver, limits, at_limits, [row])
        on_net = max(largest[row], beside_limits, key=lambda candidate: candidate.alpha)
        if case.found_by is None:
            excess[row] = max(on_net.alpha - case.alpha, 0.0)
            continue
        larger = on_net if on_net.alpha > case.alpha else case
        replaced[row] = replace(larger, searched=case.alpha, on_net=on_net.alpha)
    return tuple(replaced), excess


def _count(most: int, cells: int, cost: float) -> int:
    return int(np.clip(cells // max(cost, 1.0), _FEWEST, most))


def _largest(solver: Solver, limits: Limits, net: Net, rows: Sequence[int]) -> list[WorstCase]:
    """Return the truth of a net that each of the columns misses most often."""
    columns = [_Intervals(limits.lower[row], limits.upper[row]) for row in rows]
    missed = np.zeros((len(columns), net.theta.size))
    again = solver.rows_again(limits, net.truths)
    assert again is not None
    ordered = [are_ordered(column.lower, column.upper) for column in columns]
    for truths, outcomes, probability in again:
        theta, approach = net.theta[truths], net.approach[truths]
        total = None
        if any(ordered):
            # The sums of the first 0, 1, … probabilities at each truth.
            total = np.zeros((probability.shape[0], probability.shape[1] + 1))
            np.cumsum(probability, axis=1, out=total[:, 1:])
        for place, column in enumerate(columns):
            if ordered[place] and total is not None:
                missed[place, truths] = column.missed_by_sums(total, outcomes, theta, approach)
            else:
                part = np.arange(truths.size), outcomes, probability
                missed[place, truths] = column.missed([part], theta, approach)
    cases = []
    for by_column in missed:
        if by_column.size == 0:
            cases.append(WorstCase(0.0, (), SIDES[AT], ()))
            continue
        place = int(by_column.argmax())
        case = tuple(float(values[place]) for values in net.truths)
        side = int(net.approach[place])
        witness = (beside(case[0], side),) if len(case) == 1 else case
        alpha = min(float(by_column[place]), 1.0)
        cases.append(WorstCase(alpha, case, SIDES[side], witness, BY_NET))
    return cases


@dataclass(frozen=True)
class Net:
    """Truths, the parameter at each of them, and how it is approached; shape (t,)."""

    truths: Truths
    theta: Floats
    approach: Integers
    """AT the parameter, or the limit towards it FROM_BELOW or FROM_ABOVE."""

    def at(self, index: Positions) -> Net:
        """Return some of the truths."""
        truths = tuple(truth[index] for truth in self.truths)
        return Net(truths, self.theta[index], self.approach[index])

    def ascending(self) -> Net:
        """Return the same by the first truth."""
        return self.at(np.argsort(self.truths[0], kind="stable"))


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
    within = ends_within(lower, upper, low, high)
    chosen, most = [], count // 2
    for ends in (np.union1d(within[FROM_ABOVE], low), np.union1d(within[FROM_BELOW], high)):
        if ends.size <= most:
            chosen.append(ends)
            continue
        # The first and the last limits, and others at random.
        kept = rng.choice(ends.size, most, replace=False)
        kept[:4] = 0, 1, ends.size - 2, ends.size - 1
        chosen.append(ends[np.unique(kept)])
    theta = np.concatenate(chosen)
    approach = np.repeat([FROM_ABOVE, FROM_BELOW], [ends.size for ends in chosen])
    if places.lattice is not None:
        theta = np.concatenate(
            (lattice_above(chosen[0], places.lattice), lattice_below(chosen[1], places.lattice))
        )
        theta, approach = np.clip(theta, low, high), np.zeros_like(approach)
    net = Net(places.beside(theta, rng), theta, approach)
    return net.at(np.flatnonzero(np.isfinite(sum(net.truths)))).ascending()


def _stream(scenario: Scenario, what: str) -> np.random.Generator:
    return keyed_stream({"net": what, **scenario.content_of_limits()}, NET_SEED, 0)
