"""What a run says of its methods: ranked, recommended, and near nominal from which size on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.catalogue import family_in
from harness.families.family import ENUMERATION, Family
from harness.methods.method import TWO_SIDED
from harness.tables.columns import (
    NEAR_NOMINAL,
    RANKING,
    RECOMMENDATION,
    SAMPLING,
    TRUTH,
    TableKind,
    columns_of,
    worst_range_columns,
)

LEAST_LENGTHS = (
    *("least_length_guaranteed", "least_length_deterministic", "least_length_on_average"),
    *("efficiency_guaranteed", "efficiency_on_average"),
)
"""The columns that say how short a method can be, and how close to that each comes."""

YARDSTICK = "minimal_length"
"""The method that lengths are compared with, if a run has it."""

INFINITE = "infinite_length"
"""The column of the shares of infinite lengths, which a ratio has."""
MOST_INFINITE = 0.01
"""The largest share of infinite lengths of a method that has a rank."""

ORDERED_BY = "interval score relative to the best at each size, averaged over sizes"


def ranking(summary: pl.DataFrame) -> pl.DataFrame | None:
    """Rank the methods of a summary: a row per alpha × method, from the best to the worst.

    Alphas are in the order of the config.

    Methods are ranked by the interval score: it charges for length and for misses at once, and
    under the truth's own prior no interval beats balanced tails in it.

    A value that is not known at every size is empty. The ranking is None if no score is known, or
    if fewer than two two-sided methods are enumerated.
    """
    if "interval_score" not in summary.columns:
        return None
    rows = summary.filter(pl.col("engine") == ENUMERATION, pl.col("side") == TWO_SIDED)
    if rows["method"].n_unique() < 2 or rows["interval_score"].is_null().all():
        return None
    parts = rows.partition_by("alpha", maintain_order=True)
    return pl.concat([_ranked(part) for part in parts], rechunk=True)


def _ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """The ranking at one alpha."""
    family = family_in(rows)
    # All sizes of a run have the same truth, and so the same range.
    range_ = [name for ends in worst_range_columns(family) for name in ends]
    methods = rows["method"].unique(maintain_order=True).to_list()

    def by_size(name: str) -> Floats:
        if name not in rows.columns:
            return np.full((len(methods), 1), np.nan)
        return rows[name].cast(pl.Float64).to_numpy().reshape(len(methods), -1)

    worst, below, above = (by_size(name) for name in ("worst_alpha", "miss_below", "miss_above"))
    length, score = by_size("mean_length"), by_size("interval_score")
    of_infinite: dict[str, Any] = {}
    infinite = np.zeros_like(length)
    if INFINITE in rows.columns:
        infinite = by_size(INFINITE)
        of_infinite = {INFINITE: infinite.mean(axis=1)}
    # Scores of methods without a rank are no measure of the others.
    score = np.where(infinite > MOST_INFINITE, np.nan, score)
    worst_at = worst.argmax(axis=1)
    unit = (
        length[methods.index(YARDSTICK)] if YARDSTICK in methods else _shortest_above_zero(length)
    )
    columns: dict[str, Any] = {
        "family": family.public_name,
        **{name: rows[name][0] for name in (*family.settings, SAMPLING) if name in rows.columns},
        "alpha": rows["alpha"][0],
        "method": methods,
        "worst_alpha": worst.max(axis=1),
        **{f"worst_{name}": rows[name][: worst.shape[1]].gather(worst_at) for name in family.sizes},
        **{name: [rows[name].max()] * len(methods) for name in range_},
        "alpha_error": by_size("alpha_error").mean(axis=1),
        "rms_alpha_error": np.sqrt((by_size("rms_alpha_error") ** 2).mean(axis=1)),
        "relative_length": _ratio(length, unit).mean(axis=1),
        **{name: by_size(name).mean(axis=1) for name in LEAST_LENGTHS},
        **of_infinite,
        "below_share": _ratio(below.sum(axis=1), (below + above).sum(axis=1)),
        "relative_score": np.where(
            (infinite > MOST_INFINITE).any(axis=1),
            np.nan,
            _ratio(score, _shortest_above_zero(score)).mean(axis=1),
        ),
    }
    table = pl.DataFrame(columns, nan_to_null=True).sort(
        "relative_score", nulls_last=True, maintain_order=True
    )
    unknown = pl.col("worst_alpha").is_null()
    known_rank = pl.when(pl.col("relative_score").is_not_null()).then(pl.col("rank"))
    return (
        table.with_row_index("rank", offset=1)
        .with_columns(
            known_rank.cast(pl.Int64),
            *(
                pl.when(~unknown).then(pl.col(name)).alias(name)
                for name in (*(f"worst_{name}" for name in family.sizes), *range_)
            ),
        )
        .select(*columns_of(RANKING, TableKind(family, sampled=SAMPLING in rows.columns)))
    )


def _shortest_above_zero(values: Floats) -> Floats:
    """The smallest value above 0 at each size: no interval is compared with one of no width."""
    return np.asarray(np.fmin.reduce(np.where(values > 0, values, np.nan), axis=0))


def _ratio(values: Floats, unit: Floats) -> Floats:
    """values / unit; not a number where the unit is 0."""
    return np.asarray(values / np.where(unit > 0, unit, np.nan))


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
    family = family_in(rows)
    kind = TableKind(family, sampled=SAMPLING in rows.columns)
    columns = columns_of(RECOMMENDATION, kind)
    keys = ["family", *family.settings, SAMPLING, "alpha", *family.sizes]
    keys = [name for name in keys if name in columns]
    # All sizes of a run have the same truth, and so the same range.
    spans = [name for ends in worst_range_columns(family) for name in ends]
    range_ = {name: rows[name].max() for name in spans}
    compared = pl.col("mean_length").is_finite()
    if INFINITE in rows.columns:
        compared &= pl.col(INFINITE) <= MOST_INFINITE
    parts = rows.filter(compared).partition_by(keys, maintain_order=True)
    answers = [
        {**{key: part[key][0] for key in keys}, **range_, **answer}
        for part in parts
        for answer in _answers(part.rows(named=True), part["alpha"][0])
    ]
    return pl.DataFrame(answers, columns) if answers else None


def rounding_of(alpha: float) -> float:
    """What rounding may add to an alpha."""
    return min(_ROUNDING, _PART_OF_ALPHA * alpha)


def _answers(rows: Sequence[_Row], alpha: float) -> Iterable[_Row]:
    """The answers at one alpha and size."""
    tolerance = rounding_of(alpha)
    bounded = [row for row in rows if row["worst_alpha"] is not None]
    for question, bound in ((NEVER, alpha), (WITHIN, FACTOR * alpha)):
        within = [row for row in bounded if row["worst_alpha"] <= bound + tolerance]
        best = _shortest_row(within)
        runner_up = (
            _smallest_row(bounded, lambda row: row["worst_alpha"], tolerance)
            if best is None
            else _shortest_row([row for row in within if row is not best])
        )
        yield from _answer(question, len(bounded), len(within), best, runner_up)
    candidates = [row for row in rows if row["actual_alpha"] is not None]
    below = [row for row in candidates if row["actual_alpha"] <= alpha + tolerance]
    best = _smallest_row(below, lambda row: alpha - row["actual_alpha"], tolerance)
    above = _smallest_row(
        [row for row in candidates if row["actual_alpha"] > alpha + tolerance],
        lambda row: row["actual_alpha"],
        tolerance,
    )
    if best is not None and above is not None:
        nearer = above["actual_alpha"] - alpha < alpha - best["actual_alpha"] - tolerance
        above = above if nearer else None
    yield from _answer(CLOSEST, len(candidates), len(below), best, above)


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
    return {name: row["method"], **{f"{prefix}{measure}": row[measure] for measure in _MEASURES}}


def _shortest_row(rows: Sequence[_Row]) -> _Row | None:
    """The row with the smallest mean length, lengths within a relative 1e-9 by name."""
    smallest = min((row["mean_length"] for row in rows), default=0.0)
    return _smallest_row(rows, lambda row: row["mean_length"], _ROUNDING * smallest)


def _smallest_row(
    rows: Sequence[_Row], value: Callable[[_Row], float], tolerance: float
) -> _Row | None:
    """The row with the smallest value; the first by name of those at most the tolerance above."""
    bound = min(map(value, rows), default=0.0) + tolerance
    return min(
        (row for row in rows if value(row) <= bound), key=lambda row: row["method"], default=None
    )


def answers_of(family: Family) -> tuple[str, ...]:
    """Return the names of the tables of answers that results of a family may have."""
    compared = (RANKING, RECOMMENDATION) if ENUMERATION in family.engines else ()
    # Lists have no worst case to be ranked by, but a size from which on coverage is near nominal.
    return compared if family.has_outcomes else (*compared[1:], NEAR_NOMINAL)


NEAR = 0.2
"""Coverage is near nominal where actual alpha differs from alpha by at most this part of alpha."""
# A difference of exactly alpha/5, as of 0.06 and 0.05, is rounded.
_NEAR_ROUNDING = 1e-12


def near_nominal(cells: pl.DataFrame) -> pl.DataFrame | None:
    """The smallest size of the run from which on coverage is within alpha/5 of nominal.

    A row per method × alpha × engine × true value, and of two sizes per second size:

    At alpha = 0.05 coverages from 0.94 to 0.96 are near nominal. Coverages of Monte Carlo are taken
    as they are, so that one may be near, or not, by chance where ``std_error`` is no small part of
    ``within``.

    The table is None for families whose outcomes can be numbered, which have a worst case instead,
    for a single size, and where no cell is given the truth.
    """
    # Cells of a calibration are bins, which are given nothing.
    if cells.is_empty() or "given" not in cells.columns:
        return None
    family = family_in(cells)
    axis, *others = family.sizes
    if NEAR_NOMINAL not in answers_of(family):
        return None
    rows = cells.filter(pl.col("given") == TRUTH)
    several = rows.group_by(*others, *family.truths).agg(pl.col(axis).n_unique())
    if several[axis].max() in (None, 1):
        return None
    keys = ["family", "method", "side", "alpha", "engine", *others, *family.truths]
    parts = rows.partition_by(keys, maintain_order=True)
    return pl.concat([_from_where(part.sort(axis), keys, axis) for part in parts], rechunk=True)


def _from_where(rows: pl.DataFrame, keys: Sequence[str], axis: str) -> pl.DataFrame:
    """The row of one method at one true value, of rows with ascending sizes."""
    within = NEAR * rows["alpha"][0]
    error = (rows["actual_alpha"] - rows["alpha"]).abs()
    near = (error <= within + _NEAR_ROUNDING).fill_null(False)
    far = near.not_().arg_true()
    first = 0 if far.is_empty() else int(far[-1]) + 1
    coverages = rows.select(
        pl.col(axis), (1.0 - pl.col("actual_alpha")).alias("coverage"), pl.col("std_error")
    )
    # Past the last row everything is empty.
    start = coverages.slice(first, 1) if first < rows.height else coverages.clear(1)
    end = coverages.tail(1)
    return pl.concat(
        (
            rows.head(1).select(keys),
            pl.DataFrame({"within": [within]}),
            start.rename({axis: "near_from"}),
            end.rename({name: f"largest_{name}" for name in ("coverage", "std_error")}).rename(
                {axis: "largest"}
            ),
        ),
        how="horizontal",
    )
