"""Outcomes that leave every value of a parameter possible, of each family that has some.

At such an outcome a likelihood ratio test rejects no value inside the range, at any alpha: for each
value there are true values of the data with that parameter that make the outcome next to certain.
An interval is the whole range there, and nowhere else needs to be. Where the data of a family have
no such range to answer with, as equal values of a score without bounds, there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools
from harness.families.family import Data, Family


@dataclass(frozen=True)
class Uninformative:
    """The outcomes of a family that leave every value possible."""

    words: str
    """What the data lack there."""
    holds: Callable[[Data], Bools]
    """Whether they do: the data, shape (m,) each -> shape (m,)."""


def _no_successes(data: Data) -> Bools:
    x1, _, x2, _ = data
    return np.asarray((x1 == 0) & (x2 == 0))


def _without(*cells: int) -> Callable[[Data], Bools]:
    """Whether none of the cells of a table of four, by their places, has a case."""
    return lambda data: np.asarray(np.sum([data[cell] for cell in cells], axis=0) == 0)


_NO_HITS = Uninformative("no case is a positive or predicted to be one", _without(0, 1, 2))

UNINFORMATIVE = {
    "risk_ratio": Uninformative("there is no success in either sample", _no_successes),
    "odds_ratio": Uninformative(
        "both samples have no success, or no failure",
        lambda data: _no_successes(data) | ((data[0] == data[1]) & (data[2] == data[3])),
    ),
    "rate_ratio": Uninformative("there is no event in either sample", _no_successes),
    "paired_ratio": Uninformative("no pair is right in either", _without(0, 1, 2)),
    "precision": Uninformative("no case is predicted to be a positive", _without(0, 1)),
    "recall": Uninformative("there is no positive", _without(0, 2)),
    "specificity": Uninformative("there is no negative", _without(3, 1)),
    "npv": Uninformative("no case is predicted to be a negative", _without(3, 2)),
    "f_score": _NO_HITS,
    "jaccard": _NO_HITS,
}
"""By the public name of the family. Other families have no such outcome of a case and more: an
`mcc`, `kappa` or `informedness` of 0/0 is still limited by the class or the prediction that there
is, as no false alarm of 20 negatives speaks against an informedness of −0.5."""


_NO_OTHER = "an interval of no width is not valid, and the data determine no other"
_OF_SUMS = 16 * np.finfo(np.float64).eps
"""How much sums of equal scores may round, relatively."""
OF_DIFFERENCES = 1e-12
"""How much differences of scores may round, relatively: those of 0.3 − 0.2 and 0.9 − 0.8 differ."""


def _one_mean(rounding: float) -> Callable[[Data], Bools]:
    """Whether all clusters have the mean of all scores, but for rounding."""

    def holds(data: Data) -> Bools:
        mean, n, residual = data
        equal = np.abs(residual) <= rounding * np.abs(mean)[..., np.newaxis] * n
        return np.asarray(equal.all(axis=-1))

    return holds


WITHOUT_INTERVAL = {
    "mean": Uninformative(
        f"all values are equal: {_NO_OTHER}", lambda data: np.asarray(data[1] == 0)
    ),
    "clustered_mean": Uninformative(
        f"all clusters have one mean: {_NO_OTHER}; of scores that are 0 or 1 clustered_proportion "
        "has one",
        _one_mean(_OF_SUMS),
    ),
    "clustered_difference": Uninformative(
        f"the mean difference is the same in all clusters: {_NO_OTHER}",
        _one_mean(OF_DIFFERENCES),
    ),
}
"""By the public name of the family: the data of which ``interval`` has no limits to give. The
formulas of the methods go on to give the mean there, which a run scores as an interval of no width:
values with a density are never equal. So does a leaderboard, whose answer there are infinite
limits."""


def uninformative(family: Family, data: Data) -> Bools:
    """Return whether each outcome leaves every value of the parameter possible, shape (m,).

    >>> from harness.families.confusion import f_score
    >>> tables = tuple(np.array(cell) for cell in ([0, 1], [0, 0], [0, 0], [20, 19]))
    >>> uninformative(f_score(1.0), tables)
    array([ True, False])
    """
    condition = UNINFORMATIVE.get(family.public_name)
    return np.zeros(len(data[0]), np.bool_) if condition is None else condition.holds(data)
