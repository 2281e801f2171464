"""Every interval method for a share that a judge with errors reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from harness.families.catalogue import family_of
from harness.families.family import Data, Family
from harness.families.judged import SENSITIVITY, SPECIFICITY, rogan_gladen
from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.catalogue.one_sample import PROPORTION
from harness.methods.judged import (
    lang_reiczigel,
    lang_reiczigel_modified,
    profile_likelihood,
    remark_on_known_rates,
    remark_on_labels,
    rogan_gladen_delta,
)
from harness.methods.judged_posterior import JEFFREYS, posterior
from harness.methods.method import LimitPair, Method, for_family

_HAS_WIDTH, _HOLDS, _IS_NESTED = "has width", "holds the estimate", "is nested in alpha"
_SHRUNK = {
    _HOLDS: "its center is not the estimate, which a large alpha shows",
    _IS_NESTED: "z² of the added cases depends on alpha",
}

_JUDGED_SHARE: dict[str, Method] = {
    "lang_reiczigel_modified": of.wald(
        "Lang-Reiczigel, by the posterior where data contradict the labels",
        by.LANG_REICZIGEL,
        lang_reiczigel_modified,
        exceptions=_SHRUNK,
    ),
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


def judged_share_methods(family: Family) -> Mapping[str, Method]:
    """Return the methods of a share by a judge; of a known one those of a proportion.

    They are those that take no prior and draw nothing.
    """
    if not family.settings:
        return {
            name: replace(method, remark_on_data=partial(remark_on_labels, name))
            for name, method in _JUDGED_SHARE.items()
        }
    se, sp = family.settings[SENSITIVITY], family.settings[SPECIFICITY]
    of_proportions = {
        name: for_family(method, name, family_of("proportion"))
        for name, method in PROPORTION.items()
        if method.deterministic
        and not (method.takes_prior or method.needs_population or method.is_for_stopping)
    }
    return {
        name: replace(
            PROPORTION[name],
            formula=partial(_carried_over, method, se, sp),
            sides=method.sides,
            remark_on_data=partial(remark_on_known_rates, method, se, sp),
        )
        for name, method in of_proportions.items()
    }


def _carried_over(
    method: Method, se: float, sp: float, data: Data, alpha: float, side: str
) -> LimitPair:
    """The limits of a proportion q, as those of (q + sp − 1)/(se + sp − 1), clipped to [0, 1]."""
    limits = method.limits(data, alpha, side)
    rates = np.asarray(se), np.asarray(sp)
    lower, upper = (np.clip(rogan_gladen(limit, *rates)[0], 0.0, 1.0) for limit in limits)
    return lower, upper
