"""The examples in the docstrings of the package print what they say."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import harness
from tests.sample import sampled

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
ROOT = Path(harness.__file__).parent
# Importing these runs a program.
PROGRAMS = {"harness.__main__", "harness.callers.process"}


def modules_with_examples() -> list[str]:
    """The names of the modules whose source has an example."""
    files = (path for path in ROOT.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
    parts = (path.relative_to(ROOT.parent).with_suffix("").parts for path in files)
    return sorted({".".join(each).removesuffix(".__init__") for each in parts} - PROGRAMS)


@pytest.mark.parametrize(
    "name", sampled(modules_with_examples(), one_in=3, by=lambda name: name.split(".")[1])
)
def test_examples_print_what_they_show(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with np.printoptions(precision=8, suppress=False, linewidth=75, legacy=False):
        failed, attempted = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert attempted
    assert not failed


def test_modules_that_teach_their_use_have_examples():
    assert {
        "harness.api",
        "harness.checks.check",
        "harness.distributions.criteria",
        "harness.distributions.posteriors.beta",
        "harness.distributions.posteriors.gamma",
        "harness.distributions.sampling.binomial",
        "harness.testing",
        "harness.distributions.truths",
    } <= set(modules_with_examples())


def test_a_wrong_example_is_seen():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner().run(wrong, out=lambda text: None).failed == 1
