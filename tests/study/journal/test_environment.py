"""A change of code that may change a result makes the records of a journal stale."""

from __future__ import annotations

from harness.study.journal.environment import ENGINES
from tests.test_floors import FILES, graph

DECIDES_NO_RESULT = {
    # Messages, arguments and files.
    *("base.arguments", "base.errors", "base.files", "base.text", "names"),
    # Sources of limits and records of methods: the limits themselves are in the keys of records.
    *("callers.source", "methods.method"),
    # How many trials are made, which decides nothing about those that are.
    "methods.proportion.exact",
    # What is asked for, which is in the keys too, and the record of what was found.
    *("config.experiment", "study.plan", "tables.scenario_result"),
}


def is_digested(module: str) -> bool:
    place = f"{module.replace('.', '/')}.py"
    return any(place == part or place.startswith(f"{part}/") for part in ENGINES)


def test_all_that_solving_and_simulating_import_is_digested():
    digested = {module for module in FILES if module and is_digested(module)}
    used = set().union(*(graph()[module] for module in digested))
    packages = {module for module in FILES if FILES[module].name == "__init__.py"}
    assert "study.solve" in digested
    assert used - digested - packages == DECIDES_NO_RESULT


def test_every_part_of_the_digest_exists():
    top = FILES[""].parent
    assert [part for part in ENGINES if not (top / part).exists()] == []
