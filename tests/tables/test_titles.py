"""What readers call a method: the label that the user gave, or the title in the catalogue."""

from __future__ import annotations

from typing import Any

from harness.config.load import load_experiment
from harness.config.resolve import serialize
from harness.methods.catalogue import ALIASES, CATALOGUE
from harness.methods.method import TWO_SIDED
from harness.tables.wording import method_titles, short_title
from tests.study.experiments import DRAWN, ODD_LABEL, changed


def titles(*methods: Any) -> list[str]:
    """The titles of methods as a config writes them."""
    experiment = load_experiment(changed(DRAWN, methods=list(methods), figures=None))
    return list(method_titles({"experiment": serialize(experiment)}).values())


def test_a_method_has_the_title_of_the_catalogue_and_a_label_is_its_own_title() -> None:
    assert titles("wilson", {"name": "wald", "label": ODD_LABEL}) == ["Wilson score", ODD_LABEL]


def test_every_name_of_the_catalogue_gives_the_beginning_of_its_title() -> None:
    for family, methods in CATALOGUE.items():
        written = [
            {"name": name, "side": TWO_SIDED, "label": name, "prior": method.default_prior}
            for name, method in methods.items()
        ]
        found = method_titles({"experiment": {"family": family, "methods": written}})
        assert len(set(found.values())) == len(methods)
        for name, method in methods.items():
            assert method.title == found[name] or method.title.startswith(f"{found[name]}, ")


def test_an_alias_gives_the_title_of_its_method() -> None:
    alias, name = next(iter(ALIASES["proportion"].items()))
    assert titles(alias) == [short_title("proportion", name)]


def test_a_side_and_a_prior_that_the_config_gives_are_part_of_the_title() -> None:
    upper = {"name": "clopper_pearson", "side": "upper"}
    prior = {"name": "balanced_tail", "prior": [0.5, 2]}
    assert titles(upper, prior, "balanced_tail") == [
        "Clopper-Pearson (upper limit)",
        "Bayesian balanced tails, prior Beta(0.5, 2)",
        "Bayesian balanced tails",
    ]


def test_two_methods_never_have_the_same_title() -> None:
    same = "Wilson score"
    assert titles("wilson", {"name": "wald", "label": same}) == [f"{same} (wilson)", same]


def test_a_calibration_has_no_methods() -> None:
    assert method_titles({"experiment": {"family": "proportion_difference"}}) == {}
