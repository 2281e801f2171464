"""The JSON Schema that editors use."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from harness.config import yaml12
from harness.config.forms import KINDS, forms_of
from harness.config.load import json_schema
from harness.families.catalogue import FAMILIES
from tests.config.configs import configs
from tests.config.json_schema_check import accepts
from tests.config.test_experiment import PAPER
from tests.config.test_fuzz import CALIBRATION, EVERY, GOOD, PAIR, RATE, places

SCHEMA = json_schema()


def models() -> Iterator[dict[str, Any]]:
    yield from SCHEMA["$defs"].values()


def form_places() -> list[str]:
    return [choice["$ref"].removeprefix("#/$defs/") for choice in SCHEMA["anyOf"]]


def test_the_schema_is_json_of_its_draft() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_every_key_of_every_form_is_in_the_schema() -> None:
    forms = [form for kind in KINDS for form in forms_of(kind)]
    assert (
        len(forms)
        == len(form_places())
        == len(FAMILIES) + sum(each.samples == 2 for each in FAMILIES.values())
    )
    for form, place in zip(forms, form_places(), strict=True):
        properties = SCHEMA["$defs"][place]["properties"]
        assert list(properties) == list(form.keys)
        assert properties["family"]["const"] == form.family.name
        assert properties["kind"]["const"] == form.kind


def test_every_key_says_what_it_is() -> None:
    for model in models():
        assert model["description"]
        for key, entry in model["properties"].items():
            assert entry.get("description"), f"{model['title']}.{key}"


def test_no_model_allows_unknown_keys() -> None:
    assert all(model["additionalProperties"] is False for model in models())


def test_the_documented_config_is_accepted() -> None:
    assert accepts(SCHEMA, yaml12.read(PAPER).data)
    assert all(accepts(SCHEMA, good) for good in EVERY)


@settings(max_examples=60, deadline=None)
@given(config=configs())
def test_every_right_config_is_accepted(config: dict[str, Any]) -> None:
    assert accepts(SCHEMA, config)


def test_unknown_keys_are_rejected_wherever_they_stand() -> None:
    mappings = 0
    for good in EVERY:
        for i in range(len(list(places(good)))):
            config = copy.deepcopy(good)
            container, key = list(places(config))[i]
            if isinstance(container[key], dict):
                mappings += 1
                container[key]["unknown"] = 1
                assert not accepts(SCHEMA, config), key
        assert not accepts(SCHEMA, {**good, "unknown": 1})
    assert mappings > 20


REQUIRED = [
    (GOOD, "name family n methods"),
    (RATE, "name family exposure methods truth"),
    (PAIR, "name family n1 n2 methods"),
    (CALIBRATION, "name kind family exposure1 exposure2 truth delta trials"),
]


@pytest.mark.parametrize(("good", "keys"), REQUIRED)
def test_what_must_be_given_is_required(good: dict[str, Any], keys: str) -> None:
    for left_out in keys.split():
        config = {key: value for key, value in good.items() if key != left_out}
        assert not accepts(SCHEMA, config), left_out


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../a"}, {"n": 0}, {"n": "5"}, {"n": True}, {"alpha": 1}, {"methods": []},
        {"methods": ["wilsn"]}, {"truth": {"uniform": [0, 1], "beta": [1, 1]}}, {"truth": {}},
        {"trials": {"half_width": 0.1}}, {"trials": {"half_width": 0.5, "max": 5000}},
        {"trials": {"half_width": 0.1, "max": 5000, "per_size": 3}}, {"engines": ["x"]},
        {"execution": {"backend": "mpi"}},
        {"figures": [{"kind": "x"}]}, {"seed": -1}, {"family": "rate"}, {"outcomes": "some"},
    ],
)  # fmt: skip
def test_wrong_values_are_rejected(change: dict[str, Any]) -> None:
    assert not accepts(SCHEMA, {**GOOD, **change})


@pytest.mark.parametrize(
    ("good", "change"),
    [
        (RATE, {"exposure": 0}), (RATE, {"n": 5}), (RATE, {"truth": {"beta": [1, 1]}}),
        (RATE, {"outcomes": {"fractions": 3}}), (RATE, {"group": {"width": 0}}),
        (RATE, {"reference": "posterior"}), (RATE, {"cross": True}),
        (PAIR, {"truth": {"uniform": [0, 1]}}), (PAIR, {"group": {"width": 2}}),
        (PAIR, {"truth": {"first": {"uniform": [0, 1]}}}), (PAIR, {"methods": ["jeffreys"]}),
        (CALIBRATION, {"family": "rate"}), (CALIBRATION, {"kind": "coverage"}),
        (CALIBRATION, {"exposure1": [1, 2]}), (CALIBRATION, {"alpha": 0.05}),
        (CALIBRATION, {"bins": 1}),
    ],
)  # fmt: skip
def test_wrong_values_of_other_forms_are_rejected(
    good: dict[str, Any], change: dict[str, Any]
) -> None:
    assert not accepts(SCHEMA, {**good, **change})
