"""Every interval method for the mean of repeated runs. This file is the list."""

from __future__ import annotations

from functools import partial
from math import inf

from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.mean import (
    about_the_mean,
    bootstrap_percentile,
    bootstrap_t,
    student_t,
    z_population,
    z_sample,
)
from harness.methods.method import Method, StandardErrors, by_tail, documented


def _about_the_mean(title: str, reference: str, standard_errors: StandardErrors) -> Method:
    """The method whose limits lie so many standard errors from the mean."""
    formula = documented(partial(about_the_mean, standard_errors), standard_errors)
    return category.wald(
        title, reference, by_tail(formula, (-inf, inf)), standard_errors=standard_errors
    )


_bootstrap = partial(category.bootstrap, needs_values=True)

METHODS: dict[str, Method] = {
    "z_population": _about_the_mean(
        "Normal quantile, population standard deviation", by.LAPLACE, z_population
    ),
    "z_sample": _about_the_mean("Normal quantile, sample standard deviation", by.LAPLACE, z_sample),
    "student_t": _about_the_mean("Student's t", by.STUDENT, student_t),
    "bootstrap_percentile": _bootstrap(
        "Bootstrap percentiles, 999 resamples",
        by.DAVISON_HINKLEY + ", eq. 5.18",
        bootstrap_percentile,
    ),
    "bootstrap_t": _bootstrap(
        "Studentized bootstrap, 999 resamples",
        by.EFRON_TIBSHIRANI + ", section 12.5",
        bootstrap_t,
    ),
}

_EQUAL_VALUES = {"has width": "of no width where all values are equal"}
_DRAWN = {
    "is nested in alpha": "each outcome and alpha has resamples of its own",
    "mirrors": "the limits of the negative values mirror in distribution, not draw by draw",
    "holds the estimate": "at a large alpha both limits may lie on one side of the mean",
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "z_population": _EQUAL_VALUES,
    "z_sample": _EQUAL_VALUES,
    "student_t": _EQUAL_VALUES,
    "bootstrap_percentile": {**_EQUAL_VALUES, **_DRAWN},
    "bootstrap_t": {**_DRAWN, "has width": "of no width where all values are equal and at k = 2"},
}

ALIASES: dict[str, str] = {}
