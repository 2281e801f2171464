"""Plain data written as YAML."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.base.plain_data import dump, flow
from harness.config import yaml12

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False)
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, PLAIN, min_size=1))
def test_what_is_written_reads_back_the_same(document: dict[str, Any]) -> None:
    read = yaml12.read(dump(document))
    assert read.issues == ()
    assert repr(read.data) == repr(document)  # 5 is not 5.0


def test_nan_reads_back_as_nan() -> None:
    assert math.isnan(yaml12.read(flow(math.nan)).data)


@given(st.dictionaries(TEXTS, PLAIN, min_size=1))
def test_readers_of_version_1_1_read_the_same(document: dict[str, Any]) -> None:
    assert repr(yaml.safe_load(dump(document))) == repr(document)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-05, "1.0e-05"), (1.5e-07, "1.5e-07"), (0.05, "0.05"), (1e16, "1.0e+16"), (5.0, "5.0"),
        (-math.inf, "-.inf"), (True, "true"), (None, "null"), (10**20, "1" + "0" * 20),
        ("no", '"no"'), ("1e3", '"1e3"'), ("012", '"012"'), ("", '""'), ("a b", '"a b"'),
        ("~", '"~"'), ("two-sided", "two-sided"), ("paper/fig03", "paper/fig03"),
        ("n", "n"), ('say "a\\b"', '"say \\"a\\\\b\\""'), ("α", '"α"'), ("a\nb", '"a\\nb"'),
        ("\u2028", '"\\L"'), ([1, [2.5]], "[1, [2.5]]"), ({"a": {"b": []}}, "{a: {b: []}}"),
    ],
)  # fmt: skip
def test_values_are_written_without_ambiguity(value: Any, text: str) -> None:
    assert flow(value) == text


def test_a_document_has_a_line_for_each_key_and_each_entry_of_a_list_of_mappings() -> None:
    document = {"n": [5, 10], "methods": [{"name": "wald"}, {"name": "wilson"}], "figures": []}
    assert dump(document) == (
        "n: [5, 10]\nmethods:\n  - {name: wald}\n  - {name: wilson}\nfigures: []\n"
    )


def test_what_is_no_plain_data_is_not_written() -> None:
    with pytest.raises(TypeError, match="set is not plain data"):
        flow({1, 2})
