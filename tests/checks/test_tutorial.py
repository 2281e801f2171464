"""The page on the check of an interval of one's own runs as it is written there."""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from packaging.requirements import Requirement

from harness.cli import main

PAGE = (Path(__file__).parents[2] / "docs/checking.md").read_text("utf-8")

FAILED, PASSED = 3, 0
OMITTED, CUT = "...", "…"
SMALL = ("--grid", "n=10,20;alpha=0.05")
"""Options that make a check quick."""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def sessions(block):
    """The commands of a console block, each with the lines that are shown below it."""
    parts = block.split("$ python -m harness ")[1:]
    return [(shlex.split(part.splitlines()[0]), part.splitlines()[1:]) for part in parts]


def write_file(folder, number=0):
    """Write a block, that of the faulty interval, under the name that it has in its first line."""
    code = blocks("python")[number]
    file = folder / re.match(r"# (\S+\.py)\n", code)[1]
    file.write_text(code)
    return file


def mend(file):
    """Replace the faulty line by the line that the page gives for it."""
    mended = re.search(r"Mend the line to\s`(z = [^`]*)`", PAGE)[1]
    file.write_text(re.sub(r"z = .*", mended, file.read_text()))


def assert_shown(printed, shown):
    """What the tutorial shows of an output is in it, in that order."""
    lines = iter(printed.splitlines())
    for line in shown:
        if line != OMITTED:
            expected = re.escape(line).replace(CUT, ".*")
            assert any(re.fullmatch(expected, each) for each in lines), line


@dataclass(frozen=True)
class Followed:
    """The folder after the tutorial's console sessions, and what each of them returned."""

    file: Path
    codes: list[int]
    printed: list[str]
    shown: list[list[str]]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The sessions before and after the line is mended; the last but one writes a baseline."""
    folder = tmp_path_factory.mktemp("tutorial")
    file = write_file(folder)
    codes, printed, shown = [], [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number, block in enumerate(blocks("console")[:2]):
            if number == 1:
                mend(file)
            for command, lines in sessions(block):
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    codes.append(main(command))
                printed.append(output.getvalue())
                shown.append(lines)
    return Followed(file, codes, printed, shown)


@pytest.fixture
def in_the_tutorial_s_folder(followed, tmp_path, monkeypatch):
    """The file, mended, in a copy of the folder with its baseline."""
    folder = tmp_path / "copy"
    shutil.copytree(followed.file.parent, folder)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    yield Path(followed.file.name)
    sys.modules.pop(followed.file.stem, None)


def test_the_interval_is_written_in_ten_lines():
    assert len(blocks("python")[0].splitlines()) <= 10


def test_it_fails_is_mended_passes_and_is_stored(followed):
    assert followed.codes == [FAILED, PASSED, PASSED, PASSED]
    for printed, shown in zip(followed.printed, followed.shown, strict=True):
        assert_shown(printed, shown)


def test_the_steps_of_continuous_integration_report_what_became_worse(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    file = write_file(tmp_path)
    mend(file)
    install, check, show = yaml.safe_load(blocks("yaml")[0])
    source = Requirement(shlex.split(install["run"].removeprefix("pip install "))[0])
    assert (source.name, source.url[:12]) == ("coverage-harness", "git+https://")
    command = [*shlex.split(check["run"].removeprefix("python -m harness ")), *SMALL]
    assert main([*command[:2], "--update", "baseline", *SMALL]) == PASSED
    assert main(command) == PASSED
    file.write_text(file.read_text().replace("p + half, 1)", "p + 1.01 * half, 1)"))
    capsys.readouterr()
    assert main(command) == FAILED
    assert "against its baseline: length" in capsys.readouterr().out
    suite = ElementTree.parse("intervals.xml").getroot()
    assert int(suite.get("failures")) > 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    subprocess.run(["sh", "-c", show["run"]], check=True)
    assert "against its baseline: length" in Path("summary.md").read_text()
    assert show["if"] == "always()"


def test_its_own_tests_pass(in_the_tutorial_s_folder):
    Path("own.py").write_text(blocks("python")[1])
    own = runpy.run_path("own.py")
    own["test_agresti_coull"]()
    [mark] = own["test_interval"].pytestmark
    for case in mark.args[1]:
        own["test_interval"](*case.values)


def test_a_method_on_a_model_fails_in_the_scenarios_that_are_shown(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_file(tmp_path, -1)
    [(command, shown)] = sessions(blocks("console")[-1])
    assert main(command) == FAILED
    assert_shown(capsys.readouterr().out, shown)
