"""How short a method can be at all, in a sentence for each alpha."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION
from harness.findings.numbers import percent, significant
from harness.tables.answers import rounding_of

_BOUND, _ANYWHERE = "least_length_guaranteed", "worst_alpha_anywhere"


def least_lengths(summary: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence for each alpha: the least mean length possible, and who comes nearest.

    Of several sizes it is about the largest with a bound. The method named is the shortest that
    never misses more often than alpha at any true value; of a rate there is none that is known to.

    Args:
        summary: of a run of the kind ``coverage``.

    Example:
        >>> rows = {
        ...     "family": "proportion",
        ...     "method": ["blaker", "wald"],
        ...     "engine": "enumeration",
        ...     "alpha": 0.05,
        ...     "n": 20,
        ...     "worst_alpha_anywhere": [0.05, 1.0],
        ...     "mean_length": [0.344835, 0.315999],
        ...     "least_length_guaranteed": 0.344816,
        ... }
        >>> bound, best = next(least_lengths(pl.DataFrame(rows))).split("; ")
        >>> print(bound)
        No method that never misses more than 5 % can be shorter than 0.3448 on average
        >>> print(best)
        blaker has 0.3448.
    """
    if _BOUND not in summary.columns:
        return
    rows = summary.filter(pl.col("engine") == ENUMERATION, pl.col(_BOUND).is_not_null())
    for part in rows.partition_by("alpha", maintain_order=True):
        alpha, (size,) = part["alpha"][0], family_of(part["family"][0]).sizes
        largest = part.filter(pl.col(size) == part[size].max())
        at = f"At {size} = {largest[size][0]:.12g} no" if part[size].n_unique() > 1 else "No"
        kept = largest.filter(pl.col(_ANYWHERE) <= alpha + rounding_of(alpha))
        best = kept.sort("mean_length", "method").head(1).to_dicts()
        has = [f"; {row['method']} has {significant(row['mean_length'])}" for row in best]
        yield (
            f"{at} method that never misses more than {percent(alpha)} can be shorter than "
            f"{significant(largest[_BOUND][0])} on average{''.join(has)}."
        )
