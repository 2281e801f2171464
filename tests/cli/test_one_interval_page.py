"""The page on ``interval`` prints what it says."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import harness

PAGE = (Path(harness.__file__).parents[1] / "docs/one_interval.md").read_text("utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def lines_of(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_command_prints_what_the_page_says(run_command, here, block):
    said = block.splitlines()
    if said[0].startswith("$ printf"):
        subprocess.run(["bash", "-c", said.pop(0).removeprefix("$ ")], cwd=here, check=True)
    argv = shlex.split(said.pop(0).removeprefix("$ python -m harness "))
    result = run_command(*argv)
    assert result.code == 0
    assert lines_of(result.out + result.err) == lines_of("\n".join(said))


def test_the_page_has_its_commands():
    assert len(BLOCKS) == 10
