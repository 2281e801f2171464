"""The catalogue as records, for ``harness methods``."""

from __future__ import annotations

from typing import Any

from harness.base.arguments import validate_choice
from harness.base.errors import InputError, did_you_mean
from harness.families.catalogue import family_of
from harness.methods.catalogue import ALIASES, CATALOGUE, find
from harness.methods.declared_contract import declared_contract
from harness.methods.method import Method


def listing(family: str | None = None, name: str | None = None) -> list[dict[str, Any]]:
    """Return a record for each method of the family, or of all; in full for the method ``name``.

    Raises:
        InputError: there is no such family or method.
    """
    if family is not None:
        validate_choice("family", family, CATALOGUE)
    families = [family] if family is not None else list(CATALOGUE)
    if name is None:
        return [_brief(each, method) for each in families for method in CATALOGUE[each].values()]
    having = [each for each in families if name in CATALOGUE[each] or name in ALIASES[each]]
    if not having and family is None:
        every = [known for each in families for known in (*CATALOGUE[each], *ALIASES[each])]
        raise InputError(f"no family has a method {name!r}{did_you_mean(name, every)}")
    return [_full(each, find(each, name)) for each in having or families]


def _brief(family: str, method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "family": family,
        "kin": method.category,
        "sides": ", ".join(method.sides),
        "promise": method.promise,
        "deterministic": method.deterministic,
        "title": method.title,
        "aliases": ", ".join(_aliases(family, method)) or "none",
        "reference": method.reference,
    }


def _aliases(family: str, method: Method) -> list[str]:
    """The other names of a method."""
    return [alias for alias, known in ALIASES[family].items() if known == method.name]


def _full(family: str, method: Method) -> dict[str, Any]:
    numbers = ", ".join(f"{number:g}" for number in method.default_prior or ())
    prior = f"{family_of(family).model.PRIOR}({numbers})" if numbers else "none"
    return {
        **_brief(family, method),
        "prior": prior,
        "contract": declared_contract(method, family),
        "exceptions": "; ".join(f"{part}: {why}" for part, why in method.exceptions.items())
        or "none",
        "description": method.description,
    }
