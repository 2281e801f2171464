"""``report`` and ``run --report``: pages of results, and their summary in Markdown."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import harness
from tests.cli.conftest import SMALL, RunCommand, is_one_sentence
from tests.report.pages import tags_in
from tests.study.experiments import files


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results."""
    path = harness.run(SMALL, out=tmp_path_factory.mktemp("results")).path
    assert path is not None
    return path


@pytest.fixture
def folder(stored: Path, here: Path) -> Path:
    """A copy in the working folder."""
    return Path(shutil.copytree(stored, here / "small"))


def test_a_result_gets_its_page_beside_its_tables(run_command: RunCommand, folder: Path) -> None:
    before = files(folder)
    result = run_command("report", "small")
    assert (result.code, result.out, result.err) == (0, "small/report.html\n", "")
    page = (folder / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<code>python -m harness report small</code>" in page
    assert files(folder) == {**before, "report.html": page.encode()}
    again = run_command("report", "small")
    assert again.code == 0
    assert (folder / "report.html").read_text("utf-8") == page


def test_the_page_is_the_same_however_its_folder_is_typed(
    run_command: RunCommand, folder: Path
) -> None:
    pages = []
    for typed in ("small", "small/", "./small", "small/../small", str(folder.resolve())):
        assert run_command("report", typed).code == 0
        pages.append((folder / "report.html").read_bytes())
    assert set(pages) == {pages[0]}


def test_a_page_of_something_else_is_not_replaced(run_command: RunCommand, folder: Path) -> None:
    page = folder / "report.html"
    assert run_command("report", "small").code == 0
    other = page.read_text("utf-8").replace(
        'name="coverage-harness-page" content="results"',
        'name="coverage-harness-page" content="other"',
    )
    page.write_text(other, "utf-8")
    assert run_command("report", "small").code == 2
    assert page.read_text("utf-8") == other


def test_a_folder_of_results_at_any_depth_gets_one_page(
    run_command: RunCommand, stored: Path, here: Path
) -> None:
    for place in ("all/one", "all/deep/down/two", "all/.hidden/three"):
        shutil.copytree(stored, here / place)
    assert run_command("report", "all").out == "all/report.html\n"
    assert tags_in((here / "all/report.html").read_text("utf-8")).count("article") == 2


def test_several_folders_get_one_page_in_the_folder_that_holds_them(
    run_command: RunCommand, stored: Path, here: Path
) -> None:
    for place in ("all/one", "all/two", "three"):
        shutil.copytree(stored, here / place)
    assert run_command("report", "all/one", "all/two", "all").out == "all/report.html\n"
    assert tags_in((here / "all/report.html").read_text("utf-8")).count("article") == 2
    assert run_command("report", "all", "three").out == "report.html\n"
    assert tags_in((here / "report.html").read_text("utf-8")).count("article") == 3


def test_a_page_goes_to_the_file_that_is_named(
    run_command: RunCommand, folder: Path, here: Path
) -> None:
    before = files(folder)
    result = run_command("report", "small", "--out", "new/page.html")
    assert (result.code, result.out) == (0, "new/page.html\n")
    assert "report small --out new/page.html" in (here / "new/page.html").read_text("utf-8")
    assert files(folder) == before


def test_a_result_without_its_cells_has_a_page(run_command: RunCommand, folder: Path) -> None:
    (folder / "cells.parquet").unlink()
    assert run_command("report", "small").code == 0


@pytest.mark.parametrize(
    ("prepare", "arguments", "message"),
    [
        (lambda here: None, ["nothing"], "nothing holds no results"),
        (lambda here: (here / "empty").mkdir(), ["empty"], "empty holds no results"),
        (
            lambda here: (here / "small/report.html").write_text("mine"),
            ["small"],
            "small/report.html was written by no report; move it, or name a file by --out",
        ),
        (lambda here: None, ["small", "--out", "small"], "--out small cannot be written"),
        (
            lambda here: None,
            ["small", "--out", "small/summary.csv"],
            "would replace a file that the command reads",
        ),
        (
            lambda here: (here / "small/summary.csv").write_text("cut"),
            ["small"],
            "summary.csv was cut or changed after the run",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    run_command: RunCommand,
    folder: Path,
    here: Path,
    prepare: Callable[[Path], object],
    arguments: list[str],
    message: str,
) -> None:
    prepare(here)
    result = run_command("report", *arguments)
    assert result.code == 2
    assert is_one_sentence(result)
    assert message in result.err


def test_a_summary_in_markdown_is_printed_or_written(
    run_command: RunCommand, folder: Path, here: Path
) -> None:
    before = files(folder)
    printed = run_command("report", "small", "--markdown")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith("### A small run\n\n")
    assert "| Method | Verdict | Worst-case coverage |" in printed.out
    assert "| Wald | covers too little" in printed.out
    assert "bound \\[90 %\\]" in printed.out
    assert "Monte Carlo and exact agree in" in printed.out
    written = run_command("report", "small", "--markdown", "--out", "summary.md")
    assert written.out == "summary.md\n"
    assert (here / "summary.md").read_text("utf-8") == printed.out
    assert files(folder) == before


def test_a_run_writes_the_page_that_the_command_writes(
    run_command: RunCommand, config: Callable[..., str], here: Path
) -> None:
    result = run_command("run", config(), "--report")
    assert result.code == 0
    assert "The page of the results is results/small/report.html" in result.words
    page = (here / "results/small/report.html").read_bytes()
    run_command("report", "results/small")
    assert (here / "results/small/report.html").read_bytes() == page


def test_a_page_stays_with_its_results_and_goes_with_them(
    run_command: RunCommand, config: Callable[..., str], here: Path
) -> None:
    page = here / "results/small/report.html"
    run_command("run", config(), "--report", "--quiet")
    assert run_command("run", config(), "--quiet").code == 0
    assert page.exists()
    assert run_command("plot", "results/small", "--kind", "ranking").code in (0, 2)
    assert page.exists()
    assert run_command("run", config(seed=6), "--quiet").code == 0
    assert not page.exists()
    run_command("report", "results/small")
    assert run_command("run", config(title="Another run", seed=6), "--quiet").code == 0
    assert not page.exists()


def test_a_file_of_that_name_that_no_report_wrote_is_never_replaced(
    run_command: RunCommand, config: Callable[..., str], here: Path
) -> None:
    run_command("run", config(), "--quiet")
    page = here / "results/small/report.html"
    page.write_text("mine")
    result = run_command("run", config(), "--report")
    assert result.code == 2
    assert "holds report.html, which no run wrote" in result.err
    assert page.read_text() == "mine"


def test_a_part_of_a_run_has_no_page(
    run_command: RunCommand, config: Callable[..., str], here: Path
) -> None:
    result = run_command("run", config(), "--report", "--shard", "1/2")
    assert result.code == 2
    assert is_one_sentence(result)
    assert not (here / "results").exists()
