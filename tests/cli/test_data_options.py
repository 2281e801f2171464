"""The data of the families as options."""

from __future__ import annotations

import inspect

import pytest

from harness.commands.interval import interval
from harness.commands.options import (
    FINITE_POPULATION,
    ONE_SAMPLE,
    OR_LISTS,
    RUN_VALUES,
    TABLE_COUNTS,
    TWO_COUNTS,
    WHOLE_NUMBERS,
    given_data,
    number_or_list,
)
from harness.commands.significance import significance
from harness.families.catalogue import FAMILIES

DESIGNS = {
    "one sample": ONE_SAMPLE,
    "two samples": TWO_COUNTS,
    "pairs": TABLE_COUNTS,
    "repeated runs": RUN_VALUES,
}
OF_INTERVAL = ONE_SAMPLE | FINITE_POPULATION | TWO_COUNTS | TABLE_COUNTS | RUN_VALUES


@pytest.mark.parametrize(("design", "options"), DESIGNS.items())
def test_the_columns_of_all_families_are_options_and_nothing_else_is(design, options):
    families = [family for family in FAMILIES.values() if family.design == design]
    assert set(options) == {name for family in families for name in family.options}


def test_interval_has_an_option_for_all_data_of_every_family():
    data = {name for family in FAMILIES.values() for name in family.options}
    assert data | set(FINITE_POPULATION) == set(OF_INTERVAL)
    assert set(OF_INTERVAL) <= set(inspect.signature(interval).parameters)
    lists = {name for f in FAMILIES.values() if not f.has_outcomes for name in f.data}
    assert lists <= {"values", *OR_LISTS}


def test_whole_numbers_are_the_counts_of_all_families_and_the_sizes_that_are_counts():
    families = FAMILIES.values()
    counts = {name for family in families for name in family.counts}
    counts |= {
        n for f in families if not f.has_outcomes and f.lists.counts_are_whole for n in f.data
    }
    counted = [family for family in families if family.model.SIZE_IS_COUNT]
    sizes = {name for family in counted for name in set(family.sizes) & set(family.options)}
    assert counts | sizes | set(FINITE_POPULATION) == WHOLE_NUMBERS


@pytest.mark.parametrize(("command", "samples"), [(interval, {1, 2}), (significance, {2})])
def test_the_help_names_every_family_that_a_command_takes(command, samples):
    annotation = inspect.signature(command, eval_str=True).parameters["family"].annotation
    (argument,) = annotation.__metadata__
    named = argument.help.replace(" or ", ", ").split(", ")
    assert named == [f.name for f in FAMILIES.values() if f.samples in samples]


@pytest.mark.parametrize(
    ("command", "data", "after"),
    [
        (interval, OF_INTERVAL, "method"),
        (significance, TWO_COUNTS, "delta"),
    ],
)
def test_data_stand_between_the_family_and_the_other_options(command, data, after):
    names = list(inspect.signature(command).parameters)
    assert names[: len(data) + 2] == ["family", *data, after]
    assert "data" not in names


def test_a_list_is_numbers_with_commas_between():
    assert number_or_list("3") == 3
    assert number_or_list("3,-5.5,1e2") == [3, -5.5, 100]
    found = given_data({"x": [3.0, 5.0], "values": [3.0], "k": 2.0})
    assert repr(found) == "{'x': [3, 5], 'values': [3.0], 'k': 2}"


def test_only_what_was_given_is_passed_on_and_counts_as_whole_numbers():
    found = given_data({"x": 3.0, "n": None, "x1": 2.5, "exposure": 4.0})
    assert found == {"x": 3, "x1": 2.5, "exposure": 4.0}
    assert [type(value) for value in found.values()] == [int, float, float]
