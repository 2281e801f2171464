"""A claim of a paper, and what the tables of a run say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from harness.distributions.sampling import binomial
from harness.tables.results import Results

AS_CHANCE_ALLOWS = "as many as chance allows: neither tail is below 2.5 %"
"""The rule for the number of 95 % intervals that hold their value."""
HOLDS, IN_PART, FAILS, UNDECIDED = "holds", "holds in part", "does not hold", "not decided"
"""The verdicts."""
_SIGNS = {HOLDS: "good", IN_PART: "warn", FAILS: "bad", UNDECIDED: "faint"}
_PLURALS = {
    HOLDS: "hold",
    IN_PART: "hold in part",
    FAILS: "do not hold",
    UNDECIDED: "are not decided",
}
_SINGULARS = {each: each for each in _SIGNS} | {UNDECIDED: "is not decided"}
_NO_CELLS = "needs cells.parquet, which is not stored here: run the config of it"
_LACKING = "the tables of this run do not hold what it is about"
_INTERVAL_MISSES = 0.05
_TAIL = 0.025


class LackingError(Exception):
    """The tables lack what a claim is about."""


@dataclass(frozen=True)
class Found:
    """What the tables say of a claim."""

    ours: str
    verdict: str


Check = Callable[..., Found]
"""Holds a claim against the tables of a run; raises ``LackingError`` where these lack it."""


@dataclass(frozen=True)
class Claim:
    """What a paper says, with the function that holds it against the tables."""

    where: str
    """The figure or the section."""
    says: str
    """The claim, close to the paper's words; each part that may hold alone is named."""
    number: str
    """The paper's number; empty where it gives none."""
    judged: str
    """The rule by which it holds here, and the part of it by which it holds in part."""
    check: Check


@dataclass(frozen=True)
class Paper:
    """A paper with its claims, by the names of the experiments that make its figures anew."""

    source: str
    """The authors and the year."""
    says: str
    """What one of them, or several, do: ``says`` or ``say``."""
    claims: dict[str, list[Claim]] = field(default_factory=dict)

    def figure(self, experiment: str, where: str) -> Figure:
        """The figure or the section that an experiment makes anew, as far as no claim names one."""
        return Figure(where, self.claims.setdefault(experiment, []))


@dataclass(frozen=True)
class Figure:
    """What a paper says of one of its figures."""

    where: str
    claims: list[Claim]

    def claim(
        self, says: str, number: str, judged: str, where: str = "", **arguments: Any
    ) -> Callable[[Check], Check]:
        """A decorator of the function that holds a claim against the tables.

        Args:
            says, number, judged, where: as a ``Claim`` has them.
            arguments: what the function takes besides the results.
        """

        def registered(check: Check) -> Check:
            held = partial(check, **arguments)
            self.claims.append(Claim(where or self.where, says, number, judged, held))
            return check

        return registered

    def intervals_claim(
        self,
        says: str,
        number: str,
        of: Callable[[Results], pl.DataFrame],
        target: pl.Expr,
        where: str = "",
    ) -> None:
        """Add the claim that of the 95 % intervals of rows most, but not all, hold a value.

        Args:
            says, number, where: as a ``Claim`` has them.
            of: gives the rows.
            target: the value.
        """

        def check(results: Results) -> Found:
            inside, count = held(of(results), target)
            return Found(f"{inside} of {count}", verdict(as_many_as_expected(inside, count)))

        self.claim(says, number, AS_CHANCE_ALLOWS, where)(check)


def verdict(whole: bool, part: bool = False) -> str:
    """The verdict on a claim that holds as a whole, or else in a part that it names."""
    return HOLDS if whole else IN_PART if part else FAILS


def rows(table: pl.DataFrame, *columns: str, **level: Any) -> pl.DataFrame:
    """The rows of a table with these levels.

    Raises:
        LackingError: there are none, or a column has no value in any of them.
    """
    if set(level) - set(table.columns) or set(columns) - set(table.columns):
        raise LackingError
    found = table.filter(**level) if level else table
    if found.is_empty() or any(found[name].is_null().all() for name in columns):
        raise LackingError
    return found


def value(table: pl.DataFrame, column: str, **level: Any) -> float:
    """The only value of a column at these levels.

    Raises:
        LackingError: there is none, or there are several.
    """
    found = rows(table, column, **level)
    if found.height != 1:
        raise LackingError
    return float(found[column].item())


def held(table: pl.DataFrame, target: pl.Expr) -> tuple[int, int]:
    """How many of the 95 % intervals of rows hold a value, and how many there are."""
    known = rows(table, "ci_lower", "ci_upper").drop_nulls(["ci_lower", "ci_upper"])
    inside = known.select((pl.col("ci_lower") <= target) & (target <= pl.col("ci_upper")))
    return int(inside.to_series().sum()), known.height


def as_many_as_expected(held: int, count: int) -> bool:
    """Whether so many of 95 % intervals may hold their value: neither tail is below 2.5 %."""
    missed = np.array([count - held])
    share = np.array([_INTERVAL_MISSES])
    few = float(binomial.cdf(missed, share, count)[0])
    many = float(binomial.sf(missed - 1, share, count)[0])
    return min(few, many) >= _TAIL


@dataclass(frozen=True)
class Decided:
    """A claim with what is found."""

    claim: Claim
    found: Found

    @property
    def sign(self) -> str:
        """Whether the verdict is ``good``, ``bad``, in between or none, as a page colours it."""
        return _SIGNS[self.found.verdict]


def decide(claims: Sequence[Claim], results: Results) -> list[Decided]:
    """Claims with their verdicts, each computed from the tables."""
    return [Decided(claim, _found(claim, results)) for claim in claims]


def _found(claim: Claim, results: Results) -> Found:
    try:
        return claim.check(results)
    except LackingError:
        return Found(_NO_CELLS if results.cells.is_empty() else _LACKING, UNDECIDED)


def how_many_hold(decided: Sequence[Decided]) -> str:
    """How many claims hold, in a sentence."""
    verdicts = [each.found.verdict for each in decided]
    if len(decided) == 1:
        return f"Its claim {verdicts[0]}." if verdicts[0] != UNDECIDED else ""
    counts = [(verdicts.count(verdict), verdict) for verdict in _SIGNS]
    parts = [
        f"{count} {(_PLURALS if count > 1 else _SINGULARS)[each]}"
        for count, each in counts
        if count
    ]
    return f"Of {len(decided)} claims {', '.join(parts)}."
