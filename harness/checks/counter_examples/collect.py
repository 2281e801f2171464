"""Give each finding that is no plain pass the numbers of its picture, as far as they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from scipy.special import ndtr

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats
from harness.catalogue import design_for
from harness.checks.behaviour import EXACT_NUMBERS, WORST
from harness.checks.conformance.properties import Evaluation
from harness.checks.contract.exact import MEAN_NAME, TERMS, WORST_NAME
from harness.checks.contract.length import SHRINKS
from harness.checks.contract.simulated import ERROR
from harness.checks.counter_examples.intervals import interval_example
from harness.checks.findings import (
    AGAINST,
    CONFORMANCE,
    PASS,
    SIDE,
    CounterExample,
    Finding,
    MissExample,
    NumberExample,
    TailExample,
    format_cell,
    is_known,
)
from harness.checks.plans import scenario_of
from harness.checks.scenarios import limits_table, truths_inside
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.checks.tails.levels import TAIL_CHECKS
from harness.checks.tails.tails import LimitName, LimitTails
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.distributions.truths import DiscreteTruth, PairTruth
from harness.methods.method import NONE, Contract
from harness.tables.wording import covered, nominal

_MEASURED = {SHRINKS: "mean length over that at a quarter of the size"}
"""What a number is of, where the name of the check does not say it."""
_NO_PLACE = ("limit", "found", "expected")
"""What a cell holds beside the place of a limit."""


@dataclass(frozen=True)
class Computed:
    """What a check has computed about a method."""

    subject: Subject
    contract: Contract
    """What the method is held to."""
    evaluations: Sequence[Evaluation] = ()
    records: Sequence[LimitTails] = ()
    exact: pl.DataFrame = field(default_factory=pl.DataFrame)

    def with_counter_examples(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings; those that are no plain pass have their counter-example where it is known.

        No limit is computed that the check has not asked for already.
        """
        return [
            finding
            if finding.verdict == PASS
            else replace(finding, counter_example=self._of(finding))
            for finding in findings
        ]

    def _of(self, finding: Finding) -> CounterExample | None:
        if finding.kind == CONFORMANCE or finding.check == EXACT_NUMBERS:
            return interval_example(finding, self.evaluations) if finding.cell else None
        example: CounterExample | None = None
        if finding.check in TAIL_CHECKS:
            example = tail_example(finding, self.records)
        example = example or miss_example(finding, self.subject, self.exact, self.contract)
        return example or self._numbers(finding)

    def _numbers(self, finding: Finding) -> NumberExample | None:
        """The number of a finding beside what it is compared with."""
        cell = finding.cell
        found, expected = (float(cell.get(name, math.nan)) for name in ("found", "expected"))
        if not is_known(found, expected):
            return None
        measured, words = _MEASURED.get(finding.check, finding.check), "allowed"
        if finding.kind == AGAINST:
            reference, _, title = finding.check.removeprefix(f"{AGAINST} ").rpartition(": ")
            measured, words = title or finding.check, reference or "expected"
        if "limit" in cell:
            place = {name: value for name, value in cell.items() if name not in _NO_PLACE}
            measured = f"the {cell['limit']} limit at {format_cell(place)}"
        if finding.check == ERROR:
            expected = math.copysign(expected, found)  # a margin on both sides of 0
        family = self.subject.family
        grid: dict[str, tuple[float, ...]] = {}
        for name in (*family.outcome_sizes, "alpha"):
            if name in cell:
                value = float(cell[name])
                grid[name] = (value,)
                if finding.check == SHRINKS and name != "alpha":
                    # The length is compared with that at a quarter of the size.
                    grid[name] = (0.25 * value, value)
        return NumberExample(
            f"{measured[0].upper()}{measured[1:]} is {found:.6g}; {words}: {expected:.6g}.",
            measured,
            found,
            expected,
            words,
            grid,
        )


_COLUMNS = 420
"""The most columns of a picture; of the curve in each its ends and extremes are kept."""
_LARGEST = 20_000
"""The most outcomes whose limits are asked for."""


def miss_example(
    finding: Finding, subject: Subject, exact: pl.DataFrame, contract: Contract
) -> MissExample | None:
    """The curve of a finding about the worst alpha or the mean alpha error.

    Args:
        finding: of the exact numbers.
        subject: the method, which has been asked for all limits already.
        exact: its exact numbers.
        contract: what it is held to.

    Returns:
        The curve; None where there is none, as of pairs.
    """
    family, cell = subject.family, finding.cell
    names = (*family.sizes, "alpha")
    if finding.check not in (MEAN_NAME, WORST_NAME) or not subject.deterministic:
        return None
    if any(name not in cell for name in names):
        return None
    *sizes, alpha = (float(cell[name]) for name in names)
    size: Size = design_for(subject.family).size_of(sizes)
    scenario = scenario_of(subject.family, size)
    try:
        if solver_of(scenario).possible_count() > _LARGEST:
            return None
        limits = limits_table(subject, scenario, [alpha])
        held, words = scenario, ""
        if family.samples == 2:
            # The truth of the second sample is that of the worst alpha.
            row = exact.filter(pl.col("alpha") == alpha, pl.col(WORST).is_not_null())
            for name, number in zip(family.sizes, sizes, strict=True):
                row = row.filter(pl.col(name) == number)
            second = float(row[family.numbered("worst_truth")[1]][0])
            assert isinstance(scenario.truth, PairTruth)
            truth = PairTruth(scenario.truth.first, DiscreteTruth((second,)))
            held = replace(scenario, truth=truth)
            words = f"{family.symbols[1]} = {second:.4g}, "
            limits = Limits.of(held, limits.outcomes, limits.lower, limits.upper)
        curve = solver_of(held).miss_curve(limits)
    except HarnessError:
        return None
    if curve is None:
        return None
    truths, missed = _thinned(curve.truths, curve.missed)
    is_mean = finding.check == MEAN_NAME
    everywhere = contract != NONE and TERMS[contract].everywhere
    inside = None if is_mean or everywhere else truths_inside(scenario)[0]
    worst = None
    if not is_mean:
        low, high = inside or (-math.inf, math.inf)
        where = (curve.truths >= low) & (curve.truths <= high)
        if where.any():
            place = int(np.argmax(np.where(where, curve.missed, -1.0)))
            worst = float(curve.truths[place]), float(curve.missed[place])
    found, expected = float(cell["found"]), float(cell["expected"])
    supremum = cell.get(family.numbered("worst_truth")[0])
    if isinstance(supremum, int | float):
        # It may be the limit at a jump, or beyond the truths of the curve.
        worst = float(supremum), found
    return MissExample(
        sentence=_sentence(is_mean, alpha, found, expected, worst, family.symbols[0]),
        truth=family.symbols[0],
        unit=family.model.UNIT,
        held=words + format_cell({**{name: cell[name] for name in family.sizes}, "alpha": alpha}),
        truths=truths,
        missed=missed,
        alpha=alpha,
        allowed=alpha - expected if is_mean else expected,
        mean=alpha - found if is_mean else None,
        inside=inside,
        worst=worst,
        grid={name: (float(cell[name]),) for name in names},
    )


def _sentence(
    is_mean: bool,
    alpha: float,
    found: float,
    expected: float,
    worst: tuple[float, float] | None,
    symbol: str,
) -> str:
    if is_mean:
        need = "at least" if found < 0 else "at most"
        return (
            f"On average the intervals cover {_covered(alpha - found, alpha)}; {need} "
            f"{_covered(alpha - expected, alpha)} is allowed, nominal is {nominal(alpha)}."
        )
    place = "At worst" if worst is None or not is_known(*worst) else f"At {symbol} = {worst[0]:.4g}"
    missed = found if worst is None or not is_known(*worst) else worst[1]
    return (
        f"{place} the intervals cover {_covered(missed, alpha)}; at least "
        f"{_covered(expected, alpha)} is needed, nominal is {nominal(alpha)}."
    )


def _covered(missed: float, alpha: float) -> str:
    return covered(missed, alpha) if math.isfinite(missed) else "an unknown share"


def _thinned(truths: Floats, missed: Floats) -> tuple[Floats, Floats]:
    """The curve as a picture shows it: in each column its first, lowest, highest and last point."""
    if truths.size <= 4 * _COLUMNS:
        return truths, missed
    edges = np.linspace(truths[0], truths[-1], _COLUMNS + 1)
    column = np.clip(np.searchsorted(edges, truths, side="right") - 1, 0, _COLUMNS - 1)
    kept: list[int] = []
    for places in np.split(np.arange(truths.size), np.flatnonzero(np.diff(column)) + 1):
        low, high = places[missed[places].argmin()], places[missed[places].argmax()]
        kept += sorted({int(places[0]), int(low), int(high), int(places[-1])})
    return truths[kept], missed[kept]


_BESIDE = 15
"""The most outcomes on each side of that of the finding."""
_MOST = 201
"""The most outcomes where a finding is about all of a size."""
_ALPHAS_BESIDE = 1


def tail_example(finding: Finding, records: Sequence[LimitTails]) -> TailExample | None:
    """The tails at the size and alpha of a finding; None where it has no such place.

    Args:
        finding: about tail probabilities, or that neighbours disagree.
        records: the tails that the finding was made by.
    """
    cell = finding.cell
    for tails in records:
        if not tails.outcomes.size_cell.items() <= cell.items():
            continue
        if cell.get(SIDE, tails.side) != tails.side or cell.get("alpha") not in tails.alphas:
            continue
        example = _along_a_count(finding, tails)
        if example is not None:
            return example
    return None


def _along_a_count(finding: Finding, tails: LimitTails) -> TailExample | None:
    """The tails along one count, where the finding names all others."""
    cell, outcomes = finding.cell, tails.outcomes
    number = tails.alphas.index(float(cell["alpha"]))
    family = outcomes.family
    *others, axis = family.counts
    if family.shares_size:
        # A pair moves from second_only to first_only, while the other two cells stay.
        others, axis = ["both", "neither"], "first_only"
    columns = dict(zip(family.counts, outcomes.flat(), strict=True))
    places = np.arange(columns[axis].size)
    for name in others:
        if name not in cell:
            return None
        places = places[columns[name][places] == cell[name]]
    places = places[np.argsort(columns[axis][places])]
    x, here = columns[axis][places], cell.get(axis)
    if here is None and x.size > _MOST:
        return None
    if here is not None and here not in x:
        return None
    limit: LimitName = "upper" if "upper" in cell else "lower"
    names = tails.names
    if here is not None:
        middle = int(np.flatnonzero(x == here)[0])
        near = slice(max(0, middle - _BESIDE), middle + _BESIDE + 1)
        x, places, names = x[near], places[near], (limit,)
    is_whole = here is not None and "found" in cell and "r" not in cell
    values: dict[LimitName, Floats] = {}
    for limit_name in names:
        # The tail has all of the outcome's own probability, or half of it.
        half = ndtr(-tails.r[limit_name][number] * tails.z.ravel()[number])
        of_size = tails.tail[limit_name][number] if is_whole else half
        values[limit_name] = of_size.ravel()[places]
    expected = float(cell["expected"] if is_whole else tails.expected[number])
    is_bound = is_whole and expected == tails.alphas[number]
    held = {name: cell[name] for name in others}
    held |= {**outcomes.size_cell, "alpha": tails.alphas[number]}
    return TailExample(
        sentence=_tail_sentence(finding, axis, limit, values, x, expected, is_bound),
        count=axis,
        held=format_cell(held),
        outcomes=x,
        tails={str(name): column for name, column in values.items()},
        expected=expected,
        is_bound=is_bound,
        is_half=not is_whole,
        place=None if here is None else (limit, float(here)),
        grid=_grid(finding, tails, number),
    )


def _tail_sentence(
    finding: Finding,
    axis: str,
    name: LimitName,
    values: Mapping[LimitName, Floats],
    x: Floats,
    expected: float,
    is_bound: bool,
) -> str:
    words = f"{expected:.3g} {'allowed' if is_bound else 'expected'} (the line)"
    here = finding.cell.get(axis)
    if here is None:
        return (
            f"Each mark is the tail that one limit leaves; {words}. The finding is about all of "
            "them together."
        )
    left = float(values[name][x == here][0])
    if math.isnan(left):
        return f"The {name} limit at {axis} = {here} leaves no tail; {words}."
    side = "above" if name == "upper" else "below"
    return f"The {name} limit at {axis} = {here} leaves {left:.3g} {side}, {words}."


def _grid(finding: Finding, tails: LimitTails, number: int) -> dict[str, tuple[float, ...]]:
    """Where a check finds it again: a finding about all limits is about neighbours as well."""
    named = zip(tails.outcomes.size_cell, tails.outcomes.sizes, strict=True)
    sizes: dict[str, tuple[float, ...]] = {name: (size,) for name, size in named}
    alphas: tuple[float, ...] = (tails.alphas[number],)
    if not any(name in finding.cell for name in tails.names):
        alphas = tails.alphas[max(0, number - _ALPHAS_BESIDE) : number + _ALPHAS_BESIDE + 1]
        if "factor" in finding.cell:
            alphas = tails.alphas
        if len(sizes) == 1 and finding.check == "neighbours agree":
            sizes = {name: (size[0] - 1.0, size[0]) for name, size in sizes.items()}
    return {**sizes, "alpha": alphas}
