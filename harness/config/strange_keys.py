"""Keys that a config has and its form does not: where they belong, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.config.faults import Complaint, unknown_key
from harness.config.form import Form
from harness.config.schema import FORMS
from harness.families.catalogue import FAMILIES

SIZES = tuple(dict.fromkeys(size for family in FAMILIES.values() for size in family.sizes))


def strange_keys(form: Form, raw: Mapping[str, Any]) -> Iterator[Complaint]:
    """One for each key that has no place in the form."""
    known = raw.get("family") == form.family.name
    for key in raw:
        if key in form.keys or (key in SIZES and not known):
            # Of a family that is not known every size might be one.
            continue
        yield Complaint((key,), _sentence(key, form))


def names_other_sizes(form: Form, raw: Mapping[str, Any]) -> bool:
    """Whether a size is there, only not one of this family."""
    return any(size in raw for size in SIZES if size not in form.family.sizes)


def _sentence(key: str, form: Form) -> str:
    family = form.family
    if key in SIZES:
        return f"expected {' and '.join(family.sizes)} for the family {family.name}, found {key}"
    having = [other for other in FORMS[form.kind].values() if key in other.keys]
    if having:
        samples = "one sample" if having[0].family.samples == 1 else "two samples"
        return f"expected a family of {samples} with {key}, found {family.name}"
    for kind, forms in FORMS.items():
        if any(key in other.keys for other in forms.values()):
            return f"expected kind: {kind} with {key}, found {form.kind}"
    return unknown_key(key, list(form.keys))
