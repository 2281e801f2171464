"""The figures of a config that names none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.config.load import load_experiment
from harness.figures.requirements import MOST_FIGURES, MOST_METHODS

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").rglob("*.yaml"))
SMALL: dict[str, Any] = {
    "name": "a",
    "family": "proportion",
    "n": [10, 50],
    "methods": ["wilson", "jeffreys"],
    "trials": {"per_size": 10},
    "seed": 1,
}


def suggested(**changes: Any) -> list[tuple[str, dict[str, Any]]]:
    """Kinds and options of the figures of the changed config."""
    figures = load_experiment({**SMALL, **changes}).figures
    return [(figure.kind, dict(figure.options)) for figure in figures]


@pytest.mark.parametrize("config", CONFIGS, ids=[str(each.relative_to(ROOT)) for each in CONFIGS])
def test_every_shipped_config_would_have_a_few_figures(config: Path) -> None:
    experiment = load_experiment(config, ["figures="])
    assert experiment.figures_are_suggested
    assert 1 <= len(experiment.figures) <= MOST_FIGURES
    for figure in experiment.figures:
        assert len(figure.options.get("methods", ())) <= MOST_METHODS


def test_a_grid_of_truths_has_curves_at_the_smallest_and_the_largest_size() -> None:
    truth = {"grid": {"start": 0.01, "stop": 0.99, "count": 99}}
    found = suggested(n=[10, 20, 50], truth=truth)
    curves = [(kind, options["n"]) for kind, options in found if kind.endswith("curve")]
    assert ("coverage_curve", 10) in curves
    assert ("coverage_curve", 50) in curves
    assert all(n != 20 for _, n in curves)


def test_of_a_distribution_of_truths_the_ranking_stands_first() -> None:
    assert suggested()[0][0] == "ranking"
    assert "ranking" not in dict(suggested(engines=["monte_carlo"]))


def test_few_truths_are_drawn_over_the_size() -> None:
    kinds = [kind for kind, _ in suggested(truth={"values": [0.5, 0.8]})]
    assert {"coverage_over_size", "length_over_size"} <= set(kinds)
    assert "coverage_curve" not in kinds


def test_outcomes_are_drawn_at_the_largest_size_that_has_few() -> None:
    found = dict(suggested(n=[10, 500, 10_000]))
    assert found["alpha_by_outcome"]["n"] == 500
    assert "alpha_by_outcome" not in dict(suggested(n=[10_000, 20_000]))


def test_of_many_methods_the_first_eight_are_drawn() -> None:
    config = load_experiment(ROOT / "configs/catalogue.yaml", ["figures="])
    first = [method.label for method in config.methods[:MOST_METHODS]]
    named = [figure.options["methods"] for figure in config.figures if "methods" in figure.options]
    assert named
    assert all(list(methods) == first for methods in named)


def test_a_config_that_asks_for_none_has_none() -> None:
    assert suggested(figures=[]) == []
    assert not load_experiment({**SMALL, "figures": []}).figures_are_suggested


def test_figures_of_limits_that_may_be_drawn_at_random_are_not_suggested() -> None:
    kinds = [kind for kind, _ in suggested(methods=["bootstrap_percentile"])]
    assert "alpha_over_outcome" not in kinds
