"""The forms of a config: which keys it has, by the kind of experiment and the family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, create_model
from pydantic.json_schema import models_json_schema

from harness.base.errors import InputError
from harness.base.models import StrictModel
from harness.config.experiment import (
    CALIBRATION,
    COVERAGE,
    FAMILIES_OF,
    AnyExperiment,
    Calibration,
    Experiment,
)
from harness.config.key import Keys, keys_of
from harness.config.models.constraints import model_name
from harness.config.models.simulation import SimulationConfig
from harness.families.catalogue import with_settings
from harness.families.family import Family

RECORDS: dict[str, type[AnyExperiment]] = {COVERAGE: Experiment, CALIBRATION: Calibration}
"""What a config of each kind becomes; the attributes of these records state the keys."""
KINDS = tuple(RECORDS)
_TITLES = {
    COVERAGE: "Coverage of intervals for",
    CALIBRATION: "Calibration of probabilities about",
}


@dataclass(frozen=True, eq=False)
class Form:
    """The keys that a config may have, in the order in which they are validated."""

    kind: str
    """``coverage`` or ``calibration``."""
    family: Family
    title: str
    keys: Keys

    def model(self) -> type[BaseModel]:
        """The model of a whole config."""
        fields: dict[str, Any] = {name: (key.kind, key.field) for name, key in self.keys.items()}
        name, about = model_name(self.family, self.kind), self.title
        made: type[BaseModel] = create_model(name, __base__=StrictModel, __doc__=about, **fields)
        return made


@cache
def model_of_key(form: Form, key: str) -> type[BaseModel]:
    """The model of a config with this key of the form only."""
    only: dict[str, Any] = {key: (form.keys[key].kind, form.keys[key].field)}
    made: type[BaseModel] = create_model(f"Only_{key}", __base__=StrictModel, **only)
    return made


@cache
def form_for(kind: str, family: Family) -> Form:
    """The form of a kind of experiment and a family; made when it is first asked for."""
    return Form(kind, family, f"{_TITLES[kind]} {family.title}", keys_of(RECORDS[kind], family))


def forms_of(kind: str) -> Iterator[Form]:
    """The forms of a kind, in the order of the families."""
    return (form_for(kind, family) for family in FAMILIES_OF[kind].values())


def form_of(raw: Mapping[str, Any]) -> Form:
    """The form of a config; for an unknown family, of the first one with a size the config has."""
    kind = raw.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        kind = COVERAGE
    families, name = FAMILIES_OF[kind], raw.get("family")
    if isinstance(name, str) and name in families:
        try:
            return form_for(kind, with_settings(name, dict(raw)))
        except InputError:
            # The key of the setting says so.
            return form_for(kind, families[name])
    fitting = (family for family in families.values() if set(family.sizes) & set(raw))
    return form_for(kind, next(fitting, next(iter(families.values()))))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a config, for editors: any one of the forms."""
    models = [form.model() for kind in KINDS for form in forms_of(kind)]
    models.append(SimulationConfig)
    places, defined = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment of the coverage harness",
        "description": "One experiment: the interval methods, the data, and the computations.",
        "anyOf": [places[model, "validation"] for model in models],
        "$defs": defined["$defs"],
    }
