"""Conformance: what an interval method keeps at every outcome, each part with a counter-example."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from harness.checks.conformance.grid import Outcomes, conformance_alphas, conformance_grid
from harness.checks.conformance.properties import (
    COMPARING,
    MIRROR,
    Broken,
    Look,
    Part,
    mirrors,
    parts_of,
)
from harness.checks.report import CONFORMANCE, FAIL, PASS, Finding
from harness.checks.subjects.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.methods.user.call_checks import ARGUMENTS, RANDOM, SCALARS, SHAPE, TWICE
from harness.methods.user.function import NOT_CALLED
from harness.numerics.arrays import Bools, Floats

ANSWERS = "answers every outcome"
PRECISION = "has double precision"
PICKLES = "can be pickled"

CALL_CHECKS = (SHAPE, SCALARS, TWICE, ARGUMENTS, RANDOM)

_USUAL = 0.05
_CALL_CHECK_SIZES, _CALL_CHECK_ALPHAS = {1: 5, 2: 2}, (0.05, 0.3)
_FEWEST = 8
"""Limits that look like single precision are so by chance once in 2^29 each."""
_GRAVEST = 1000.0


def names_of(family: str) -> tuple[str, ...]:
    """The names of all parts, in the order of how grave it is to break them."""
    return (ANSWERS, *CALL_CHECKS, PRECISION, *parts_of(family), PICKLES)


def conformance(subject: Subject) -> list[Finding]:
    """A finding for each part, in the order of how grave it is to break it."""
    looks = [list(_looked(subject, outcomes)) for outcomes in conformance_grid(subject.family)]
    findings = [
        _answered(looks),
        *_call_checks(subject),
        _precision(looks),
        *_parts(subject, looks),
    ]
    reason = subject.unpicklable()
    findings.append(
        _passed(PICKLES) if reason is None else _failed(PICKLES, f"cannot be pickled: {reason}", {})
    )
    return [
        replace(finding, severity=(_GRAVEST - number) * (finding.verdict == FAIL))
        for number, finding in enumerate(findings)
    ]


def _looked(subject: Subject, outcomes: Outcomes) -> Iterator[Look]:
    """The limits of each side."""
    alphas = conformance_alphas(subject.family)
    for side in subject.sides:
        answers = [subject.answers(outcomes, alpha, side) for alpha in alphas]
        failures = {
            (number, *map(int, np.unravel_index(place, outcomes.shape))): fault
            for number, each in enumerate(answers)
            for place, fault in each.failures.items()
        }
        lower, upper = (
            np.array([getattr(each, name).reshape(outcomes.shape) for each in answers])
            for name in ("lower", "upper")
        )
        yield Look(outcomes, side, alphas, lower, upper, failures)


def _answered(looks: Sequence[Sequence[Look]]) -> Finding:
    every = [look for sides in looks for look in sides]
    count = sum(len(look.failures) for look in every)
    for look in every:
        own = [at for at, fault in look.failures.items() if not fault.startswith(NOT_CALLED)]
        if own:
            place = _nearest_to_usual(look, own)
            message = look.failures[place] + _more(count)
            return _failed(ANSWERS, message, {**_cell(look, place), "broken": count})
    return _passed(ANSWERS)


def _parts(subject: Subject, looks: Sequence[Sequence[Look]]) -> Iterator[Finding]:
    """Each part that the method can be held to."""
    for name, part in parts_of(subject.family).items():
        if name in COMPARING and not subject.deterministic:
            yield Finding(name, CONFORMANCE, PASS, "is not asked of limits that are drawn", {})
        elif part is mirrors and not {MIRROR[side] for side in subject.sides} <= {*subject.sides}:
            yield Finding(name, CONFORMANCE, PASS, "is not asked of one side alone", {})
        else:
            yield _part(name, part, looks)


def _part(name: str, part: Part, looks: Sequence[Sequence[Look]]) -> Finding:
    """The part over all sizes and sides; the counter-example is of the smallest size."""
    count, first = 0, None
    for sides in looks:
        by_side = {look.side: look for look in sides}
        for look in sides:
            broken = part(look, by_side.get(MIRROR[look.side], look))
            if broken.where.any() and first is None:
                first = look, broken
            count += int(broken.where.sum())
    if first is None:
        return _passed(name)
    look, broken = first
    place = _nearest_to_usual(look, [tuple(map(int, each)) for each in np.argwhere(broken.where)])
    found = {
        "lower": float(look.lower[place]),
        "upper": float(look.upper[place]),
        "broken": count,
    }
    return _failed(name, _told(look, broken, place) + _more(count), {**_cell(look, place), **found})


def _nearest_to_usual(look: Look, places: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The first place with the alpha nearest to the usual one."""
    return min(places, key=lambda place: (abs(math.log(look.alphas[place[0]] / _USUAL)), place))


def _told(look: Look, broken: Broken, place: tuple[int, ...]) -> str:
    """The counter-example in full."""
    text = f"{_limits(look.lower, look.upper, place)} at {where(_cell(look, place))}"
    if broken.lower is not None and broken.upper is not None:
        text += f", where {broken.beside} {_limits(broken.lower, broken.upper, place)}"
    return text


def _limits(lower: Floats, upper: Floats, place: tuple[int, ...]) -> str:
    return f"limits {lower[place]:.15g} and {upper[place]:.15g}"


def _more(count: int) -> str:
    return f" (and at {count - 1} more)" if count > 1 else ""


def _cell(look: Look, place: tuple[int, ...]) -> dict[str, float | int | str]:
    cell: dict[str, float | int | str] = {**look.outcomes.cell(place[1:])}
    cell["alpha"] = look.alphas[place[0]]
    if look.side != TWO_SIDED:
        cell["side"] = look.side
    return cell


def where(cell: Mapping[str, float | int | str]) -> str:
    """A cell in words."""
    return ", ".join(
        f"{name} = {value}" if isinstance(value, int | str) else f"{name} = {value:g}"
        for name, value in cell.items()
    )


def _call_checks(subject: Subject) -> Iterator[Finding]:
    """What calls of the method do besides giving limits; nothing of one that cannot be asked."""
    found: dict[str, str] = {}
    asked = False
    sizes = _CALL_CHECK_SIZES[family_of(subject.family).samples]
    for outcomes in conformance_grid(subject.family)[:sizes]:
        for alpha in _CALL_CHECK_ALPHAS:
            answer = subject.call_checks(outcomes, alpha)
            asked = asked or bool(answer)
            for name, fault in answer.items():
                if fault is not None:
                    found.setdefault(name, fault)
    if asked:
        for name in CALL_CHECKS:
            yield _failed(name, found[name], {}) if name in found else _passed(name)


def _precision(looks: Sequence[Sequence[Look]]) -> Finding:
    """Whether any of the two limits is always a number of single precision."""
    for name in ("lower", "upper"):
        rounded, count, first = True, 0, None
        for sides in looks:
            look = sides[0]
            limits: Floats = getattr(look, name)
            inside = _inside(look, limits)
            count += int(inside.sum())
            if inside.any():
                with np.errstate(over="ignore"):
                    rounded &= bool((limits.astype(np.float32) == limits)[inside].all())
                first = first or (look, tuple(map(int, np.argwhere(inside)[0])))
        if rounded and count >= _FEWEST and first is not None:
            look, place = first
            limit = float(getattr(look, name)[place])
            cell = _cell(look, place)
            message = (
                f"all {count} {name} limits are single-precision numbers, as {limit:.17g} is "
                f"at {where(cell)}"
            )
            return _failed(PRECISION, message, {**cell, name: limit})
    return _passed(PRECISION)


def _inside(look: Look, limits: Floats) -> Bools:
    """Where a limit is neither an end of the range nor a whole number, which any type holds."""
    tiny = float(np.finfo(np.float32).tiny)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.isfinite(limits) & (np.abs(limits) > tiny) & (limits != np.round(limits))
        )


def _passed(name: str) -> Finding:
    return Finding(name, CONFORMANCE, PASS, "holds wherever it was looked at", {})


def _failed(name: str, message: str, cell: Mapping[str, float | int | str]) -> Finding:
    return Finding(name, CONFORMANCE, FAIL, message, cell)
