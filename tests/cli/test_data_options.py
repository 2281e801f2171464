"""The data of the families as options."""

from __future__ import annotations

import inspect

import pytest

from harness.commands.interval import interval
from harness.commands.options import (
    FINITE_POPULATION,
    ONE_SAMPLE,
    PAIRS,
    TWO_SAMPLES,
    WHOLE_NUMBERS,
    given_data,
)
from harness.commands.significance import significance
from harness.families.catalogue import FAMILIES

DESIGNS = {"one sample": ONE_SAMPLE, "two samples": TWO_SAMPLES, "pairs": PAIRS}


@pytest.mark.parametrize(("design", "options"), DESIGNS.items())
def test_the_columns_of_all_families_are_options_and_nothing_else_is(design, options):
    families = [family for family in FAMILIES.values() if family.design == design]
    assert set(options) == {name for family in families for name in family.data}


def test_whole_numbers_are_the_counts_of_all_families_and_the_sizes_that_are_counts():
    families = FAMILIES.values()
    counts = {name for family in families for name in family.counts}
    sizes = {name for family in families if family.model.SIZE_IS_COUNT for name in family.sizes}
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
        (interval, ONE_SAMPLE | FINITE_POPULATION | TWO_SAMPLES | PAIRS, "method"),
        (significance, TWO_SAMPLES, "delta"),
    ],
)
def test_data_stand_between_the_family_and_the_other_options(command, data, after):
    names = list(inspect.signature(command).parameters)
    assert names[: len(data) + 2] == ["family", *data, after]
    assert "data" not in names


def test_only_what_was_given_is_passed_on_and_counts_as_whole_numbers():
    found = given_data({"x": 3.0, "n": None, "x1": 2.5, "exposure": 4.0})
    assert found == {"x": 3, "x1": 2.5, "exposure": 4.0}
    assert [type(value) for value in found.values()] == [int, float, float]
