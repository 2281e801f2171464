"""The interval methods of an experiment, their priors and the alphas that they are computed at."""

from __future__ import annotations

import keyword
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    field_validator,
)

from harness.base.models import (
    StrictModel,
    Word,
    by_shape,
    expected,
    expecting,
    is_label,
    model_name,
    refused,
    refusing,
    tag,
    unknown,
)
from harness.base.text import plain_number
from harness.callers.command import FORMS, TEXT, Command, RFunction
from harness.callers.location import FunctionLocation, session_location, source_of_function
from harness.config.models.levels import numbers_listed
from harness.config.values import MethodSpec
from harness.distributions.truths import Prior
from harness.families.data import SMALLEST_ALPHA
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, by_any_name, methods_of
from harness.methods.method import ALL_SIDES, TWO_SIDED, Method

_ALPHA = "a number above 0, from 1e-284 on, and below 1"

Alpha = Annotated[float, Field(ge=SMALLEST_ALPHA, lt=1)]
Alphas: Any = Annotated[
    by_shape(
        Annotated[Alpha, expecting(f"{_ALPHA}, or a list of them")],
        listed=Annotated[list[Annotated[Alpha, expecting(_ALPHA)]], Field(min_length=1)],
    ),
    AfterValidator(lambda alphas: tuple(alphas) if isinstance(alphas, list) else (alphas,)),
]
"""One nominal alpha or several, as a tuple in their written order."""


def prior_type(family: Family) -> Any:
    """The type of a prior of the family, which yields its parameters."""
    length = len(family.model.PRIOR_SYMBOLS)

    # The JSON Schema excludes 0 for one proportion; the validator knows the other limits.
    positive = family.samples == 1 and family.is_bounded
    number = Annotated[float, Field(gt=0) if positive else Field(ge=0)]
    listed = numbers_listed(
        length, number, family.prior_range, lambda prior: family.is_valid_prior(tuple(prior))
    )
    return Annotated[listed, AfterValidator(tuple)]


def known_methods(family: Family | None) -> dict[str, Method]:
    """Methods by name and alias; those of every family where the family is not known."""
    if family is not None:
        return by_any_name(methods_of(family))
    methods_by_name: dict[str, Method] = {}
    for methods in CATALOGUE.values():
        methods_by_name |= by_any_name(methods)
    return methods_by_name


def _family(info: ValidationInfo) -> Family | None:
    """The family of the config, where its key is valid."""
    family: Family | None = (info.context or {}).get("family")
    return family


def _method(info: ValidationInfo, name: str | None) -> Method | None:
    return known_methods(_family(info)).get(name or "")


def _catalogue_method(value: Any, info: ValidationInfo) -> Method:
    if not isinstance(value, str):
        raise expected("the name of a method, or a mapping with name, path or module")
    method = _method(info, value)
    if method is None:
        family = _family(info)
        others = ", ".join(name for name, every in CATALOGUE.items() if value in by_any_name(every))
        if others and family is not None:
            raise refused(
                f"expected the name of a method for the family {family.name}, found {value}, "
                f"which is one for {others}"
            )
        lists_them = "; the command `harness methods` lists them"
        raise unknown("the name of a method", list(known_methods(family)), otherwise=lists_them)
    return method


def _catalogue_name(value: Any, info: ValidationInfo) -> str:
    _catalogue_method(value, info)
    return str(value)


def _name_alone(name: Any, info: ValidationInfo) -> MethodSpec:
    method = _catalogue_method(name, info)
    if TWO_SIDED not in method.sides:
        raise refused(f"{name} {method.side_advice()}, found none ({{name: {name}, side: lower}})")
    return _catalogue_spec(method, name, TWO_SIDED, None)


def _catalogue_spec(method: Method, label: str, side: str, prior: Prior | None) -> MethodSpec:
    used = method.default_prior if prior is None else prior
    return MethodSpec(label=label, side=side, name=method.name, prior=used)


def _name_type(family: Family, alone: bool) -> Any:
    """The type of a name of the family's catalogue; ``alone``: it stands without a mapping."""
    return Annotated[
        Any,
        PlainValidator(_name_alone if alone else _catalogue_name),
        WithJsonSchema({"type": "string", "enum": sorted(known_methods(family))}),
    ]


def is_python_name(value: str) -> bool:
    """Whether a text is a name of Python, or several with dots between them."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in value.split("."))


def existing_file(kind: str, ending: str) -> AfterValidator:
    """A file that is there, relative to the config."""

    def check(value: str, info: ValidationInfo) -> str:
        if not value.endswith(ending):
            raise expected(f"a {kind} file, ending in {ending}")
        try:
            exists = (config_folder(info) / value).is_file()
        except (OSError, ValueError):  # a name too long, or with a NUL in it
            exists = False
        if not exists:
            raise expected(f"an existing {kind} file, relative to the config")
        return value

    return AfterValidator(check)


def _accepted_by(make: Callable[[str], object]) -> AfterValidator:
    """A text of which a record can be made."""

    def check(value: str) -> str:
        with refusing():
            make(value)
        return value

    return AfterValidator(check)


def config_folder(info: ValidationInfo) -> Path:
    """The folder that paths in the config are relative to."""
    folder: Path = (info.context or {})["folder"]
    return folder


def resolved_path(info: ValidationInfo, path: str = "") -> str:
    """The absolute path of what a config names relative to itself."""
    return str((config_folder(info) / path).resolve())


Label = Annotated[
    str,
    expecting(
        "a label: one line of text, not blank, no spaces around it, and no formula, which begins "
        "with =, +, - or @",
        is_label,
    ),
    Field(description="What tables and figures call the method; unique in the experiment."),
]
FunctionName = Annotated[
    str,
    expecting("the name of a function", lambda name: "." not in name and is_python_name(name)),
]
PythonFile = Annotated[
    str,
    existing_file("Python", ".py"),
    Field(description="Python file, relative to the config."),
]
ModuleName = Annotated[
    str,
    expecting("the name of a module, such as mypackage.intervals", is_python_name),
    Field(description="Importable module."),
]
Function = Annotated[
    FunctionName,
    Field(
        description="Function of the data and alpha that returns lower, upper: f(x, n, alpha), "
        "f(x, exposure, alpha), or f(x1, n1, x2, n2, alpha); counts are arrays."
    ),
]


class MethodModel(StrictModel):
    """A method that is written as a mapping."""

    @abstractmethod
    def spec(self, info: ValidationInfo) -> MethodSpec:
        """The method with its label."""


class CatalogueMethod(MethodModel):
    """A method of the catalogue (`python -m harness methods` lists it)."""

    name: str = Field(description="Name in the catalogue.")
    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED,
        validate_default=True,
        description="An interval, or one limit that holds alpha on its side alone.",
    )
    prior: Any = None
    label: Label | None = Field(None, description="What tables and figures call the method.")

    @field_validator("side")
    @classmethod
    def _has_side(cls, side: str, info: ValidationInfo) -> str:
        method = _method(info, info.data.get("name"))
        if method is None or side in method.sides:
            return side
        raise refused(f"{info.data['name']} {method.side_advice()}, found {side}")

    @field_validator("prior")
    @classmethod
    def _takes_prior(cls, prior: Prior | None, info: ValidationInfo) -> Prior | None:
        method = _method(info, info.data.get("name"))
        if prior is None or method is None or method.takes_prior:
            return prior
        catalogue = known_methods(_family(info)).values()
        choice = ", ".join(dict.fromkeys(method.name for method in catalogue if method.takes_prior))
        given = ", ".join(f"{value:g}" for value in prior)
        raise refused(f"{info.data['name']} takes no prior ({choice} do), found [{given}]")

    def spec(self, info: ValidationInfo) -> MethodSpec:
        method = _method(info, self.name)
        assert method is not None
        label = self.label
        if not label:
            # The name as it is written, with the side and the prior where they are not the usual.
            side = "" if self.side == TWO_SIDED else f" {self.side}"
            numbers = ", ".join(str(plain_number(value)) for value in self.prior or ())
            label = f"{self.name}{side}" + (f" [{numbers}]" if numbers else "")
        return _catalogue_spec(method, label, self.side, self.prior)


class UserMethod(MethodModel):
    """The keys that all user functions have."""

    function: Function
    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED, description="That of the function's attribute side, where it has one."
    )
    label: Label | None = Field(None, description="Left out, the function's name.")


class FileMethod(UserMethod):
    """A function in a self-contained Python file."""

    path: PythonFile

    def spec(self, info: ValidationInfo) -> MethodSpec:
        path, function = resolved_path(info, self.path), self.function
        return _own_spec(self, function, "path", "function", path=path, function=function)


class ModuleMethod(UserMethod):
    """A function in a module that can be imported."""

    module: ModuleName

    def spec(self, info: ValidationInfo) -> MethodSpec:
        module, function = self.module, self.function
        return _own_spec(self, function, "module", "function", module=module, function=function)


SessionName = Annotated[
    Any,
    expecting("a function, or its name", lambda value: callable(value) or isinstance(value, str)),
    WithJsonSchema({"type": "string"}),
    Field(description="The function; in a file its name."),
]


class SessionMethod(MethodModel):
    """A function of a Python session, which `harness.run` takes; its text in the file is a record.

    A function stands here itself, or with a label as {function: f, label: mine}.
    """

    function: SessionName
    source: str = Field("", description="Text of the function, which is not run from a file.")
    side: Annotated[str, Word("a side", ALL_SIDES)] | None = Field(
        None, description="Left out, that of the function's attribute side, or two-sided."
    )
    label: Label | None = Field(None, description="Left out, the function's name.")

    def spec(self, info: ValidationInfo) -> MethodSpec:
        location, source = session_function(self.function, self.source)
        name = location.function
        side = self.side or str(getattr(self.function, "side", TWO_SIDED))
        return MethodSpec(
            label=self.label or name,
            side=side,
            written={"function": name, "source": source},
            function=name,
            pickled=location.pickled,
        )


def session_function(function: Any, source: str) -> tuple[FunctionLocation, str]:
    """The place and the text of a function of the Python session, or of its record in a file."""
    if isinstance(function, str):
        return FunctionLocation(function), source
    with refusing():
        location = session_location(function)
    return location, source_of_function(function, location)


def is_of_session(value: Any) -> bool:
    """Whether an entry is a function, or a mapping with one or with the text of one."""
    if not isinstance(value, Mapping):
        return callable(value)
    is_record = "source" in value or callable(value.get("function"))
    return is_record and value.keys().isdisjoint(("path", "module"))


def as_mapping(value: Any) -> Any:
    return {"function": value} if callable(value) else value


class OtherMethod(MethodModel):
    """The keys of all methods that are no Python."""

    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED, description="The side of its limits."
    )
    label: Label | None = Field(None, description="What tables and figures call the method.")


class TableMethod(OtherMethod):
    """A table of limits: columns of the data, alpha, lower and upper."""

    table: Annotated[
        str,
        existing_file("CSV", ".csv"),
        Field(description="CSV file, relative to the config."),
    ]

    def spec(self, info: ValidationInfo) -> MethodSpec:
        return _own_spec(self, self.table, "table", path=resolved_path(info, self.table))


class CommandMethod(OtherMethod):
    """A program that answers lines of data and alpha with lines of two limits."""

    command: Annotated[
        str,
        _accepted_by(Command),
        Field(description="Program with its arguments, started in the config's folder."),
    ]
    lines: Annotated[str, Word("a form of lines", FORMS)] = Field(
        TEXT, description="How it is asked: 3 10 0.05, or a JSON object."
    )

    def spec(self, info: ValidationInfo) -> MethodSpec:
        program, folder = Command(self.command, self.lines, self.side), resolved_path(info)
        return _own_spec(self, program.name, "command", "lines", program=program, folder=folder)


class RMethod(OtherMethod):
    """A function of R."""

    r: Annotated[
        str,
        _accepted_by(RFunction),
        Field(description="package::function or file.R::function, relative to the config."),
    ]
    arg: dict[str, str] = Field({}, description="Arguments, expressions of R in data and alpha.")
    limits: str = Field("", description="Both limits, an expression of R in its value.")

    def spec(self, info: ValidationInfo) -> MethodSpec:
        program, folder = RFunction(self.r, self.arg, self.limits, self.side), resolved_path(info)
        return _own_spec(self, program.name, "r", "arg", "limits", program=program, folder=folder)


def _own_spec(
    method: UserMethod | OtherMethod, name: str, *written: str, **place: Any
) -> MethodSpec:
    """A method of the user, which has the name where it has no label.

    Args:
        method: as the config has it.
        name: the name.
        written: the keys that say where it is.
        **place: the same for those who call it.
    """
    keys = {key: getattr(method, key) for key in written if getattr(method, key)}
    return MethodSpec(label=method.label or name, side=method.side, written=keys, **place)


def _kind(value: Any) -> str:
    if is_of_session(value):
        return tag("session")
    if not isinstance(value, Mapping):
        return tag("name")
    for key in ("path", "table", "command", "r"):
        if key in value:
            return tag("file" if key == "path" else key)
    return tag("module" if "module" in value else "catalogue")


def method_type(family: Family) -> Any:
    """The type of a method in a config of the family, which yields a `MethodSpec`."""
    about = f"{family.prior_form} prior, of the methods that take one; left out, it is flat."
    fields: Any = {
        "name": (_name_type(family, alone=False), Field(description="Name in the catalogue.")),
        "prior": (prior_type(family) | None, Field(None, description=about)),
    }
    named = create_model(
        model_name(family.name, "method"),
        __base__=CatalogueMethod,
        __doc__=CatalogueMethod.__doc__,
        **fields,
    )
    return Annotated[
        Annotated[_name_type(family, alone=True), Tag("<name>")]
        | Annotated[named, Tag("<catalogue>")]
        | Annotated[FileMethod, Tag("<file>")]
        | Annotated[ModuleMethod, Tag("<module>")]
        | Annotated[SessionMethod, BeforeValidator(as_mapping), Tag("<session>")]
        | Annotated[TableMethod, Tag("<table>")]
        | Annotated[CommandMethod, Tag("<command>")]
        | Annotated[RMethod, Tag("<r>")],
        Discriminator(_kind),
        AfterValidator(
            lambda method, info: method if isinstance(method, MethodSpec) else method.spec(info)
        ),
    ]


def write_method(spec: MethodSpec) -> dict[str, Any]:
    """The method as a config has it."""
    if spec.name is None:
        return {**spec.written, "side": spec.side, "label": spec.label}
    prior = {} if spec.prior is None else {"prior": [plain_number(value) for value in spec.prior]}
    return {"name": spec.name, "side": spec.side, **prior, "label": spec.label}
