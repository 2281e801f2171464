"""The ways to name an interval method in a config, as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    create_model,
    field_validator,
)

from harness.config.constraints import Word, expecting, refused
from harness.config.form import model_name
from harness.config.method_names import (
    Function,
    Label,
    catalogue_name,
    known_methods,
    method_of,
    python_file,
    python_name,
)
from harness.config.prior_entry import MEANING, prior_of
from harness.families.family import Family
from harness.methods.method import ALL_SIDES, TWO_SIDED
from harness.models import StrictModel


class CatalogueMethod(StrictModel):
    """A method of the catalogue (`python -m harness methods` lists it)."""

    name: str = Field(description="Name in the catalogue.")
    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED,
        validate_default=True,
        description="An interval, or one limit that holds alpha on its side alone.",
    )
    prior: list[float] | None = None
    label: Label | None = Field(None, description="What tables and figures call the method.")

    @field_validator("side")
    @classmethod
    def _has_side(cls, side: str, info: ValidationInfo) -> str:
        method = method_of(info, info.data.get("name"))
        if method is None or side in method.sides:
            return side
        name = info.data["name"]
        raise refused(f"{name} {method.side_advice()}, found {side}")

    @field_validator("prior")
    @classmethod
    def _takes_prior(cls, prior: list[float] | None, info: ValidationInfo) -> list[float] | None:
        method = method_of(info, info.data.get("name"))
        if prior is None or method is None or method.takes_prior:
            return prior
        family = (info.context or {}).get("family")
        others = [each.name for each in known_methods(family).values() if each.takes_prior]
        choice = ", ".join(dict.fromkeys(others))
        found = ", ".join(f"{value:g}" for value in prior)
        raise refused(f"{info.data['name']} takes no prior ({choice} do), found [{found}]")


class OwnMethod(StrictModel):
    """What the two ways to bring a method of one's own share."""

    function: Function
    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED, description="That of the function's attribute side, where it has one."
    )
    label: Label | None = Field(None, description="Left out, the function's name.")


class FileMethod(OwnMethod):
    """A function in a self-contained Python file."""

    path: Annotated[
        str,
        AfterValidator(python_file),
        Field(description="Python file, relative to the config."),
    ]


class ModuleMethod(OwnMethod):
    """A function in a module that can be imported."""

    module: Annotated[
        str,
        AfterValidator(python_name),
        expecting("the name of a module, such as mypackage.intervals"),
        Field(description="Importable module."),
    ]


def _shape(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "<name>"
    if "path" in value:
        return "<file>"
    return "<module>" if "module" in value else "<catalogue>"


def method_entry(family: Family) -> Any:
    """What a method may be in a config of the family."""
    prior = prior_of(family) | None
    about = (
        f"{MEANING[family.model.NAME]} prior, of the methods that take one; left out, it is flat."
    )
    fields: Any = {
        "name": (catalogue_name(family.name, alone=False), CatalogueMethod.model_fields["name"]),
        "prior": (prior, Field(None, description=about)),
    }
    named = create_model(
        model_name(family, "method"),
        __base__=CatalogueMethod,
        __doc__=CatalogueMethod.__doc__,
        **fields,
    )
    return Annotated[
        Annotated[catalogue_name(family.name, alone=True), Tag("<name>")]
        | Annotated[named, Tag("<catalogue>")]
        | Annotated[FileMethod, Tag("<file>")]
        | Annotated[ModuleMethod, Tag("<module>")],
        Discriminator(_shape),
    ]


TAGGED: dict[str, type[StrictModel]] = {
    "<catalogue>": CatalogueMethod,
    "<file>": FileMethod,
    "<module>": ModuleMethod,
}
