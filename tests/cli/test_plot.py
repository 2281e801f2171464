"""``plot``: the figures of stored results, drawn again without running anything."""

from __future__ import annotations

import shutil

import pytest

import harness
import harness.api
from tests.cli.conftest import SMALL, is_one_sentence
from tests.study.experiments import files

FIGURE = "figures/alpha_by_outcome-wald-n8"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of results with its figure."""
    return harness.run(SMALL, out=tmp_path_factory.mktemp("results")).path


@pytest.fixture
def folder(drawn, here, monkeypatch):
    """A copy in the working folder, where nothing may be computed."""

    def compute(experiment, progress):
        raise AssertionError("a plot computes nothing")

    monkeypatch.setattr(harness.api, "compute", compute)
    return shutil.copytree(drawn, here / "copy")


def test_figures_are_drawn_again_to_the_same_bytes(run_command, folder):
    before = files(folder)
    (folder / f"{FIGURE}.png").unlink()
    result = run_command("plot", "copy")
    assert (result.code, result.err) == (0, "")
    assert result.out.split() == [f"copy/{FIGURE}.png"]
    assert files(folder) == before


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
def test_figures_are_drawn_in_the_format_asked_for(run_command, folder, ending, start):
    result = run_command("plot", "copy", "--format", ending)
    assert result.code == 0
    first = (folder / f"{FIGURE}.{ending}").read_bytes()
    assert first.startswith(start)
    run_command("plot", "copy", "--format", ending)
    assert (folder / f"{FIGURE}.{ending}").read_bytes() == first


def test_several_formats_may_be_asked_for(run_command, folder):
    result = run_command("plot", "copy", "--format", "svg", "--format", "pdf")
    assert result.out.split() == [f"copy/{FIGURE}.svg", f"copy/{FIGURE}.pdf"]


def test_tables_and_config_are_left_alone(run_command, folder):
    before = files(folder)
    run_command("plot", "copy", "--format", "svg")
    after = files(folder)
    assert {name: text for name, text in after.items() if name in before} == before


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["copy", "--format", "jpg"], "figures are written as png, svg, pdf, not as 'jpg'"),
        (["nowhere"], "nowhere holds no results"),
        (["."], "holds no results"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_sentence(run_command, folder, argv, words):
    before = files(folder)
    result = run_command("plot", *argv)
    assert result.code == 2
    assert is_one_sentence(result)
    assert words in result.err
    assert files(folder) == before


def test_results_whose_config_asks_for_no_figure_have_none_to_draw(run_command, config, here):
    run_command("run", config(figures=None), "--quiet")
    result = run_command("plot", "results/small")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "asks for no figures" in result.err
    assert not (here / "results/small/figures").exists()
