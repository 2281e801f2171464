"""Results are written completely or not at all, and nothing that no run wrote is replaced."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

import pytest

import harness
from harness.errors import HarnessError, InputError
from harness.study import write_results
from tests.study.experiments import DRAWN, changed, files, stable_files

SMALL = changed(DRAWN, name="one", n=3, methods=["wald"], alpha=0.3, trials={"per_size": 50})
NO_FIGURE = changed(SMALL, figures=None)
FIGURE = changed(SMALL, figures=[{"kind": "alpha_by_outcome"}])
FAILING = "raise RuntimeError('no')\n"


def everything(folder: Path) -> set[str]:
    """Files and folders below a folder, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def old(here):
    """A result that exists already, with figures, and its bytes."""
    results = harness.run(FIGURE)
    return results.path, files(results.path)


def test_a_run_leaves_its_folder_and_nothing_else(old, here):
    folder, _ = old
    assert folder == Path("results/one")
    assert everything(here / "results") == {
        "one",
        *(f"one/{name}" for name in ("cells.parquet", "summary.csv", "manifest.json")),
        *(f"one/{name}" for name in ("config.yaml", "run.json", "figures")),
        "one/figures/alpha_by_outcome-wald-n3.png",
    }


def test_a_name_of_several_parts_is_a_folder_in_folders(here):
    results = harness.run(changed(NO_FIGURE, name="a/b/c"), out="elsewhere")
    assert results.path == Path("elsewhere/a/b/c")
    assert (here / "elsewhere/a/b/c/summary.csv").is_file()
    assert not (here / "results").exists()


def test_nothing_is_written_where_nothing_is_asked_for(here):
    assert harness.run(NO_FIGURE, out=None).path is None
    assert everything(here) == set()


def test_the_folder_may_be_read_by_others(old):
    folder, _ = old
    assert stat.S_IMODE(folder.stat().st_mode) & 0o055 == 0o055


def test_a_new_result_replaces_the_old_one_whole(old, here):
    folder, before = old
    harness.run(changed(NO_FIGURE, seed=8))
    after = files(folder)
    assert not any(name.startswith("figures") for name in after)
    assert after["summary.csv"] != before["summary.csv"]
    assert {path.split("/")[0] for path in everything(here / "results")} == {"one"}


def plugin_that_cannot_be_loaded(here, monkeypatch):
    (here / "mine.py").write_text(FAILING)
    return changed(FIGURE, methods=["wald", {"path": "mine.py", "function": "f", "label": "m"}])


def figure_that_fails(here, monkeypatch):
    return changed(FIGURE, figures=[{"kind": "alpha_by_outcome"}, {"kind": "alpha_surface"}])


def table_that_fails(here, monkeypatch):
    def fail(results, folder):
        (folder / "cells.parquet").write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write_results, "write_tables", fail)
    return FIGURE


def interrupted(here, monkeypatch):
    def interrupt(results, folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(write_results, "write_tables", interrupt)
    return FIGURE


def rename_that_fails(here, monkeypatch):
    """The last step of all: the old result must come back."""
    rename = Path.rename

    def fail(path, target):
        if Path(target).name == "one" and path.name != "one":
            raise OSError(13, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    return FIGURE


FAILURES = [
    plugin_that_cannot_be_loaded,
    figure_that_fails,
    table_that_fails,
    interrupted,
    rename_that_fails,
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_a_run_that_fails_leaves_the_old_result_byte_for_byte(old, here, failure, monkeypatch):
    folder, before = old
    standing = everything(here / "results")
    config = changed(failure(here, monkeypatch), seed=9)
    with pytest.raises((HarnessError, KeyboardInterrupt)):
        harness.run(config)
    assert files(folder) == before
    assert everything(here / "results") == standing


@pytest.mark.parametrize("failure", FAILURES[:-1], ids=lambda failure: failure.__name__)
def test_a_run_that_fails_leaves_nothing_where_nothing_was(here, failure, monkeypatch):
    config = failure(here, monkeypatch)
    with pytest.raises((HarnessError, KeyboardInterrupt)):
        harness.run(config, out="fresh")
    assert files(here / "fresh") == {}


def test_a_full_disk_is_said_in_one_sentence(here, monkeypatch):
    config = table_that_fails(here, monkeypatch)
    with pytest.raises(InputError, match=r"one cannot be written: No space left on device$"):
        harness.run(config)


def test_a_folder_that_holds_no_results_is_left_alone(here):
    folder = here / "results" / "one"
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("ten years")
    with pytest.raises(InputError, match=r"holds thesis\.txt, which no run wrote"):
        harness.run(NO_FIGURE)
    assert files(folder) == {"thesis.txt": b"ten years"}


def test_a_file_in_the_place_of_the_folder_is_left_alone(here):
    (here / "results").mkdir()
    (here / "results" / "one").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        harness.run(NO_FIGURE)
    assert (here / "results" / "one").read_text() == "mine"


def test_a_file_in_the_place_of_a_folder_above_is_said(here):
    (here / "results").write_text("mine")
    with pytest.raises(InputError, match="cannot be written"):
        harness.run(NO_FIGURE)


def test_what_will_be_refused_is_refused_before_anything_is_computed(here, monkeypatch):
    def compute(experiment, progress):
        raise AssertionError("computed in vain")

    monkeypatch.setattr("harness.api.compute", compute)
    (here / "results" / "one").mkdir(parents=True)
    (here / "results" / "one" / "thesis.txt").write_text("ten years")
    with pytest.raises(InputError, match="thesis"):
        harness.run(NO_FIGURE)


def test_an_empty_folder_is_filled(here):
    (here / "results" / "one").mkdir(parents=True)
    assert "summary.csv" in files(harness.run(NO_FIGURE).path)


def test_a_result_inside_the_folder_of_another_is_not_lost(here):
    """``one`` and ``one/inner`` are both plain names; neither may take the other with it."""
    harness.run(NO_FIGURE)
    try:
        harness.run(changed(NO_FIGURE, name="one/inner"))
    except InputError:
        assert not (here / "results/one/inner").exists()
        return
    inner = files(here / "results/one/inner")
    with pytest.raises(InputError):
        harness.run(NO_FIGURE)
    assert files(here / "results/one/inner") == inner


def test_what_a_user_put_beside_the_results_is_not_lost(old, here):
    folder, _ = old
    (folder / "notes.txt").write_text("mine")
    with suppress(InputError):
        harness.run(FIGURE)
    assert (folder / "notes.txt").read_text() == "mine"


def test_the_same_run_twice_gives_the_same_folder(old):
    folder, _ = old
    before = stable_files(folder)
    harness.run(FIGURE)
    assert stable_files(folder) == before
