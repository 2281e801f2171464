"""Answer which interval to take, from the summary of a run and by a written rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION
from harness.methods.method import TWO_SIDED
from harness.tables.ranking import MOST_INFINITE
from harness.tables.schema import SAMPLING, Columns, TableKind, worst_range_columns

NEVER, WITHIN, CLOSEST = "never_above_alpha", "within_1.5_alpha", "closest_on_average"
"""The questions, as the column ``question`` names them."""

FACTOR = 1.5
"""How many times alpha the worst case may be in the second question."""

_ROUNDING = 1e-9
_PART_OF_ALPHA = 1e-6
_MEASURES = ("mean_length", "actual_alpha", "worst_alpha")

_Row = Mapping[str, Any]


def recommendation(summary: pl.DataFrame) -> pl.DataFrame | None:
    """Answer three questions at each alpha and size: a row per alpha × size × question.

    The methods compared are the two-sided ones of the engine ``enumeration`` with a mean length, of
    a ratio those with at most 1 % of infinite lengths.
    Alphas are in the order of the config, sizes ascend. ``mean_length`` and ``actual_alpha`` are
    means over the truth of the config, and ``worst_alpha`` is the supremum over the truths from
    ``worst_from`` to ``worst_to``; for two samples, the largest miss probability that the search
    finds. With a tolerance for rounding τ, which is 1e-9, or 1e-6 · alpha if that is less:

    - ``never_above_alpha``: of the methods with worst_alpha ≤ alpha + τ the one with the smallest
      mean length, and as ``runner_up`` the next one;
    - ``within_1.5_alpha``: likewise with worst_alpha ≤ 1.5 · alpha + τ;
    - ``closest_on_average``: of the methods with actual_alpha ≤ alpha + τ the one with the largest
      actual_alpha, and as ``runner_up`` the method with the smallest actual_alpha above that bound,
      where it is closer to alpha by more than τ.

    Lengths that differ by at most a relative 1e-9, and mean or worst alphas that differ by at most
    τ, are ties; the first name in the alphabet then stands for all of them.

    ``methods`` is the number of methods compared, without those whose worst case a question needs
    and nobody knows, and ``qualified`` how many of them meet the bound. If none does, ``method`` is
    empty, and ``runner_up`` is the method that comes closest: with the smallest worst alpha, and in
    the third question with the smallest actual alpha. A question for which no method is known has
    no row.

    Args:
        summary: of a run, sorted as ``summary.csv`` is.

    Returns:
        The answers; None if fewer than two two-sided methods are enumerated, if nothing is known
        of them, or of a calibration.

    Example:
        >>> summary = pl.DataFrame(
        ...     {
        ...         "family": "proportion",
        ...         "method": ["wald", "wilson"],
        ...         "side": "two-sided",
        ...         "alpha": 0.05,
        ...         "n": 10,
        ...         "engine": "enumeration",
        ...         "actual_alpha": [0.04, 0.03],
        ...         "worst_alpha": [0.09, 0.05],
        ...         "worst_from": 0.0,
        ...         "worst_to": 1.0,
        ...         "mean_length": [0.2, 0.3],
        ...     }
        ... )
        >>> for answer in recommendation(summary).select("question", "method", "qualified").rows():
        ...     print(*answer)
        never_above_alpha wilson 1
        within_1.5_alpha wilson 1
        closest_on_average wald 2
    """
    if "worst_alpha" not in summary.columns:
        return None
    rows = summary.filter(pl.col("engine") == ENUMERATION, pl.col("side") == TWO_SIDED)
    if rows["method"].n_unique() < 2:
        return None
    family = family_of(rows["family"][0])
    columns = recommendation_columns(TableKind(family.name, sampled=SAMPLING in rows.columns))
    keys = [name for name in ("family", SAMPLING, "alpha", *family.sizes) if name in columns]
    # All sizes of a run have the same truth, and so the same range.
    spans = [name for ends in worst_range_columns(family.name) for name in ends]
    range_ = {name: rows[name].max() for name in spans}
    compared = pl.col("mean_length").is_finite()
    if family.is_ratio:
        compared &= pl.col("infinite_length") <= MOST_INFINITE
    parts = rows.filter(compared).partition_by(keys, maintain_order=True)
    answers = [
        {**{key: part[key][0] for key in keys}, **range_, **answer}
        for part in parts
        for answer in _answers(part.rows(named=True), part["alpha"][0])
    ]
    return pl.DataFrame(answers, columns) if answers else None


def recommendation_columns(kind: TableKind) -> Columns:
    """The columns of recommendation.csv, with their types."""
    family = family_of(kind.family)
    columns: Columns = {
        "family": pl.String,
        **({SAMPLING: pl.String} if kind.sampled else {}),
        "alpha": pl.Float64,
        **dict.fromkeys(family.sizes, pl.Int64 if family.model.SIZE_IS_COUNT else pl.Float64),
        **{name: pl.Float64 for ends in worst_range_columns(kind.family) for name in ends},
        "question": pl.String,
        "methods": pl.Int64,
        "qualified": pl.Int64,
    }
    for prefix, name in (("", "method"), ("runner_up_", "runner_up")):
        columns |= {name: pl.String}
        columns |= {f"{prefix}{measure}": pl.Float64 for measure in _MEASURES}
    return columns


def rounding_of(alpha: float) -> float:
    """What rounding may add to an alpha."""
    return min(_ROUNDING, _PART_OF_ALPHA * alpha)


def _answers(rows: Sequence[_Row], alpha: float) -> Iterable[_Row]:
    """The answers at one alpha and size."""
    tolerance = rounding_of(alpha)
    bounded = [row for row in rows if row["worst_alpha"] is not None]
    for question, bound in ((NEVER, alpha), (WITHIN, FACTOR * alpha)):
        within = [row for row in bounded if row["worst_alpha"] <= bound + tolerance]
        best = _shortest(within)
        runner_up = (
            _smallest(bounded, _worst, tolerance)
            if best is None
            else _shortest([row for row in within if row is not best])
        )
        yield from _answer(question, len(bounded), len(within), best, runner_up)
    known = [row for row in rows if row["actual_alpha"] is not None]
    below = [row for row in known if row["actual_alpha"] <= alpha + tolerance]
    best = _smallest(below, lambda row: alpha - row["actual_alpha"], tolerance)
    above = _smallest(
        [row for row in known if row["actual_alpha"] > alpha + tolerance],
        lambda row: row["actual_alpha"],
        tolerance,
    )
    if best is not None and above is not None:
        nearer = above["actual_alpha"] - alpha < alpha - best["actual_alpha"] - tolerance
        above = above if nearer else None
    yield from _answer(CLOSEST, len(known), len(below), best, above)


def _answer(
    question: str, methods: int, qualified: int, best: _Row | None, runner_up: _Row | None
) -> Iterable[_Row]:
    """The row of an answer; none where no method is known."""
    if methods == 0:
        return
    columns = {"question": question, "methods": methods, "qualified": qualified}
    yield columns | _measured("method", "", best) | _measured("runner_up", "runner_up_", runner_up)


def _measured(name: str, prefix: str, row: _Row | None) -> dict[str, Any]:
    if row is None:
        return {}
    return {name: row["method"], **{f"{prefix}{each}": row[each] for each in _MEASURES}}


def _worst(row: _Row) -> float:
    return float(row["worst_alpha"])


def _shortest(rows: Sequence[_Row]) -> _Row | None:
    """The row with the smallest mean length, lengths within a relative 1e-9 by name."""
    smallest = min((row["mean_length"] for row in rows), default=0.0)
    return _smallest(rows, lambda row: row["mean_length"], _ROUNDING * smallest)


def _smallest(
    rows: Sequence[_Row], value: Callable[[_Row], float], tolerance: float
) -> _Row | None:
    """The row with the smallest value; the first by name of those at most the tolerance above."""
    bound = min(map(value, rows), default=0.0) + tolerance
    return min(
        (row for row in rows if value(row) <= bound), key=lambda row: row["method"], default=None
    )
