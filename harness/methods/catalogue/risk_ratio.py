"""Every interval method for the ratio of two proportions. This file is the list."""

from __future__ import annotations

from functools import partial
from math import inf

from harness.methods.bayes import ends_of_ratio, ratio_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
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
from harness.methods.method import Method, by_tail

_tails = partial(by_tail, support=(0.0, inf))

METHODS: dict[str, Method] = {
    **ratio_criteria("risk_ratio", ends_of_ratio),
    "katz": category.wald(
        "Katz, Wald for the logarithm, (0, ∞) without a success of a sample", by.KATZ, _tails(katz)
    ),
    "walter": category.wald(
        "Walter, Wald for the logarithm with ½ added", by.PETTIGREW, _tails(walter)
    ),
    "price_bonett": category.wald(
        "Price-Bonett, approximate Bayes, Wald for the logarithm",
        by.PRICE_BONETT,
        _tails(price_bonett),
    ),
    "koopman": category.score("Koopman score", by.KOOPMAN, _tails(koopman)),
    "miettinen_nurminen": category.score(
        "Miettinen-Nurminen score", by.MIETTINEN_NURMINEN, _tails(miettinen_nurminen)
    ),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(scas)),
    "mover_wilson": category.mover("MOVER with Wilson limits", by.DONNER_ZOU, _tails(mover_wilson)),
    "mover_jeffreys": category.mover(
        "MOVER with equal-tailed Jeffreys limits", by.LAUD, _tails(mover_jeffreys)
    ),
}

_NO_SUCCESS = {"is monotone": "without a success of a sample it is (0, ∞), at any alpha"}
_LARGE_ALPHA = {"holds the estimate": "at a large alpha both limits may lie on one side of it"}
_ADDED = {
    "holds the estimate": "its centre is another estimate, with additions to the counts",
    "is monotone": "at a small alpha it narrows faster with a count than its centre moves",
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "katz": {**_NO_SUCCESS, "has width": "of no width where each x is n"},
    "walter": {**_ADDED, "has width": "of no width where each x is n"},
    "price_bonett": _ADDED,
    "koopman": _NO_SUCCESS,
    "miettinen_nurminen": _NO_SUCCESS,
    "scas": {
        **_LARGE_ALPHA,
        "is monotone": "at a tiny alpha the correction for skewness outgrows the statistic",
    },
    "mover_wilson": _NO_SUCCESS,
    "mover_jeffreys": {"holds the estimate": "its centre is the ratio of two medians"},
}

ALIASES: dict[str, str] = {}
