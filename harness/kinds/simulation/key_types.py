"""The types of the keys of a study for functions of the user and for factors.

A function is one of a file, of a module, of R or of this session. Factors are crossed, listed, or
those of a file.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, ValidationInfo

from harness.base.models import StrictModel, by_shape, expecting, refused, repeated, tag
from harness.base.text import is_formula
from harness.callers.location import FunctionLocation
from harness.config import yaml12
from harness.config.models.methods import (
    FunctionName,
    Label,
    ModuleName,
    PythonFile,
    SessionName,
    as_mapping,
    config_folder,
    existing_file,
    is_of_session,
    is_python_name,
    resolved_path,
    session_function,
)
from harness.kinds.simulation.experiment import Level, UserFunction
from harness.kinds.simulation.measures import RESERVED

_Thin = Annotated[int, Field(ge=1, le=10**6), expecting("a whole number from 1 to 10^6")]
_THIN: Any = Field(1, description="Of a method with draws: every so many one is ranked.")


class _NamedFunction(StrictModel):
    """The keys of every function."""

    function: FunctionName = Field(description="Name of the function.")
    label: Label | None = Field(None, description="Of a method; left out, the function's name.")
    thin: _Thin = _THIN


class _FileFunction(_NamedFunction):
    """A function of a Python file."""

    path: PythonFile


class _ModuleFunction(_NamedFunction):
    """A function of a module that can be imported."""

    module: ModuleName


class _RFunction(_NamedFunction):
    """A function of an R file."""

    r: Annotated[
        str, existing_file("R", ".R"), Field(description="R file, relative to the config.")
    ]


class _SessionFunction(StrictModel):
    """A function of a Python session, which `harness.run` takes; its text in the file is a record.

    A function stands here itself, or with a label as {function: f, label: mine}.
    """

    function: SessionName
    source: str = Field("", description="Text of the function, which is not run from a file.")
    label: Label | None = Field(None, description="Of a method; left out, the function's name.")
    thin: _Thin = _THIN


def _where(value: Any) -> str:
    if is_of_session(value):
        return tag("session")
    keys = value if isinstance(value, Mapping) else ()
    return tag(next((key for key in ("module", "r") if key in keys), "file"))


def _made(
    model: _FileFunction | _ModuleFunction | _RFunction | _SessionFunction, info: ValidationInfo
) -> UserFunction:
    """The function with the absolute path of its file."""
    thin: dict[str, Any] = {} if model.thin == 1 else {"thin": model.thin}
    if isinstance(model, _SessionFunction):
        place, source = session_function(model.function, model.source)
        label = model.label or place.function
        labelled = {} if model.label is None else {"label": label}
        written = {"function": place.function, "source": source} | thin | labelled
        return UserFunction(label, place, written, model.thin)
    keys = ("path", "module", "r", "function")
    values = {key: getattr(model, key, None) for key in keys} | thin | {"label": model.label}
    written = {key: value for key, value in values.items() if value is not None}
    file = written.get("path", written.get("r"))
    path = None if file is None else resolved_path(info, file)
    place = FunctionLocation(model.function, path=path, module=written.get("module"))
    return UserFunction(model.label or model.function, place, written, model.thin)


if TYPE_CHECKING:
    FunctionKey = UserFunction
else:
    FunctionKey = Annotated[
        Annotated[_FileFunction, Tag(tag("file"))]
        | Annotated[_ModuleFunction, Tag(tag("module"))]
        | Annotated[_RFunction, Tag(tag("r"))]
        | Annotated[_SessionFunction, BeforeValidator(as_mapping), Tag(tag("session"))],
        Discriminator(_where),
        AfterValidator(_made),
    ]


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
        return {
            name: level if isinstance(level, list) else [level] for name, level in value.items()
        }
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
    rows_read = []
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise refused(f"line {number} of {name} has not as many values as columns", at="csv")
        rows_read.append({key: yaml12.read(value, name).data for key, value in row.items()})
    return rows_read


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
            factors_given = ", ".join(row) or "none"
            raise refused(
                f"expected the factors {', '.join(names)} in row {number}, found {factors_given}"
            )
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
