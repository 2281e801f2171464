"""Outcomes as the arguments of a user's function, and as they are told."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.numerics.arrays import Floats


def arguments_of(
    names: tuple[str, ...], counts: tuple[Floats, ...], sizes: tuple[float, ...]
) -> dict[str, Any]:
    """By name, the counts of each sample as an array, followed by its size as a number.

    Args:
        names: of the family's columns.
        counts: of each sample, shape (m,) each.
        sizes: of each sample.
    """
    arguments: dict[str, Any] = {}
    for number, name in enumerate(names):
        if number % 2 == 0:
            arguments[name] = counts[number // 2].astype(np.int64)
        else:
            size = float(sizes[number // 2])
            arguments[name] = int(size) if name.startswith("n") else size
    return arguments


def one_outcome(arguments: dict[str, Any], place: int) -> dict[str, Any]:
    """The arguments of one outcome, out of arrays of counts."""
    return {
        name: value if np.ndim(value) == 0 else int(value[place])
        for name, value in arguments.items()
    }


def told(arguments: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} = {value}" if isinstance(value, int) else f"{name} = {value:g}"
        for name, value in arguments.items()
    )
