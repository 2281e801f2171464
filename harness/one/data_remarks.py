"""What data say of limits, whatever command they come from: none, a prior's alone, few clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import Data, Family
from harness.families.lists import MEAN
from harness.families.uninformative import UNINFORMATIVE, WITHOUT_INTERVAL, uninformative
from harness.methods.catalogue import find
from harness.one.default_sizes import remark_on_sizes
from harness.one.few_clusters import remark_on_few_clusters


def refuse_without_interval(family: Family, method: str, data: Data) -> None:
    """Refuse data of which no interval is valid.

    Args:
        family: of the data.
        method: the name of the method that is asked.
        data: the columns of the family.

    Raises:
        IntervalNotFoundError: there are such data.
    """
    known = WITHOUT_INTERVAL.get(family.public_name)
    if known is not None and known.holds(data).any():
        raise IntervalNotFoundError(f"{method}: {known.words}")


def remarks_on_limits(
    family: Family,
    method: str,
    alpha_of_default: float | None,
    data: Data,
    limits: tuple[Floats, Floats],
) -> Iterator[str]:
    """Yield what to know of intervals before use; what takes long to find out is left out.

    Args:
        family: of the data.
        method: the name of the method.
        alpha_of_default: the alpha where the method is the default of two sides, and was not named;
            else None.
        data: the columns of the family.
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
    if of_data is not None and (remark := of_data(data)):
        yield f"{method}: {remark}"
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
    lists = [np.asarray(each) for each in values] if family is MEAN else []
    if lists and all(each.size and each.min() >= 0 and each.max() <= 1 for each in lists):
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
