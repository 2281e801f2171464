"""The form of a config: which keys it has, by the kind of experiment and the family."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from harness.families.family import Family
from harness.models import StrictModel

Key = tuple[Any, FieldInfo]
"""The type of a key's value, and its default and description."""


def entry(kind: Any, description: str, default: Any = ...) -> Key:
    """A key with a value of that kind; it must be given where it has no default."""
    field: Any = Field(default, description=description)
    return kind, field


@dataclass(frozen=True, eq=False)
class Form:
    """The keys that a config may have, in the order in which they are judged."""

    kind: str
    family: Family
    title: str
    keys: Mapping[str, Key]

    def model(self) -> type[BaseModel]:
        """The whole config."""
        fields: dict[str, Any] = dict(self.keys)
        name = model_name(self.family, self.kind)
        made: type[BaseModel] = create_model(
            name, __base__=StrictModel, __doc__=self.title, **fields
        )
        return made


@cache
def alone(form: Form, key: str) -> type[BaseModel]:
    """A config of this key only."""
    only: dict[str, Any] = {key: form.keys[key]}
    made: type[BaseModel] = create_model(f"Only_{key}", __base__=StrictModel, **only)
    return made


def model_name(family: Family, what: str) -> str:
    """The name of a model that belongs to a family, as in RateMethod."""
    return "".join(word.capitalize() for word in f"{family.name}_{what}".split("_"))


def is_bounded(family: Family) -> bool:
    """Whether there are finitely many outcomes at each size."""
    return math.isfinite(family.model.SUPPORT[1])
