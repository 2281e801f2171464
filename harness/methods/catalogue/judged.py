"""Every interval method for a share that a judge with errors reports."""

from __future__ import annotations

from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.judged import lang_reiczigel, rogan_gladen_delta
from harness.methods.judged_likelihood import profile_likelihood
from harness.methods.judged_posterior import JEFFREYS, posterior
from harness.methods.method import Method

_HAS_WIDTH, _HOLDS, _IS_NESTED = "has width", "holds the estimate", "is nested in alpha"
_SHRUNK = {
    _HOLDS: "its center is not the estimate, which a large alpha shows",
    _IS_NESTED: "z² of the added cases depends on alpha",
}

JUDGED_SHARE: dict[str, Method] = {
    "profile_likelihood": of.likelihood(
        "Likelihood ratio, over both error rates",
        by.WILKS,
        profile_likelihood,
        exceptions={_HOLDS: "the posterior's limits, where data contradict the labels, lie inside"},
    ),
    "lang_reiczigel": of.wald(
        "Lang-Reiczigel, added cases and labels, clipped",
        by.LANG_REICZIGEL,
        lang_reiczigel,
        exceptions={**_SHRUNK, _HAS_WIDTH: "a point where both limits leave [0, 1]"},
    ),
    "rogan_gladen_delta": of.wald(
        "Delta method of Rogan and Gladen's estimate, clipped",
        by.ROGAN_GLADEN,
        rogan_gladen_delta,
        exceptions={_HAS_WIDTH: "a point where both limits leave [0, 1], or no count varies"},
    ),
    "posterior": of.bayes(
        "Equal tails of the posterior, Jeffreys",
        by.GELMAN_CARPENTER,
        posterior,
        default_prior=JEFFREYS,
        promise="none",
        exceptions={_HOLDS: "at estimates of 0 and 1 both limits lie inside the range"},
    ),
}
