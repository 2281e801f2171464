"""Every interval method for the odds ratio of two proportions. This file is the list."""

from __future__ import annotations

from functools import partial
from math import inf

from harness.methods.bayes import ends_of_odds_ratio, ratio_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.comparison.odds_ratio import (
    agresti_smoothed,
    baptista_pike,
    baptista_pike_mid_p,
    cornfield,
    gart,
    mid_p,
    miettinen_nurminen,
    mover_jeffreys,
    mover_wilson,
    scas,
    score,
    woolf,
)
from harness.methods.method import Method, by_alpha, by_tail

_tails = partial(by_tail, support=(0.0, inf))

METHODS: dict[str, Method] = {
    **ratio_criteria("odds_ratio", ends_of_odds_ratio),
    "woolf": category.wald(
        "Woolf, Wald for the logarithm, (0, ∞) with a zero cell", by.WOOLF, _tails(woolf)
    ),
    "gart": category.wald("Gart, Woolf with half a count in each cell", by.GART, _tails(gart)),
    "agresti_smoothed": category.wald(
        "Agresti, Woolf smoothed towards independence",
        by.AGRESTI_SMOOTHED,
        _tails(agresti_smoothed),
    ),
    "score": category.score("Score", by.CORNFIELD, _tails(score)),
    "miettinen_nurminen": category.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, _tails(miettinen_nurminen)
    ),
    "scas": category.score(
        "Skewness-corrected score with correction for bias", by.LAUD, _tails(scas)
    ),
    "mover_wilson": category.mover(
        "MOVER with the odds of Wilson limits", by.FAGERLAND_NEWCOMBE, _tails(mover_wilson)
    ),
    "mover_jeffreys": category.mover(
        "MOVER with the odds of equal-tailed Jeffreys limits", by.LAUD, _tails(mover_jeffreys)
    ),
    "cornfield": category.exact(
        "Cornfield, exact tails given the sum of successes", by.CORNFIELD, _tails(cornfield)
    ),
    "mid_p": category.exact(
        "Mid-P, exact tails given the sum with half of x1",
        by.LANCASTER,
        _tails(mid_p),
        promise="none",
    ),
    "baptista_pike": category.exact_test(
        "Baptista-Pike, exact given the sum, by minimum likelihood",
        by.BAPTISTA_PIKE,
        by_alpha(baptista_pike),
    ),
    "baptista_pike_mid_p": category.exact_test(
        "Baptista-Pike with half of x1",
        by.FAGERLAND_2015,
        by_alpha(baptista_pike_mid_p),
        promise="none",
    ),
}

_OPEN = "(0, ∞) at some outcomes beside others with finite limits"
_WIDENS = "at a small alpha another success may widen it on both sides by more than it moves it"
_ODDS = "odds of failures are the inverse of those of successes, and their squares no multiples"
_LARGE_ALPHA = "at an alpha near 1 it need not hold the estimate, on which it is not centred"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "woolf": {"is monotone": _OPEN},
    "gart": {"is monotone": _WIDENS, "holds the estimate": "centred nearer to 1 than the estimate"},
    "agresti_smoothed": {
        "is monotone": _OPEN,
        "holds the estimate": "centred nearer to 1 than the estimate",
    },
    "score": {"is monotone": _WIDENS},
    "miettinen_nurminen": {"is monotone": _WIDENS},
    "scas": {"is monotone": _WIDENS, "holds the estimate": _LARGE_ALPHA},
    "mover_wilson": {"is monotone": _WIDENS, "mirrors": _ODDS},
    "mover_jeffreys": {"mirrors": _ODDS, "holds the estimate": _LARGE_ALPHA},
    "mid_p": {"holds the estimate": _LARGE_ALPHA},
    "baptista_pike_mid_p": {
        "is monotone": "where a limit is a tie, half of the outcome left out lets it fall",
        "has width": "a single odds ratio where no sum is above an alpha above one half",
        "holds the estimate": _LARGE_ALPHA,
    },
}

ALIASES: dict[str, str] = {}
