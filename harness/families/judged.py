"""The share that is right when a judge says so, with labels that say how often the judge errs.

The judge's yes and no on the cases are counted. Its sensitivity and its specificity are known, or
estimated by labels: of other cases, positives and negatives that are drawn apart (`JUDGED_SHARE`),
or of some of the cases themselves, drawn at random (`LABELLED_SHARE`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import Law
from harness.families import proportion
from harness.families.data import broadcast_columns, validate_counts, validate_values, whole_numbers
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    Data,
    Family,
    validate_names,
)
from harness.families.lists import list_of_numbers
from harness.families.model import model_like
from harness.families.samples import columns_of_samples, validated_samples


@dataclass(frozen=True)
class KnownJudge(Law):
    """X ~ Binomial(n, q), with q = θ se + (1 − θ)(1 − sp) for a share θ of cases that are right.

    q rises with θ as se + sp > 1, so that the law is unimodal in θ, as the binomial one is in q.
    """

    sensitivity: float
    """The probability se of yes to a case that is right."""
    specificity: float
    """The probability sp of no to a case that is wrong."""
    name: ClassVar[str] = "known_judge"

    @property
    def title(self) -> str:
        return f"sensitivity {self.sensitivity:.6g}, specificity {self.specificity:.6g}"

    def yes(self, parameter: npt.ArrayLike) -> Floats:
        """Return q at each share, shape of the shares."""
        share = np.asarray(parameter, np.float64)
        return share * self.sensitivity + (1.0 - share) * (1.0 - self.specificity)

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw one outcome for each share, or ``count`` outcomes for a single share."""
        return binomial.draw(self.yes(parameter), size, rng, count)

    def mean(self, parameter: Floats, size: float) -> Floats:
        """Return n q."""
        return size * self.yes(parameter)

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return n q (1 − q)."""
        q = self.yes(parameter)
        return size * q * (1.0 - q)

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any share in [low, high]."""
        first, last = self.yes([low, high]).tolist()
        return binomial.window(first, last, size)

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each share for x = first, …, last; shape (t, last − first + 1)."""
        q = self.yes(parameter)[:, np.newaxis]
        return binomial.pmf(np.arange(first, last + 1), q, size)


JUDGE = "a judge"
"""The design: three independent binomial samples, of cases, positives and negatives."""

KNOWN_JUDGE = "a judge whose errors are known"
"""The design: one binomial sample, of cases."""
TRUTHS = SHARE, SENSITIVITY, SPECIFICITY = "share", "sensitivity", "specificity"
_SAMPLES = (("x", "n"), ("positives_right", "positives"), ("negatives_right", "negatives"))


def rogan_gladen(q: Floats, se: Floats, sp: Floats) -> tuple[Floats, Floats]:
    """Return (q + sp − 1)/(se + sp − 1), and se + sp − 1; not a number where that is 0.

    Rogan and Gladen (1978), Am. J. Epidemiol. 107, 71–76.
    """
    gain = se + sp - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((q + sp - 1.0) / np.where(gain == 0, np.nan, gain)), gain


def probabilities_of_yes(truths: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Return the probability of each count: q = θ se + (1 − θ)(1 − sp), se and sp."""
    share, se, sp = truths
    return share * se + (1.0 - share) * (1.0 - sp), se, sp


def _estimate(data: Data) -> Floats:
    """Return Rogan and Gladen's estimate within [0, 1]; not a number where se + sp ≤ 1."""
    x, n, positives_right, positives, negatives_right, negatives = data
    share, gain = rogan_gladen(x / n, positives_right / positives, negatives_right / negatives)
    return np.where(gain > 0, np.clip(share, 0.0, 1.0), np.nan)


JUDGED_SHARE = Family(
    "judged_share",
    "a share by a judge that errs: yes to x of n cases, with labels of other cases",
    "share",
    model_like(proportion, NAME="judge", HAS_MIRROR=False),
    JUDGE,
    engines=(MONTE_CARLO, ENUMERATION),
    data=tuple(name for sample in _SAMPLES for name in sample),
    sizes=tuple(size for _, size in _SAMPLES),
    size_in_words="number of cases",
    sizes_in_words=("Numbers of cases", "Labelled positives", "Labelled negatives"),
    truths=tuple(f"truth_{name}" for name in TRUTHS),
    symbols=TRUTHS,
    support=proportion.SUPPORT,
    validate_data=partial(validated_samples, "judged_share", proportion, _SAMPLES),
    estimate=_estimate,
    columns=columns_of_samples,
    counts=tuple(count for count, _ in _SAMPLES),
    suffixes=tuple(f"_{name}" for name in TRUTHS),
    parameter_at=lambda truths: truths[0],
    truth_parts=dict(zip(TRUTHS, TRUTHS, strict=True)),
)
"""Cases and labels are drawn apart; labels of the cases themselves are no such data."""


def known_judge(sensitivity: float, specificity: float) -> Family:
    """Return the family of a share by a judge whose error rates are known, with the data x and n.

    The share θ = (q + sp − 1)/(se + sp − 1) has the limits of q, the judge's share of yes, carried
    over. It is the limit of ``JUDGED_SHARE`` for many labels.

    Rogan and Gladen (1978), Am. J. Epidemiol. 107, 71–76.

    Args:
        sensitivity, specificity: se and sp in [0, 1], with a sum above 1.

    Raises:
        InputError: they are something else.
    """
    for name, rate in ((SENSITIVITY, sensitivity), (SPECIFICITY, specificity)):
        validate_number(name, rate, "a number from 0 to 1")
        if not 0 <= rate <= 1:
            raise InputError(f"{name} should be a number from 0 to 1, found {rate:g}")
    if sensitivity + specificity <= 1:
        raise InputError(
            f"{SENSITIVITY} and {SPECIFICITY} should have a sum above 1, found "
            f"{sensitivity + specificity:g}: the judge then says nothing of the share"
        )
    return _with_rates(float(sensitivity), float(specificity))


@cache
def _with_rates(sensitivity: float, specificity: float) -> Family:
    names, law = _SAMPLES[0], KnownJudge(sensitivity, specificity)

    def estimate(data: Data) -> Floats:
        se, sp = np.asarray(sensitivity), np.asarray(specificity)
        return np.clip(rogan_gladen(data[0] / data[1], se, sp)[0], 0.0, 1.0)

    return replace(
        JUDGED_SHARE,
        name=f"judged_share({SENSITIVITY}={sensitivity:g}, {SPECIFICITY}={specificity:g})",
        design=KNOWN_JUDGE,
        data=names,
        sizes=names[1:],
        sizes_in_words=(),
        directions=(1.0,),
        law=law,
        model_parameter=law.yes,
        truths=("truth",),
        symbols=TRUTHS[:1],
        validate_data=partial(
            validated_samples, "judged_share of a known judge", proportion, _SAMPLES[:1]
        ),
        estimate=estimate,
        counts=names[:1],
        suffixes=("",),
        truth_parts={},
        settings={SENSITIVITY: sensitivity, SPECIFICITY: specificity},
        base=JUDGED_SHARE,
    )


SOME_LABELLED = "cases of which some are labelled"
"""The design: labelled cases in four cells, and the judge's verdicts on other cases."""
CELLS = ("right_yes", "right_no", "wrong_yes", "wrong_no")
COUNTS = (*CELLS, "yes", "unlabelled")
LISTS = ("table", "verdicts")


def _validate_labelled(given: Mapping[str, npt.ArrayLike]) -> Data:
    if set(given) & set(COUNTS):
        validate_names("labelled_share", COUNTS, given)
        columns = [whole_numbers(name, given[name]) for name in COUNTS]
        for name, column in zip(COUNTS, columns, strict=True):
            validate_counts(column, name)
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


def _counts(name: str, given: npt.ArrayLike, first: tuple[str, str], length: int) -> Floats:
    """A list of counts, of which there are so many."""
    counts = whole_numbers(name, list_of_numbers(name, given, "count"))
    validate_counts(counts, name)
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
    validate_data=_validate_labelled,
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
