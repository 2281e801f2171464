"""Every interval method for a difference of two samples, and for a balanced accuracy."""

from __future__ import annotations

from harness.families import catalogue as families
from harness.methods.bayes import four_criteria
from harness.methods.catalogue import category as of
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
    exact_union,
    fagan,
    mover_clopper_pearson,
    mover_jeffreys,
    mover_wilson_of_mean,
    newcombe,
    newcombe_cc,
    rss_normal,
    wald_of_mean,
)
from harness.methods.comparison.rates import mover_jeffreys as rate_mover_jeffreys
from harness.methods.comparison.rates import mover_score, score
from harness.methods.comparison.rates import wald as rate_wald
from harness.methods.method import APPROXIMATE, CONSERVATIVE, NOMINAL, Method
from harness.methods.unconditional import agresti_min_exact, chan_zhang, santner_snell

_WIDER = {"is monotone": "a first success widens it by more than it moves it"}
_STEEP = {"is monotone": "at alpha near 1 a one-sided limit crosses the estimate steeply"}
_NO_WIDTH = {"has width": "of no width where each x is 0 or n"}
_CORRECTED = {
    "holds the estimate": "at alpha near 1 it lies about an estimate corrected for skewness",
    "is monotone": "a count may change the skewness by more than it moves the estimate",
}

PROPORTION_DIFFERENCE: dict[str, Method] = {
    **four_criteria(families.PROPORTION_DIFFERENCE),
    "wald": of.wald(
        "Wald, clipped to [−1, 1]",
        by.NEWCOMBE_TWO + ", method 1",
        wald,
        exceptions={**_NO_WIDTH, **_WIDER},
        steady_from=1.0,
    ),
    "wald_cc": of.wald(
        "Wald with continuity correction, clipped to [−1, 1]",
        by.NEWCOMBE_TWO + ", method 2",
        wald_cc,
        exceptions=_WIDER,
        steady_from=1.0,
    ),
    "agresti_caffo": of.wald(
        "Agresti-Caffo, clipped to [−1, 1]",
        by.AGRESTI_CAFFO,
        agresti_caffo,
        keeps=NOMINAL,
        exceptions={
            "holds the estimate": "centred nearer to 0 than the estimate",
            "is monotone": "at a small alpha a first success widens it by more than it moves it",
        },
        steady_from=0.001,
    ),
    "newcombe": of.mover("Newcombe, hybrid score", by.NEWCOMBE_TWO + ", method 10", newcombe),
    "newcombe_cc": of.mover(
        "Newcombe, hybrid score with continuity correction",
        by.NEWCOMBE_TWO + ", method 11",
        newcombe_cc,
        exceptions=_STEEP,
        steady_from=0.001,
    ),
    "mover_jeffreys": of.mover(
        "MOVER with equal-tailed Jeffreys limits",
        by.LAUD,
        mover_jeffreys,
        keeps=NOMINAL,
        exceptions={"holds the estimate": "centred on medians, which are never 0 or 1"},
    ),
    "mee": of.score("Mee score", by.MEE, mee, keeps=NOMINAL),
    "miettinen_nurminen": of.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, miettinen_nurminen, keeps=APPROXIMATE
    ),
    "scas": of.score(
        "Skewness-corrected score",
        by.LAUD,
        scas,
        keeps=APPROXIMATE,
        exceptions=_CORRECTED,
        steady_from=0.005,
    ),
    "gart_nam": of.score(
        "Skewness-corrected score without N/(N − 1)",
        by.GART_NAM,
        gart_nam,
        keeps=APPROXIMATE,
        exceptions=_CORRECTED,
        steady_from=0.01,
    ),
    "santner_snell": of.exact_unconditional(
        "Exact unconditional, by the difference", by.SANTNER_SNELL, santner_snell
    ),
    "chan_zhang": of.exact_unconditional(
        "Exact unconditional, by the score", by.CHAN_ZHANG, chan_zhang
    ),
    "agresti_min_exact": of.exact_unconditional(
        "Exact unconditional, one test of both sides", by.AGRESTI_MIN_2001, agresti_min_exact
    ),
    "fagan": of.mover(
        "Fagan, root sum of squares of Clopper-Pearson limits",
        by.ROSS + ", method 5",
        fagan,
        keeps=CONSERVATIVE,
        exceptions=_STEEP,
        steady_from=0.001,
    ),
    "rss_normal": of.mover(
        "Root sum of squares of clipped Wald limits",
        by.ROSS + ", method 6",
        rss_normal,
        exceptions=_NO_WIDTH,
    ),
}


RATE_DIFFERENCE: dict[str, Method] = {
    **four_criteria(families.RATE_DIFFERENCE),
    "wald": of.wald(
        "Wald",
        by.HELD,
        rate_wald,
        exceptions={
            "has width": "of no width at x₁ = x₂ = 0",
            "is monotone": "a first event widens it by more than it moves it",
        },
        steady_from=1.0,
    ),
    "score": of.score("Score, Miettinen-Nurminen for rates", by.MIETTINEN_NURMINEN, score),
    "mover_score": of.mover("MOVER with score limits", by.ZOU_DONNER, mover_score),
    "mover_jeffreys": of.mover(
        "MOVER with equal-tailed Jeffreys limits",
        by.LAUD,
        rate_mover_jeffreys,
        exceptions={"holds the estimate": "centred on medians, which are never 0"},
    ),
}


BALANCED_ACCURACY: dict[str, Method] = {
    **four_criteria(families.BALANCED_ACCURACY),
    "exact_union": of.exact("Union bound of Clopper-Pearson limits", by.LANGFORD, exact_union),
    "wald": of.wald(
        "Wald, clipped to [0, 1]",
        by.BRODERSEN,
        wald_of_mean,
        exceptions={
            "has width": "of no width where each x is 0 or n",
            "is monotone": "a first success widens it by more than it moves it",
        },
        steady_from=1.0,
    ),
    "mover_wilson": of.mover("MOVER with Wilson limits", by.ZOU_DONNER, mover_wilson_of_mean),
    "mover_clopper_pearson": of.mover(
        "MOVER with Clopper-Pearson limits",
        by.ZOU_DONNER,
        mover_clopper_pearson,
        exceptions=_STEEP,
        steady_from=0.001,
    ),
}
