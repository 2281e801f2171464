"""The search of worst cases over a box of truths, of families without an exact worst case.

A smallest coverage of many noisy estimates is too small by their noise. So the trials that find
where coverage is low do not say how low it is: the truths with the most misses are simulated again,
by fresh trials. Where values are exact at each truth, none are, and the result has no error.

A search starts at points of the whole box, and goes on at points beside the largest alphas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import polars as pl

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.catalogue import design_for, scenario_for
from harness.config.values import Size
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import Shard, StochasticColumn, simulate_stochastic
from harness.designs.precision import standard_error
from harness.distributions.paired_truths import ConfusionTruth
from harness.kinds.choice.box import Box, BoxTruth
from harness.kinds.choice.exact import Alphas, exact_alphas
from harness.kinds.choice.experiment import Search
from harness.kinds.coverage.columns import RunColumns, opened_columns
from harness.kinds.coverage.experiment import Experiment
from harness.runner.parallel import THREADS, opened_backend, run_tasks
from harness.runner.workload import Progress

_STARTS, _LAST_STARTS = 12, 2
"""How many of the largest values of a column boxes are laid about, in the first and in the second
half of the rounds: many, as the largest one may be none that is near to the worst case."""
_ROUNDS, _EXACT_ROUNDS = 4, 24
"""How often points are drawn in boxes: where alphas are simulated, and where they are exact."""
_EXACT_BESIDE = 30
"""The points of an exact round for each column and range."""
_WIDEST, _FINE, _EXACT_FINE = 0.3, 0.02, 1e-3
"""Half the width of the widest boxes, and of the smallest ones where alphas are simulated and where
they are exact, as shares of a range."""
_APART = 0.1
"""How far the largest values of a column are from each other, as a share of a range."""
_POINTS, _BOXES, _TRIALS, _FRESH = range(4)
"""What draws numbers, each with a seed of its own."""


@dataclass(frozen=True)
class FoundTruth:
    """A truth at which a method covers least, with its actual alpha there."""

    place: BoxTruth
    alpha: float
    std_error: float | None
    """The standard error of alpha; None where it is exact, and not a number where every fresh trial
    misses or none does."""


def searched(
    experiment: Experiment, search: Search, progress: Progress | None = None
) -> pl.DataFrame:
    """Return the worst case over a box of truths, of each method at each alpha and size.

    Args:
        experiment: with the family, sizes, alphas and methods; its own truth does not count. Its
            seed is that of the points and the trials.
        search: the truths and the trials. Of ``points`` half are spread over the box, and half are
            beside the lowest ones; all are spread over a box of one range, and where values are
            exact, of which more truths are searched beside the lowest ones.
        progress: receives the numbers of trials to come and done.

    Returns:
        A row for each size, method and alpha: the family's sizes, ``method``, ``alpha``,
        ``worst_alpha`` and ``worst_std_error``, which is null where the value is exact, the truth
        of the family's columns, ``worst_truth``, the same truth as a config has it, in JSON, and
        ``truths``, the number of truths that were searched.

    Raises:
        InputError: the box is none of the family, or the engine ``enumeration`` has its worst case.
    """
    lowest = lowest_candidates(experiment, search, progress)
    rows = []
    for (size, method, alpha), (candidates, count) in lowest.items():
        worst = max(candidates, key=lambda candidate: candidate.alpha)
        scenario = scenario_for(experiment.family, size, worst.place.truth)
        values = scenario.truths_of(scenario.listed_truths()[0])
        rows.append(
            {
                **scenario.named_sizes,
                "method": method,
                "alpha": alpha,
                "worst_alpha": worst.alpha,
                "worst_std_error": worst.std_error,
                **{
                    name: float(value[0])
                    for name, value in zip(experiment.family.truths, values, strict=True)
                },
                "worst_truth": worst.place.written,
                "truths": count,
            }
        )
    return pl.DataFrame(rows, schema_overrides={"worst_std_error": pl.Float64})


Candidates = dict[int, tuple[list[FoundTruth], int]]
"""The candidates of columns by their positions, with the number of truths searched."""
Found = dict[tuple[Size, str, float], tuple[list[FoundTruth], int]]
"""The candidates of each size, method and alpha, with the number of truths searched."""


def lowest_candidates(
    experiment: Experiment, search: Search, progress: Progress | None = None
) -> Found:
    """Return the truths where each method covers least, with what ``searched`` takes the worst of.

    The arguments and errors are those of ``searched``.
    """
    family = experiment.family
    if family.has_outcomes and design_for(family).listed_truth is not ConfusionTruth:
        raise InputError(
            f"a search over a box of truths is for confusion tables, runs, clusters, strata and "
            f"areas; family {family.name} has worst cases from the engine enumeration"
        )
    box = Box(family, search.over, experiment.estimand)
    seeds = np.random.SeedSequence(experiment.seed).generate_state(4).tolist()
    places = box.places(box.points(search.points, seeds[_POINTS]))
    if not places:
        raise InputError("truth should be a box with a truth at one of the points of the search")
    shown = Progress() if progress is None else progress
    candidates: Found = {}
    with opened_columns(experiment) as columns:
        labels = {
            column.position: (column.method, column.alpha)
            for column in (*columns.deterministic, *(drawn.column for drawn in columns.stochastic))
        }
        for size in experiment.sizes:
            at = _Size(experiment, search, size, box, columns, seeds, shown)
            of_columns = at.candidates(places)
            for position in sorted(of_columns):
                candidates[size, *labels[position]] = of_columns[position]
    return candidates


@dataclass(frozen=True)
class _Size:
    """The search of one size."""

    experiment: Experiment
    search: Search
    size: Size
    box: Box
    columns: RunColumns
    seeds: Sequence[int]
    progress: Progress

    def candidates(self, places: Sequence[BoxTruth]) -> Candidates:
        """Return the candidates by the positions of the columns, with the truths searched."""
        alphas, positions = exact_alphas(self.experiment, self._at(places[0]), self.columns)
        candidates = {} if alphas is None else self._exact(alphas, positions, places)
        left = [
            drawn for drawn in self.columns.stochastic if drawn.column.position not in candidates
        ]
        return candidates | self._simulated(left, places) if left else candidates

    def _at(self, place: BoxTruth) -> Scenario:
        return scenario_for(self.experiment.family, self.size, place.truth)

    def _exact(
        self, alphas: Alphas, positions: Sequence[int], places: Sequence[BoxTruth]
    ) -> Candidates:
        """Return the truths with the largest exact alphas."""

        def values(places: Sequence[BoxTruth]) -> Floats:
            return np.array([alphas(self._at(place)) for place in places])

        more = _EXACT_BESIDE * len(positions) * len(self.box.ranges)
        truths, actual_alphas = self._climbed(values, places, _EXACT_ROUNDS, more, _EXACT_FINE)
        candidates = {}
        for position, column in zip(positions, actual_alphas.T, strict=True):
            lowest = np.argsort(-column, kind="stable")[: self.search.lowest]
            at = [FoundTruth(truths[row], float(column[row]), None) for row in lowest]
            candidates[position] = at, len(truths)
        return candidates

    def _simulated(
        self,
        columns: Sequence[StochasticColumn],
        places: Sequence[BoxTruth],
    ) -> Candidates:
        """Simulate truths, and anew those where each column has the most misses."""
        trials, fresh = self.search.trials, self.search.fresh

        def values(places: Sequence[BoxTruth]) -> Floats:
            tasks = [(place, columns) for place in places]
            return np.array([*self._missed(tasks, trials, self.seeds[_TRIALS])], np.float64)

        first = places if self.box.is_line else places[: -(-len(places) // 2)]
        truths, misses = self._climbed(values, first, _ROUNDS, len(first) // _ROUNDS, _FINE)
        anew = [
            np.argsort(-counts, kind="stable")[: self.search.lowest].tolist() for counts in misses.T
        ]
        asked = {
            row: [drawn for drawn, rows in zip(columns, anew, strict=True) if row in rows]
            for row in sorted({row for rows in anew for row in rows})
        }
        tasks = [(truths[row], some) for row, some in asked.items()]
        by_position: dict[int, list[FoundTruth]] = {drawn.column.position: [] for drawn in columns}
        counted = self._missed(tasks, fresh, self.seeds[_FRESH])
        for (place, some), missed in zip(tasks, counted, strict=True):
            errors = standard_error(missed, np.array(fresh))
            for drawn, m, error in zip(some, missed.tolist(), errors.tolist(), strict=True):
                by_position[drawn.column.position].append(FoundTruth(place, m / fresh, error))
        return {position: (candidates, len(truths)) for position, candidates in by_position.items()}

    def _climbed(
        self,
        values: Callable[[Sequence[BoxTruth]], Floats],
        places: Sequence[BoxTruth],
        rounds: int,
        more: int,
        finest: float,
    ) -> tuple[list[BoxTruth], Floats]:
        """Go on from places where values are large.

        Each round draws points in boxes of all widths about the largest values so far of each
        column. A box of one range, whose points are close to each other, has no rounds.

        Args:
            values: of some places, shape (places, k).
            places: the first ones.
            rounds: how often points are drawn.
            more: the number of points of a round.
            finest: half the width of the smallest boxes, as a share of a range.

        Returns:
            All places, and the values at them.
        """
        all_places, all_values = list(places), values(places)
        if self.box.is_line or len(all_places) == 1:
            return all_places, all_values
        rng = np.random.default_rng(self.seeds[_BOXES])
        for number in range(rounds):
            shares = np.array([place.point for place in all_places])
            count = _STARTS if 2 * number < rounds else _LAST_STARTS
            by_column = [_apart(column, shares, count) for column in all_values.T]
            # The largest value of each column, then the second one of each.
            starts = [row for rows in zip_longest(*by_column) for row in rows if row is not None]
            beside = shares[np.resize(starts, more)]
            width = _WIDEST * (finest / _WIDEST) ** rng.random((more, 1))
            # Each number stays as it is with probability ½, so that faces are searched along.
            moves = rng.integers(2, size=beside.shape) * width
            beside = np.clip(beside + rng.uniform(-1.0, 1.0, beside.shape) * moves, 0.0, 1.0)
            written = {place.written for place in all_places}
            added = [place for place in self.box.places(beside) if place.written not in written]
            if added:
                all_places += added
                all_values = np.concatenate([all_values, values(added)])
        return all_places, all_values

    def _missed(
        self,
        tasks: Sequence[tuple[BoxTruth, Sequence[StochasticColumn]]],
        trials: int,
        seed: int,
    ) -> Iterable[Integers]:
        """Yield the misses of some columns at each truth, shape (k,); they see the same data."""
        execution = self.experiment.execution
        self.progress.expect(trials * len(tasks))
        arguments = [
            (Shard(self._at(place), 0, 0, trials, seed, trials), columns)
            for place, columns in tasks
        ]
        has_process = any(drawn.source.has_process for drawn in self.columns.stochastic)
        with opened_backend(execution) as opened:
            backend = THREADS if has_process else opened
            for missed in run_tasks(_misses, arguments, execution.jobs, backend):
                self.progress.advance(trials)
                yield missed


def _misses(shard: Shard, columns: Sequence[StochasticColumn]) -> Integers:
    tally, _ = simulate_stochastic(shard, columns)
    return np.asarray(tally.by_outcome.missed.sum(axis=1))


def _apart(alphas: Floats, shares: Floats, count: int) -> list[int]:
    """At most ``count`` rows of the largest alphas, none of which is near to a larger one."""
    rows: list[int] = []
    for row in np.argsort(-alphas, kind="stable").tolist():
        if len(rows) == count:
            break
        if all(np.abs(shares[row] - shares[other]).max() > _APART for other in rows):
            rows.append(row)
    return rows
