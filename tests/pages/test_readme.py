"""The README is short, its commands print what it shows, and its links lead somewhere."""

import re
from pathlib import Path

import pytest
import yaml

from harness.cli import main
from tests.pages.measured import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_it_has_at_most_130_lines() -> None:
    assert len(README.splitlines()) <= 130


def test_its_first_two_shell_blocks_are_the_two_commands() -> None:
    run, tests = blocks(README, "sh")
    assert run.splitlines()[0] == "python3 -m venv .venv"
    assert run.splitlines()[-1] == ".venv/bin/python -m harness run configs/quickstart.yaml"
    assert tests.splitlines()[0] == "python3 -m venv .venv-test"
    assert tests.splitlines()[-1] == ".venv-test/bin/python -m pytest"


def test_the_files_that_a_run_passes_exist() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    flow = guide.partition("## How a run flows\n")[2].partition("\n## ")[0]
    files = re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|csv))`", flow.partition("1. ")[2])
    assert len(flow.splitlines()) <= 60
    assert len(files) > 30
    assert [name for name in files if not (ROOT / "harness" / name).exists()] == ["summary.csv"]


def test_coverage_and_alpha_are_defined_before_a_table_has_them() -> None:
    defined = [README.index(f"**{word}**") for word in ("coverage", "alpha")]
    assert defined == sorted(defined)
    assert defined[1] < README.index("Coverage in %")


def test_the_interval_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    command = blocks(README, "sh")[0].splitlines()[2]
    assert main(command.removeprefix(".venv/bin/python -m harness ").split()) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [lines[0], lines[-1]] == blocks(README, "text")[0].splitlines()[:2]


def test_it_is_cited_as_the_citation_file_says() -> None:
    known = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    (entry,) = blocks(README, "bibtex")
    for part in (known["title"], known["authors"][0]["name"], str(known["version"])):
        assert part in entry


def test_the_check_is_that_of_the_page_on_checking() -> None:
    page = (ROOT / "docs/checking.md").read_text("utf-8")

    def named_alike(text: str) -> str:
        text = text.replace("my_intervals.py", "my.py")
        return re.sub(r"\bagresti_coull\b", "f", text)

    assert blocks(README, "python")[0] == named_alike(blocks(page, "python")[0])
    failed, passed = (block.splitlines() for block in blocks(README, "console"))
    for shown, block in zip((failed, passed), blocks(page, "console"), strict=False):
        assert shown == named_alike(block).splitlines()[: len(shown)]
    mended = re.search(r"With `(z = .*)` it passes", README)[1]
    assert f"`{mended}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target or target.startswith("#"):
            continue
        assert (page.parent / target.partition("#")[0]).exists(), f"{page.name}: {target}"
