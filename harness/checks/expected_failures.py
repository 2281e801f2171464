"""Failures that are declared as expected; a declared failure that does not occur is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import InputError, did_you_mean
from harness.base.numerics.arrays import Bools
from harness.callers.expected_failures import ExpectedFailure, Place
from harness.checks.behaviour import EXACT_NUMBERS, MONTE_CARLO_AGREES
from harness.checks.conformance.runner import property_names
from harness.checks.contract.exact import CONTRACT_CHECKS
from harness.checks.contract.simulated import CHECKS_OF_DRAWN_LISTS as CHECKS_OF_LISTS
from harness.checks.contract.simulated import DRAWN_CHECKS
from harness.checks.findings import (
    AGAINST,
    CONFORMANCE,
    DECLARED,
    FAIL,
    REMARK,
    SIDE,
    Column,
    Finding,
    FindingPlaces,
)
from harness.checks.subject import Subject
from harness.checks.tails.levels import TAIL_CHECKS
from harness.families.family import Family

_SEVERITY = 500.0
_RISES = "rises with x"
"""A property of the catalogue's methods for lists, which no check of a user's function asks for."""
_TAIL_CHECKS = (*TAIL_CHECKS, "shrinks with n")


def validate_expected_failures(expected: Sequence[ExpectedFailure], family: Family) -> None:
    """Refuse declarations of checks or places that a family does not have.

    Raises:
        InputError: there is no such check, or its place is given by something else than the sizes,
            counts, alpha and side.
    """
    for failure in expected:
        if not _exists(failure.check, family):
            raise InputError(
                f"there is no check {failure.check!r} that could be expected to fail"
                f"{did_you_mean(failure.check, _check_names(family))}"
            )
    validate_places(expected, family)


def validate_places(failures: Sequence[ExpectedFailure], family: Family) -> None:
    """Refuse places by other names than those of a family; lists, which have no counts, have alpha.

    Raises:
        InputError: a place has another name, or a text for a number.
    """
    names = (*dict.fromkeys((*family.counts, *family.outcome_sizes)), "alpha", SIDE)
    for failure in failures:
        for name, bounds in failure.place.items():
            wanted = f"the place of the expected failure {failure.check!r} should be given by"
            if name not in names:
                raise InputError(f"{wanted} {', '.join(names)}, found {quoted(name)}")
            if isinstance(bounds, str) != (name == SIDE):
                kind = "a side" if name == SIDE else "a number or a range"
                raise InputError(f"{wanted} {kind} for {name}, found {quoted(bounds)}")


def was_checked(
    subject: Subject, exact: pl.DataFrame, is_whole: bool = True
) -> Callable[[str, Place], bool]:
    """Return whether a check of a method was made at a place.

    Args:
        subject: the method after its check.
        exact: its exact numbers, which tell where contracts were checked; other checks were made
            where the method was asked for limits.
        is_whole: whether the check was neither restricted to a grid nor out of time; else a
            failure that is declared without a place may be where it was not made.
    """

    def was(check: str, place: Place) -> bool:
        if not place:
            return is_whole
        if check in (*CONTRACT_CHECKS, EXACT_NUMBERS) or check.startswith(f"{AGAINST} "):
            names = [name for name in exact.columns if name in place]
            rows = FindingPlaces({name: exact[name].to_numpy() for name in names})
            return bool(rows.within(place).any())
        family = subject.family
        for observed, alpha, side in subject.asked:
            # Lists have no names of counts.
            columns: dict[str, Column] = dict(zip(family.counts, observed.counts, strict=False))
            count = observed.count
            for name, size in zip(family.sizes, observed.sizes, strict=True):
                columns[name] = np.full(count, size)
            columns["alpha"], columns[SIDE] = np.full(count, alpha), np.full(count, side)
            if FindingPlaces(columns).within(place).any():
                return True
        return False

    return was


def apply_expected_failures(
    findings: Sequence[Finding],
    subject: Subject,
    by_caller: Sequence[ExpectedFailure] = (),
    was_checked: Callable[[str, Place], bool] = lambda check, place: True,
) -> list[Finding]:
    """Mark the failures that are declared, and report declarations that are wrong.

    A failure is declared at the places that its declarations name; at all others it remains one. A
    declaration is wrong if the check passed there without a remark, or does not exist. It is not
    wrong if the check exists but was not made there, or if the method is stochastic: the draws of
    one seed may pass.

    Args:
        findings: all findings about the method.
        subject: the method, with its ``expected_failures``.
        by_caller: failures that whoever checks the method declares.
        was_checked: whether a check was made at a place.

    Returns:
        The findings, with one for each wrong declaration at the end: a failure for the method's
        own, a remark for the caller's.

    Raises:
        InputError: the method declares a place that its family does not have.
    """
    own = subject.expected_failures
    validate_places(own, subject.family)
    declared = (*own, *by_caller)
    applied = [part for finding in findings for part in _split(finding, declared)]
    if not subject.deterministic:
        return applied
    for failures, verdict in ((own, FAIL), (by_caller, REMARK)):
        for failure in failures:
            made = [finding for finding in findings if finding.check == failure.check]
            broken = [finding for finding in made if finding.verdict in (FAIL, REMARK, DECLARED)]
            is_right = not made or any(_covers(failure, finding).any() for finding in broken)
            if not made and not _exists(failure.check, subject.family):
                text = "there is no such check"
            elif is_right or not was_checked(failure.check, failure.place):
                continue
            else:
                text = "it passes there" if failure.place else "it passes"
            where = f" at {failure.place_in_words}" if failure.place else ""
            message = f"{failure.check!r} is declared as an expected failure{where}, but {text}"
            name, severity = f"expects failure: {failure.check}", _SEVERITY * (verdict == FAIL)
            applied.append(Finding(name, CONFORMANCE, verdict, message, {}, severity))
    return applied


def _covers(failure: ExpectedFailure, finding: Finding) -> Bools:
    """Which places of a finding a declaration names, shape (k,)."""
    places = _places(finding)
    if not failure.place:
        return np.ones(max(places.count, 1), np.bool_)
    if finding.places is None and finding.cell.get("broken", 1) != 1:
        return np.zeros(1, np.bool_)  # The others are not known.
    return places.within(failure.place)


def _places(finding: Finding) -> FindingPlaces:
    """All places of a finding; that of its message where it does not carry them."""
    return finding.places or FindingPlaces.at(finding.cell)


def _split(finding: Finding, declared: Sequence[ExpectedFailure]) -> list[Finding]:
    """The failure, as declared where it is; what is left of it remains a failure."""
    if finding.verdict != FAIL:
        return [finding]
    declared = [failure for failure in declared if failure.check == finding.check]
    covers = [(failure, _covers(failure, finding)) for failure in declared]
    reasons = dict.fromkeys(failure.reason for failure, covered in covers if covered.any())
    if not reasons:
        return [finding]
    covered = np.logical_or.reduce([covered for _, covered in covers])
    parts = [finding]
    if not covered.all():
        places = _places(finding)
        rest = _at(finding, places.only(~covered))
        rest = replace(rest, message=f"{rest.message}, outside the declared place")
        parts = [_at(finding, places.only(covered)), rest]
    message = f"fails as declared ({'; '.join(reasons)}): {parts[0].message}"
    parts[0] = replace(parts[0], verdict=DECLARED, message=message, severity=0.0)
    return parts


def _at(finding: Finding, places: FindingPlaces) -> Finding:
    """The finding at some of its places."""
    cell = {**places.first(), "broken": places.count}
    return replace(finding, message=places.describe(), cell=cell, places=places)


def _check_names(family: Family) -> list[str]:
    """The names of all checks but comparisons, for some contract and some options."""
    names = [*property_names(family), *_TAIL_CHECKS, *CONTRACT_CHECKS, EXACT_NUMBERS]
    names += [MONTE_CARLO_AGREES, *DRAWN_CHECKS]
    if not family.has_outcomes:
        names += [_RISES, *CHECKS_OF_LISTS]
    return list(dict.fromkeys(names))


def _exists(check: str, family: Family) -> bool:
    return check in _check_names(family) or check.startswith(f"{AGAINST} ")
