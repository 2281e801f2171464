"""What each contract allows of the actual alpha, and which contracts exact numbers keep.

| contract | mean actual alpha / alpha | worst actual alpha / alpha | at the truths |
|---|---|---|---|
| nominal | 0.7 … 1.3 | at most 4 | inside the range |
| approximate | 0.45 … 1.3 | at most 4.5 | inside the range |
| conservative | at most 1 | at most 1.5 | inside the range |
| at-least | | at most 1 | all |

The mean is that under a flat prior. The range is 0.1 … 0.9 of a proportion. All contracts but
at-least apply from n = 10 on and for alpha from 0.01 to 0.2; of a rate, where n has no counterpart,
nominal at every exposure, and the others where 20 events are expected on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.base.text import plain_number
from harness.checks.behaviour import FAULT, MEAN_POSTERIOR, WORST, WORST_INSIDE
from harness.checks.findings import (
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    Finding,
    FindingPlaces,
    and_more,
    format_cell,
)
from harness.checks.plans import RATES
from harness.checks.sizes import Size
from harness.families.family import Family
from harness.methods.method import (
    APPROXIMATE,
    AT_LEAST,
    CONSERVATIVE,
    NOMINAL,
    NONE,
    Contract,
)

MARGIN = 0.3
"""How far from 0 the mean alpha error of a nominal method may be, as a multiple of alpha."""
MOST_INSIDE = 4.0
"""How often a nominal method may miss a truth inside the range, as a multiple of alpha.

A one-sided limit may miss twice as often: with another limit of the same alpha it makes an
interval of 2·alpha, and at one truth all misses of that interval may be its own.
"""
HAIR_OF_MEAN, HAIR_OF_WORST = 0.1 * MARGIN, 0.1
"""What is narrowly missed, and so a remark and no failure.

Of a mean by a tenth of the usual margin, as a multiple of alpha; of a worst alpha inside the range
by a tenth of what is allowed. "at-least" has none of it: a probability is above alpha or is not.
"""
SMALLEST_N = 10
"""The contracts but at-least apply from this number of trials on: with fewer no method is near."""
FEWEST_EVENTS = 20.0
"""The contracts of a rate, "nominal" excepted, apply where so many events are expected at the mean
of the true rates of a check."""
ALPHAS = (0.01, 0.2)
"""The smallest and the largest alpha of these contracts: at smaller alphas discrete outcomes alone
decide how often a truth is missed."""
NO_LARGE_SIZE = (
    f"no size of {SMALLEST_N} or more with sound limits was checked at an alpha of "
    f"{ALPHAS[0]:g} to {ALPHAS[1]:g}"
)
ROUNDING = 1e-9
"""What rounding may add to a worst alpha."""

CONTRACT_CHECKS = MEAN_NAME, WORST_NAME = "mean alpha error", "worst alpha"


@dataclass(frozen=True)
class Terms:
    """What a contract allows, as multiples of alpha."""

    mean: tuple[float, float] | None
    """The smallest and the largest mean actual alpha; None where any is allowed."""
    worst: float
    """The largest actual alpha."""
    everywhere: bool = False
    """Whether that is at all truths, sizes and alphas; else at the truths inside the range."""


TERMS: Mapping[Contract, Terms] = {
    NOMINAL: Terms((1.0 - MARGIN, 1.0 + MARGIN), MOST_INSIDE),
    AT_LEAST: Terms(None, 1.0, everywhere=True),
    CONSERVATIVE: Terms((0.0, 1.0), 1.5),
    APPROXIMATE: Terms((0.45, 1.0 + MARGIN), 4.5),
}
"""The terms of every contract but none."""

CHAINS = ((NOMINAL, APPROXIMATE), (AT_LEAST, CONSERVATIVE))
"""Contracts each of which implies the next one."""


@dataclass(frozen=True)
class ContractBounds:
    """What a contract allows of one number of the exact behaviour."""

    name: str
    """The name of the check."""
    column: str
    least: float
    """The smallest number that is allowed, as a multiple of alpha."""
    most: float
    """The largest one, as a multiple of alpha."""
    hair: float = 0.0
    """How much less or more is a remark, as a multiple of alpha."""
    rounding: float = 0.0
    """What rounding may add to the largest number."""
    is_multiple: bool = True
    """Whether the smallest and the largest number are multiples of alpha, or numbers themselves."""

    def allowed(self, alpha: float) -> tuple[float, float]:
        """The smallest and the largest number at an alpha."""
        unit = alpha if self.is_multiple else 1.0
        return self.least * unit, self.most * unit + self.rounding

    def excess(self, rows: pl.DataFrame) -> Floats:
        """How far each number lies outside what is allowed, in alphas; negative inside."""
        alphas, numbers = rows["alpha"].to_numpy(), rows[self.column].to_numpy()
        low, high = np.array([self.allowed(alpha) for alpha in alphas]).reshape(-1, 2).T
        return np.asarray(np.maximum(numbers - high, low - numbers) / alphas)

    def worst_finding(self, rows: pl.DataFrame, family: Family) -> Finding:
        """The finding at one alpha, for the size where the number is furthest out."""
        alpha = float(rows["alpha"][0])
        outside = self.excess(rows)
        row = rows.row(int(outside.argmax()), named=True)
        low, high = self.allowed(alpha)
        number, place = row[self.column], cell_of(row, family)
        expected = low if number < low else high
        cell = {**place, "found": number, "expected": expected}
        if self.column == MEAN_POSTERIOR:
            message = _difference(MEAN_POSTERIOR, row, family).replace("mean alpha is", "mean")
            allowed = f"{alpha - high:.4g}–{alpha - low:.4g}"
        else:
            message = f"{number:.4g} at {format_cell(place)}"
            allowed = f"{high:.4g}"
        if self.column == WORST:
            truths = {name: row[name] for name in family.numbered("worst_truth")}
            cell |= truths
            message += f", {format_cell(dict(zip(family.truths, truths.values(), strict=True)))}"
        broken = outside > 0
        if not broken.any():
            return Finding(self.name, CONTRACT, PASS, f"at worst {message}", cell)
        message += f"; {allowed} allowed"
        far = outside > self.hair
        more = f" of {rows.height} sizes"
        if not far.any():
            message += f": narrowly missed{and_more(int(broken.sum()), more)}"
            return Finding(self.name, CONTRACT, REMARK, message, cell)
        message += and_more(int(far.sum()), more)
        severity = abs(number / expected) if expected else math.inf
        columns = {name: rows[name].to_numpy()[far] for name in (*family.sizes, "alpha")}
        places = FindingPlaces({**columns, "found": rows[self.column].to_numpy()[far]})
        return Finding(self.name, CONTRACT, FAIL, message, cell, severity, places)


def bounds_of(
    contract: Contract, margin: float | None = None, one_sided: bool = False
) -> tuple[ContractBounds, ...]:
    """What a contract allows of each number.

    Args:
        contract: any but none.
        margin: of the mean alpha error of a nominal method, instead of 0.3·alpha; it is meant as
            it is given, and so has no hair.
        one_sided: whether the method has limits of one side only.
    """
    terms, most = TERMS[contract], most_inside(contract, one_sided)
    if terms.everywhere:
        return (ContractBounds(WORST_NAME, WORST, -math.inf, most, rounding=ROUNDING),)
    hair = HAIR_OF_WORST * most
    inside = ContractBounds(WORST_NAME, WORST_INSIDE, -math.inf, most, hair, ROUNDING)
    if margin is not None and contract == NOMINAL:
        mean = ContractBounds(MEAN_NAME, MEAN_POSTERIOR, -margin, margin, is_multiple=False)
    else:
        low, high = mean_alphas(contract)
        least, most = 1.0 - high, 1.0 - low
        mean = ContractBounds(MEAN_NAME, MEAN_POSTERIOR, least, most, HAIR_OF_MEAN)
    return (mean, inside)


def mean_alphas(contract: Contract) -> tuple[float, float]:
    """The smallest and the largest mean actual alpha of a contract, as multiples of alpha."""
    return TERMS[contract].mean or (0.0, math.inf)


def most_inside(contract: Contract, one_sided: bool) -> float:
    """How often a method may miss a truth, as a multiple of alpha."""
    terms = TERMS[contract]
    return 2.0 * terms.worst if one_sided and not terms.everywhere else terms.worst


def applying_rows(contract: Contract, behaviour: pl.DataFrame, family: Family) -> pl.DataFrame:
    """The rows of exact numbers that a contract applies to."""
    rows = behaviour.filter(pl.col(WORST).is_not_null())
    if TERMS[contract].everywhere:
        return rows
    smallest, largest = ALPHAS
    room = 1e-9  # of the decimals of an alpha
    rows = rows.filter(pl.col("alpha").is_between(smallest * (1 - room), largest * (1 + room)))
    if not family.model.SIZE_IS_COUNT:
        if contract == NOMINAL or not family.has_single_count:
            return rows
        mean_rate = 0.5 * sum(RATES)
        return rows.filter(pl.col(family.sizes[0]) * mean_rate >= FEWEST_EVENTS)
    large = [pl.col(name) >= SMALLEST_N for name in family.sizes]
    return rows.filter(pl.all_horizontal(large))


def is_large(family: Family, size: Size) -> bool:
    """Whether every contract applies at this size; they do at every exposure."""
    if not family.model.SIZE_IS_COUNT:
        return True
    return all(n >= SMALLEST_N for n in (size if isinstance(size, tuple) else (size,)))


def is_usual(alpha: float) -> bool:
    """Whether every contract applies at this alpha."""
    return ALPHAS[0] <= alpha <= ALPHAS[1]


def check_contract(
    contract: Contract,
    behaviour: pl.DataFrame,
    family: Family,
    margin: float | None = None,
    one_sided: bool = False,
) -> list[Finding]:
    """Check the exact behaviour of a method against a contract.

    - nominal, from n = 10 on: the mean alpha error over a uniform truth is within the margin, and
      the worst alpha over the truths inside the range is at most 4·alpha; 8·alpha for one-sided
      limits.
    - approximate, conservative: the same with other bounds, see ``terms``.
    - at-least: the worst alpha over all truths is at most alpha.
    - none: nothing is checked.

    Args:
        contract: the contract.
        behaviour: the exact numbers of the method.
        family: the family of the method.
        margin: of the mean alpha error of a nominal method; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.

    Returns:
        A finding for each number of the contract and each alpha, at the size where it is worst. A
        number that narrowly misses them is a remark.
    """
    if contract == NONE:
        return []
    rows = applying_rows(contract, behaviour, family)
    findings = []
    for bounds in bounds_of(contract, margin, one_sided):
        numbers = rows.filter(pl.col(bounds.column).is_not_null())
        if numbers.is_empty():
            findings.append(Finding(bounds.name, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {}))
        for _, part in numbers.group_by("alpha", maintain_order=True):
            findings.append(bounds.worst_finding(part, family))
    return findings


def cell_of(row: dict[str, float], family: Family) -> dict[str, float | int | str]:
    """The sizes and alpha of a row, whole numbers as such."""
    keys = (*family.sizes, "alpha")
    return {key: plain_number(row[key]) for key in keys}


KEEPS = "keeps: "


@dataclass(frozen=True)
class Judgement:
    """Whether a contract is kept."""

    kept: bool
    reason: str = ""
    """Why not, in a clause; of one that is kept, by what hair."""


def contracts_kept(
    behaviour: pl.DataFrame, family: Family, margin: float | None = None, one_sided: bool = False
) -> str:
    """Say which contracts the exact numbers of a method keep.

    Args:
        behaviour: the exact numbers of the method.
        family: the family of the method.
        margin: of the mean alpha error of a nominal method; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.

    Returns:
        A sentence as "keeps: at-least; not nominal: mean alpha is 0.0317, nominal 0.05, at n = 10".
        Of two contracts one of which implies the other it names the stronger one that is kept, and
        else the weaker one. "" where there are no numbers.
    """
    if behaviour.is_empty():
        return ""
    unsound = behaviour.filter(pl.col(FAULT).is_not_null())
    if not unsound.is_empty():
        where = format_cell(cell_of(unsound.row(0, named=True), family))
        return f"{KEEPS}no contract, as limits are unsound at {where}"
    return sentence(lambda contract: judged(contract, behaviour, family, margin, one_sided))


def judged(
    contract: Contract,
    behaviour: pl.DataFrame,
    family: Family,
    margin: float | None = None,
    one_sided: bool = False,
) -> Judgement | None:
    """Whether exact numbers keep a contract; None where no row decides it."""
    rows = applying_rows(contract, behaviour, family)
    hairs: list[str] = []
    for bounds in bounds_of(contract, margin, one_sided):
        numbers = rows.filter(pl.col(bounds.column).is_not_null())
        if numbers.is_empty():
            return None
        outside = bounds.excess(numbers)
        if outside.max() <= 0:
            continue
        row = numbers.row(int(outside.argmax()), named=True)
        text = _difference(bounds.column, row, family)
        if outside.max() > bounds.hair:
            return Judgement(False, text)
        hairs.append(text)
    return Judgement(True, f"narrowly, {hairs[0]}" if hairs else "")


def _difference(column: str, row: dict[str, float], family: Family) -> str:
    """The number beside the nominal one, and where."""
    cell, alpha = cell_of(row, family), row["alpha"]
    if column == MEAN_POSTERIOR:
        del cell["alpha"]
        return f"mean alpha is {alpha - row[column]:.3g}, nominal {alpha:g}, at {format_cell(cell)}"
    return f"worst alpha {row[column]:.3g} at {format_cell(cell)}"


def sentence(judge: Callable[[Contract], Judgement | None]) -> str:
    """The sentence about all contracts.

    Args:
        judge: whether a contract is kept; None where that is not family.
    """
    kept: list[str] = []
    broken: dict[str, list[str]] = {}
    for chain in CHAINS:
        judgements = [(contract, judge(contract)) for contract in chain]
        keeping = [
            (contract, judgement)
            for contract, judgement in judgements
            if judgement and judgement.kept
        ]
        breaking = [
            (contract, judgement)
            for contract, judgement in judgements
            if judgement and not judgement.kept
        ]
        for contract, judgement in keeping[:1]:
            reason = f" ({judgement.reason})" if judgement.reason else ""
            kept.append(f"{contract}{reason}")
        for contract, judgement in breaking[-1:]:
            broken.setdefault(judgement.reason, []).append(contract)
    if not kept and not broken:
        return ""
    not_kept = [f"not {' or '.join(names)}: {reason}" for reason, names in broken.items()]
    return KEEPS + "; ".join([", ".join(kept) or "no contract", *not_kept])
