"""Every interval method for one Poisson rate. This file is the list."""

from __future__ import annotations

from functools import partial

import numpy as np

from harness.methods.bayes import four_criteria, jeffreys_equal_tailed_rate, jeffreys_rate
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.method import Method, by_alpha, by_tail
from harness.methods.rate import (
    blaker,
    byar,
    feldman_cousins,
    garwood,
    likelihood_ratio,
    mid_p,
    scas,
    score,
    score_cc,
    square_root,
    sterne,
    wald,
)

_tails = partial(by_tail, support=(0.0, np.inf))

METHODS: dict[str, Method] = {
    "wald": category.wald("Wald, clipped at 0", by.ROSS + ", for rates, method 6", _tails(wald)),
    "score": category.score("Score", by.BROWN_2003, _tails(score)),
    "score_cc": category.score("Score, continuity corrected", by.BRESLOW_DAY, _tails(score_cc)),
    "sqrt": category.transform("Square root, Anscombe", by.ANSCOMBE, _tails(square_root)),
    "byar": category.transform("Byar, x below and x + 1 above", by.BRESLOW_DAY, _tails(byar)),
    "garwood": category.exact("Garwood, exact tails", by.GARWOOD, _tails(garwood)),
    "jeffreys": category.bayes(
        "Jeffreys, from 0 at x = 0", by.BROWN_2003, jeffreys_rate, promise="none"
    ),
    "jeffreys_equal_tailed": category.bayes(
        "Jeffreys, equal tails at every x", by.BROWN_2003, jeffreys_equal_tailed_rate
    ),
    **four_criteria("rate"),
    "mid_p": category.exact(
        "Mid-P, exact tails with half of x", by.LANCASTER, _tails(mid_p), promise="none"
    ),
    "blaker": category.exact_test(
        "Blaker, exact, by the smaller tail", by.BLAKER, by_alpha(blaker)
    ),
    "sterne": category.exact_test(
        "Sterne, exact, by minimum likelihood", by.CROW_GARDNER, by_alpha(sterne)
    ),
    "feldman_cousins": category.exact_test(
        "Feldman-Cousins, exact, by likelihood ratio",
        by.FELDMAN_COUSINS,
        by_alpha(feldman_cousins),
    ),
    "likelihood_ratio": category.likelihood("Likelihood ratio", by.WILKS, _tails(likelihood_ratio)),
    "scas": category.score("Skewness-corrected score", by.LAUD, _tails(scas)),
}

_ONE_SIDE_OF_X = {
    "holds the estimate": "at a large alpha both limits may lie on one side of x/exposure"
}
EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald": {"has width": "of no width at x = 0"},
    "jeffreys": _ONE_SIDE_OF_X,
    "jeffreys_equal_tailed": {"holds the estimate": "at x = 0 the lower limit is above 0"},
    "mid_p": _ONE_SIDE_OF_X,
    "scas": _ONE_SIDE_OF_X,
}

ALIASES = {"exact_tail": "garwood"}
