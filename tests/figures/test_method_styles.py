"""A method looks the same in every figure, and methods stay apart in colour and in grey."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from harness.figures.look.style import Look, style_of
from harness.methods.catalogue import CATALOGUE

RESULTS = Path(__file__).parents[2] / "results"


def grey(look: Look) -> tuple[str, str]:
    """What is left of a look without its colour."""
    return look.mark, str(look.dashes)


def test_every_method_of_the_catalogue_has_a_place_of_its_own() -> None:
    names = {name for methods in CATALOGUE.values() for name in methods}
    looks = {(style_of(name).colour, *grey(style_of(name))) for name in names}
    assert len(looks) == len(names)


@pytest.mark.parametrize("family", CATALOGUE)
def test_methods_of_a_family_differ_in_mark_or_dashes(family: str) -> None:
    looks = [grey(style_of(name)) for name in CATALOGUE[family]]
    assert len(set(looks)) == len(looks)


def test_methods_that_are_often_compared_differ_in_colour() -> None:
    often = ["wald", "wilson", "clopper_pearson", "agresti_coull", "jeffreys", "minimal_length"]
    assert len({style_of(name).colour for name in often}) == len(often)


def test_a_look_depends_on_neither_the_other_methods_nor_their_order() -> None:
    assert (
        style_of("wilson", ["wald", "mine"]) == style_of("wilson", ["mine"]) == style_of("wilson")
    )
    assert style_of("mine", ["wald", "yours"]) == style_of("mine", ["yours", "wilson"])


def test_labels_of_the_user_look_as_no_method_of_the_catalogue() -> None:
    known = {grey(style_of(name)) for methods in CATALOGUE.values() for name in methods}
    labels = [f"method_{i}" for i in range(40)]
    assert known.isdisjoint(grey(style_of(label)) for label in labels)


def test_labels_whose_letters_lead_to_one_look_are_told_apart_by_the_alphabet() -> None:
    labels = [f"method_{i}" for i in range(60)]
    looks = [style_of(label, labels) for label in labels]
    assert len(set(looks)) == len(labels)
    alone = [style_of(label) for label in labels]
    assert len(set(alone)) < len(labels)
    one, other = next(
        pair for pair in combinations(sorted(labels), 2) if style_of(pair[0]) == style_of(pair[1])
    )
    assert style_of(one, [other]) == style_of(one) != style_of(other, [one])


def test_methods_of_one_shipped_experiment_seldom_share_a_colour() -> None:
    """Seven colours cannot keep eight methods apart; up to seven, one is shared at most."""
    for path in RESULTS.rglob("manifest.json"):
        methods = json.loads(path.read_text())["experiment"].get("methods") or []
        labels = [method["label"] for method in methods]
        if len(labels) <= 7:
            colours = {style_of(label, labels).colour for label in labels}
            assert len(colours) >= len(labels) - 1, (path, labels)
