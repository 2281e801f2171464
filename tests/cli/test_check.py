"""The command check in continuous integration: several methods, files, limits of time."""

import json
import time
from xml.etree import ElementTree

import pytest

from harness.cli import main

MODULE = """
import time
import numpy as np
from scipy.special import ndtri

def agresti_coull(x, n, alpha):
    z = -ndtri(alpha / 2)
    total, p = n + z**2, (x + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - half, 0), np.minimum(p + half, 1)

def reversed_limits(x, n, alpha):
    lower, upper = agresti_coull(x, n, alpha)
    return upper, lower

def slow(x, n, alpha):
    time.sleep(0.1)
    return agresti_coull(x, n, alpha)
"""
SOUND, REVERSED, SLOW = (f"own.py:{name}" for name in ("agresti_coull", "reversed_limits", "slow"))
QUICK = ["--grid", "n=3;alpha=0.05", "--contract", "none"]
FILES = ["--junit", "out/a.xml", "--json", "out/a.json", "--markdown", "out/a.md"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_written_beside_the_table_also_when_a_check_fails(folder, capsys):
    options = ["--grid", "n=10;alpha=0.05", "--contract", "nominal"]
    assert main(["check", "wilson", "wald", *options, *FILES]) == 3
    printed = capsys.readouterr()
    assert "wald (proportion): FAIL: " in printed.out
    assert printed.err == ""
    suites = ElementTree.parse(folder / "out" / "a.xml").getroot()
    assert [suite.get("name") for suite in suites] == [
        "harness check wilson",
        "harness check wald",
    ]
    content = json.loads((folder / "out" / "a.json").read_text())
    assert [each["verdict"] for each in content] == ["pass", "fail"]
    assert (folder / "out" / "a.md").read_text().startswith("## 1 of 2 methods pass\n")
    assert {path.name for path in (folder / "out").iterdir()} == {"a.xml", "a.json", "a.md"}


def test_a_method_that_cannot_be_loaded_is_in_the_files_and_the_others_are_checked(folder, capsys):
    assert main(["check", "own.py:absent", "wilson", *QUICK, *FILES]) == 2
    assert "own.py" in capsys.readouterr().err
    first, second = json.loads((folder / "out" / "a.json").read_text())
    assert (first["findings"][0]["check"], second["verdict"]) == ("can be checked", "pass")
    suites = ElementTree.parse(folder / "out" / "a.xml").getroot()
    assert [suite.get("errors") for suite in suites] == ["1", "0"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json", "."], "--json . cannot be written"),
        (["--json", "own.py"], "--json own.py would replace a file that the command reads"),
        (["--json", "own.py/a.json"], "own.py is no folder to write to"),
        (["--json", "a", "--junit", "./a"], "is the file of"),
        (["--jobs", "0"], "jobs should be at least 1"),
        (["--timeout", "0"], "timeout should be more than 0"),
        (["--grid", "n=3;m=4"], "grid of proportion should name n or alpha"),
    ],
)
def test_a_wrong_option_is_a_sentence_before_the_check_starts(folder, capsys, options, said):
    before = sorted(folder.rglob("*"))
    assert main(["check", SLOW, *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def other(x, n, alpha): pass", "f"),
        ("import absent_module", "No module named 'absent_module'"),
        ("def f(x, n, alpha:", "SyntaxError"),
        ("f = 3", "f"),
    ],
)
def test_what_cannot_be_loaded_is_a_sentence(folder, capsys, source, said):
    (folder / "broken.py").write_text(source)
    assert main(["check", "broken.py:f", "--json", "a.json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert said in (folder / "a.json").read_text()


def test_a_file_is_replaced_only_by_a_complete_one(folder, monkeypatch, capsys):
    (folder / "a.json").write_text("former")
    monkeypatch.setattr("pathlib.Path.replace", _full)
    assert main(["check", "wilson", *QUICK, "--json", "a.json"]) == 2
    assert (folder / "a.json").read_text() == "former"
    assert sorted(path.name for path in folder.glob("*a.json*")) == ["a.json"]
    printed = capsys.readouterr()
    assert "a.json cannot be written: No space left on device" in printed.err
    assert "PASS" in printed.out


def _full(path, target):
    raise OSError(28, "No space left on device")


def test_the_time_of_all_checks_is_limited(folder, capsys):
    start = time.monotonic()
    options = ["--timeout", "1.5", "--json", "a.json", "--grid", "n=1..40"]
    assert main(["check", SLOW, "wilson", *options]) == 4
    assert time.monotonic() - start < 20
    first, second = json.loads((folder / "a.json").read_text())
    for report in (first, second):
        assert report["findings"][-1]["check"] == "finishes in time"
    assert "finishes in time" in capsys.readouterr().out


def test_quiet_prints_nothing(capsys):
    assert main(["check", "wilson", *QUICK, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_several_jobs_give_the_same_files_in_the_order_of_the_methods(folder):
    for jobs in ("1", "2"):
        files = [each.replace("out/", f"{jobs}/") for each in FILES]
        assert main(["check", REVERSED, SOUND, "wilson", *QUICK, "--jobs", jobs, *files]) == 3
    for name in ("a.xml", "a.json", "a.md"):
        assert (folder / "1" / name).read_bytes() == (folder / "2" / name).read_bytes()
