"""Every interval method by family: one literal dict for each. The modules hold the lists."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from harness.base.arguments import validate_choice
from harness.families.catalogue import family_of
from harness.families.confusion import BETA
from harness.methods.catalogue import confusion, differences, lists, one_sample, pairs, ratios
from harness.methods.catalogue.recommended import RECOMMENDED
from harness.methods.method import TWO_SIDED, Method, for_family

_LISTS = {
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
    "clustered_proportion": lists.CLUSTERED_PROPORTION,
    "stratified_difference": lists.STRATIFIED_DIFFERENCE,
    **confusion.CONFUSION,
    "f_score": confusion.f_score_methods(1.0),
    "auc": lists.AUC,
    "auc_difference": lists.AUC_DIFFERENCE,
}


Methods = Mapping[str, Method]
Names = Mapping[str, str]


class _ByFamily(dict[str, Any]):
    """A list by families; that of a family with settings is made when it is asked for."""

    def __init__(self, part: int) -> None:
        """``part`` of what ``_listed`` returns."""
        super().__init__()
        self._part = part

    def __missing__(self, family: str) -> Any:
        return _with_settings(family)[self._part]


@lru_cache(maxsize=64)
def _with_settings(family: str) -> tuple[Methods, Names]:
    """The methods of a family with settings, and their other names."""
    known = family_of(family)
    if BETA in known.settings:
        return _listed(family, confusion.f_score_methods(known.settings[BETA]))
    # What knows the outcomes of a stopping rule imports this module.
    stopping = importlib.import_module("harness.designs.stopping.methods")
    return _listed(family, stopping.methods_of(known))


def _listed(family: str, methods: Methods) -> tuple[Methods, Names]:
    """The methods of a list as those of a family, and their other names."""
    known = family_of(family)
    complete = {
        name: for_family(method, name, known.support, known.is_ratio)
        for name, method in methods.items()
    }
    return complete, {alias: name for name in methods for alias in methods[name].aliases}


CATALOGUE: dict[str, Methods] = _ByFamily(0)
ALIASES: dict[str, Names] = _ByFamily(1)
"""Other names of methods, by family."""


def add_methods(family: str, methods: Mapping[str, Method]) -> None:
    """Add the methods of a family.

    Args:
        family: the name of the family.
        methods: its methods by their names.
    """
    CATALOGUE[family], ALIASES[family] = _listed(family, methods)


for _family, _methods in _LISTS.items():
    add_methods(_family, _methods)


def methods_for(family: str, *, finite_population: bool = False) -> Mapping[str, Method]:
    """The methods of a family by name that the data suffice for, of trials whose number is fixed.

    Args:
        family: the name of a family.
        finite_population: whether the cases are drawn without replacement from a population of
            known size. Methods that need one are left out otherwise.
    """
    return {
        name: method
        for name, method in CATALOGUE[family].items()
        if not method.is_for_stopping and (finite_population or not method.needs_population)
    }


PROPORTION = methods_for("proportion")
"""The methods of a proportion whose data are x and n."""


def default_method(family: str, side: str, *, has_prior: bool = False) -> Method:
    """The method of a family that is used where none is named.

    Two-sided it is the one that is recommended. With a prior, or of one side, it is the shortest
    interval that holds 1 − alpha of the posterior, or its quantile; of a family without a
    posterior the recommended one, and of a family without recommendations the first one.
    """
    methods, recommended = CATALOGUE[family], RECOMMENDED.get(family)
    of_posterior = methods.get("minimal_length" if side == TWO_SIDED else "one_sided")
    if of_posterior is not None and (recommended is None or has_prior or side != TWO_SIDED):
        return of_posterior
    if recommended is None:
        return next(iter(methods.values()))
    one_sided = recommended.one_sided if side != TWO_SIDED else ""
    return methods[one_sided or recommended.use]


def find(family: str, name: str) -> Method:
    """The method of that name or alias.

    Raises:
        InputError: there is no such method in the family.
    """
    methods = CATALOGUE[family]
    known = ALIASES[family].get(name, name) if isinstance(name, str) else name
    return methods[validate_choice("method", known, methods, list(ALIASES[family]))]
