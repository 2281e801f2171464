"""By how much limits, lengths and alphas may differ and still be the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from harness.base.arguments import quoted
from harness.base.errors import InputError, did_you_mean

_FORM = "such as limits=1e-9,length=1e-6,alpha=1e-6"


@dataclass(frozen=True)
class Tolerance:
    """The largest differences that are none."""

    limits: float = 1e-9
    """Of two limits; relative for those larger than 1."""
    length: float = 1e-9
    """Of mean lengths, relative."""
    alpha: float = 1e-9
    """Of worst alphas and of mean alpha errors."""

    @classmethod
    def of(cls, given: Mapping[str, Any] | str | None) -> Tolerance:
        """Return the tolerances that are given, with the default for each that is not.

        Args:
            given: a mapping, or a text such as "limits=1e-9,length=1e-6,alpha=1e-6".

        Raises:
            InputError: it names another measure or one twice, or a number is not at least 0 and
                less than 1.

        Example:
            >>> Tolerance.of("length=1e-6")
            Tolerance(limits=1e-09, length=1e-06, alpha=1e-09)
        """
        if given is None:
            return cls()
        numbers = _parse(given) if isinstance(given, str) else given
        if not isinstance(numbers, Mapping):
            raise InputError(f"tolerance should be numbers by measure, found {quoted(given)}")
        known = [field.name for field in fields(cls)]
        for name, value in numbers.items():
            if name not in known:
                guess = did_you_mean(name, known)
                raise InputError(
                    f"tolerance should be of {', '.join(known[:-1])} or {known[-1]}, "
                    f"found {quoted(name)}{guess}"
                )
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if not (is_number and 0 <= float(value) < 1):
                raise InputError(
                    f"tolerance of {name} should be at least 0 and less than 1, "
                    f"found {quoted(value)}"
                )
        return cls(**{name: float(value) for name, value in numbers.items()})


def _parse(text: str) -> dict[str, float]:
    """The numbers of a text by measure.

    Raises:
        InputError: a part of it is not MEASURE=NUMBER, or a measure is there twice.
    """
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals):
            raise InputError(f"tolerance should be {_FORM}, found {quoted(text)}")
        if name in numbers:
            raise InputError(f"tolerance has {name} twice: {quoted(text)}")
        try:
            numbers[name] = float(value)
        except ValueError:
            numbers[name] = math.nan
        if math.isnan(numbers[name]):
            raise InputError(f"tolerance of {name} should be a number, found {quoted(value)}")
    return numbers
