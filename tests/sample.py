"""The sample of a long list of cases that the quick tests walk; the slow ones walk the rest."""

import random
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

import pytest

SEED = 2003


def sampled(
    cases: Iterable[Any], one_in: int, by: Callable[[Any], object] | None = None
) -> list[Any]:
    """The cases as parameters of a test; those outside of the sample have the mark ``slow``.

    The sample changes only with the list: of each group of cases, it has one in so many, and one
    at least.

    Args:
        cases: Values of one parameter, or what ``pytest.param`` makes of those of several.
        one_in: How many cases stand for one of the sample.
        by: The group of a case; without it, all are one group.

    Returns:
        All cases in their order.
    """
    parameters = [
        case if isinstance(case, type(pytest.param())) else pytest.param(case) for case in cases
    ]
    groups: dict[str, list[int]] = {}
    for place, parameter in enumerate(parameters):
        values = parameter.values
        case = values[0] if len(values) == 1 else values
        groups.setdefault("" if by is None else str(by(case)), []).append(place)
    quick = {
        place
        for name, places in groups.items()
        for place in random.Random(f"{SEED} {name}").sample(places, ceil(len(places) / one_in))
    }
    return [
        parameter
        if place in quick
        else pytest.param(
            *parameter.values, id=parameter.id, marks=[*parameter.marks, pytest.mark.slow]
        )
        for place, parameter in enumerate(parameters)
    ]
