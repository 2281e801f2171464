"""The share that is right when a judge says so, with labels that say how often the judge errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.sampling.laws.known_judge import KnownJudge
from harness.families import proportion
from harness.families.data import broadcast_columns
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    Data,
    Family,
    validate_names,
)
from harness.families.model import model_like
from harness.families.samples import columns_of_samples

JUDGE = "a judge"
"""The design: three independent binomial samples, of cases, positives and negatives."""

KNOWN_JUDGE = "a judge whose errors are known"
"""The design: one binomial sample, of cases."""
TRUTHS = SHARE, SENSITIVITY, SPECIFICITY = "share", "sensitivity", "specificity"
_SAMPLES = (("x", "n"), ("positives_right", "positives"), ("negatives_right", "negatives"))
_DATA = tuple(name for sample in _SAMPLES for name in sample)


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


def _validate(given: Mapping[str, npt.ArrayLike]) -> Data:
    validate_names("judged_share", _DATA, given)
    columns: list[Floats] = []
    for names in _SAMPLES:
        columns += proportion.validate_data(given[names[0]], given[names[1]], names)
    return broadcast_columns(_DATA, columns)


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
    data=_DATA,
    sizes=tuple(size for _, size in _SAMPLES),
    size_in_words="number of cases",
    sizes_in_words=("Numbers of cases", "Labelled positives", "Labelled negatives"),
    truths=tuple(f"truth_{name}" for name in TRUTHS),
    symbols=TRUTHS,
    support=proportion.SUPPORT,
    validate_data=_validate,
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

    def validate(given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names("judged_share of a known judge", names, given)
        columns = proportion.validate_data(given["x"], given["n"], names)
        return broadcast_columns(names, columns)

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
        validate_data=validate,
        estimate=estimate,
        counts=names[:1],
        suffixes=("",),
        truth_parts={},
        settings={SENSITIVITY: sensitivity, SPECIFICITY: specificity},
        base=JUDGED_SHARE,
    )
