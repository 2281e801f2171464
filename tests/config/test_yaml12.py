"""YAML is read by the core rules of version 1.2."""

from __future__ import annotations

import math
from typing import Any

import pytest

from harness.base.errors import ConfigIssue, Place
from harness.config import yaml12

SCALARS: list[tuple[str, Any]] = [
    # text by 1.2, though not by 1.1
    ("no", "no"), ("Yes", "Yes"), ("on", "on"), ("OFF", "OFF"), ("y", "y"),
    ("1_000", "1_000"), ("12:30:45", "12:30:45"), ("2001-12-14", "2001-12-14"), ("0b11", "0b11"),
    ("=", "="), ("<<", "<<"), ("tRue", "tRue"), ("nUll", "nUll"), (".Inf.", ".Inf."),
    ("1e", "1e"), ("-0x1", "-0x1"), ("0o8", "0o8"), ("+", "+"), (".", "."), ("1.2.3", "1.2.3"),
    # numbers by 1.2, though not by 1.1 or another number there
    ("1e-3", 0.001), ("1e3", 1000.0), ("012", 12), ("0o17", 15), ("-012", -12),
    # the rest
    ("0x1F", 31), ("+5", 5), ("0", 0), ("5.", 5.0), (".5", 0.5), ("-.5e+1", -5.0), ("1.5E2", 150.0),
    (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf),
    ("true", True), ("FALSE", False), ("True", True),
    ("null", None), ("~", None), ("Null", None), ("''", ""), ('"5"', "5"), ("'no'", "no"),
    ("!!str 5", "5"), ("!!int '5'", 5), ("!!float 5", 5.0), ("!!null ''", None),
    ("[1, no, {a: 0o1}]", [1, "no", {"a": 1}]), ("[]", []), ("{}", {}), ("{a}", {"a": None}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalars_have_the_values_of_the_core_schema(text: str, value: Any) -> None:
    read = yaml12.read(text)
    assert read.issues == ()
    assert repr(read.data) == repr(value)  # 5 is not 5.0, nor 1 true


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_is_a_number(text: str) -> None:
    assert math.isnan(yaml12.read(text).data)


def test_a_key_without_a_value_has_none() -> None:
    assert yaml12.read("a:\nb: 1").data == {"a": None, "b": 1}


def test_merge_keys_are_keys_like_any_other() -> None:
    assert yaml12.read("<<: {a: 1}").data == {"<<": {"a": 1}}


def test_aliases_repeat_their_anchors() -> None:
    assert yaml12.read("a: &x [1, 2]\nb: *x").data == {"a": [1, 2], "b": [1, 2]}


def test_keys_and_items_know_their_lines() -> None:
    read = yaml12.read("# first\na: 1\nb:\n  - 2\n  - c: {d: 3,\n         e: 4}\n")
    assert read.place(("a",)).line == 2
    assert read.place(("b",)).line == 3
    assert read.place(("b", 0)).line == 4
    assert read.place(("b", 1)).line == 5
    assert read.place(("b", 1, "c", "e")).line == 6
    assert read.values["b", 1, "c", "e"] == 6
    assert read.keys["b",] == 3
    assert read.place(()).line == 2


def test_what_is_not_there_has_the_line_of_what_should_hold_it() -> None:
    read = yaml12.read("a: 1\nb:\n  c: 2\n")
    assert read.place(("b", "missing", 3)).line == 2
    assert read.place(("missing",)).line == 1


ISSUES = [
    ("", 1, "expected a config, found an empty text"),
    ("# only a comment\n", 1, "expected a config, found an empty text"),
    ("a: 1\n\tb: 2\n", 2, "expected spaces, found a tab (YAML has no tabs before a value)"),
    ("a:\n\t- 1\n", 2, "expected spaces, found a tab (YAML has no tabs before a value)"),
    ("a: 1\nb: c: 2\n", 2,
     "expected one value, found a second ': ' (text that holds ': ' needs quotes)"),
    ("a: [1, 2\n", 1, "expected YAML, but while parsing a flow sequence expected ',' or ']', "
     "got the end of the text"),
    ("a: 'b\n", 1, "expected YAML, but while scanning a quoted scalar found unexpected end of "
     "stream"),
    ("a: 1\n---\nb: 2\n", 2, "expected one document, found a second one"),
    ("a: *b\n", 1, "expected YAML, but found undefined alias 'b'"),
    ("a: 1\nb: \x07\n", 2, "expected text, found the control character U+0007"),
    ("[" * 5000, 1, "expected a config, found values nested too deeply to read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "message"), ISSUES)
def test_a_text_that_is_no_yaml_has_one_issue_with_its_line(
    text: str, line: int, message: str
) -> None:
    (issue,) = yaml12.read(text).issues
    assert issue == ConfigIssue((), message, Place("", line))


VALUE_ISSUES = [
    ("a: 1\nb: 2\na: 3\n", 3, ("a",), "expected each key once, found it on line 1 and on line 3"),
    ("c: {a: 1, a: 1}", 1, ("c", "a"),
     "expected each key once, found it on line 1 and on line 1"),
    ("5: a\n", 1, (), "expected text as a key, found '5'"),
    ("b:\n  null: a\n", 2, ("b",), "expected text as a key, found 'null'"),
    ("[a]: b\n", 1, (), "expected text as a key, found a list or mapping"),
    ("a: !mine 5\n", 1, ("a",), "expected a plain value, found the tag !mine"),
    ("a: !!set {b}\n", 1, ("a",), "expected a plain value, found the tag tag:yaml.org,2002:set"),
    ("a: !!int five\n", 1, ("a",), "expected a value of the tag !!int, found 'five'"),
    ("a: &x [1, *x]\n", 1, ("a", 1), "expected a value, found an alias of what it is in"),
    (f"a: {'9' * 5000}\n", 1, ("a",), "expected a number, found one of more than 1000 digits"),
    (f"a: 0x{'9' * 5000}\n", 1, ("a",), "expected a number, found one of more than 1000 digits"),
    ('a: "\\ud800"\n', 1, ("a",), "expected text, found half of a surrogate pair"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "path", "message"), VALUE_ISSUES)
def test_a_value_that_cannot_be_read_is_named(
    text: str, line: int, path: tuple[str | int, ...], message: str
) -> None:
    (issue,) = yaml12.read(text).issues
    assert issue == ConfigIssue(path, message, Place("", line))


def test_all_repeated_keys_are_named() -> None:
    assert [issue.path for issue in yaml12.read("a: 1\na: 2\nb: {c: 1, c: 2}\n").issues] == [
        ("a",),
        ("b", "c"),
    ]


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for i in range(1, 9):
        text += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n"
    (issue,) = yaml12.read(text).issues
    assert "more than 200000 values" in issue.message
