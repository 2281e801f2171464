"""Every interval method by family: one literal dict for each. The modules hold the lists."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from functools import lru_cache, singledispatch
from typing import Any

from harness.base.arguments import validate_choice
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.methods.catalogue import (
    confusion,
    differences,
    judged,
    lists,
    one_sample,
    pairs,
    ratios,
)
from harness.methods.catalogue.recommended import recommended_of
from harness.methods.method import TWO_SIDED, Method, for_family

Methods = Mapping[str, Method]

LISTS: dict[str, Methods | Callable[[Family], Methods]] = {
    "proportion": one_sample.PROPORTION,
    "rate": one_sample.RATE,
    "proportion_difference": differences.PROPORTION_DIFFERENCE,
    "rate_difference": differences.RATE_DIFFERENCE,
    "balanced_accuracy": differences.BALANCED_ACCURACY,
    "risk_ratio": ratios.RISK_RATIO,
    "odds_ratio": ratios.ODDS_RATIO,
    "rate_ratio": ratios.RATE_RATIO,
    "paired_difference": pairs.PAIRED_DIFFERENCE,
    "paired_ratio": pairs.PAIRED_RATIO,
    "mean": lists.MEAN,
    "bounded_mean": lists.bounded_mean_methods,
    "clustered_proportion": lists.CLUSTERED_PROPORTION,
    "clustered_mean": lists.CLUSTERED_MEAN,
    "clustered_difference": lists.CLUSTERED_MEAN,
    "stratified_difference": lists.STRATIFIED_DIFFERENCE,
    "pass_at": lists.methods_of_tasks,
    "pass_hat": lists.methods_of_tasks,
    **confusion.CONFUSION,
    "f_score": confusion.f_score_methods,
    "auc": lists.AUC,
    "auc_difference": lists.AUC_DIFFERENCE,
    "labelled_share": lists.LABELLED_SHARE,
    "judged_share": judged.judged_share_methods,
}
"""The list of a family by its name, or what makes it from the settings of the family."""


@singledispatch
def listed(family: Family) -> Methods:
    """Return the methods of a family by their names, as its list has them.

    A class of families whose methods are those of a list made to know more registers its own.
    """
    methods = LISTS[family.public_name]
    return methods(family) if callable(methods) else methods


CATALOGUE: dict[str, Methods] = {}
"""The methods of each family without settings, by their names."""


def add_methods(family: Family, methods: Methods) -> None:
    """Add the methods of a family, by their names."""
    CATALOGUE[family.name] = _complete(family, methods)


def _complete(family: Family, methods: Methods) -> Methods:
    return {name: for_family(method, name, family) for name, method in methods.items()}


for _name in LISTS:
    add_methods(FAMILIES[_name], listed(FAMILIES[_name]))


def methods_of(family: Family) -> Methods:
    """The methods of a family by their names."""
    return CATALOGUE[family.name] if family.name in CATALOGUE else _with_settings(family)


@lru_cache(maxsize=64)
def _with_settings(family: Family) -> Methods:
    return _complete(family, listed(family))


def by_any_name(methods: Methods) -> dict[str, Method]:
    """Methods by their names, then by their other names."""
    aliases = {alias: method for method in methods.values() for alias in method.aliases}
    return {**methods, **aliases}


def methods_for(family: Family, *, finite_population: bool = False) -> Methods:
    """The methods of a family by name that the data suffice for, of trials whose number is fixed.

    Args:
        family: what is estimated.
        finite_population: whether the cases are drawn without replacement from a population of
            known size. Methods that need one are left out otherwise.
    """
    return {
        name: method
        for name, method in methods_of(family).items()
        if not method.is_for_stopping and (finite_population or not method.needs_population)
    }


PROPORTION = methods_for(FAMILIES["proportion"])
"""The methods of a proportion whose data are x and n."""


def default_method(family: Family, side: str, *, has_prior: bool = False) -> Method:
    """The method of a family that is used where none is named.

    It is the one that is recommended for the side. With a prior it is the shortest interval that
    holds 1 − alpha of the posterior, or its quantile, as it is of one side of a family where
    nothing is recommended for it. Of a family without a posterior it is the two-sided one, and of
    one without recommendations the first one.
    """
    methods, recommended = methods_of(family), recommended_of(family)
    of_posterior = methods.get("minimal_length" if side == TWO_SIDED else "one_sided")
    if of_posterior is not None and has_prior:
        return of_posterior
    name = "" if recommended is None else recommended.of_side(side)
    if name:
        return methods[name]
    if of_posterior is not None:
        return of_posterior
    return next(iter(methods.values())) if recommended is None else methods[recommended.use]


def find(family: Family, name: str) -> Method:
    """The method of that name or alias.

    Raises:
        InputError: there is no such method in the family.
    """
    methods = methods_of(family)
    every = by_any_name(methods)
    if not isinstance(name, str) or name not in every:
        validate_choice("method", name, methods, [other for other in every if other not in methods])
    return every[name]


def _pickled(method: Method) -> Any:
    """Return how a method is pickled: by its name where it is listed, else by its content."""
    family = method.family
    if family is not None and methods_of(family).get(method.name) is method:
        return find, (family, method.name)
    return method.__reduce_ex__(2)


copyreg.pickle(Method, _pickled)
