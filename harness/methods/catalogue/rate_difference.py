"""Every interval method for the difference of two Poisson rates. This file is the list."""

from __future__ import annotations

import math
from functools import partial

from harness.methods.bayes import four_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.comparison.rate_difference import mover_jeffreys, mover_score, score, wald
from harness.methods.method import Method, by_tail

_tails = partial(by_tail, support=(-math.inf, math.inf))

METHODS: dict[str, Method] = {
    **four_criteria("rate_difference"),
    "wald": category.wald("Wald", by.HELD, _tails(wald)),
    "score": category.score(
        "Score, Miettinen-Nurminen for rates", by.MIETTINEN_NURMINEN, _tails(score)
    ),
    "mover_score": category.mover("MOVER with score limits", by.ZOU_DONNER, _tails(mover_score)),
    "mover_jeffreys": category.mover(
        "MOVER with equal-tailed Jeffreys limits", by.LAUD, _tails(mover_jeffreys)
    ),
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald": {
        "has width": "of no width at x₁ = x₂ = 0",
        "is monotone": "a first event widens it by more than it moves it",
    },
    "mover_jeffreys": {"holds the estimate": "centred on medians, which are never 0"},
}

ALIASES: dict[str, str] = {}
