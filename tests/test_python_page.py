"""The examples of the page on Python print what they show, one after the other."""

import contextlib
import doctest
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import harness

PAGE = (Path(harness.__file__).parents[1] / "docs/python.md").read_text("utf-8")
OPTIONAL = ("pandas", "pyarrow")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def needs(block: str) -> set[str]:
    """The packages beyond those of the project that a block needs."""
    found = {name for name in OPTIONAL if name in block}
    return found | ({"pyarrow"} if "pd.read_parquet" in block else set())


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The folder in which the examples ran, and how many of them did, and failed."""
    folder = tmp_path_factory.mktemp("page")
    shown = [each for each in blocks("pycon") if all(map(find_spec, needs(each)))]
    assert len(shown) >= len(blocks("pycon")) - 3
    examples = doctest.DocTestParser().get_doctest("\n".join(shown), {}, "python.md", None, 0)
    with (
        contextlib.chdir(folder),
        np.printoptions(precision=8, suppress=False, linewidth=75, legacy=False),
    ):
        return folder, doctest.DocTestRunner().run(examples)


def test_the_python_examples_print_what_they_show(session):
    _, result = session
    assert result.attempted > 20
    assert result.failed == 0


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_reads_the_results_of_the_python_page(session):
    folder, _ = session
    (script,) = blocks("r")
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["method", "n", "coverage", "worst_alpha"]
    wald = next(row for row in rows if row[:2] == ["wald", "10"])
    assert wald[2] == "0.7693"
    assert len(rows) == 5
