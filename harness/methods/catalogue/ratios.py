"""Every interval method for a ratio of two samples: of risks, of odds, of rates."""

from __future__ import annotations

from harness.families import catalogue as families
from harness.methods.bayes import ends_of_odds_ratio, ends_of_ratio, ratio_criteria
from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.comparison.odds_ratio import (
    agresti_smoothed,
    baptista_pike,
    baptista_pike_mid_p,
    cornfield,
    gart,
    mid_p,
    score,
    woolf,
)
from harness.methods.comparison.odds_ratio import miettinen_nurminen as odds_miettinen_nurminen
from harness.methods.comparison.odds_ratio import mover_jeffreys as odds_mover_jeffreys
from harness.methods.comparison.odds_ratio import mover_wilson as odds_mover_wilson
from harness.methods.comparison.odds_ratio import scas as odds_scas
from harness.methods.comparison.rates import (
    exact_conditional,
    ratio_mid_p,
    ratio_mover_jeffreys,
    ratio_mover_score,
    ratio_scas,
    ratio_score,
    wald_log,
    wald_log_half,
)
from harness.methods.comparison.risk_ratio import (
    katz,
    koopman,
    miettinen_nurminen,
    mover_jeffreys,
    mover_wilson,
    price_bonett,
    scas,
    walter,
)
from harness.methods.method import Method

_NO_SUCCESS = {"is monotone": "without a success of a sample it is (0, ∞), at any alpha"}
_MEDIANS = {"holds the estimate": "its centre is the ratio of two medians"}
_LARGE_ALPHA = {"holds the estimate": "at a large alpha both limits may lie on one side of it"}
_ADDED = {
    "holds the estimate": "its centre is another estimate, with additions to the counts",
    "is monotone": "at a small alpha it narrows faster with a count than its centre moves",
}

RISK_RATIO: dict[str, Method] = {
    **ratio_criteria(families.RISK_RATIO, ends_of_ratio),
    "katz": of.wald(
        "Katz, Wald for the logarithm, (0, ∞) without a success of a sample",
        by.KATZ,
        katz,
        exceptions={**_NO_SUCCESS, "has width": "of no width where each x is n"},
        steady_from=1.0,
    ),
    "walter": of.wald(
        "Walter, Wald for the logarithm with ½ added",
        by.PETTIGREW,
        walter,
        exceptions={**_ADDED, "has width": "of no width where each x is n"},
        steady_from=1.0,
    ),
    "price_bonett": of.wald(
        "Price-Bonett, approximate Bayes, Wald for the logarithm",
        by.PRICE_BONETT,
        price_bonett,
        exceptions=_ADDED,
        steady_from=0.1,
    ),
    "koopman": of.score(
        "Koopman score", by.KOOPMAN, koopman, exceptions=_NO_SUCCESS, steady_from=0.001
    ),
    "miettinen_nurminen": of.score(
        "Miettinen-Nurminen score",
        by.MIETTINEN_NURMINEN,
        miettinen_nurminen,
        exceptions=_NO_SUCCESS,
        steady_from=0.001,
    ),
    "scas": of.score(
        "Skewness-corrected score",
        by.LAUD,
        scas,
        exceptions={
            **_LARGE_ALPHA,
            "is monotone": "at a tiny alpha the correction for skewness outgrows the statistic",
        },
        steady_from=0.005,
    ),
    "mover_wilson": of.mover(
        "MOVER with Wilson limits",
        by.DONNER_ZOU,
        mover_wilson,
        exceptions=_NO_SUCCESS,
        steady_from=0.001,
    ),
    "mover_jeffreys": of.mover(
        "MOVER with equal-tailed Jeffreys limits", by.LAUD, mover_jeffreys, exceptions=_MEDIANS
    ),
}


_NEARER_TO_1 = {"holds the estimate": "centred nearer to 1 than the estimate"}
_OPEN = "(0, ∞) at some outcomes beside others with finite limits"
_WIDENS = "at a small alpha another success may widen it on both sides by more than it moves it"
_ODDS = "odds of failures are the inverse of those of successes, and their squares no multiples"
_LARGE_ALPHA_OF_ODDS_RATIO = (
    "at an alpha near 1 it need not hold the estimate, on which it is not centred"
)

ODDS_RATIO: dict[str, Method] = {
    **ratio_criteria(families.ODDS_RATIO, ends_of_odds_ratio),
    "woolf": of.wald(
        "Woolf, Wald for the logarithm, (0, ∞) with a zero cell",
        by.WOOLF,
        woolf,
        exceptions={"is monotone": _OPEN},
        steady_from=1.0,
    ),
    "gart": of.wald(
        "Gart, Woolf with half a count in each cell",
        by.GART,
        gart,
        exceptions={"is monotone": _WIDENS, **_NEARER_TO_1},
        steady_from=0.025,
    ),
    "agresti_smoothed": of.wald(
        "Agresti, Woolf smoothed towards independence",
        by.AGRESTI_SMOOTHED,
        agresti_smoothed,
        exceptions={"is monotone": _OPEN, **_NEARER_TO_1},
        steady_from=1.0,
    ),
    "score": of.score(
        "Score", by.CORNFIELD, score, exceptions={"is monotone": _WIDENS}, steady_from=0.001
    ),
    "miettinen_nurminen": of.score(
        "Miettinen-Nurminen score",
        by.MIETTINEN_NURMINEN,
        odds_miettinen_nurminen,
        exceptions={"is monotone": _WIDENS},
        steady_from=0.001,
    ),
    "scas": of.score(
        "Skewness-corrected score with correction for bias",
        by.LAUD,
        odds_scas,
        exceptions={"is monotone": _WIDENS, "holds the estimate": _LARGE_ALPHA_OF_ODDS_RATIO},
        steady_from=0.025,
    ),
    "mover_wilson": of.mover(
        "MOVER with the odds of Wilson limits",
        by.FAGERLAND_NEWCOMBE,
        odds_mover_wilson,
        exceptions={"is monotone": _WIDENS, "mirrors": _ODDS},
        steady_from=1.0,
    ),
    "mover_jeffreys": of.mover(
        "MOVER with the odds of equal-tailed Jeffreys limits",
        by.LAUD,
        odds_mover_jeffreys,
        exceptions={"mirrors": _ODDS, "holds the estimate": _LARGE_ALPHA_OF_ODDS_RATIO},
    ),
    "cornfield": of.exact(
        "Cornfield, exact tails given the sum of successes", by.CORNFIELD, cornfield
    ),
    "mid_p": of.mid_p(
        "Mid-P, exact tails given the sum with half of x1",
        by.LANCASTER,
        mid_p,
        exceptions={"holds the estimate": _LARGE_ALPHA_OF_ODDS_RATIO},
    ),
    "baptista_pike": of.exact(
        "Baptista-Pike, exact given the sum, by minimum likelihood", by.BAPTISTA_PIKE, baptista_pike
    ),
    "baptista_pike_mid_p": of.mid_p(
        "Baptista-Pike with half of x1",
        by.FAGERLAND_2015,
        baptista_pike_mid_p,
        exceptions={
            "is monotone": "where a limit is a tie, half of the outcome left out lets it fall",
            "has width": "a single odds ratio where no sum is above an alpha above one half",
            "holds the estimate": _LARGE_ALPHA_OF_ODDS_RATIO,
        },
    ),
}


_NO_EVENT = {"is monotone": "without an event it is (0, ∞), at any alpha"}

RATE_RATIO: dict[str, Method] = {
    **ratio_criteria(families.RATE_RATIO, ends_of_ratio),
    "wald_log": of.wald(
        "Wald for the logarithm, (0, ∞) without an event of a sample",
        by.GU,
        wald_log,
        exceptions=_NO_EVENT,
        steady_from=1.0,
    ),
    "wald_log_half": of.wald(
        "Wald for the logarithm with ½ added to each count",
        by.GU,
        wald_log_half,
        exceptions={
            **_ADDED,
            "holds the estimate": "its centre is another estimate, with ½ added to the counts",
        },
        steady_from=0.05,
    ),
    "score": of.score(
        "Score, odds of Wilson limits of x₁ of x₁ + x₂",
        by.MIETTINEN_NURMINEN,
        ratio_score,
        exceptions=_NO_EVENT,
        steady_from=0.001,
    ),
    "scas": of.score("Skewness-corrected score", by.LAUD, ratio_scas, exceptions=_LARGE_ALPHA),
    "mover_score": of.mover(
        "MOVER with score limits",
        by.LI_TANG_WONG,
        ratio_mover_score,
        exceptions=_NO_EVENT,
        steady_from=0.001,
    ),
    "mover_jeffreys": of.mover(
        "MOVER with equal-tailed Jeffreys limits",
        by.LAUD,
        ratio_mover_jeffreys,
        exceptions=_MEDIANS,
    ),
    "exact_conditional": of.exact(
        "Exact conditional, odds of Clopper-Pearson limits of x₁ of x₁ + x₂",
        by.PRZYBOROWSKI,
        exact_conditional,
    ),
    "mid_p": of.mid_p(
        "Mid-P conditional, odds of mid-P limits of x₁ of x₁ + x₂",
        by.LANCASTER,
        ratio_mid_p,
        exceptions=_LARGE_ALPHA,
    ),
}
