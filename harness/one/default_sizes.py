"""Where a default method is used below the sizes that it was chosen by: a remark beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated, option_of
from harness.families.family import Data, Family
from harness.methods.catalogue.recommended import COMPUTED_OVER

USUAL_ALPHA = 0.05
"""The alpha of commands that name none."""
_SCORES = {1: ("auc",), 2: ("auc1", "auc2", "correlation")}
"""The true values of scores that ``coverage`` needs, by the number of scores of a case."""


def remark_on_sizes(
    family: Family,
    method: str,
    alpha: float,
    outcomes: Sequence[Data],
    has_coverage: bool = False,
) -> Iterator[str]:
    """Yield a remark where a size is below those of the results which the default comes from.

    A metric of a whole confusion table has one too where a class has fewer cases than the results
    expect at least. Larger sizes have none: methods differ less there. Nor have exposures, whose
    unit is free, clusters, which have a remark of their own, and strata, which may be of any size.

    Args:
        family: of the intervals.
        method: the name of its default.
        alpha: of the intervals, for the command that computes their coverage.
        outcomes: the columns of the family, numbers or arrays of one shape; of lists the lists.
        has_coverage: whether the coverage stands in a column beside the interval.
    """

    def source(data: Data, place: int) -> str:
        """What says how often the default covers."""
        command = f"`{_command(family, method, alpha, data, place)}`"
        return "the column coverage" if has_coverage else command

    known = COMPUTED_OVER.get(family.name)
    if known is None:
        return
    for data in outcomes:
        sizes = _sizes(family, data)
        if sizes.size and sizes.min() < known.least:
            place = int(sizes.min(axis=0).argmin())
            yield (
                f"{method} {chosen_for(family)}; below, {source(data, place)} says what it covers"
            )
            return
        if known.least_class is None:
            continue
        tp, fp, fn, tn = (np.ravel(column) for column in data)
        classes = np.minimum(tp + fn, fp + tn)
        if classes.size and classes.min() < known.least_class:
            place = int(classes.argmin())
            yield (
                f"{method} was chosen as the default where a class has {known.least_class:g} "
                f"expected cases or more, and here one has {classes[place]:.15g}; "
                f"{source(data, place)} says what it covers"
            )
            return


def chosen_for(family: Family) -> str:
    """For which sizes the default of a family was chosen, after its name."""
    known = COMPUTED_OVER[family.name]
    return (
        f"was chosen as the default for {enumerated(family.sizes)} from {known.least:g} to "
        f"{known.most:g}"
    )


def _sizes(family: Family, data: Data) -> Floats:
    """The sizes that count cases, shape (sizes, m); none where they are of another kind."""
    if family.scores:
        return np.array([[column.shape[-1]] for column in data[: len(family.sizes)]], np.float64)
    if not family.counts_cases:
        return np.empty((0, 0))
    if family.shares_size:
        return np.atleast_2d(np.sum(data, axis=0).ravel())
    named = dict(zip(family.data, data, strict=False))
    return np.array([np.ravel(named[name]) for name in family.sizes])


def _command(family: Family, method: str, alpha: float, data: Data, place: int) -> str:
    """The command line that computes the coverage near the estimate of an outcome."""
    sizes = _sizes(family, data)[:, place]
    given = {name: f"{size:.15g}" for name, size in zip(family.sizes, sizes, strict=True)}
    if family.scores:
        given |= dict.fromkeys(_SCORES[family.scores], "…")
    else:
        counts = [np.ravel(column)[place] for column in data]
        near = near_estimate(family, counts)
        given |= {
            name: f"{value:.3g}" for name, value in zip(family.free_symbols, near, strict=True)
        }
    if alpha != USUAL_ALPHA:
        given["alpha"] = f"{alpha:.15g}"
    options = " ".join(f"{option_of(name)} {value}" for name, value in given.items())
    return f"harness coverage {family.public_name} {method} {options}"


def near_estimate(family: Family, counts: Sequence[float]) -> list[float]:
    """Return true values near the estimates, which lie inside their range.

    They are x/n, of x = 0 and x = n those of half a case more or less; of the cells of a table
    (count + ½)/(n + 2).

    Args:
        family: of proportions or of a table.
        counts: the columns of one outcome.
    """
    if family.shares_size:
        return [(count + 0.5) / (sum(counts) + 2.0) for count in counts[:-1]]
    pairs = zip(counts[::2], counts[1::2], strict=True)
    return [min(max(x, 0.5), n - 0.5) / n for x, n in pairs]
