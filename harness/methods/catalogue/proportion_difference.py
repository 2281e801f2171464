"""Every interval method for the difference of two proportions. This file is the list."""

from __future__ import annotations

from functools import partial

from harness.methods.bayes import four_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.comparison.difference import (
    agresti_caffo,
    gart_nam,
    mee,
    miettinen_nurminen,
    scas,
    wald,
    wald_cc,
)
from harness.methods.comparison.mover import (
    fagan,
    mover_jeffreys,
    newcombe,
    newcombe_cc,
    rss_normal,
)
from harness.methods.method import TWO_SIDED_ONLY, Method, by_alpha, by_tail
from harness.methods.unconditional.limits import agresti_min_exact, chan_zhang, santner_snell

_tails = partial(by_tail, support=(-1.0, 1.0))

METHODS: dict[str, Method] = {
    **four_criteria("proportion_difference"),
    "wald": category.wald("Wald, clipped to [−1, 1]", by.NEWCOMBE_TWO + ", method 1", _tails(wald)),
    "wald_cc": category.wald(
        "Wald with continuity correction, clipped to [−1, 1]",
        by.NEWCOMBE_TWO + ", method 2",
        _tails(wald_cc),
    ),
    "agresti_caffo": category.wald(
        "Agresti-Caffo, clipped to [−1, 1]", by.AGRESTI_CAFFO, _tails(agresti_caffo)
    ),
    "newcombe": category.mover(
        "Newcombe, hybrid score", by.NEWCOMBE_TWO + ", method 10", _tails(newcombe)
    ),
    "newcombe_cc": category.mover(
        "Newcombe, hybrid score with continuity correction",
        by.NEWCOMBE_TWO + ", method 11",
        _tails(newcombe_cc),
    ),
    "mover_jeffreys": category.mover(
        "MOVER with equal-tailed Jeffreys limits", by.LAUD, _tails(mover_jeffreys)
    ),
    "mee": category.score("Mee score", by.MEE, _tails(mee)),
    "miettinen_nurminen": category.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, _tails(miettinen_nurminen)
    ),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(scas)),
    "gart_nam": category.score(
        "Skewness-corrected score without N/(N − 1)", by.GART_NAM, _tails(gart_nam)
    ),
    "santner_snell": category.exact_unconditional(
        "Exact unconditional, by the difference", by.SANTNER_SNELL, _tails(santner_snell)
    ),
    "chan_zhang": category.exact_unconditional(
        "Exact unconditional, by the score", by.CHAN_ZHANG, _tails(chan_zhang)
    ),
    "agresti_min_exact": category.exact_unconditional(
        "Exact unconditional, one test of both sides",
        by.AGRESTI_MIN_2001,
        by_alpha(agresti_min_exact),
        sides=TWO_SIDED_ONLY,
    ),
    "fagan": category.mover(
        "Fagan, root sum of squares of Clopper-Pearson limits",
        by.ROSS + ", method 5",
        _tails(fagan),
    ),
    "rss_normal": category.mover(
        "Root sum of squares of clipped Wald limits", by.ROSS + ", method 6", _tails(rss_normal)
    ),
}

_WIDER = {"is monotone": "a first success widens it by more than it moves it"}
_STEEP = {"is monotone": "at alpha near 1 a one-sided limit crosses the estimate steeply"}
_NO_WIDTH = {"has width": "of no width where each x is 0 or n"}
_CORRECTED = {
    "holds the estimate": "at alpha near 1 it lies about an estimate corrected for skewness",
    "is monotone": "a count may change the skewness by more than it moves the estimate",
}
EXCEPTIONS: dict[str, dict[str, str]] = {
    "scas": _CORRECTED,
    "gart_nam": _CORRECTED,
    "wald": {**_NO_WIDTH, **_WIDER},
    "wald_cc": _WIDER,
    "agresti_caffo": {
        "holds the estimate": "centred nearer to 0 than the estimate",
        "is monotone": "at a small alpha a first success widens it by more than it moves it",
    },
    "newcombe_cc": _STEEP,
    "mover_jeffreys": {"holds the estimate": "centred on medians, which are never 0 or 1"},
    "fagan": _STEEP,
    "rss_normal": _NO_WIDTH,
}

ALIASES: dict[str, str] = {}
