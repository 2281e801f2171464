"""What data say of limits, whatever command they come from: none, a prior's alone, few cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats
from harness.base.text import enumerated, option_of
from harness.families.family import Data, Family
from harness.families.lists import MEAN
from harness.families.uninformative import UNINFORMATIVE, uninformative
from harness.methods.catalogue import find
from harness.methods.catalogue.recommended import COMPUTED_OVER


def remarks_on_limits(
    family: Family,
    method: str,
    alpha_of_default: float | None,
    data: Data,
    levels: Floats,
    side: str,
    limits: tuple[Floats, Floats],
) -> Iterator[str]:
    """Yield what to know of intervals before use; what takes long to find out is left out.

    Args:
        family: of the data.
        method: the name of the method.
        alpha_of_default: the alpha where the method is the default of two sides, and was not named;
            else None.
        data: the columns of the family.
        levels: the alphas, of the shape of the outcomes.
        side: of the intervals.
        limits: the lower and the upper ones, of the shape of the outcomes.
    """
    if not limits[0].size:
        return
    if family.has_clusters:
        counts = np.count_nonzero(data[1], axis=-1)
        yield from remark_on_few_clusters(family, np.ravel(counts).tolist(), [method])
    if alpha_of_default is not None:
        yield from remark_on_sizes(family, method, alpha_of_default, [data])
    yield from remark_on_range(family, data[3:])
    of_data = find(family, method).remark_on_data
    if of_data is not None:
        alphas = np.unique(levels).tolist()
        parts = [tuple(column[levels == alpha] for column in data) for alpha in alphas]
        remarks = [of_data(part, alpha, side) for part, alpha in zip(parts, alphas, strict=True)]
        yield from dict.fromkeys(f"{method}: {remark}" for remark in remarks if remark)
    if family.has_tasks and (limits[0] >= limits[1]).any():
        yield (
            f"{method} has no width, as all tasks have one value; gaffke and betting allow for "
            "tasks that were not drawn"
        )
    if limited_without_data(family, data, *limits).any():
        yield f"{method}: {without_data(family)}"


def remark_on_range(family: Family, values: Sequence[npt.ArrayLike]) -> Iterator[str]:
    """Yield a remark where every value of a mean without a range lies in [0, 1].

    Args:
        family: of the data.
        values: the values of each outcome; none where only their summary is known.
    """
    lists = [np.asarray(outcome) for outcome in values] if family is MEAN else []
    if lists and all(sample.size and sample.min() >= 0 and sample.max() <= 1 for sample in lists):
        yield (
            "every value lies between 0 and 1: if no value can lie outside, give the range, "
            "--range 0 1 (in Python range=(0, 1)): its limits stay inside, and hold the mean of "
            "skewed values too"
        )


def limited_without_data(family: Family, data: Data, lower: Floats, upper: Floats) -> Bools:
    """Return where limits are inside the range although the data leave every value possible.

    Args:
        family: of the data.
        data: its columns, of the shape of the limits each.
        lower, upper: the limits; those that are not numbers do not count.
    """
    if family.public_name not in UNINFORMATIVE:
        return np.zeros(np.shape(lower), np.bool_)
    low, high = family.support
    return np.asarray(uninformative(family, data) & ((lower > low) | (upper < high)))


def without_data(family: Family) -> str:
    """The remark on limits that ``limited_without_data`` finds, after the method's name."""
    return (
        f"the data leave every value possible, as {UNINFORMATIVE[family.public_name].words}, and "
        "the limits come from a prior, or from what the method adds to the counts, alone"
    )


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

    basis = COMPUTED_OVER.get(family.name)
    if basis is None:
        return
    for data in outcomes:
        sizes = _sizes(family, data)
        if sizes.size and sizes.min() < basis.least:
            place = int(sizes.min(axis=0).argmin())
            yield (
                f"{method} {chosen_for(family)}; below, {source(data, place)} says what it covers"
            )
            return
        if basis.least_class is None:
            continue
        tp, fp, fn, tn = (np.ravel(column) for column in data)
        classes = np.minimum(tp + fn, fp + tn)
        if classes.size and classes.min() < basis.least_class:
            place = int(classes.argmin())
            yield (
                f"{method} was chosen as the default where a class has {basis.least_class:g} "
                f"expected cases or more, and here one has {classes[place]:.15g}; "
                f"{source(data, place)} says what it covers"
            )
            return


def chosen_for(family: Family) -> str:
    """For which sizes the default of a family was chosen, after its name."""
    basis = COMPUTED_OVER[family.name]
    return (
        f"was chosen as the default for {enumerated(family.sizes)} from {basis.least:g} to "
        f"{basis.most:g}"
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


FEW = 30
"""Below so many clusters, methods differ from nominal by percentage points."""

COVERAGE: Mapping[int, Mapping[str, tuple[float, float]]] = {
    5: {
        "wilson": (55.7, 96.3),
        "saha_wilson": (78.3, 95.7),
        "saha_scas": (78.3, 98.0),
        "rao_scott": (87.7, 98.8),
        "effective_wilson": (92.0, 98.6),
        "korn_graubard": (92.8, 100.0),
        "cluster_wald": (51.6, 91.3),
        "cluster_t": (51.7, 95.1),
        "cluster_logit": (95.0, 99.6),
        "cluster_bootstrap": (51.4, 90.1),
    },
    10: {
        "wilson": (56.4, 96.6),
        "saha_wilson": (72.8, 95.5),
        "saha_scas": (61.9, 93.7),
        "rao_scott": (74.7, 96.8),
        "effective_wilson": (92.7, 97.7),
        "korn_graubard": (94.3, 99.7),
        "cluster_wald": (63.1, 91.8),
        "cluster_t": (65.9, 95.5),
        "cluster_logit": (94.2, 98.4),
        "cluster_bootstrap": (65.4, 94.4),
    },
    20: {
        "wilson": (57.5, 96.7),
        "saha_wilson": (82.3, 94.4),
        "saha_scas": (82.3, 94.4),
        "rao_scott": (83.2, 96.0),
        "effective_wilson": (88.5, 95.8),
        "korn_graubard": (90.7, 97.1),
        "cluster_wald": (76.5, 93.5),
        "cluster_t": (76.9, 94.9),
        "cluster_logit": (89.2, 96.4),
        "cluster_bootstrap": (77.2, 93.9),
    },
}
"""The least and the largest coverage of 95 % intervals, in per cent, by the number of clusters.

They are those of ``results/sampling/few_clusters``: clusters of ten cases, p 0.05,
0.2, 0.5, 0.8 and 0.95, correlations 0, 0.1, 0.3 and 0.5, each with 20,000 data sets.
"""


def remark_on_few_clusters(
    family: Family, counts: Iterable[int], methods: Iterable[str]
) -> Iterator[str]:
    """Yield a remark where data have fewer than 30 clusters: what such intervals cover.

    The coverage is that of the largest simulated number of clusters which no data fall below, or of
    the smallest simulated one.

    Args:
        family: of the intervals; only one of clusters has such a remark.
        counts: the number of clusters of each interval.
        methods: the names of the methods.
    """
    few = sorted(count for count in counts if count < FEW) if family.has_clusters else []
    if not few:
        return
    simulated = max((count for count in COVERAGE if count <= few[0]), default=min(COVERAGE))
    coverage = COVERAGE[simulated]
    names = [name for name in methods if name in coverage]
    if names:
        counted = f"{few[0]}" if few[0] == few[-1] else f"{few[0]} to {few[-1]}"
        pairs = ((name, *coverage[name]) for name in names)
        spans = [f"{low:.1f} to {high:.1f} % ({name})" for name, low, high in pairs]
        yield (
            f"{counted} {'cluster is' if few[-1] == 1 else 'clusters are'} few: of {simulated} "
            f"clusters of ten cases, 95 % intervals cover {', '.join(spans)}, by p from 0.05 to "
            "0.95 and the correlation from 0 to 0.5; less where clusters differ in size"
        )
