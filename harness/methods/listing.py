"""The catalogue as its users see it: records for ``harness methods``, and advice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.base.arguments import validate_choice
from harness.base.errors import InputError, did_you_mean
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, by_any_name, default_method, find, methods_of
from harness.methods.catalogue.recommended import recommended_of
from harness.methods.method import AT_LEAST, NOMINAL, NONE, Method


def listing(family: str | None = None, name: str | None = None) -> list[dict[str, Any]]:
    """Return a record for each method of the family, or of all; in full for the method ``name``.

    Raises:
        InputError: there is no such family or method.
    """
    if family is not None:
        validate_choice("family", family, CATALOGUE)
    families = [FAMILIES[each] for each in (CATALOGUE if family is None else (family,))]
    if name is None:
        order = (USE, NEVER_ABOVE, "")
        return [
            _brief(each, method)
            for each in families
            for method in sorted(
                methods_of(each).values(),
                key=lambda method: order.index(recommended_for(each, method.name)),
            )
        ]
    if family is not None:
        return [_full(each, find(each, name)) for each in families]
    named = {each: by_any_name(methods_of(each)) for each in families}
    having = [each for each, methods in named.items() if name in methods]
    if not having:
        every = [known for methods in named.values() for known in methods]
        raise InputError(f"no family has a method {name!r}{did_you_mean(name, every)}")
    return [_full(each, named[each][name]) for each in having]


USE, NEVER_ABOVE = "default", "never above alpha"
"""What a method is recommended for."""


def recommended_for(family: Family, name: str) -> str:
    """What a method is recommended for; empty where for nothing."""
    known = recommended_of(family)
    if known is None:
        return ""
    return USE if name == known.use else NEVER_ABOVE if name == known.never_above else ""


def _brief(family: Family, method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "family": family.name,
        "recommended": recommended_for(family, method.name) or "none",
        "kin": method.category,
        "sides": ", ".join(method.sides),
        "promise": method.promise,
        "deterministic": method.deterministic,
        "title": method.title,
        "aliases": ", ".join(method.aliases) or "none",
        "reference": method.reference,
    }


def _full(family: Family, method: Method) -> dict[str, Any]:
    numbers = ", ".join(f"{number:g}" for number in method.default_prior or ())
    prior = f"{family.model.PRIOR}({numbers})" if numbers else "none"
    return {
        **_brief(family, method),
        "prior": prior,
        "contract": method.contract,
        "exceptions": "; ".join(f"{part}: {why}" for part, why in method.exceptions.items())
        or "none",
        "description": method.description,
    }


HAS_WIDTH = "has width"
HOLDS_ESTIMATE = "holds the estimate"
"""Properties that a method may declare not to have."""

_IN_WORDS = {
    NOMINAL: "misses near alpha on average",
    AT_LEAST: "misses no truth more often than alpha",
}


def keeps_no_contract(method: Method, family: Family) -> bool:
    """Whether a method's exact numbers keep none of the contracts of a check.

    It is known of the families whose contracts are listed. A method with a mean alpha error of zero
    under its own prior promises that, and counts as one that keeps something.
    """
    # The criteria keep one by their promise.
    is_listed = any(
        each.keeps != NONE and not each.takes_prior for each in methods_of(family).values()
    )
    return is_listed and method.promise == "none" and method.contract == NONE


def better_methods(method: Method, family: Family, side: str) -> Iterator[Method]:
    """Yield the methods to use in place of one, the best first.

    The first one is the default method, and the second the one that is recommended where alpha
    must never be exceeded. Those follow that keep the contract "nominal", then those
    with "at-least", then those that declare to have a width everywhere. All are functions of the
    data alone and have the side.

    Args:
        method: the one that they replace.
        family: of all of them.
        side: "two-sided", "lower" or "upper".
    """
    fit = [
        each
        for each in methods_of(family).values()
        if each.deterministic
        and side in each.sides
        and not (each.needs_population and not method.needs_population)
    ]
    ranked = [
        default_method(family, side),
        *(each for each in fit if recommended_for(family, each.name) == NEVER_ABOVE),
        *(each for each in fit if each.contract == NOMINAL),
        *(each for each in fit if each.contract == AT_LEAST),
        *(each for each in fit if HAS_WIDTH not in each.exceptions),
    ]
    yield from {each.name: each for each in ranked if each.name != method.name}.values()


def contract_in_words(method: Method) -> str:
    """What a method promises, in a clause; empty where it promises nothing."""
    return _IN_WORDS.get(method.contract, "")
