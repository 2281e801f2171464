"""What callers hand over and are handed: arguments, plain data, text of one line."""

import json
import math
import sys
import unicodedata
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import harness
from harness.base.errors import ConfigError, ConfigIssue, InputError, Place
from harness.base.plain_data import dump, flow
from harness.base.text import json_text, printable, printable_line
from harness.config import yaml12

# Arguments of the wrong type are refused by the public functions in one sentence.


PAIR = {"x1": 3, "n1": 10, "x2": 1, "n2": 10}
SMALL = {"sizes": [2], "alphas": [0.1]}
CALLS = {
    "family of interval": lambda odd: harness.interval(odd, "wilson", x=3, n=10),
    "method of interval": lambda odd: harness.interval("proportion", odd, x=3, n=10),
    "side of interval": lambda odd: harness.interval("proportion", "wilson", side=odd, x=3, n=10),
    "family of significance": lambda odd: harness.significance(odd, **PAIR),
    "config of run": lambda odd: harness.run(odd, out=None),
    "path of load": harness.load,
    "method of check": lambda odd: harness.check(odd, **SMALL),
    "family of check": lambda odd: harness.check("wilson", family=odd, **SMALL),
    "trials of check": lambda odd: harness.check("wilson", trials=odd, **SMALL),
    "seed of check": lambda odd: harness.check("wilson", seed=odd, **SMALL),
    "call_timeout of check": lambda odd: harness.check("wilson", call_timeout=odd, **SMALL),
}
ODD = {
    "nothing": None,
    "a number": 2.5,
    "a truth value": True,
    "a list": [1, 2],
    "bytes": b"wilson",
    "an array": np.arange(1000).reshape(250, 4),
    "a masked number": np.ma.masked,
    "a text": "no such thing",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("odd", ODD)
def test_an_argument_of_the_wrong_type_is_refused_in_one_sentence(call, odd):
    if call == "call_timeout of check" and odd == "a number":
        pytest.skip("2.5 s is a timeout")
    if call == "method of interval" and odd == "nothing":
        pytest.skip("without a method it is the one of the family")
    if call == "trials of check" and odd == "nothing":
        pytest.skip("without a number it is the usual one")
    with pytest.raises(InputError) as refusal:
        CALLS[call](ODD[odd])
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 1000


@pytest.mark.parametrize("option", ["config", "against", "contract", "margin"])
@pytest.mark.parametrize("odd", [odd for odd in ODD if odd != "nothing"])
def test_an_option_of_check_of_the_wrong_type_is_refused_in_one_sentence(option, odd):
    with pytest.raises(InputError) as refusal:
        harness.check("wilson", **SMALL, **{option: ODD[odd]})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("overrides", ["n=3", None, 3, [3]])
def test_overrides_that_are_no_texts_are_refused(overrides):
    with pytest.raises(InputError, match=r"^overrides should be a list of key=value, found"):
        harness.run({}, overrides=overrides, out=None)


@pytest.mark.parametrize("out", [3, b"results", ["results"]])
def test_an_output_folder_that_is_no_path_is_refused(out):
    with pytest.raises(InputError, match=r"^out should be the path of a folder, or None, found"):
        harness.run({}, out=out)


MASKED = np.ma.array([3.0, 99.0], mask=[False, True])


@pytest.mark.parametrize("masked", [MASKED, np.ma.array([3.0, 4.0]), [3.0, np.ma.masked]])
def test_masked_data_are_refused(masked):
    for call in (
        lambda: harness.interval("proportion", "wilson", x=masked, n=100),
        lambda: harness.interval("rate", "garwood", x=3, exposure=masked),
        lambda: harness.interval("proportion", "wilson", x=3, n=100, alpha=masked),
        lambda: harness.significance("proportion_difference", **{**PAIR, "x1": masked}),
        lambda: harness.significance("proportion_difference", **PAIR, delta=masked),
    ):
        with pytest.raises(InputError, match=r"should be numbers without a mask, found a masked"):
            call()


@pytest.mark.parametrize("name", ["sizes", "alphas"])
def test_masked_sizes_and_alphas_of_a_check_are_refused(name):
    with pytest.raises(InputError, match=name):
        harness.check("wilson", **{**SMALL, name: np.ma.array([2, 3], mask=[False, True])})


# Control and bidirectional characters are shown as escapes and never as themselves.


BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = {"\u061c", "\u200e", "\u200f"}
EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
HOSTILE = {
    each
    for each in EVERY
    if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")
    or unicodedata.bidirectional(each) in BIDIRECTIONAL
    or each in MARKS
}


def test_exactly_the_control_and_bidirectional_characters_become_escapes():
    assert {each for each in EVERY if printable_line(each) != each} == HOSTILE
    assert {each for each in EVERY if printable(each) != each} == HOSTILE - {"\t", "\n"}


def test_an_escape_names_the_character():
    text = "a\x1b[31m\x07\r\x9b\u202eb\u2066\udcff"
    assert printable(text) == r"a\x1b[31m\x07\x0d\x9b\u202eb\u2066\udcff"
    assert printable_line("a\tb\nc") == r"a\x09b\x0ac"


def test_other_texts_stay_as_they_are():
    text = "αβ 数 é\N{COMBINING ACUTE ACCENT} 👩\N{ZERO WIDTH JOINER}🔬\n\tx"
    assert printable(text) == text


@pytest.mark.parametrize("text", ["µ", "\u202e", "\x9b", "\x7f", "a\nb", "\ud800", "👩\u2066"])
def test_json_holds_the_text_and_no_such_character(text):
    written = json_text({"a": text})
    assert json.loads(written) == {"a": text}
    assert printable(written) == written


def test_an_error_is_printable_wherever_it_is_shown():
    assert str(InputError("no \x1b]0;x\x07")) == r"no \x1b]0;x\x07"
    issue = ConfigIssue(("a\u202e",), "found \x9b", Place("x\n\x1b.yaml", 3))
    assert str(ConfigError([issue])) == r"x\x0a\x1b.yaml:3: a\u202e: found \x9b"


# Plain data written as YAML.


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
