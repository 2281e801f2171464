"""Which contracts a method would keep, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from harness.checks.behaviour import FAULT, MEAN_POSTERIOR
from harness.checks.contract.exact import cell_of, excess
from harness.checks.contract.terms import CHAINS, applying_rows, bounds_of
from harness.checks.report import format_cell
from harness.methods.method import Contract

KEEPS = "keeps: "


@dataclass(frozen=True)
class Judgement:
    """Whether a contract is kept."""

    kept: bool
    reason: str = ""
    """Why not, in a clause; of one that is kept, by what hair."""


def contracts_kept(
    behaviour: pl.DataFrame, family: str, margin: float | None = None, one_sided: bool = False
) -> str:
    """Say which contracts the exact numbers of a method keep.

    Args:
        behaviour: the exact numbers of the method.
        family: the family of the method.
        margin: of the mean alpha error of a nominal method; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.

    Returns:
        A sentence as "keeps: at-least; not nominal: mean alpha 0.0183 below 0.05 at n = 10". Of
        two contracts one of which implies the other it names the stronger one that is kept, and
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
    family: str,
    margin: float | None = None,
    one_sided: bool = False,
) -> Judgement | None:
    """Whether exact numbers keep a contract; None where no row decides it."""
    rows = applying_rows(contract, behaviour, family)
    hairs: list[str] = []
    for bounds in bounds_of(contract, margin, one_sided):
        known = rows.filter(pl.col(bounds.column).is_not_null())
        if known.is_empty():
            return None
        outside = excess(bounds, known)
        row = known.row(int(outside.argmax()), named=True)
        alpha = row["alpha"]
        if outside.max() <= 0:
            continue
        text = _difference(bounds.column, row, family)
        if outside.max() > bounds.hair(alpha) / alpha:
            return Judgement(False, text)
        hairs.append(text)
    return Judgement(True, f"by a hair, {hairs[0]}" if hairs else "")


def _difference(column: str, row: dict[str, float], family: str) -> str:
    """How far off a number is, and where."""
    cell = cell_of(row, family)
    alpha = cell.pop("alpha")
    if column == MEAN_POSTERIOR:
        side = "below" if row[column] > 0 else "above"
        return f"mean alpha {abs(row[column]):.3g} {side} {alpha:g} at {format_cell(cell)}"
    return f"worst alpha {row[column]:.3g} at {format_cell({**cell, 'alpha': alpha})}"


def sentence(judge: Callable[[Contract], Judgement | None]) -> str:
    """The sentence about all contracts.

    Args:
        judge: whether a contract is kept; None where that is not known.
    """
    kept: list[str] = []
    broken: list[str] = []
    for chain in CHAINS:
        found = [(contract, judge(contract)) for contract in chain]
        known = [(contract, each) for contract, each in found if each is not None]
        keeping = [(contract, each) for contract, each in known if each.kept]
        breaking = [(contract, each) for contract, each in known if not each.kept]
        kept += [_named(*each) for each in keeping[:1]]
        broken += [f"not {contract}: {each.reason}" for contract, each in breaking[-1:]]
    if not kept and not broken:
        return ""
    return KEEPS + "; ".join([", ".join(kept) or "no contract", *broken])


def _named(contract: Contract, judgement: Judgement) -> str:
    return f"{contract} ({judgement.reason})" if judgement.reason else contract
