"""The tutorial of the README runs as it is written there."""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from harness.cli import main

README = Path(__file__).parents[2] / "README.md"
HEADING = "## Check an interval of your own\n"

FAILED, PASSED = 3, 0
OMITTED, CUT = "...", "…"


def section():
    """From its heading to the next one."""
    return README.read_text("utf-8").split(HEADING)[1].split("\n## ")[0]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", section(), re.DOTALL | re.MULTILINE)


def sessions(block):
    """The commands of a console block, each with the lines that are shown below it."""
    parts = block.split("$ python -m harness ")[1:]
    return [(shlex.split(part.splitlines()[0]), part.splitlines()[1:]) for part in parts]


def mend(file):
    """Replace the faulty line by the line that the section gives for it."""
    mended = re.search(r"Mend the line to\s`(z = [^`]*)`", section())[1]
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
    code = blocks("python")[0]
    file = folder / re.match(r"# (\S+\.py)\n", code)[1]
    file.write_text(code)
    codes, printed, shown = [], [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number, block in enumerate(blocks("console")):
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


def test_the_lines_for_continuous_integration_find_what_became_worse(
    in_the_tutorial_s_folder, capsys
):
    steps = [step["run"] for step in yaml.safe_load(blocks("yaml")[0])]
    assert len(steps) == 3
    checks = [step.split(" > ")[0] for step in steps if step.startswith("python -m harness ")]
    checks = [shlex.split(step)[3:] for step in checks]
    assert [main(command) for command in checks] == [PASSED] * 2
    mended = in_the_tutorial_s_folder.read_text()
    in_the_tutorial_s_folder.write_text(mended.replace("p + half, 1)", "p + 1.01 * half, 1)"))
    capsys.readouterr()
    assert main(checks[0]) == FAILED
    assert "against its baseline: length" in capsys.readouterr().out


def test_its_own_tests_pass(in_the_tutorial_s_folder):
    Path("own.py").write_text(blocks("python")[1])
    own = runpy.run_path("own.py")
    own["test_agresti_coull"]()
    [mark] = own["test_interval"].pytestmark
    for case in mark.args[1]:
        own["test_interval"](*case.values)
