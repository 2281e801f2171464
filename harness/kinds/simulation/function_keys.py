"""The keys of a function of the user's own in a config of a simulation study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
)

from harness.base.models import StrictModel, expecting, tag
from harness.callers.location import FunctionLocation
from harness.config.models.methods import (
    FunctionName,
    Label,
    ModuleName,
    PythonFile,
    SessionName,
    as_mapping,
    existing_file,
    is_of_session,
    resolved_path,
    session_function,
)
from harness.kinds.simulation.experiment import UserFunction

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
