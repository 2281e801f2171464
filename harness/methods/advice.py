"""What the catalogue declares of a method that a user of its intervals should know."""

from __future__ import annotations

from collections.abc import Iterator

from harness.methods.catalogue import CATALOGUE, default_method
from harness.methods.catalogue.contracts import CONTRACTS
from harness.methods.contracts import AT_LEAST, NOMINAL, NONE
from harness.methods.declared_contract import declared_contract
from harness.methods.method import Method

HAS_WIDTH = "has width"
HOLDS_ESTIMATE = "holds the estimate"
"""Properties that a method may declare not to have."""

_IN_WORDS = {
    NOMINAL: "misses near alpha on average",
    AT_LEAST: "misses no truth more often than alpha",
}


def keeps_no_contract(method: Method, family: str) -> bool:
    """Whether a method's exact numbers keep none of the contracts of a check.

    It is known of the families whose contracts are listed. A method with a mean alpha error of zero
    under its own prior promises that, and counts as one that keeps something.
    """
    if family not in CONTRACTS or method.promise != "none":
        return False
    return declared_contract(method, family) == NONE


def better_methods(method: Method, family: str, side: str) -> Iterator[Method]:
    """Yield the methods to use in place of one, the best first.

    The first one is the default method. Those follow that keep the contract "nominal", then those
    with "at-least", then those that declare to have a width everywhere. All are functions of the
    data alone and have the side.

    Args:
        method: the one that they replace.
        family: of all of them.
        side: "two-sided", "lower" or "upper".
    """
    default = default_method(family, side)
    fit = [
        each
        for each in CATALOGUE[family].values()
        if each.deterministic
        and side in each.sides
        and not (each.needs_population and not method.needs_population)
    ]
    contracts = {each.name: declared_contract(each, family) for each in fit}
    ranked = [
        default,
        *(each for each in fit if contracts[each.name] == NOMINAL),
        *(each for each in fit if contracts[each.name] == AT_LEAST),
        *(each for each in fit if HAS_WIDTH not in each.exceptions),
    ]
    yield from {each.name: each for each in ranked if each.name != method.name}.values()


def contract_in_words(method: Method, family: str) -> str:
    """What a method promises, in a clause; empty where it promises nothing."""
    return _IN_WORDS.get(declared_contract(method, family), "")
