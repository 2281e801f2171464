"""Families of areas under the ROC curve, whose data are scores of positives and of negatives.

The area (AUC) is the probability that a positive has a larger score than a negative, a tie counting
one half: Pr(X > Y) + ½ Pr(X = Y).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.families.family import MONTE_CARLO, Data, Family, validate_names
from harness.families.lists import RUN, list_of_numbers
from harness.families.model import model_like

SCORES, PAIRED_SCORES = "scores", "two scores of the same cases"
"""The designs: a score of each case, or two."""


def placements(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Return the share of negatives below each positive, and of positives above each negative.

    A tie counts one half. The mean of either is the AUC; they are the structural components V10
    and V01 of DeLong, DeLong and Clarke-Pearson (1988), found by midranks in O(n log n).

    Sun and Xu (2014), IEEE Signal Process. Lett. 21, 1389–1393, for the midranks.

    Args:
        positives: scores, shape (…, n1).
        negatives: scores, shape (…, n2), with the same shape before the last axis.

    Example:
        >>> above, below = placements(np.array([3.0, 1.0]), np.array([1.0, 0.0]))
        >>> above.tolist(), below.tolist()
        ([1.0, 0.75], [0.75, 1.0])
    """
    n1, n2 = positives.shape[-1], negatives.shape[-1]
    # It takes longer to load than an interval takes.
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate((positives, negatives), axis=-1), axis=-1)
    above = (ranks[..., :n1] - rankdata(positives, axis=-1)) / n2
    below = (n1 - (ranks[..., n1:] - rankdata(negatives, axis=-1))) / n1
    return above, below


def area(positives: Floats, negatives: Floats) -> Floats:
    """Return the AUC of each row of scores, shape (…,)."""
    return np.asarray(placements(positives, negatives)[0].mean(axis=-1))


def _validate(family: str, names: tuple[str, ...], given: Mapping[str, npt.ArrayLike]) -> Data:
    """The lists, of which those of the same cases are equally long, with one shape of rows."""
    validate_names(family, names, given)
    lists = [list_of_numbers(name, given[name], name[:8]) for name in names]
    for first, second in zip(range(len(lists)), range(2, len(lists)), strict=False):
        found = [lists[place].shape[-1] for place in (first, second)]
        if found[0] != found[1]:
            raise InputError(
                f"{names[first]} and {names[second]} should have a score for each of the same "
                f"cases, found {found[0]} and {found[1]}"
            )
    try:
        rows = np.broadcast_shapes(*(each.shape[:-1] for each in lists))
    except ValueError:
        shapes = (f"{name} of shape {each.shape}" for name, each in zip(names, lists, strict=True))
        raise InputError(f"{enumerated(shapes)} do not fit together") from None
    return tuple(np.broadcast_to(each, (*rows, each.shape[-1])) for each in lists)


_MODEL = model_like(RUN, NAME="scores", COUNTED="positives", PARAMETER="AUC", IS_BOUNDED=True)
_OF_ONE = ("positives", "negatives")
_OF_TWO = ("positives1", "negatives1", "positives2", "negatives2")

AUC = Family(
    "auc",
    "an area under the ROC curve: scores of positives and of negatives",
    "AUC",
    model_like(_MODEL, SUPPORT=(0.0, 1.0)),
    SCORES,
    engines=(MONTE_CARLO,),
    data=_OF_ONE,
    sizes=("n1", "n2"),
    size_in_words="number of positives",
    sizes_in_words=("Numbers of positives", "Numbers of negatives"),
    truths=("truth", "sd_ratio"),
    symbols=("AUC", "sd ratio"),
    support=(0.0, 1.0),
    validate_data=partial(_validate, "auc", _OF_ONE),
    estimate=lambda data: area(*data),
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
    lists_are_counts=False,
)
"""Scores of n1 positives, shape (m, n1), and of n2 negatives, shape (m, n2)."""

AUC_DIFFERENCE = replace(
    AUC,
    name="auc_difference",
    title="the difference of two areas under the ROC curve: two scores of each positive and "
    "negative",
    parameter="AUC1 − AUC2",
    model=model_like(_MODEL, SUPPORT=(-1.0, 1.0)),
    design=PAIRED_SCORES,
    data=_OF_TWO,
    truths=("truth", "auc2", "correlation"),
    symbols=("AUC1 − AUC2", "AUC2", "correlation"),
    support=(-1.0, 1.0),
    validate_data=partial(_validate, "auc_difference", _OF_TWO),
    estimate=lambda data: area(*data[:2]) - area(*data[2:]),
    mirrored=lambda lower, upper: (-upper, -lower),
    quantity="difference ",
    truth_is_of_sample=False,
)
"""First scores of the positives and of the negatives, then second scores of the same cases."""
