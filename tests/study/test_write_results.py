"""Results are written completely or not at all, and nothing that no run wrote is replaced."""

import dataclasses
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import pytest

import harness
import harness.api
from harness.base.errors import FigureError, HarnessError, InputError, WriteError
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureSpec
from harness.kinds.coverage import run as coverage_run
from harness.runner import write as write_results
from tests.study.experiments import DRAWN, changed, files, stable_files

SMALL = changed(DRAWN, name="one", n=3, methods=["wald"], alpha=0.3, trials={"per_size": 50})
NO_FIGURE = changed(SMALL, figures=[])
FIGURE = changed(SMALL, figures=[{"kind": "alpha_by_outcome"}])
FAILING = "raise RuntimeError('no')\n"


def everything(folder: Path) -> set[str]:
    """Files and folders below a folder, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A result with figures."""
    return harness.run(FIGURE, out=tmp_path_factory.mktemp("stored")).path


@pytest.fixture
def old(stored, here):
    """A result that exists already, with figures, and its bytes."""
    folder = Path("results/one")
    shutil.copytree(stored, folder)
    return folder, files(folder)


def test_a_run_leaves_its_folder_and_nothing_else(old, here):
    folder, _ = old
    assert folder == Path("results/one")
    assert everything(here / "results") == {
        "one",
        *(
            f"one/{name}"
            for name in ("cells.parquet", "columns.csv", "summary.csv", "manifest.json")
        ),
        *(f"one/{name}" for name in ("config.yaml", "run.json", "figures", "journal.sqlite")),
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
    """The step that decides."""
    rename = Path.rename

    def fail(path, target):
        if Path(target).name == ".ready":
            raise OSError(13, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    return FIGURE


FAILURES = [
    plugin_that_cannot_be_loaded,
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


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_a_run_that_fails_leaves_nothing_where_nothing_was(here, failure, monkeypatch):
    config = failure(here, monkeypatch)
    with pytest.raises((HarnessError, KeyboardInterrupt)):
        harness.run(config, out="fresh")
    assert files(here / "fresh") == {}


def test_a_full_disk_is_said_in_one_sentence(here, monkeypatch):
    config = table_that_fails(here, monkeypatch)
    words = (
        r"one cannot be written: No space left on device; no half-written file is left, and journal"
    )
    with pytest.raises(WriteError, match=words):
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

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute)
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


FAULTS = [
    (MemoryError("Unable to allocate 5.96 GiB"), FigureError, 1),
    (ValueError("Image size of 10^6 pixels is too large"), FigureError, 1),
    (OSError(28, "No space left on device"), WriteError, 2),
]


@pytest.mark.parametrize(("fault", "kind", "code"), FAULTS)
def test_a_figure_that_fails_leaves_complete_tables(old, here, monkeypatch, fault, kind, code):
    folder, before = old

    def savefig(self, path, **options):
        path.write_bytes(b"half")
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr("matplotlib.figure.Figure.savefig", savefig)
        with pytest.raises(kind) as caught:
            harness.run(changed(FIGURE, seed=8))
    assert caught.value.exit_code == code
    words = str(caught.value)
    assert fault.args[-1] in words
    assert words.endswith(
        "the tables in results/one are complete and none of its figures is drawn: "
        "`python -m harness plot results/one` draws them"
    )
    assert harness.load(folder).manifest["seed"] == 8
    assert everything(here / "results") == {
        "one",
        "one/journal.sqlite",
        *(f"one/{name}" for name in before if not name.startswith("figures")),
    }


def test_a_kind_of_figure_that_cannot_be_drawn_is_named(here, monkeypatch):
    def draw(results, options):
        raise MemoryError("Unable to allocate 5.96 GiB")

    broken = dataclasses.replace(FIGURES["alpha_by_outcome"], draw=draw)
    monkeypatch.setitem(FIGURES, "alpha_by_outcome", broken)
    words = "^alpha_by_outcome needs more memory than there is: Unable to allocate 5.96 GiB; the"
    with pytest.raises(FigureError, match=words):
        harness.run(FIGURE)
    assert harness.load("results/one").summary.height == 3


def test_a_photo_in_figures_is_neither_deleted_nor_moved(old):
    folder, _ = old
    (folder / "figures/photo.png").write_bytes(b"mine")
    before = files(folder)
    with pytest.raises(InputError, match=r"holds figures/photo\.png, which no run wrote"):
        harness.run(FIGURE)
    assert files(folder) == before


def test_a_figure_in_another_format_is_replaced_with_the_rest(old):
    folder, _ = old
    results = harness.load(folder)
    write_results.write_figures(results, [alpha_by_outcome()], folder, ["png", "svg"])
    assert len(list((folder / "figures").iterdir())) == 2
    harness.run(FIGURE)
    assert [path.suffix for path in (folder / "figures").iterdir()] == [".png"]


def alpha_by_outcome():
    return FigureSpec("alpha_by_outcome", {})


@pytest.mark.parametrize("place", [(coverage_run, "compute"), (write_results, "write_tables")])
def test_a_photo_that_comes_during_the_run_is_kept_and_the_run_too(old, monkeypatch, place):
    folder, _ = old
    step = getattr(*place)

    def put_and_do(*arguments):
        (folder / "figures/photo.png").write_bytes(b"mine")
        return step(*arguments)

    monkeypatch.setattr(*place, put_and_do)
    harness.run(changed(NO_FIGURE, seed=8))
    assert harness.load(folder).manifest["seed"] == 8
    assert (folder / "figures/photo.png").read_bytes() == b"mine"
    assert [path.name for path in (folder / "figures").iterdir()] == ["photo.png"]


def test_what_a_killed_plot_left_is_replaced(old, here):
    folder, _ = old
    (folder / ".figures-abcd1234").mkdir()
    (folder / ".figures-abcd1234/alpha.png").write_bytes(b"half")
    (folder / ".manifest.json").write_bytes(b"{")
    harness.run(NO_FIGURE)
    assert not [path for path in everything(here / "results") if "/." in path]


def test_a_folder_that_is_a_link_is_written_through(here):
    disk = here / "disk" / "far"
    disk.mkdir(parents=True)
    (here / "results").mkdir()
    (here / "results" / "one").symlink_to(disk)
    for config in (FIGURE, changed(FIGURE, seed=8)):
        assert harness.run(config).path == Path("results/one")
        assert (here / "results" / "one").is_symlink()
        assert harness.load(disk).manifest["seed"] == config["seed"]
    assert [path.name for path in (here / "results").iterdir()] == ["one"]
    assert [path.name for path in (here / "disk").iterdir()] == ["far"]


@pytest.mark.parametrize(
    "manifest",
    ['{"experiment": {}}', '{"experiment": {"family": "proportion", "methods": []}}', "[]"],
)
def test_a_manifest_of_another_program_makes_no_result(here, manifest):
    folder = here / "results" / "one"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(manifest)
    (folder / "summary.csv").write_text("mine")
    before = files(folder)
    with pytest.raises(InputError, match="exists and holds no results"):
        harness.run(NO_FIGURE)
    assert files(folder) == before


@pytest.fixture
def not_computed(monkeypatch):
    def compute(experiment, progress):
        raise AssertionError("computed in vain")

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute)


def dangling_link(here, monkeypatch):
    (here / "results").mkdir()
    (here / "results" / "one").symlink_to(here / "unplugged")
    return NO_FIGURE, "results/one is a link to .*unplugged, which does not exist"


def dangling_link_above(here, monkeypatch):
    (here / "results").symlink_to(here / "unplugged")
    return NO_FIGURE, "results is a link to .*unplugged, which does not exist"


def links_in_a_circle(here, monkeypatch):
    (here / "results").symlink_to(here / "other")
    (here / "other").symlink_to(here / "results")
    return NO_FIGURE, "results is a link to .*other, which does not exist"


def file_in_the_way(here, monkeypatch):
    (here / "results").write_text("mine")
    return NO_FIGURE, "results is no folder to write to"


def read_only_disk(here, monkeypatch):
    def mkdir(path, *args, **options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile._os.mkdir", mkdir)
    return NO_FIGURE, "cannot be written: Read-only file system"


def without_permission(here, monkeypatch):
    (here / "results").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "results")
    return NO_FIGURE, "results is no folder to write to"


def folder_that_may_not_be_changed(here, monkeypatch):
    (here / "results" / "one").mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "one")
    return NO_FIGURE, "one cannot be written: it may not be changed"


@pytest.mark.parametrize(
    "obstacle",
    [
        *(dangling_link, dangling_link_above, links_in_a_circle, file_in_the_way),
        *(read_only_disk, without_permission),
        folder_that_may_not_be_changed,
    ],
    ids=lambda obstacle: obstacle.__name__,
)
def test_what_cannot_be_written_is_said_before_anything_is_computed(
    here, monkeypatch, not_computed, obstacle
):
    config, words = obstacle(here, monkeypatch)
    before = everything(here)
    with pytest.raises(InputError, match=words):
        harness.run(config)
    assert everything(here) == before


@pytest.mark.parametrize("out", ["n" * 300, f"a/{'n' * 300}/b", "/".join(["n" * 200] * 25)])
def test_a_name_that_is_too_long_is_said_before_anything_is_computed(here, not_computed, out):
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        harness.run(NO_FIGURE, out=out)
    assert everything(here) == set()


def test_a_function_that_changes_the_working_folder_does_not_move_the_results(here, monkeypatch):
    (here / "elsewhere").mkdir()
    compute = coverage_run.compute

    def compute_elsewhere(*arguments):
        os.chdir("elsewhere")
        return compute(*arguments)

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute_elsewhere)
    results = harness.run(FIGURE, out="there")
    assert results.path == here / "there" / "one"
    assert "figures/alpha_by_outcome-wald-n3.png" in files(results.path)
    assert everything(here / "elsewhere") == set()
