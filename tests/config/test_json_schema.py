"""The JSON Schema that editors use."""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from harness.config import yaml12
from harness.families.catalogue import FAMILIES
from harness.kinds.catalogue import KINDS
from tests.config.configs import configs
from tests.config.test_experiment import PAPER
from tests.config.test_fuzz import CALIBRATION, EVERY, GOOD, PAIR, RATE, places

SCHEMA = json.loads((Path(__file__).parents[2] / "configs/schema.json").read_text("utf-8"))
"""As it is shipped, which ``test_shipped.py`` holds against the one that the keys make."""


def models() -> Iterator[dict[str, Any]]:
    yield from SCHEMA["$defs"].values()


def form_places() -> list[str]:
    return [choice["$ref"].removeprefix("#/$defs/") for choice in SCHEMA["anyOf"]]


def test_the_schema_is_json_of_its_draft() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_every_key_of_every_form_is_in_the_schema() -> None:
    forms = [form for kind in KINDS.values() for form in kind.forms()]
    *places, study = form_places()
    assert study == "SimulationConfig"
    assert (
        len(forms)
        == len(places)
        # That of a judge whose error rates are keys is beside those of the families.
        == 2 * len(FAMILIES) + 1 + sum(each.samples == 2 for each in FAMILIES.values())
    )
    for form, place in zip(forms, places, strict=True):
        properties = SCHEMA["$defs"][place]["properties"]
        assert list(properties) == list(form.keys)
        assert properties["family"]["const"] == form.family.public_name
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


# A reader of the part of JSON Schema (draft 2020-12) that the config's schema uses.


Schema = Mapping[str, Any]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
NOTES = {"title", "description", "default", "$defs", "$schema"}
"""Keywords that allow everything."""


def accepts(schema: Schema, value: Any, root: Schema | None = None) -> bool:
    """Whether a value is valid; a keyword unknown here is a KeyError."""
    whole = schema if root is None else root
    rules = {keyword: rule for keyword, rule in schema.items() if keyword not in NOTES}
    return all(KEYWORDS[keyword](rule, value, schema, whole) for keyword, rule in rules.items())


def _reference(rule: str, value: Any, schema: Schema, root: Schema) -> bool:
    return accepts(root["$defs"][rule.removeprefix("#/$defs/")], value, root)


def _one_of(rule: list[Schema], value: Any, schema: Schema, root: Schema) -> bool:
    return sum(accepts(choice, value, root) for choice in rule) == 1


def _any_of(rule: list[Schema], value: Any, schema: Schema, root: Schema) -> bool:
    return any(accepts(choice, value, root) for choice in rule)


def _properties(rule: Schema, value: Any, schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    return all(accepts(rule[key], value[key], root) for key in rule if key in value)


def _no_others(rule: bool, value: Any, schema: Schema, root: Schema) -> bool:
    assert rule is False
    return not isinstance(value, dict) or set(value) <= set(schema["properties"])


def _items(rule: Schema, value: Any, schema: Schema, root: Schema) -> bool:
    return not isinstance(value, list) or all(accepts(rule, entry, root) for entry in value)


def _number(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Schema, Schema], bool]:
    return lambda rule, value, *_: not TYPES["number"](value) or holds(value, rule)


KEYWORDS: dict[str, Callable[[Any, Any, Schema, Schema], bool]] = {
    "$ref": _reference,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "properties": _properties,
    "additionalProperties": _no_others,
    "items": _items,
    "type": lambda rule, value, *_: TYPES[rule](value),
    "required": lambda rule, value, *_: not isinstance(value, dict) or set(rule) <= set(value),
    "enum": lambda rule, value, *_: value in rule,
    "const": lambda rule, value, *_: value == rule,
    "pattern": lambda rule, value, *_: bool(re.search(rule, value)),
    "minLength": lambda rule, value, *_: not isinstance(value, str) or len(value) >= rule,
    "minItems": lambda rule, value, *_: not isinstance(value, list) or len(value) >= rule,
    "maxItems": lambda rule, value, *_: not isinstance(value, list) or len(value) <= rule,
    "minimum": _number(lambda value, rule: value >= rule),
    "maximum": _number(lambda value, rule: value <= rule),
    "exclusiveMinimum": _number(lambda value, rule: value > rule),
    "exclusiveMaximum": _number(lambda value, rule: value < rule),
}
