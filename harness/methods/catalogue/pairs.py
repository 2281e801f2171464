"""Every interval method for two proportions of the same cases: their difference and ratio."""

from __future__ import annotations

from functools import partial

from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.method import Method
from harness.methods.paired import (
    agresti_min,
    bonett_price,
    four_criteria,
    ratio_bonett_price,
    wald,
    wald_cc,
    wald_cc_fagerland,
    wald_log,
)
from harness.methods.paired.mover import (
    mover_jeffreys,
    newcombe,
    newcombe_uncorrected,
    ratio_jeffreys,
    ratio_wilson,
)
from harness.methods.paired.score import ratio_scas, scas, tang, tango, tango_corrected

_wald = partial(of.wald, uses_both=False)
_score = partial(of.score, uses_both=False)
_NO_WIDTH = {"has width": "of no width at b = c = 0"}
_ALIKE = {"has width": "of no width at b = c = 0 with both = neither"}
_NEXT_TO_1 = {
    "holds the estimate": "next to alpha = 1 Jeffreys limits need not hold their estimate"
}
_SKEW = {"holds the estimate": "the score is 0 beside the estimate where it is skew"}
_NEARER_TO_0 = {"holds the estimate": "centred nearer to 0 than the estimate"}

PAIRED_DIFFERENCE: dict[str, Method] = {
    **four_criteria(),
    "wald": _wald(
        "Wald, clipped to [−1, 1]",
        by.NEWCOMBE_PAIRED + ", method 1",
        wald,
        exceptions=_NO_WIDTH,
        steady_from=1.0,
    ),
    "wald_cc": _wald(
        "Wald with continuity correction, clipped to [−1, 1]",
        by.NEWCOMBE_PAIRED + ", method 2",
        wald_cc,
        exceptions={
            "is monotone": "at alpha near 1 a one-sided limit crosses the estimate steeply"
        },
        steady_from=1.0,
    ),
    "wald_cc_fagerland": _wald(
        "Wald with continuity correction of the variance, clipped to [−1, 1]",
        by.FAGERLAND,
        wald_cc_fagerland,
        exceptions=_NO_WIDTH,
        steady_from=1.0,
    ),
    "agresti_min": _wald(
        "Agresti-Min, clipped to [−1, 1]",
        by.AGRESTI_MIN_PAIRED,
        agresti_min,
        exceptions=_NEARER_TO_0,
        steady_from=0.05,
    ),
    "bonett_price": _wald(
        "Bonett-Price, clipped to [−1, 1]",
        by.BONETT_PRICE_2012,
        bonett_price,
        exceptions=_NEARER_TO_0,
        steady_from=0.025,
    ),
    "tango": _score("Tango score", by.TANGO, tango),
    "tango_corrected": _score("Tango score, variance times n/(n − 1)", by.TANGO, tango_corrected),
    "newcombe": of.mover(
        "Newcombe, hybrid score with corrected correlation",
        by.NEWCOMBE_PAIRED + ", method 10",
        newcombe,
        steady_from=0.025,
    ),
    "newcombe_uncorrected": of.mover(
        "Newcombe, hybrid score",
        by.NEWCOMBE_PAIRED,
        newcombe_uncorrected,
        exceptions=_ALIKE,
        steady_from=1.0,
    ),
    "mover_jeffreys": of.mover(
        "MOVER with Jeffreys limits and corrected correlation",
        by.NEWCOMBE_PAIRED + ", method 10",
        mover_jeffreys,
        exceptions=_NEXT_TO_1,
        steady_from=0.05,
    ),
    "scas": _score("Skewness-corrected score", by.LAUD, scas, exceptions=_SKEW, steady_from=0.005),
}


PAIRED_RATIO: dict[str, Method] = {
    "wald_log": of.wald(
        "Wald for the logarithm, (0, ∞) without a success of one of them",
        by.FAGERLAND,
        wald_log,
        exceptions={**_NO_WIDTH, "is monotone": "(0, ∞) where one of the two has no success"},
        steady_from=1.0,
    ),
    "tang": of.score("Tang score", by.TANG_CHAN, tang),
    "bonett_price": of.transform(
        "Bonett-Price, ratio of Wilson limits",
        by.BONETT_PRICE_2006,
        ratio_bonett_price,
        exceptions={
            "is monotone": "at a small alpha an upper limit falls with few discordant pairs of many"
        },
        steady_from=0.001,
    ),
    "mover_wilson": of.mover(
        "MOVER with Wilson limits", by.TANG_LI, ratio_wilson, exceptions=_ALIKE, steady_from=1.0
    ),
    "mover_jeffreys": of.mover(
        "MOVER with Jeffreys limits and corrected correlation",
        by.TANG_LI,
        ratio_jeffreys,
        exceptions={
            **_NEXT_TO_1,
            "is monotone": "at a small alpha a change of the correlation outweighs a pair",
        },
        steady_from=0.005,
    ),
    "scas": of.score("Skewness-corrected score", by.LAUD, ratio_scas, exceptions=_SKEW),
}
