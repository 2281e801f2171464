"""The form of a config: the keys that it may have, each of which is validated by itself.

A record of an experiment states its keys beside its attributes. An attribute that a key of its own
name decides has the key in its annotation: ``bins: Annotated[int, Key(Bins, "How many.", 20)]``. An
attribute whose key depends on the family has there a function from the family to the key, or to
None; where keys have other names, or are several, to the keys by their names. A form is made from
these annotations, so nothing else names a key but what reads the attribute.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from harness.base.errors import ConfigIssue
from harness.base.models import StrictModel, issues_of, model_name
from harness.base.text import plain_number
from harness.config.values import Execution
from harness.families.family import Family
from harness.figures.kind import FigureSpec


def plain(value: Any) -> Any:
    """Plain data: a tuple as a list, whole numbers as such and never −0."""
    if isinstance(value, Mapping):
        return {key: plain(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [plain(content) for content in value]
    return plain_number(value) if isinstance(value, float) else value


@dataclass(frozen=True, eq=False)
class Key:
    """A key of a config; it is required where it has no default."""

    kind: Any
    """The type of its value, which yields what the experiment holds."""
    description: str
    default: Any = ...
    """Written as in a config, and validated like a value that is given."""
    _: KW_ONLY
    write: Callable[[Any], Any] = plain
    """Makes plain data of the attribute; None where the key is left out."""
    attribute: str = ""
    """The attribute of the experiment that the key decides; a form fills it in."""

    @cached_property
    def field(self) -> FieldInfo:
        """Its default and its description, as a model has them."""
        info: Any = Field(self.default, description=self.description)
        return cast(FieldInfo, info)


Keys = Mapping[str, Key]
"""Keys by their names."""


def keys_of(record: type[Any], family: Family) -> Keys:
    """The keys that the attributes of a record state, in the order of the attributes."""
    keys_by_name: dict[str, Key] = {}
    for attribute, annotation in get_type_hints(record, include_extras=True).items():
        for stated in getattr(annotation, "__metadata__", ()):
            keys = stated if isinstance(stated, Key) else stated(family)
            named = keys if isinstance(keys, Mapping) else {attribute: keys}
            keys_by_name |= {
                name: replace(key, attribute=attribute)
                for name, key in named.items()
                if key is not None
            }
    return keys_by_name


LISTS = ("methods", "figures")
"""Keys whose list is validated entry by entry."""


@dataclass(frozen=True, eq=False)
class Form:
    """The keys that a config may have, in the order in which they are validated."""

    kind: str
    """The kind of experiment."""
    title: str
    keys: Keys
    model_name: str
    """The name of its model in the JSON Schema."""

    @cached_property
    def models(self) -> Mapping[str, type[BaseModel]]:
        """The models of configs with one key of the form only, by the keys."""
        config = ConfigDict({**StrictModel.model_config, "defer_build": False})
        made: dict[str, type[BaseModel]] = {}
        for name, key in self.keys.items():
            only: dict[str, Any] = {name: (key.kind, key.field)}
            made[name] = create_model(f"Only_{name}", __config__=config, **only)
        return made

    def model(self) -> type[BaseModel]:
        """The model of a whole config."""
        fields: dict[str, Any] = {name: (key.kind, key.field) for name, key in self.keys.items()}
        made: type[BaseModel] = create_model(
            self.model_name, __base__=StrictModel, __doc__=self.title, **fields
        )
        return made


@dataclass(frozen=True, eq=False)
class FamilyForm(Form):
    """The form of a config with a family, which decides the keys."""

    family: Family


class AnyExperiment(Protocol):
    """The attributes of every experiment, of whichever kind."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def name(self) -> str:
        """The path of its folder among the results."""

    @property
    def title(self) -> str: ...

    @property
    def family_name(self) -> str:
        """The name of its family; that of its kind where it has none."""

    @property
    def execution(self) -> Execution: ...

    @property
    def figures(self) -> tuple[FigureSpec, ...]: ...

    @property
    def figures_are_suggested(self) -> bool:
        """Whether the config named no figures, so that these are those that suit it."""

    @property
    def document(self) -> dict[str, Any]:
        """The resolved config as plain data, with every default filled in."""


class WrittenByKeys:
    """An experiment that the keys of its form write."""

    @property
    @abstractmethod
    def form(self) -> Form:
        """The form of its config."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The resolved config as plain data, as ``config.yaml`` holds it.

        Loading it from the folder of the experiment's own config gives an equal experiment. The
        keys are in the order of the form; a key that is None, or the default that is left out, is
        not written.
        """
        written = {
            name: key.write(getattr(self, key.attribute)) for name, key in self.form.keys.items()
        }
        return {name: value for name, value in written.items() if value is not None}


@cache
def family_form(record: type[Any], family: Family) -> FamilyForm:
    """The form of a kind of experiment and a family; made when it is first asked for.

    Args:
        record: what a config of the kind becomes, whose attributes state the keys; with ``kind``,
            and ``form_title``, the title of the form without the family.
        family: the family.
    """
    keys, name = keys_of(record, family), model_name(family.name, record.kind)
    return FamilyForm(record.kind, f"{record.form_title} {family.title}", keys, name, family)


def validate_keys(
    form: Form, raw: Mapping[str, Any], folder: Path, replaced: Collection[str] = ()
) -> tuple[dict[str, Any], list[ConfigIssue]]:
    """Validate each key by itself, so that an issue of one hides none of another.

    Args:
        form: the form of the config.
        raw: the data of the config.
        folder: what paths in the config are relative to.
        replaced: keys that are not missed, since the config has others in their places.

    Returns:
        The values of the valid keys, defaults included, and the issues of the others. In the
        lists of the keys ``LISTS``, None stands for an entry that is not valid.
    """
    issues: list[ConfigIssue] = []
    values: dict[str, Any] = {}
    context: dict[str, Any] = {"folder": folder}
    for name, key in form.keys.items():
        required = key.field.is_required()
        written = raw.get(name) if required else raw.get(name, key.field.get_default())
        if name in LISTS and isinstance(written, list) and written:
            values[name] = []
            for i, entry in enumerate(written):
                valid, wrong = validate_key(form, name, [entry], context)
                values[name].append(None if wrong else valid[0])
                issues += (replace(issue, path=(name, i, *issue.path[2:])) for issue in wrong)
        elif name not in replaced:
            valid, wrong = validate_key(form, name, written, context)
            if not wrong:
                values[name] = valid
            issues += wrong
        context[name] = values.get(name)
        if name == "family" and name in values and isinstance(form, FamilyForm):
            context[name] = form.family
    return values, issues


def validate_key(
    form: Form, key: str, value: Any, context: Mapping[str, Any]
) -> tuple[Any, list[ConfigIssue]]:
    """The valid value of a key, or None and its issues."""
    try:
        return getattr(
            form.models[key].model_validate({key: value}, context=dict(context)), key
        ), []
    except ValidationError as error:
        return None, list(issues_of(error))
