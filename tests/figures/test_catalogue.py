"""The kinds of figure, what suits a family, and how methods look."""

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from harness.families.catalogue import FAMILIES
from harness.figures.catalogue import FIGURES
from harness.figures.look.style import Look, style_of
from harness.figures.requirements import MOST_FIGURES, MOST_METHODS
from harness.kinds.load import load_experiment
from harness.methods.catalogue import CATALOGUE

# The list of figures is complete, described and light.


ALL = pytest.mark.parametrize("name", FIGURES)


@ALL
def test_every_kind_can_be_drawn(name: str) -> None:
    assert FIGURES[name].name == name
    assert callable(FIGURES[name].draw)


@ALL
def test_every_option_is_described_and_may_be_left_out(name: str) -> None:
    model = FIGURES[name].options
    assert all(field.description for field in model.model_fields.values())
    model()


@ALL
def test_unknown_options_are_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="colour"):
        FIGURES[name].options.model_validate({"colour": "red"})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("alpha_by_outcome", {"n": "100"}),
        ("alpha_by_outcome", {"n": True}),
        ("alpha_by_outcome", {"alpha": 1.0}),
        ("alpha_surface", {"fractions": 1}),
        ("alpha_surface", {"scale": 0.0}),
        ("alpha_surface", {"engine": "guess"}),
        ("coverage_curve", {"methods": []}),
        ("coverage_curve", {"methods": ["wald", "wald"]}),
        ("coverage_curve", {"methods": "wald"}),
        ("coverage_curve", {"lowest": 1.0}),
        ("length_curve", {"methods": [1]}),
        ("alpha_by_outcome", {"n": 0}),
        ("alpha_by_outcome", {"n": -0.5}),
        ("alpha_by_outcome", {"n": float("inf")}),
        ("alpha_by_outcome", {"highest": 0.0}),
        ("coverage_curve", {"n": [10]}),
        ("coverage_curve", {"n": [10, "20"]}),
        ("coverage_curve", {"second": -0.1}),
        ("coverage_over_size", {"lowest": 1.0}),
        ("coverage_over_size", {"truths": 0.5}),
        ("coverage_over_size", {"truths": []}),
        ("coverage_over_size", {"truths": [True]}),
        ("coverage_over_size", {"truths": ["0.5"]}),
        ("coverage_over_size", {"truths": [float("nan")]}),
        ("coverage_over_size", {"truths": [[0.5]]}),
        ("coverage_over_size", {"truths": [[0.1, 0.2, 0.3, 0.4, 0.5]]}),
        ("coverage_over_size", {"truths": [0.1] * 13}),
        ("length_over_size", {"other_sizes": 10}),
        ("length_over_size", {"lowest": 0.8}),
        ("alpha_over_outcome", {"lowest": 0.0}),
        ("bounds", {"x": []}),
        ("bounds", {"x": 3}),
        ("bounds", {"x": [-1]}),
        ("bounds", {"x": [1.5]}),
        ("bounds", {"x": [[1, 2, 3]]}),
        ("outcome_tails", {"n": 10, "x": 11}),
        ("outcome_tails", {"truths": [0.9, 0.8]}),
        ("outcome_tails", {"truths": [1.0]}),
    ],
)
def test_options_that_make_no_sense_are_refused(name: str, options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FIGURES[name].options.model_validate(options)


@pytest.mark.parametrize("n", [50, 2.5, (50, 20), (1.5, 2)])
def test_sizes_are_numbers_or_pairs_and_stay_as_they_were_written(n: object) -> None:
    options = FIGURES["coverage_curve"].options.model_validate({"n": n})
    (written,) = (value for key, value in options.model_dump(mode="json").items() if key == "n")
    assert written == (list(n) if isinstance(n, tuple) else n)
    assert type(written) is (list if isinstance(n, tuple) else type(n))


def test_the_schema_of_a_size_allows_a_number_or_a_pair() -> None:
    schema = FIGURES["bounds"].options.model_json_schema()["properties"]["n"]
    number = {"type": "number", "exclusiveMinimum": 0}
    pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
    assert schema["anyOf"] == [number, pair, {"type": "null"}]
    several = FIGURES["coverage_curve"].options.model_json_schema()["properties"]["n"]["anyOf"]
    assert several[:2] == [number, pair]
    assert several[2]["items"] == {"anyOf": [number, pair]}


@ALL
def test_every_kind_is_for_families_that_there_are(name: str) -> None:
    kind = FIGURES[name]
    assert set(kind.families) <= set(FAMILIES)
    if kind.experiment == "calibration":
        assert all(FAMILIES[family].samples == 2 for family in kind.families)


ONE_SAMPLE = ("proportion", "rate")
TWO_SAMPLES = ("proportion_difference", "rate_difference", "balanced_accuracy")
NAMED = {
    "alpha_by_outcome": ONE_SAMPLE,
    "alpha_over_outcome": ONE_SAMPLE,
    "length_over_outcome": ONE_SAMPLE,
    "alpha_surface": ("proportion",),
    "length_surface": ("proportion",),
    "coverage_curve": ONE_SAMPLE + TWO_SAMPLES,
    "length_curve": ONE_SAMPLE + TWO_SAMPLES,
    "coverage_over_size": ONE_SAMPLE + TWO_SAMPLES,
    "length_over_size": ONE_SAMPLE + TWO_SAMPLES,
    "bounds": ONE_SAMPLE + TWO_SAMPLES,
    "outcome_tails": ("proportion", "proportion_difference", "balanced_accuracy"),
    "calibration": TWO_SAMPLES,
}


@pytest.mark.parametrize(("name", "families"), NAMED.items())
def test_samples_and_range_of_a_family_decide_which_figures_it_has(
    name: str, families: tuple[str, ...]
) -> None:
    assert tuple(f for f in FIGURES[name].families if f in ONE_SAMPLE + TWO_SAMPLES) == families


def test_every_family_has_figures() -> None:
    assert {family for kind in FIGURES.values() for family in kind.families} == set(FAMILIES)


def test_engine_option_decides_which_engine_is_needed() -> None:
    kind = FIGURES["alpha_surface"]
    assert kind.engines(kind.options()) == ("posterior",)
    assert kind.engines(kind.options.model_validate({"engine": "monte_carlo"})) == ("monte_carlo",)
    curve = FIGURES["coverage_curve"]
    assert curve.engines(curve.options()) == ("enumeration", "monte_carlo")


def test_a_config_with_figures_is_checked_without_matplotlib_and_polars() -> None:
    code = (
        "import sys; from harness.kinds.load import load_experiment; "
        "assert load_experiment('configs/quickstart.yaml').figures; "
        "from harness.figures.catalogue import FIGURES; "
        "assert all(kind.options() for kind in FIGURES.values()); "
        "print([name for name in ('matplotlib', 'polars') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert run.stdout.strip() == "[]"


# A method looks the same in every figure, and methods stay apart in colour and in grey.


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


@pytest.mark.parametrize("family", CATALOGUE)
def test_methods_of_a_family_differ_in_colour_or_mark(family: str) -> None:
    looks = [(style_of(name).colour, style_of(name).mark) for name in CATALOGUE[family]]
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
    for path in (each.parent / "manifest.json" for each in RESULTS.rglob("figures")):
        methods = json.loads(path.read_text())["experiment"].get("methods") or []
        labels = [method["label"] for method in methods]
        if len(labels) <= 7:
            colours = {style_of(label, labels).colour for label in labels}
            assert len(colours) >= len(labels) - 1, (path, labels)


# The figures of a config that names none.


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


UNDRAWN = {"recommendation/auc"}
"""A first size stands with several second ones there, over which nothing is drawn."""


@pytest.mark.parametrize("config", CONFIGS, ids=[str(each.relative_to(ROOT)) for each in CONFIGS])
def test_every_shipped_config_would_have_a_few_figures(config: Path) -> None:
    experiment = load_experiment(config, ["figures="])
    assert experiment.figures_are_suggested
    assert (experiment.name not in UNDRAWN) <= len(experiment.figures) <= MOST_FIGURES
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
