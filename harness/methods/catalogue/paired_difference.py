"""Every interval method for the difference of two paired proportions. This file is the list."""

from __future__ import annotations

from functools import partial

from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.method import Method, by_tail
from harness.methods.paired.closed_form import (
    agresti_min,
    bonett_price,
    four_criteria,
    wald,
    wald_cc,
    wald_cc_fagerland,
)
from harness.methods.paired.mover import mover_jeffreys, newcombe, newcombe_uncorrected
from harness.methods.paired.score import scas, tango, tango_corrected

_tails = partial(by_tail, support=(-1.0, 1.0))
_wald = partial(category.wald, uses_both=False)
_score = partial(category.score, uses_both=False)

METHODS: dict[str, Method] = {
    **four_criteria(),
    "wald": _wald("Wald, clipped to [−1, 1]", by.NEWCOMBE_PAIRED + ", method 1", _tails(wald)),
    "wald_cc": _wald(
        "Wald with continuity correction, clipped to [−1, 1]",
        by.NEWCOMBE_PAIRED + ", method 2",
        _tails(wald_cc),
    ),
    "wald_cc_fagerland": _wald(
        "Wald with continuity correction of the variance, clipped to [−1, 1]",
        by.FAGERLAND,
        _tails(wald_cc_fagerland),
    ),
    "agresti_min": _wald(
        "Agresti-Min, clipped to [−1, 1]", by.AGRESTI_MIN_PAIRED, _tails(agresti_min)
    ),
    "bonett_price": _wald(
        "Bonett-Price, clipped to [−1, 1]", by.BONETT_PRICE_2012, _tails(bonett_price)
    ),
    "tango": _score("Tango score", by.TANGO, _tails(tango)),
    "tango_corrected": _score(
        "Tango score, variance times n/(n − 1)", by.TANGO, _tails(tango_corrected)
    ),
    "newcombe": category.mover(
        "Newcombe, hybrid score with corrected correlation",
        by.NEWCOMBE_PAIRED + ", method 10",
        _tails(newcombe),
    ),
    "newcombe_uncorrected": category.mover(
        "Newcombe, hybrid score", by.NEWCOMBE_PAIRED, _tails(newcombe_uncorrected)
    ),
    "mover_jeffreys": category.mover(
        "MOVER with Jeffreys limits and corrected correlation",
        by.NEWCOMBE_PAIRED + ", method 10",
        _tails(mover_jeffreys),
    ),
    "scas": _score("Skewness-corrected score", by.LAUD, _tails(scas)),
}

_NO_WIDTH = {"has width": "of no width at b = c = 0"}
_NEARER_TO_0 = {"holds the estimate": "centred nearer to 0 than the estimate"}
EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald": _NO_WIDTH,
    "wald_cc": {"is monotone": "at alpha near 1 a one-sided limit crosses the estimate steeply"},
    "wald_cc_fagerland": _NO_WIDTH,
    "agresti_min": _NEARER_TO_0,
    "bonett_price": _NEARER_TO_0,
    "newcombe_uncorrected": {"has width": "of no width at b = c = 0 with both = neither"},
    "mover_jeffreys": {
        "holds the estimate": "next to alpha = 1 Jeffreys limits need not hold their estimate"
    },
    "scas": {"holds the estimate": "the score is 0 beside the estimate where it is skew"},
}

ALIASES: dict[str, str] = {}
