"""Every interval method for a share that a judge with errors reports."""

from __future__ import annotations

from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.judged import lang_reiczigel, lang_reiczigel_posterior, rogan_gladen_delta
from harness.methods.judged_likelihood import profile_likelihood
from harness.methods.judged_posterior import posterior
from harness.methods.method import Method

JEFFREYS = (0.5, 0.5)
_HAS_WIDTH, _HOLDS, _IS_MONOTONE = "has width", "holds the estimate", "is monotone"
_AT_BOTH_ENDS = "a point where both limits leave [0, 1]"
_WIDER = "the whole range where the labels do not have se + sp > 1"

JUDGED_SHARE: dict[str, Method] = {
    "lang_reiczigel_posterior": of.wald(
        "Lang-Reiczigel, the posterior where data contradict the labels",
        by.LANG_REICZIGEL,
        lang_reiczigel_posterior,
        default_prior=JEFFREYS,
    ),
    "lang_reiczigel": of.wald(
        "Lang-Reiczigel, added cases and labels, clipped", by.LANG_REICZIGEL, lang_reiczigel
    ),
    "rogan_gladen_delta": of.wald(
        "Delta method of Rogan and Gladen's estimate, clipped", by.ROGAN_GLADEN, rogan_gladen_delta
    ),
    "posterior": of.bayes(
        "Equal tails of the posterior, Jeffreys",
        by.GELMAN_CARPENTER,
        posterior,
        default_prior=JEFFREYS,
        promise="none",
    ),
    "profile_likelihood": of.likelihood(
        "Likelihood ratio, over both error rates", by.WILKS, profile_likelihood
    ),
}
