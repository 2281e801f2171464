"""The contract that a method of the catalogue declares."""

from __future__ import annotations

from harness.families.catalogue import family_of
from harness.methods.method import AT_LEAST, NOMINAL, NONE, Contract, Method


def declared_contract(method: Method, family: str) -> Contract:
    """The contract that a method of the catalogue declares.

    It follows from its ``promise``, where that implies one: "at-least" is a contract, and a mean
    alpha error of zero under the flat prior implies "nominal". A mean alpha error of zero under
    another prior implies nothing about the mean under a uniform truth. Where the promise implies
    none, the contract is the one that exact computation shows the method to keep.
    """
    if method.promise == "at-least":
        return AT_LEAST
    is_flat = method.default_prior == family_of(family).model.FLAT_PRIOR
    if method.promise == "mean" and is_flat:
        return NOMINAL
    return NONE if method.contract is None else method.contract
