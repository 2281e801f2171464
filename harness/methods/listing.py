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
    families = [
        FAMILIES[family_name] for family_name in (CATALOGUE if family is None else (family,))
    ]
    if name is None:
        order = (USE, NEVER_ABOVE, "")
        return [
            _brief(owner, method)
            for owner in families
            for method in sorted(
                methods_of(owner).values(),
                key=lambda method: order.index(recommended_for(owner, method.name)),
            )
        ]
    if family is not None:
        return [_full(owner, find(owner, name)) for owner in families]
    named = {owner: by_any_name(methods_of(owner)) for owner in families}
    having = [owner for owner, methods in named.items() if name in methods]
    if not having:
        every = [method_name for methods in named.values() for method_name in methods]
        raise InputError(f"no family has a method {name!r}{did_you_mean(name, every)}")
    return [_full(owner, named[owner][name]) for owner in having]


USE, NEVER_ABOVE = "default", "never above alpha"
"""What a method is recommended for."""


def recommended_for(family: Family, name: str) -> str:
    """What a method is recommended for; empty where for nothing."""
    recommended = recommended_of(family)
    if recommended is None:
        return ""
    return (
        USE if name == recommended.use else NEVER_ABOVE if name == recommended.never_above else ""
    )


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
        candidate.keeps != NONE and not candidate.takes_prior
        for candidate in methods_of(family).values()
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
        candidate
        for candidate in methods_of(family).values()
        if candidate.deterministic
        and side in candidate.sides
        and not (candidate.needs_population and not method.needs_population)
    ]
    ranked = [
        default_method(family, side),
        *(candidate for candidate in fit if recommended_for(family, candidate.name) == NEVER_ABOVE),
        *(candidate for candidate in fit if candidate.contract == NOMINAL),
        *(candidate for candidate in fit if candidate.contract == AT_LEAST),
        *(candidate for candidate in fit if HAS_WIDTH not in candidate.exceptions),
    ]
    yield from {
        candidate.name: candidate for candidate in ranked if candidate.name != method.name
    }.values()


def contract_in_words(method: Method) -> str:
    """What a method promises, in a clause; empty where it promises nothing."""
    return _IN_WORDS.get(method.contract, "")
