"""``report --explorer`` writes the page for teaching."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli import main
from harness.config.load import load_experiment
from harness.report.explorer import explorer
from harness.report.page import render

CONFIG = """
name: mine
family: proportion
n: [5, 10]
methods: [wald]
truth: {values: [0.1, 0.5]}
engines: [enumeration]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code, and all that was printed."""
    code = main(["report", *words])
    return code, "".join(capsys.readouterr())


def test_a_page_of_a_config_names_the_command_that_makes_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "--explorer", "mine.yaml") == (0, "explorer.html\n")
    page = (here / "explorer.html").read_text("utf-8")
    command = "python -m harness report --explorer mine.yaml"
    assert page == render(explorer(load_experiment("mine.yaml"), command))
    assert command in page


def test_without_a_config_it_is_the_shipped_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "explorer").mkdir()
    assert told(capsys, "--explorer", "--out", "pages/a.html") == (0, "pages/a.html\n")
    page = (here / "pages/a.html").read_text("utf-8")
    assert "What does 95 % mean?" in page
    assert len(page.encode()) < 3_000_000


def test_a_former_page_is_replaced_and_another_file_is_not(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert told(capsys, "--explorer", "mine")[0] == 0
    (here / "explorer.html").write_text("mine", "utf-8")
    code, said = told(capsys, "--explorer", "mine")
    assert (code, "was written by no report" in said) == (2, True)
    assert (here / "explorer.html").read_text("utf-8") == "mine"
    assert told(capsys, "--explorer", "mine", "--out", "mine.yaml")[0] == 2
    assert (here / "mine.yaml").read_text("utf-8") == CONFIG


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--explorer", "mine", "mine.yaml", "quickstart"], "takes one config, found 2"),
        (["--explorer", "--markdown"], "found --markdown as well"),
        (["--explorer", "nothing"], "expected a config, found no such file"),
        (["--explorer", "rare_events"], "found rare_events of the family rate"),
        ([], "name a folder of results, or --explorer"),
    ],
)
def test_what_it_cannot_do_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, said = told(capsys, *words)
    assert code == 2
    assert message in " ".join(said.split())
    assert not (here / "explorer.html").exists()
