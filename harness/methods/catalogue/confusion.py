"""Every interval method for the metrics of a classifier, from the counts of its confusion table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness.base.numerics.arrays import Floats
from harness.distributions.posteriors.correlation import KAPPA, MCC, MetricOfRates
from harness.families import metrics
from harness.families.confusion import BETA, JACCARD_INDEX
from harness.families.family import Family
from harness.families.metrics import Metric
from harness.methods.bayes import methods_of_criteria
from harness.methods.catalogue import category as of
from harness.methods.catalogue import references as by
from harness.methods.catalogue.one_sample import PROPORTION
from harness.methods.confusion import (
    FLAT_PRIOR,
    JACCARD,
    NPV,
    PRECISION,
    RECALL,
    SPECIFICITY,
    Fraction,
    bootstrap_percentile,
    delta,
    delta_atanh,
    delta_logit,
    f_jeffreys_equal_tailed,
    f_score_method_of,
    hits_variance,
    informedness_variance,
    jeffreys,
    jeffreys_equal_tailed,
    jeffreys_minimal_length,
    kappa_variance,
    mcc_variance,
    method_of,
    mover_wilson,
    over_hits,
)
from harness.methods.method import NONE, Formula, LimitPair, Method, documented

_OF_CASES = [
    name
    for name, method in PROPORTION.items()
    if not (method.needs_population or method.is_for_stopping)
]
_NOT_BAYES = [name for name in _OF_CASES if PROPORTION[name].category != "Bayes"]

_HAS_WIDTH, _HOLDS, _IS_MONOTONE = "has width", "holds the estimate", "is monotone"
_AT_ENDS = "of no width at estimates of −1 and 1"
_OF_ONE_CLASS = "of no width where all cases, or all predictions, are of one class"
_ITS_OWN = "each outcome and alpha has resamples of its own"
_WIDER = {_IS_MONOTONE: "where the estimate is 0/0 it is the whole range"}

_delta = partial(of.wald, "Delta method, clipped to the range")
_delta_logit = partial(
    of.transform,
    "Delta method for the logit, [0, 1] at estimates of 0 and 1",
    by.TAKAHASHI + ", for the variance",
    jumps=True,
    steady_from=1.0,
    exceptions={_IS_MONOTONE: "at estimates of 0 and 1 it is the whole range"},
)
_delta_atanh = partial(of.transform, "Delta method for Fisher's z, [−1, 1] at its ends")
_jeffreys = partial(
    of.bayes,
    "Jeffreys, equal tails in every table",
    by.GOUTTE_GAUSSIER,
    promise="none",
    exceptions={_HOLDS: "at estimates of 0 and 1 both limits lie inside the range"},
)
_bootstrap_percentile = partial(
    of.bootstrap,
    "Bootstrap percentiles, 999 resamples",
    by.DAVISON_HINKLEY + ", eq. 5.18",
    exceptions={
        _IS_MONOTONE: _ITS_OWN,
        "is nested in alpha": _ITS_OWN,
        _HAS_WIDTH: _AT_ENDS,
        _HOLDS: "at a large alpha both limits may lie on one side of the estimate",
    },
)


def _of_fraction(fraction: Fraction, names: Sequence[str] = _OF_CASES) -> dict[str, Method]:
    return {name: method_of(PROPORTION[name], name, fraction) for name in names}


def _with_variance(form: partial[LimitPair], variance: Callable[..., Floats]) -> Formula:
    """A form of the delta method, with the docstring of the variance below its own."""
    form.__doc__ = f"{inspect.getdoc(form.func)}\n\n{inspect.getdoc(variance)}"
    return form


def _of_hits(family: Family, metric: Metric, hits: float, missed: float) -> dict[str, Method]:
    """The methods of t = h·tp/(h·tp + w·fn + fp) by the delta method and from the posterior."""
    form = partial(delta, metric, partial(hits_variance, hits, missed), 0.0)
    logit = documented(partial(delta_logit, hits, missed), delta_logit)
    note = (
        "\n\nLength is that of the metric. But u = 1 at fp = fn = 0, and l = 0 at tp = 0; [0, 1] "
        "where the estimate is 0/0."
    )
    over = partial(over_hits, family)
    criteria = methods_of_criteria(over, FLAT_PRIOR, compares=False, note=note)
    mode = {_HOLDS: "it lies about the mode, which is not the estimate"}
    no_width = {_HAS_WIDTH: "of no width at estimates of 0 and 1"}
    methods = {
        "delta": _delta(by.TAKAHASHI, _with_variance(form, hits_variance), exceptions=no_width),
        "delta_logit": _delta_logit(logit),
        **criteria,
        "minimal_length": replace(criteria["minimal_length"], exceptions=mode),
    }
    traits: dict[str, Any] = {"promise": "none", "keeps": NONE, "uses_both": missed != 1.0}
    return {name: replace(method, **traits) for name, method in methods.items()}


_OF_JACCARD = {
    **_of_fraction(JACCARD, _NOT_BAYES),
    "jeffreys_equal_tailed": _jeffreys(jeffreys_equal_tailed, uses_both=False),
}


def f_score_methods(family: Family) -> dict[str, Method]:
    """The methods of an F score of some β by name.

    With β = 1 the F score rises with tp/(tp + fp + fn), and every method of a proportion that is
    not of Bayes gives one; otherwise fp and fn count differently.
    """
    beta = family.settings[BETA]
    if beta == 1.0:
        given = {name: f_score_method_of(method, name) for name, method in _OF_JACCARD.items()}
        return {**given, **_of_hits(family, metrics.f_score, 2.0, 1.0)}
    metric = partial(metrics.f_score, beta=beta)
    jeffreys = documented(partial(f_jeffreys_equal_tailed, family), f_jeffreys_equal_tailed)
    of_hits = _of_hits(family, metric, 1.0 + beta * beta, beta * beta)
    return {**of_hits, "jeffreys_equal_tailed": _jeffreys(jeffreys)}


def _of_correlation(
    metric: Metric, variance: Metric, reference: str, no_width: str, no_width_inside: str = ""
) -> dict[str, Method]:
    """The methods of a metric of [−1, 1].

    Args:
        metric, variance: the metric, and its delta variance.
        reference: of the variance.
        no_width: where the variance is 0.
        no_width_inside: where it is 0 inside the range; empty for nowhere.
    """
    clipped = _with_variance(partial(delta, metric, variance, -1.0), variance)
    of_z = _with_variance(partial(delta_atanh, metric, variance), variance)
    resampled = documented(partial(bootstrap_percentile, metric), bootstrap_percentile)
    inside = {_HAS_WIDTH: no_width_inside} if no_width_inside else {}
    return {
        "delta": _delta(reference, clipped, exceptions={**_WIDER, _HAS_WIDTH: no_width}),
        "delta_atanh": _delta_atanh(reference, of_z, exceptions={**_WIDER, **inside}),
        "bootstrap_percentile": _bootstrap_percentile(resampled),
    }


def _of_dirichlet(metric: MetricOfRates) -> dict[str, Method]:
    """The methods from the posterior of a metric of [−1, 1]."""
    equal_tails = documented(partial(jeffreys, metric), jeffreys)
    minimal = documented(partial(jeffreys_minimal_length, metric), jeffreys_minimal_length)
    return {
        "jeffreys": of.bayes(
            "Jeffreys, equal tails, −1 and 1 where all are wrong or right",
            by.GOUTTE_GAUSSIER,
            equal_tails,
            promise="none",
            exceptions={_HOLDS: "at a large alpha both limits may lie on one side of the estimate"},
        ),
        "jeffreys_minimal_length": of.bayes(
            "Jeffreys, minimal length, −1 and 1 where all are wrong or right",
            by.GOUTTE_GAUSSIER,
            minimal,
            promise="none",
            exceptions={
                _HOLDS: "it lies about the mode, which is not the estimate",
                _IS_MONOTONE: "another case may widen it on both sides",
            },
        ),
    }


CONFUSION: dict[str, dict[str, Method]] = {
    "precision": _of_fraction(PRECISION),
    "recall": _of_fraction(RECALL),
    "specificity": _of_fraction(SPECIFICITY),
    "npv": _of_fraction(NPV),
    "jaccard": {**_OF_JACCARD, **_of_hits(JACCARD_INDEX, metrics.jaccard, 1.0, 1.0)},
    "mcc": {
        **_of_correlation(metrics.mcc, mcc_variance, by.ITAYA, _AT_ENDS),
        **_of_dirichlet(MCC),
    },
    "kappa": {
        **_of_correlation(
            metrics.kappa,
            kappa_variance,
            by.FLEISS_COHEN_EVERITT,
            f"{_OF_ONE_CLASS}, and at estimates of −1 and 1",
            _OF_ONE_CLASS,
        ),
        **_of_dirichlet(KAPPA),
    },
    "informedness": {
        **_of_correlation(
            metrics.informedness,
            informedness_variance,
            by.YOUDEN + ", for the index",
            "of no width where each class is predicted alike throughout",
            "of no width where all predictions are of one class",
        ),
        "mover_wilson": of.mover("MOVER with Wilson limits", by.NEWCOMBE_TWO, mover_wilson),
    },
}
"""The methods by the name of the family; those of F scores have a function, for any β."""
