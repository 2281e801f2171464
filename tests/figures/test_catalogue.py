"""The list of figures is complete, described and light."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
from pydantic import ValidationError

from harness.figures.catalogue import FIGURES

ALL = pytest.mark.parametrize("name", FIGURES)


@ALL
def test_every_kind_can_be_drawn(name: str) -> None:
    module, _, function = FIGURES[name].draw.partition(":")
    assert callable(getattr(importlib.import_module(module), function))


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
    ],
)
def test_options_that_make_no_sense_are_refused(name: str, options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FIGURES[name].options.model_validate(options)


def test_engine_option_decides_which_engine_is_needed() -> None:
    kind = FIGURES["alpha_surface"]
    assert kind.engines(kind.options()) == ("posterior",)
    assert kind.engines(kind.options.model_validate({"engine": "monte_carlo"})) == ("monte_carlo",)
    curve = FIGURES["coverage_curve"]
    assert curve.engines(curve.options()) == ("enumeration", "monte_carlo")


def test_catalogue_loads_neither_matplotlib_nor_polars() -> None:
    code = (
        "import sys, harness.figures.catalogue; "
        "print([name for name in ('matplotlib', 'polars', 'numpy') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
