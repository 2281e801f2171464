"""Every interval method for the ratio of two Poisson rates. This file is the list."""

from __future__ import annotations

from functools import partial
from math import inf

from harness.methods.bayes import ends_of_ratio, ratio_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.comparison.rate_ratio import (
    exact_conditional,
    mid_p,
    mover_jeffreys,
    mover_score,
    scas,
    score,
    wald_log,
    wald_log_half,
)
from harness.methods.method import Method, by_tail

_tails = partial(by_tail, support=(0.0, inf))

METHODS: dict[str, Method] = {
    **ratio_criteria("rate_ratio", ends_of_ratio),
    "wald_log": category.wald(
        "Wald for the logarithm, (0, ∞) without an event of a sample", by.GU, _tails(wald_log)
    ),
    "wald_log_half": category.wald(
        "Wald for the logarithm with ½ added to each count", by.GU, _tails(wald_log_half)
    ),
    "score": category.score(
        "Score, odds of Wilson limits of x₁ of x₁ + x₂", by.MIETTINEN_NURMINEN, _tails(score)
    ),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(scas)),
    "mover_score": category.mover("MOVER with score limits", by.LI_TANG_WONG, _tails(mover_score)),
    "mover_jeffreys": category.mover(
        "MOVER with equal-tailed Jeffreys limits", by.LAUD, _tails(mover_jeffreys)
    ),
    "exact_conditional": category.exact(
        "Exact conditional, odds of Clopper-Pearson limits of x₁ of x₁ + x₂",
        by.PRZYBOROWSKI,
        _tails(exact_conditional),
    ),
    "mid_p": category.exact(
        "Mid-P conditional, odds of mid-P limits of x₁ of x₁ + x₂",
        by.LANCASTER,
        _tails(mid_p),
        promise="none",
    ),
}

_NO_EVENT = {"is monotone": "without an event it is (0, ∞), at any alpha"}
_LARGE_ALPHA = {"holds the estimate": "at a large alpha both limits may lie on one side of it"}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald_log": _NO_EVENT,
    "wald_log_half": {
        "holds the estimate": "its centre is another estimate, with ½ added to the counts",
        "is monotone": "at a small alpha it narrows faster with a count than its centre moves",
    },
    "score": _NO_EVENT,
    "scas": _LARGE_ALPHA,
    "mover_score": _NO_EVENT,
    "mover_jeffreys": {"holds the estimate": "its centre is the ratio of two medians"},
    "mid_p": _LARGE_ALPHA,
}

ALIASES: dict[str, str] = {}
