"""The tutorial of the README is run as it stands there."""

import re
import runpy
import shlex
import sys
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


@pytest.fixture
def in_the_tutorial_s_folder(tmp_path, monkeypatch):
    """With the file of the first block."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    code = blocks("python")[0]
    name = re.match(r"# (\S+\.py)\n", code)[1]
    Path(name).write_text(code)
    yield Path(name)
    sys.modules.pop(Path(name).stem, None)


def mend(file):
    """The line of the section's text in the place of the one that begins as it does."""
    mended = re.search(r"Mend the line to\s`(z = [^`]*)`", section())[1]
    file.write_text(re.sub(r"z = .*", mended, file.read_text()))


def run(command, shown, capsys):
    """Run a command; what the tutorial shows of its output is there, in that order."""
    code = main(command)
    printed = iter(capsys.readouterr().out.splitlines())
    for line in shown:
        if line != OMITTED:
            expected = re.escape(line).replace(CUT, ".*")
            assert any(re.fullmatch(expected, each) for each in printed), line
    return code


def test_the_interval_is_written_in_ten_lines():
    assert len(blocks("python")[0].splitlines()) <= 10


def test_it_fails_is_mended_passes_and_is_kept(in_the_tutorial_s_folder, capsys):
    first, second = blocks("console")
    [(command, shown)] = sessions(first)
    assert run(command, shown, capsys) == FAILED
    mend(in_the_tutorial_s_folder)
    codes = [run(command, shown, capsys) for command, shown in sessions(second)]
    assert codes == [PASSED] * 3


def test_the_lines_for_continuous_integration_find_what_became_worse(
    in_the_tutorial_s_folder, capsys
):
    mend(in_the_tutorial_s_folder)
    [_, update, _] = sessions(blocks("console")[1])
    assert main(update[0]) == PASSED
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
    mend(in_the_tutorial_s_folder)
    [_, update, _] = sessions(blocks("console")[1])
    main(update[0])
    Path("own.py").write_text(blocks("python")[1])
    own = runpy.run_path("own.py")
    own["test_agresti_coull"]()
    [mark] = own["test_interval"].pytestmark
    for case in mark.args[1]:
        own["test_interval"](*case.values)
