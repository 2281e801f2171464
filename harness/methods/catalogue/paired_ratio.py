"""Every interval method for the ratio of two paired proportions. This file is the list."""

from __future__ import annotations

from functools import partial
from math import inf

from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.method import Method, by_tail
from harness.methods.paired.closed_form import ratio_bonett_price, wald_log
from harness.methods.paired.mover import ratio_jeffreys, ratio_wilson
from harness.methods.paired.score import ratio_scas, tang

_tails = partial(by_tail, support=(0.0, inf))

METHODS: dict[str, Method] = {
    "wald_log": category.wald(
        "Wald for the logarithm, (0, ∞) without a success of one of them",
        by.FAGERLAND,
        _tails(wald_log),
    ),
    "tang": category.score("Tang score", by.TANG_CHAN, _tails(tang)),
    "bonett_price": category.transform(
        "Bonett-Price, ratio of Wilson limits", by.BONETT_PRICE_2006, _tails(ratio_bonett_price)
    ),
    "mover_wilson": category.mover("MOVER with Wilson limits", by.TANG_LI, _tails(ratio_wilson)),
    "mover_jeffreys": category.mover(
        "MOVER with Jeffreys limits and corrected correlation", by.TANG_LI, _tails(ratio_jeffreys)
    ),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(ratio_scas)),
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald_log": {
        "has width": "of no width at b = c = 0",
        "is monotone": "(0, ∞) where one of the two has no success",
    },
    "bonett_price": {
        "is monotone": "at a small alpha an upper limit falls with few discordant pairs of many"
    },
    "mover_wilson": {"has width": "of no width at b = c = 0 with both = neither"},
    "mover_jeffreys": {
        "holds the estimate": "next to alpha = 1 Jeffreys limits need not hold their estimate",
        "is monotone": "at a small alpha a change of the correlation outweighs a pair",
    },
    "scas": {"holds the estimate": "the score is 0 beside the estimate where it is skew"},
}

ALIASES: dict[str, str] = {}
