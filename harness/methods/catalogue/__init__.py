"""Every interval method by family: one literal dict for each. The modules hold the lists."""

from __future__ import annotations

from collections.abc import Mapping

from harness.base.arguments import validate_choice
from harness.families.catalogue import family_of
from harness.methods.catalogue import differences, lists, one_sample, pairs, ratios
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
}

CATALOGUE: dict[str, Mapping[str, Method]] = {}
ALIASES: dict[str, Mapping[str, str]] = {}
"""Other names of methods, by family."""


def add_methods(family: str, methods: Mapping[str, Method]) -> None:
    """Add the methods of a family.

    Args:
        family: the name of the family.
        methods: its methods by their names.
    """
    known = family_of(family)
    CATALOGUE[family] = {
        name: for_family(method, name, known.support, known.is_ratio)
        for name, method in methods.items()
    }
    ALIASES[family] = {alias: name for name in methods for alias in methods[name].aliases}


for _family, _methods in _LISTS.items():
    add_methods(_family, _methods)


def methods_for(family: str, *, finite_population: bool = False) -> Mapping[str, Method]:
    """The methods of a family by name that the data suffice for.

    Args:
        family: the name of a family.
        finite_population: whether the cases are drawn without replacement from a population of
            known size. Methods that need one are left out otherwise.
    """
    return {
        name: method
        for name, method in CATALOGUE[family].items()
        if finite_population or not method.needs_population
    }


PROPORTION = methods_for("proportion")
"""The methods of a proportion whose data are x and n."""


_DEFAULTS = {
    "paired_ratio": "scas",
    "mean": "student_t",
    "clustered_proportion": "saha_wilson",
    "stratified_difference": "miettinen_nurminen",
}
"""The method of a family without a posterior that is used where none is named."""


def default_method(family: str, side: str) -> Method:
    """The method of a family that is used where none is named.

    That is the shortest interval that holds 1 − alpha of the posterior, or its quantile of one
    side; of a family without a posterior, a method that has all sides, or the first one.
    """
    of_posterior = "minimal_length" if side == TWO_SIDED else "one_sided"
    methods = CATALOGUE[family]
    return methods.get(_DEFAULTS.get(family, of_posterior)) or next(iter(methods.values()))


def find(family: str, name: str) -> Method:
    """The method of that name or alias.

    Raises:
        InputError: there is no such method in the family.
    """
    methods = CATALOGUE[family]
    known = ALIASES[family].get(name, name) if isinstance(name, str) else name
    return methods[validate_choice("method", known, methods, list(ALIASES[family]))]
