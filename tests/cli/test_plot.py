"""``plot``: the figures of stored results, drawn again without running anything."""

import json
import shutil

import pytest

import harness
import harness.api
from tests.cli.conftest import FIGURES, SMALL, is_one_sentence
from tests.study.experiments import files

FIGURE = "figures/alpha_by_outcome-wald-n8"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of results with its figure."""
    config = {**SMALL, "figures": FIGURES}
    return harness.run(config, out=tmp_path_factory.mktemp("results")).path


@pytest.fixture
def folder(drawn, here, monkeypatch):
    """A copy in the working folder, where nothing may be computed."""

    def compute(experiment, progress):
        raise AssertionError("a plot computes nothing")

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute)
    return shutil.copytree(drawn, here / "copy")


def test_figures_are_drawn_again_to_the_same_bytes(run_command, folder):
    before = files(folder)
    (folder / f"{FIGURE}.png").unlink()
    result = run_command("plot", "copy")
    assert (result.code, result.err) == (0, "")
    assert result.out.split() == [f"copy/{FIGURE}.png"]
    assert files(folder) == before


def test_a_style_of_matplotlib_is_taken_by_its_name(run_command, folder):
    before = files(folder)[f"{FIGURE}.png"]
    result = run_command("plot", "copy", "--style", "dark_background")
    assert (result.code, result.err) == (0, "")
    assert files(folder)[f"{FIGURE}.png"] != before


def test_a_style_that_is_not_there_is_one_sentence(run_command, folder):
    result = run_command("plot", "copy", "--style", "dark_backgrund")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "did you mean dark_background" in result.err


def test_figures_are_drawn_in_the_formats_asked_for(run_command, folder):
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    formats = [word for ending in starts for word in ("--format", ending)]
    result = run_command("plot", "copy", *formats)
    assert result.code == 0
    assert result.out.split() == [f"copy/{FIGURE}.{ending}" for ending in starts]
    first = files(folder)
    for ending, start in starts.items():
        assert (folder / f"{FIGURE}.{ending}").read_bytes().startswith(start)
    run_command("plot", "copy", *formats)
    assert files(folder) == first


def test_tables_config_and_other_figures_are_left_alone(run_command, folder):
    (folder / "figures/photo.png").write_bytes(b"mine")
    before = files(folder)
    run_command("plot", "copy", "--format", "svg")
    after = files(folder)
    content = json.loads(after.pop("manifest.json"))
    listed = [path.removeprefix("figures/") for path in (f"{FIGURE}.png", f"{FIGURE}.svg")]
    assert content["files"].pop("figures") == listed
    first = json.loads(before.pop("manifest.json"))
    del first["files"]["figures"]
    assert content == first
    assert set(after) == {*before, f"{FIGURE}.svg"}
    assert {name: text for name, text in after.items() if name in before} == before


def test_a_figure_that_no_run_wrote_is_not_drawn_over(run_command, folder):
    (folder / f"{FIGURE}.svg").write_bytes(b"mine")
    before = files(folder)
    result = run_command("plot", "copy", "--format", "svg", "--format", "pdf")
    assert result.code == 2
    assert is_one_sentence(result)
    assert f"{FIGURE}.svg was written by no run" in result.err
    assert files(folder) == before


def fail_to_save(fault, monkeypatch):
    """The second file that is written fails half way."""
    calls = []

    def savefig(self, path, **options):
        path.write_bytes(b"half")
        calls.append(path)
        if len(calls) == 2:
            raise fault

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", savefig)


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (OSError(28, "No space left on device"), 2, "cannot be written: No space left on device"),
        (MemoryError(), 1, "needs more memory than there is"),
        (ValueError("too large"), 1, "cannot be drawn: ValueError: too large"),
    ],
)
def test_a_plot_that_fails_leaves_the_folder_as_it_was(
    run_command, folder, monkeypatch, fault, code, words
):
    before = {str(path) for path in folder.rglob("*")}, files(folder)
    fail_to_save(fault, monkeypatch)
    result = run_command("plot", "copy", "--format", "png", "--format", "svg")
    assert result.code == code
    assert is_one_sentence(result)
    assert words in result.err
    assert ({str(path) for path in folder.rglob("*")}, files(folder)) == before


def test_a_changed_table_is_not_drawn(run_command, folder):
    table = folder / "summary.csv"
    table.write_bytes(table.read_bytes().replace(b"0.3,", b"0.2,", 1))
    result = run_command("plot", "copy")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "copy/summary.csv was cut or changed" in result.err


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
    run_command("run", config(figures=[]), "--quiet")
    result = run_command("plot", "results/small")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "asks for no figures; --kind names one to draw" in result.err
    assert not (here / "results/small/figures").exists()


def test_a_figure_is_drawn_that_the_config_does_not_ask_for(run_command, folder):
    before = files(folder)
    result = run_command("plot", "copy", "--kind", "bounds", "--set", "n=3", "--set", "x=[1]")
    assert (result.code, result.err) == (0, "")
    assert result.out.split() == ["copy/figures/bounds-n3.png"]
    after = files(folder)
    assert set(after) == {*before, "figures/bounds-n3.png"}
    assert after["config.yaml"] == before["config.yaml"]


def test_another_figure_of_the_same_name_gets_a_name_of_its_own(run_command, folder):
    before = files(folder)
    asked = ["plot", "copy", "--kind", "alpha_by_outcome", "--set", "n=8", "--set", "method=wald"]
    same = run_command(*asked)
    assert same.out.split() == [f"copy/{FIGURE}.png"]
    for _ in range(2):
        other = run_command(*asked, "--set", "width=120")
        assert other.out.split() == [f"copy/{FIGURE}-n_8-method_wald-width_120.png"]
    after = files(folder)
    assert after[f"{FIGURE}.png"] == before[f"{FIGURE}.png"]
    assert len(after) == len(before) + 1


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--kind", "bound"], "found 'bound'; did you mean bounds?"),
        (["--kind", "bounds"], "--kind bounds: n: expected an n of this experiment (3, 8)"),
        (["--kind", "bounds", "--set", "n=5"], "--set n=5: n: expected an n of this experiment"),
        (
            ["--kind", "bounds", "--set", "n=3", "--set", "m=1"],
            "--set m=1: m: expected an option of bounds (title, width, height",
        ),
        (["--kind", "bounds", "--set", "n=3", "--set", "alpha=x"], "--set alpha=x: alpha: "),
        (["--kind", "coverage_curve", "--set", "n=3"], "expected a truth that is a grid or a list"),
        (["--set", "n=3"], "--set is of the figure that --kind names"),
    ],
)
def test_a_figure_that_cannot_be_asked_for_is_said(run_command, folder, argv, words):
    before = files(folder)
    result = run_command("plot", "copy", *argv)
    assert result.code == 2
    assert words in result.err
    assert files(folder) == before
