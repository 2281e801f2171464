"""The key of the factors of a simulation study: crossed, listed, or those of a file."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from harness.base.models import by_shape, expecting, refused, repeated
from harness.base.text import is_formula
from harness.config import yaml12
from harness.config.models.methods import config_folder, is_python_name
from harness.kinds.simulation.experiment import Level
from harness.kinds.simulation.measures import RESERVED

MOST_SCENARIOS = 10_000


_Level = Annotated[
    Level,
    expecting(
        "a number below 2^63, a text that is no formula (=, +, - or @ at its start), true or false",
        # A table can hold no other level, and a spreadsheet would run the formula.
        lambda level: (
            not is_formula(level)
            if isinstance(level, str)
            else not isinstance(level, int) or abs(level) < 2**63
        ),
    ),
]
_Crossed = dict[str, Annotated[list[_Level], Field(min_length=1)]]
_Listed = Annotated[list[dict[str, _Level]], Field(min_length=1)]


def _of_file(value: Any, info: ValidationInfo) -> Any:
    """The rows of a file of factors as a list, and a single level as a list of one."""
    if isinstance(value, Mapping) and set(value) == {"csv"} and isinstance(value["csv"], str):
        return _read_rows(value["csv"], config_folder(info))
    if isinstance(value, Mapping):
        return {name: each if isinstance(each, list) else [each] for name, each in value.items()}
    return value


def _read_rows(name: str, folder: Path) -> list[dict[str, Level]]:
    try:
        with (folder / name).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True, skipinitialspace=True)
            rows, names = list(reader), list(reader.fieldnames or ())
    except (OSError, ValueError, csv.Error) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise refused(f"{name} cannot be read: {reason}", at="csv") from None
    if not rows:
        raise refused(f"expected rows of factors in {name}, found none", at="csv")
    if len(set(names)) < len(names) or "" in names:
        raise refused(f"expected a name of its own for each column of {name}", at="csv")
    found = []
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise refused(f"line {number} of {name} has not as many values as columns", at="csv")
        found.append({key: yaml12.read(value, name).data for key, value in row.items()})
    return found


def _scenarios(given: Any) -> tuple[dict[str, Level], ...]:
    """The factors of each scenario: those of each row, or every combination of the levels."""
    if isinstance(given, list):
        rows = given
    else:
        rows = [dict(zip(given, row, strict=True)) for row in itertools.product(*given.values())]
    if len(rows) > MOST_SCENARIOS:
        raise refused(f"expected at most {MOST_SCENARIOS} scenarios, found {len(rows)}")
    names = list(rows[0])
    for name in names:
        if not is_python_name(name) or "." in name:
            raise refused(f"expected factors with names of Python, found {name!r}")
        if name in RESERVED:
            raise refused(f"expected another name of a factor than {name}, a column of the tables")
        if name in ("rng", "csv"):
            raise refused(f"expected another name of a factor than {name}, which has a meaning")
    for number, row in enumerate(rows, 1):
        if set(row) != set(names):
            found = ", ".join(row) or "none"
            raise refused(f"expected the factors {', '.join(names)} in row {number}, found {found}")
    ordered = tuple({name: row[name] for name in names} for row in rows)
    # A level that is true is another one than 1.
    typed = [tuple((isinstance(level, bool), level) for level in row.values()) for row in ordered]
    for first, again in repeated(typed):
        raise refused(f"expected each scenario once, found row {again + 1} as row {first + 1}")
    return ordered


if TYPE_CHECKING:
    Factors = tuple[dict[str, Level], ...]
else:
    Factors = Annotated[
        by_shape(_Crossed, listed=_Listed), BeforeValidator(_of_file), AfterValidator(_scenarios)
    ]
