"""A config taken apart: each key judged by itself, so that a fault in one hides none in another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from harness.config.document import Path
from harness.config.faults import Complaint, complaints
from harness.config.form import Form, alone
from harness.config.schema import TAGGED
from harness.config.strange_keys import names_other_sizes, strange_keys

ENTRIES = ("methods", "figures")
"""Lists whose entries are judged one by one."""

Draft = dict[str, Any]
"""The values of the keys that are right, defaults filled in. In the lists ENTRIES, None stands for
an entry that is wrong."""


class _Drafting:
    """Gathers complaints while key after key is judged, each knowing the ones before it."""

    def __init__(self, form: Form, context: Mapping[str, Any]) -> None:
        self.form = form
        self.context = dict(context)
        self.complaints: list[Complaint] = []

    def judge(self, key: str, value: Any, shift: Path = ()) -> tuple[Any, bool]:
        """The value, and whether it is right; ``shift``: the entry's true index."""
        model = alone(self.form, key)
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


def draft(
    form: Form, raw: Mapping[str, Any], context: Mapping[str, Any]
) -> tuple[Draft, list[Complaint]]:
    """What can be used of a config, and what is wrong with the rest.

    Args:
        form: the keys it may have.
        raw: plain data.
        context: ``folder``, which paths are relative to.
    """
    drafting = _Drafting(form, context)
    drafting.complaints += strange_keys(form, raw)
    parts: Draft = {}
    for key, (_, field) in form.keys.items():
        if key not in raw:
            if not field.is_required():
                parts[key] = field.get_default()
            elif key not in form.family.sizes or not names_other_sizes(form, raw):
                drafting.judge(key, None)
        elif key in ENTRIES and isinstance(raw[key], list) and raw[key]:
            parts[key] = drafting.entries(key, raw[key])
        else:
            value, right = drafting.judge(key, raw[key])
            if right:
                parts[key] = value
        drafting.context[key] = parts.get(key)
    return parts, drafting.complaints
