"""The share that is right, from a judge's verdicts on all cases and labels of some of them.

Each labelled case has a true label, right or wrong, and the judge's verdict, yes or no; each other
case has the verdict alone. The labelled cases are drawn at random from the cases.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families import proportion
from harness.families.data import LARGEST_COUNT, broadcast_columns, validate_values, whole_numbers
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    Data,
    Family,
    validate_names,
)
from harness.families.lists import list_of_numbers
from harness.families.model import model_like

SOME_LABELLED = "cases of which some are labelled"
"""The design: labelled cases in four cells, and the judge's verdicts on other cases."""
CELLS = ("right_yes", "right_no", "wrong_yes", "wrong_no")
COUNTS = (*CELLS, "yes", "unlabelled")
LISTS = ("table", "verdicts")


def _validate(given: Mapping[str, npt.ArrayLike]) -> Data:
    if set(given) & set(COUNTS):
        validate_names("labelled_share", COUNTS, given)
        columns = [whole_numbers(name, given[name]) for name in COUNTS]
        for name, column in zip(COUNTS, columns, strict=True):
            _validate_counts(name, column)
        *cells, yes, unlabelled = broadcast_columns(COUNTS, columns)
        if (yes > unlabelled).any():
            place = yes > unlabelled
            raise InputError(
                f"yes = {yes[place][0]:.0f} is larger than unlabelled = {unlabelled[place][0]:.0f}"
            )
        table, verdicts = np.stack(cells, -1), np.stack((yes, unlabelled - yes), -1)
        names = "the sum of the four labelled counts", "unlabelled"
    else:
        validate_names(f"labelled_share (or {', '.join(COUNTS)})", LISTS, given)
        table = _counts("table", given["table"], ("right and yes", "right and no"), 4)
        verdicts = _counts("verdicts", given["verdicts"], ("yes", "no"), 2)
        names = "the sum of table", "the sum of verdicts"
    for name, counts in zip(names, (table, verdicts), strict=True):
        total = np.asarray(counts.sum(axis=-1))
        validate_values(total, total < 1, name, "at least 1")
    try:
        rows = np.broadcast_shapes(table.shape[:-1], verdicts.shape[:-1])
    except ValueError:
        raise InputError(
            f"table of shape {table.shape} and verdicts of shape {verdicts.shape} do not fit "
            "together"
        ) from None
    return np.broadcast_to(table, (*rows, 4)), np.broadcast_to(verdicts, (*rows, 2))


def _validate_counts(name: str, counts: Floats) -> None:
    outside = (counts < 0) | (counts > LARGEST_COUNT)
    validate_values(counts, outside, name, "a whole number from 0 to 10^9")


def _counts(name: str, given: npt.ArrayLike, first: tuple[str, str], length: int) -> Floats:
    """A list of counts, of which there are so many."""
    counts = whole_numbers(name, list_of_numbers(name, given, "count"))
    _validate_counts(name, counts)
    if counts.shape[-1] != length:
        more = ", wrong and yes, wrong and no" if length == 4 else ""
        raise InputError(
            f"{name} should be {length} counts, of cases that are {', '.join(first)}{more}, found "
            f"{counts.shape[-1]}"
        )
    return counts


def shares(data: Data) -> tuple[Floats, Floats, Floats]:
    """Return the shares right among the judge's yes and among its no, and the share of yes.

    Of all cases, labelled or not, q have a yes. A share of no labelled case is ½.
    """
    table, verdicts = data
    right, total = table[..., :2], table[..., :2] + table[..., 2:]
    with np.errstate(invalid="ignore"):
        given_verdict = np.where(total > 0, right / total, 0.5)
    yes, no = (total[..., place] + verdicts[..., place] for place in (0, 1))
    return given_verdict[..., 0], given_verdict[..., 1], np.asarray(yes / (yes + no))


def share_right(data: Data) -> Floats:
    """Return the estimate q·a + (1 − q)·b of the share that is right, shape (...)."""
    a, b, q = shares(data)
    return np.asarray(q * a + (1.0 - q) * b)


LABELLED_SHARE = Family(
    "labelled_share",
    "a share that is right: a judge's verdicts on all cases, and labels of some",
    "share",
    model_like(
        proportion, NAME="case", COUNTED="cases", PARAMETER="share", QUANTITY="", PRIOR_SYMBOLS=()
    ),
    SOME_LABELLED,
    engines=(MONTE_CARLO, ENUMERATION),
    data=LISTS,
    list_lengths={"table": 4, "verdicts": 2},
    summary=COUNTS,
    labels_cases=True,
    sizes=("labelled", "unlabelled"),
    size_in_words="number of labelled cases",
    sizes_in_words=("Numbers of labelled cases", "Numbers of other cases"),
    truths=("truth", "sensitivity", "specificity"),
    symbols=("share", "sensitivity", "specificity"),
    support=(0.0, 1.0),
    validate_data=_validate,
    estimate=share_right,
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
    own_columns={
        "labelled": "Number of labelled cases.",
        "unlabelled": "Number of cases with the judge's verdict alone.",
        "sensitivity": "True probability that the judge says yes to a case that is right.",
        "specificity": "True probability that the judge says no to a case that is wrong.",
    },
)
"""A table of four counts, shape (m, 4), of labelled cases that are right and of wrong ones, each
with the judge's yes and no; and its verdicts on the other cases, yes and no, shape (m, 2)."""
