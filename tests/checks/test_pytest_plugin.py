"""The plugin of pytest, in test runs of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli import main
from harness.testing import assert_interval_method

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]

MODULE = """
import pathlib
import numpy as np
from scipy.special import ndtri

pathlib.Path(__file__).with_name(f"loaded-{pathlib.os.getpid()}").touch()

def agresti_coull(x, n, alpha):
    z = -ndtri(alpha / 2)
    total, p = n + z**2, (x + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - half, 0), np.minimum(p + half, 1)

def not_mirrored(x, n, alpha):
    lower, upper = agresti_coull(x, n, alpha)
    return lower, np.minimum(upper * 1.0001, 1)

def declared(x, n, alpha):
    return not_mirrored(x, n, alpha)

declared.expected_failures = {"mirrors": "one side is to be safe"}

def reversed_limits(x, n, alpha):
    return agresti_coull(x, n, alpha)[::-1]
"""
QUICK = ("--harness-option", "grid=n=3;alpha=0.05", "--harness-option", "contract=none")


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """Load all that a check needs: what a test run within this one loads, it forgets again."""
    assert_interval_method("wilson", grid="n=3;alpha=0.05", contract="none")


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest with the plugin in a folder of its own; return its exit code and its output."""
    for name in [each for each in os.environ if each.startswith("PYTEST_XDIST")]:
        monkeypatch.delenv(name)
    pytester.makepyfile(my_intervals=MODULE)
    monkeypatch.syspath_prepend(pytester.path)

    def run(*arguments):
        asked = ("-p", "harness.pytest_plugin", "-p", "no:cacheprovider")
        done = pytester.runpytest_inprocess(*asked, *arguments)
        return done.ret, f"{done.stdout}{done.stderr}"

    return run


def methods(*names):
    return [word for name in names for word in ("--harness-check", f"my_intervals:{name}")]


def test_each_check_is_a_test_and_a_declared_failure_an_xfail(run, pytester):
    code, text = run(*methods("not_mirrored", "declared"), *QUICK, "--junit-xml", "a.xml")
    assert code == 1, text
    cases = ElementTree.parse(pytester.path / "a.xml").getroot().iter("testcase")
    outcome = {
        (each.get("classname"), each.get("name")): each[0].tag if len(each) else "passed"
        for each in cases
    }
    failed = {name for name, tag in outcome.items() if tag == "failure"}
    assert failed == {("my_intervals:not_mirrored", "mirrors")}
    assert outcome["my_intervals:declared", "mirrors"] == "skipped"
    assert outcome["my_intervals:declared", "is ordered"] == "passed"
    assert "one side is to be safe" in (pytester.path / "a.xml").read_text()
    assert "limits 0" in text
    assert "Traceback" not in text
    assert ".py:" not in text.split("FAILURES")[1].split("short test summary")[0]


def test_under_xdist_a_method_is_checked_once_and_nothing_stays(tmp_path):
    (tmp_path / "my_intervals.py").write_text(MODULE)
    (tmp_path / "test_own.py").write_text(
        "from harness.testing import parametrize_with_checks\n"
        "methods = {'my_intervals:agresti_coull': {'contract': 'none'},\n"
        "           'clopper_pearson': {'contract': 'at-least', 'alphas': [0.1]}}\n"
        "@parametrize_with_checks(methods, sizes=[3])\n"
        "def test_interval(check):\n"
        "    check()\n"
    )
    (tmp_path / "scratch").mkdir()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}",
        "TMPDIR": str(tmp_path / "scratch"),
    }
    asked = ["-p", "harness.pytest_plugin", *methods("declared"), *QUICK]
    command = [sys.executable, "-m", "pytest", *asked, "-n", "3", "--dist", "load", "-W", "error"]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 xfailed" in done.stdout
    assert len(list(tmp_path.glob("loaded-*"))) == len(("declared", "agresti_coull"))
    assert not list((tmp_path / "scratch").glob("harness-*"))


def test_the_fixture_finds_the_baseline_beside_the_test(run, pytester):
    (pytester.path / "deep").mkdir()
    (pytester.path / "deep" / "test_own.py").write_text(
        "def test_interval(check_interval):\n"
        "    assert check_interval('wilson', against='base', sizes=[3], contract='none').passed\n"
        "def test_reversed(check_interval):\n"
        "    check_interval('my_intervals:reversed_limits', sizes=[3])\n"
    )
    options = ["--grid", "n=3;alpha=0.05", "--contract", "none"]
    assert main(["check", "wilson", "--update", "deep/base", *options]) == 0
    code, text = run("deep/test_own.py")
    assert code == 1, text
    assert re.search(r"1 failed, 1 passed", text), text
    assert "AssertionError: my_intervals:reversed_limits (proportion): FAIL: is ordered" in text
    assert "harness/" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--harness-check", "wilsen"], "did you mean wilson?"),
        (["--harness-check", "wilson", "--harness-option", "sice=3"], "should be one of"),
        (["--harness-check", "wilson", "--harness-option", "seed"], "NAME=VALUE"),
    ],
)
def test_a_wrong_option_is_a_sentence(run, arguments, said):
    code, text = run(*arguments)
    assert code == 4
    assert "ERROR: harness: " in text
    assert said in text
    assert "Traceback" not in text


def test_a_method_that_cannot_be_loaded_is_a_sentence(run):
    code, text = run("--harness-check", "my_intervals:absent", *QUICK, "-k", "ordered")
    assert code == 1
    assert "my_intervals" in text
    assert "Traceback" not in text
