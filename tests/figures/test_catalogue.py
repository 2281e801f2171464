"""The list of figures is complete, described and light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from harness.families.catalogue import FAMILIES
from harness.figures.catalogue import FIGURES

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
        "import sys; from harness.config.load import load_experiment; "
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
