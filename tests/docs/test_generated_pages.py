"""Generated pages have every key, kind of figure, method, column and public name."""

import numpy as np
import pytest
from handbook import (
    columns_page,
    config_page,
    figures_page,
    gallery_page,
    generated,
    methods_pages,
    python_page,
)
from handbook.coverage_curves import _exact
from handbook.coverage_drawing import drawing
from handbook.experiments import experiments

import harness
from harness.families.catalogue import FAMILIES, family_of
from harness.figures.catalogue import FIGURES
from harness.methods.catalogue import CATALOGUE
from harness.tables.columns import TableKind, columns_of

WILSON = CATALOGUE["proportion"]["wilson"]


@pytest.fixture(scope="module")
def wilson():
    return _exact(FAMILIES["proportion"], WILSON)


@pytest.fixture(scope="module")
def config_keys():
    return config_page.page()


def test_the_page_of_the_config_has_every_key_of_every_form(config_keys):
    for form, keys in config_page.forms().items():
        kind = form.partition("/")[0]
        for key in keys:
            assert f"### `{key}` {{#{kind}-{key}}}" in config_keys


def test_every_mapping_that_the_page_of_the_config_names_is_described_there(config_keys):
    named = {part.partition('"')[0] for part in config_keys.split('href="#')[1:]}
    described = {part.partition('"')[0] for part in config_keys.split('id="')[1:]}
    assert named <= described
    assert len(named) > 50


def test_the_page_of_figures_has_every_kind_with_every_option():
    text = figures_page.page()
    for kind in FIGURES.values():
        section = text.split(f"\n## `{kind.name}`\n")[1].split("\n## ")[0]
        for option in kind.options.model_json_schema().get("properties", {}):
            assert option.replace("_", "&#95;") in section


def test_the_gallery_has_every_committed_picture_of_a_shipped_config():
    text = gallery_page.page()
    pictures = [picture.path for each in experiments() for picture in each.pictures]
    assert len(pictures) > 60
    assert all(f"(../{path})" in text for path in pictures)
    assert {picture.kind for each in experiments() for picture in each.pictures} <= set(FIGURES)


def test_the_page_of_a_family_has_every_method_with_its_equation(wilson):
    text = methods_pages._page(
        FAMILIES["proportion"], dict.fromkeys(CATALOGUE["proportion"], wilson)
    )
    for name in CATALOGUE["proportion"]:
        assert f"{{#{name.replace('_', '-')}}}" in text
    assert "(x + z²/2 ± z √(x(n − x)/n + z²/4)) / (n + z²)" in text


def test_the_columns_of_every_family_are_listed():
    text = columns_page.page()
    for family in FAMILIES:
        for table in ("summary", "cells"):
            for name in columns_of(table, TableKind(family_of(family))):
                assert name.replace("_", "&#95;") in text


def test_every_public_function_and_class_has_a_directive():
    text = python_page.page()
    for name in harness.__all__:
        if callable(getattr(harness, name)):
            assert f".{name}\n" in text


def test_the_curve_reaches_the_depth_of_the_saw_teeth(wilson):
    grid = np.linspace(0.001, 0.999, 5001)
    found = harness.coverage("proportion", "wilson", n=20, p=grid).coverage
    assert wilson.lowest[0] <= found.min() + 1e-7
    assert wilson.lowest[0] == pytest.approx(0.8366, abs=1e-4)


def test_a_drawing_takes_the_colours_of_the_page(wilson):
    picture = drawing(wilson, "Wilson")
    assert "#" not in picture.replace("&#", "")
    assert "lowest here 0.8366" in picture


def test_pages_that_the_menu_does_not_name_take_the_place_of_its_dots():
    written = [{"Guides": ["long_runs.md", "sample_*.md", "..."]}, {"Empty": ["nothing_*.md"]}]
    ((guides,),) = (section.values() for section in generated.navigation(written))
    assert guides[:2] == ["long_runs.md", "sample_size.md"]
    assert "any_language.md" in guides
    assert len(guides) == len(set(guides))
