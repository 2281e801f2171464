"""``methods`` and ``schema``: what there is to ask for."""

from __future__ import annotations

import csv
import json

import pytest

from harness.config.load import json_schema
from harness.methods.catalogue import ALIASES, PROPORTION
from tests.cli.conftest import is_one_sentence

COLUMNS = ["name", "family", "sides", "title", "reference"]


def test_the_table_names_every_method(tell):
    told = tell("methods")
    assert (told.code, told.err) == (0, "")
    assert told.out.split()[: len(COLUMNS)] == COLUMNS
    for name, method in PROPORTION.items():
        (row,) = (line for line in told.out.splitlines() if line.split()[:1] == [name])
        assert ", ".join(method.sides) in row
        assert method.title in row
    assert "…" not in told.out


@pytest.mark.parametrize("options", [[], ["--family", "proportion"]])
def test_json_lists_every_method_in_the_order_of_the_catalogue(tell, options):
    records = json.loads(tell("methods", *options, "--format", "json").out)
    assert [record["name"] for record in records] == list(PROPORTION)
    for record in records:
        assert list(record) == COLUMNS
        method = PROPORTION[record["name"]]
        assert record["reference"] == method.reference
        assert record["sides"] == ", ".join(method.sides)


def test_csv_holds_the_same(tell):
    rows = list(csv.DictReader(tell("methods", "--format", "csv").out.splitlines()))
    assert rows == json.loads(tell("methods", "--format", "json").out)


@pytest.mark.parametrize("name", [*PROPORTION, *ALIASES["proportion"]])
def test_one_method_is_told_in_full(tell, name):
    told = tell("methods", name)
    proper = ALIASES["proportion"].get(name, name)
    method = PROPORTION[proper]
    assert told.code == 0
    assert told.out.startswith(f"name: {proper}\n")
    assert method.description in told.out
    assert method.reference in told.out
    for part, reason in method.exceptions.items():
        assert f"{part}: {reason}" in told.out
    record = json.loads(tell("methods", name, "--format", "json").out)
    assert record["name"] == proper
    assert record["description"] == method.description


def test_aliases_and_priors_are_told(tell):
    told = json.loads(tell("methods", "clopper_pearson", "--format", "json").out)
    assert told["aliases"] == "exact_tail"
    assert told["prior"] == "none"
    told = json.loads(tell("methods", "minimal_length", "--format", "json").out)
    assert told["prior"] == "Beta(1, 1)"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["methods", "walt"], "method should be one of wald, wilson"),
        (["methods", "--family", "rate"], "family should be one of proportion, found 'rate'"),
    ],
)
def test_what_there_is_not_is_said_in_one_sentence(tell, argv, message):
    told = tell(*argv)
    assert told.code == 2
    assert is_one_sentence(told)
    assert message in told.err


def test_the_schema_is_the_configs(tell):
    told = tell("schema")
    assert (told.code, told.err) == (0, "")
    assert json.loads(told.out) == json_schema()


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["interval", "--help"]])
def test_help_is_plain_text_on_standard_output(tell, argv):
    told = tell(*argv)
    assert (told.code, told.err) == (0, "")
    assert "Usage" in told.out
    assert "\x1b" not in told.out


def test_help_names_every_command(tell):
    out = tell("--help").out
    for command in ("run", "plot", "interval", "methods", "schema"):
        assert command in out.split()
