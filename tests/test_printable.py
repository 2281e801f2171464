"""Control and bidirectional characters are shown as escapes and never as themselves."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from harness.base.errors import ConfigError, ConfigIssue, InputError, Place
from harness.base.text import json_text, printable, printable_line

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
