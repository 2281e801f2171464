"""The sample of the quick tests has each group, and with the other tests there is every case."""

from typing import Any

import pytest

from tests.sample import sampled

CASES = [
    *(pytest.param("proportion", number) for number in range(10)),
    *(pytest.param("rate", number, id=f"rate {number}") for number in range(3)),
]


def quick(parameters: list[Any]) -> list[Any]:
    return [each for each in parameters if "slow" not in {mark.name for mark in each.marks}]


def test_each_group_is_met_with_one_case_in_so_many() -> None:
    sample = quick(sampled(CASES, one_in=4, by=lambda case: case[0]))
    assert [each.values[0] for each in sample] == ["proportion"] * 3 + ["rate"]


def test_no_case_is_lost_and_each_keeps_its_place_and_name() -> None:
    everything = sampled(CASES, one_in=4, by=lambda case: case[0])
    assert [(each.values, each.id) for each in everything] == [
        (each.values, each.id) for each in CASES
    ]


def test_the_sample_of_a_group_depends_on_no_other_group() -> None:
    alone = quick(sampled(CASES[:10], one_in=4, by=lambda case: case[0]))
    assert quick(sampled(CASES, one_in=4, by=lambda case: case[0]))[:3] == alone


def test_values_of_one_parameter_are_the_cases() -> None:
    (one,) = quick(sampled(["a", "b"], one_in=2))
    assert one.values in {("a",), ("b",)}
