"""A config taken apart: each key judged by itself, so that a fault in one hides none in another."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError, create_model

from harness.config.document import Path
from harness.config.faults import Complaint, complaints, found_instead, unknown_key
from harness.config.schema import TAGGED, Config
from harness.config.strict import Strict

ENTRIES = ("methods", "figures")
"""Lists whose entries are judged one by one."""

Draft = dict[str, Any]
"""The values of the keys that are right, defaults filled in. In the lists ENTRIES, None stands for
an entry that is wrong."""


@cache
def _alone(key: str) -> type[BaseModel]:
    """A config of this key only."""
    field = Config.model_fields[key]
    only: Any = {key: (field.annotation, field)}
    made: type[BaseModel] = create_model(f"Only_{key}", __base__=Strict, **only)
    return made


class _Drafting:
    """Gathers complaints while key after key is judged, each knowing the ones before it."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        self.context = dict(context)
        self.complaints: list[Complaint] = []

    def judge(self, key: str, value: Any, shift: Path = ()) -> tuple[Any, bool]:
        """The value, and whether it is right; ``shift``: the entry's true index."""
        model = _alone(key)
        try:
            return getattr(model.model_validate({key: value}, context=self.context), key), True
        except ValidationError as error:
            for path, message in complaints(error, model, TAGGED):
                place = (key, *shift, *path[1 + len(shift) :])
                self.complaints.append(Complaint(place, message))
            return None, False

    def entries(self, key: str, value: list[Any]) -> list[Any]:
        judged = (self.judge(key, [entry], (i,)) for i, entry in enumerate(value))
        return [found[0] if right else None for found, right in judged]


def draft(raw: Any, context: Mapping[str, Any]) -> tuple[Draft, list[Complaint]]:
    """What can be used of a config, and what is wrong with the rest.

    Args:
        raw: plain data.
        context: ``folder``, which paths are relative to.
    """
    if not isinstance(raw, Mapping):
        return {}, [Complaint((), found_instead("a mapping of keys", raw))]
    drafting = _Drafting(context)
    parts: Draft = {}
    for key in raw:
        if key not in Config.model_fields:
            drafting.complaints.append(
                Complaint((key,), unknown_key(key, list(Config.model_fields)))
            )
    for key, field in Config.model_fields.items():
        if key not in raw:
            if field.is_required():
                drafting.judge(key, None)
            else:
                parts[key] = field.get_default()
        elif key in ENTRIES and isinstance(raw[key], list) and raw[key]:
            parts[key] = drafting.entries(key, raw[key])
        else:
            value, right = drafting.judge(key, raw[key])
            if right:
                parts[key] = value
        drafting.context[key] = parts.get(key)
    return parts, drafting.complaints
