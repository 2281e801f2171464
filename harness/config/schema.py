"""The forms of all configs, and the JSON Schema that an editor checks them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from harness.config import (
    figure_entry,
    method_entry,
    outcome_entry,
    range_entry,
    rate_truth_entry,
    size_entry,
    trial_entry,
    truth_entry,
)
from harness.config.calibration_form import calibration
from harness.config.coverage_form import coverage
from harness.config.form import Form
from harness.config.shared_keys import CALIBRATION, COVERAGE
from harness.families.catalogue import FAMILIES

_PAIRED = [name for name, family in FAMILIES.items() if family.samples == 2]

FORMS: dict[str, dict[str, Form]] = {
    COVERAGE: {name: coverage(family) for name, family in FAMILIES.items()},
    CALIBRATION: {name: calibration(FAMILIES[name], _PAIRED) for name in _PAIRED},
}
"""By kind and family."""

TAGGED: dict[str, type[BaseModel]] = {
    **size_entry.TAGGED,
    **outcome_entry.TAGGED,
    **method_entry.TAGGED,
    **truth_entry.TAGGED,
    **rate_truth_entry.TAGGED,
    **range_entry.TAGGED,
    **trial_entry.TAGGED,
    **figure_entry.TAGGED,
}
"""The model behind each tag in the path of a pydantic error."""


def form_of(raw: Mapping[str, Any]) -> Form:
    """The form of a config; where its family is wrong, of the first one with a size it names."""
    kind = raw.get("kind")
    forms = FORMS[kind if isinstance(kind, str) and kind in FORMS else COVERAGE]
    family = raw.get("family")
    if isinstance(family, str) and family in forms:
        return forms[family]
    fitting = (form for form in forms.values() if set(form.family.sizes) & set(raw))
    return next(fitting, next(iter(forms.values())))


def json_schema() -> dict[str, Any]:
    """JSON Schema of a config, for editors: any one of the forms."""
    models = [form.model() for forms in FORMS.values() for form in forms.values()]
    places, defined = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment of the coverage harness",
        "description": "One experiment: which interval methods, on what data, judged how.",
        "anyOf": [places[model, "validation"] for model in models],
        "$defs": defined["$defs"],
    }
