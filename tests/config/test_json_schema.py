"""The JSON Schema that editors use."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from harness.config import yaml12
from harness.config.load import json_schema
from harness.config.schema import Config
from tests.config.configs import configs
from tests.config.json_schema_check import accepts
from tests.config.test_experiment import PAPER
from tests.config.test_fuzz import GOOD, places

SCHEMA = json_schema()


def models() -> Iterator[dict[str, Any]]:
    yield SCHEMA
    yield from SCHEMA["$defs"].values()


def test_the_schema_is_json_of_its_draft() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_every_key_of_the_config_is_in_the_schema_and_says_what_it_is() -> None:
    assert list(SCHEMA["properties"]) == list(Config.model_fields)
    for model in models():
        assert model["description"]
        for key, entry in model["properties"].items():
            assert entry.get("description"), f"{model['title']}.{key}"


def test_no_model_allows_unknown_keys() -> None:
    assert all(model["additionalProperties"] is False for model in models())


def test_the_documented_config_is_accepted() -> None:
    assert accepts(SCHEMA, yaml12.read(PAPER).data)
    assert accepts(SCHEMA, GOOD)


@settings(max_examples=60, deadline=None)
@given(config=configs())
def test_every_right_config_is_accepted(config: dict[str, Any]) -> None:
    assert accepts(SCHEMA, config)


def test_unknown_keys_are_rejected_wherever_they_stand() -> None:
    mappings = 0
    for i in range(len(list(places(GOOD)))):
        config = copy.deepcopy(GOOD)
        container, key = list(places(config))[i]
        if isinstance(container[key], dict):
            mappings += 1
            container[key]["unknown"] = 1
            assert not accepts(SCHEMA, config), key
    assert mappings > 5
    assert not accepts(SCHEMA, {**GOOD, "unknown": 1})


@pytest.mark.parametrize("key", ["name", "family", "n", "methods"])
def test_what_must_be_given_is_required(key: str) -> None:
    assert not accepts(SCHEMA, {k: value for k, value in GOOD.items() if k != key})


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../a"}, {"n": 0}, {"n": "5"}, {"n": True}, {"alpha": 1}, {"methods": []},
        {"methods": ["wilsn"]}, {"truth": {"uniform": [0, 1], "beta": [1, 1]}}, {"truth": {}},
        {"trials": {"half_width": 0.1}}, {"engines": ["x"]}, {"execution": {"backend": "dask"}},
        {"figures": [{"kind": "x"}]}, {"seed": -1}, {"family": "rate"}, {"outcomes": "some"},
    ],
)  # fmt: skip
def test_wrong_values_are_rejected(change: dict[str, Any]) -> None:
    assert not accepts(SCHEMA, {**GOOD, **change})
