"""The pages of `check --html` and `audit --html`: written like other files, nothing else loaded."""

import re

import pytest

from harness.cli import main
from tests.test_imports import modules_of_command, rooms

OWN = """
def reversed_limits(x, n, alpha):
    return 1.0 + 0 * x, 0.0 * x
"""
QUICK = ["--grid", "n=3;alpha=0.05", "--contract", "none", "--quiet"]
LIST = """
packages:
  - name: numpy
    language: python
    functions:
      - {method: clopper_pearson, family: proportion, grid: "n=10;alpha=0.05"}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "list.yaml").write_text(LIST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands_on(page):
    """The commands that a page names, each once."""
    found = re.findall(r"<code[^>]*>(python -m harness [^<]*)</code>", page)
    return list(dict.fromkeys(each.replace("&#39;", "'") for each in found))


def test_a_page_is_written_also_where_a_check_fails(folder, capsys):
    assert main(["check", "own.py:reversed_limits", "wilson", *QUICK, "--html", "out/a.html"]) == 3
    page = (folder / "out" / "a.html").read_text("utf-8")
    assert capsys.readouterr().out == ""
    assert "own.py:reversed_limits: ✗ FAIL" in page
    assert "wilson: ✓ PASS" in page
    assert [path.name for path in (folder / "out").iterdir()] == ["a.html"]


def test_the_page_names_the_command_and_those_of_counter_examples(folder):
    main(["check", "own.py:reversed_limits", "wilson", *QUICK, "--html", "a.html", "--seed", "5"])
    first, *others = commands_on((folder / "a.html").read_text("utf-8"))
    assert first == (
        "python -m harness check own.py:reversed_limits --contract none --seed 5 "
        "--grid 'n=3;alpha=0.05'"
    )
    assert others == [
        "python -m harness check own.py:reversed_limits wilson --grid 'n=3;alpha=0.05' "
        "--contract none --seed 5 --html a.html"
    ]


def test_the_same_command_writes_the_same_bytes(folder):
    asked = ["check", "own.py:reversed_limits", *QUICK, "--html", "a.html"]
    pages = []
    for extra in ([], ["--jobs", "2", "--format", "json"]):
        main([*asked, *extra])
        pages.append((folder / "a.html").read_bytes())
    assert pages[0] == pages[1]


def test_a_method_that_cannot_be_loaded_has_its_part(folder, capsys):
    assert main(["check", "own.py:absent", "wilson", *QUICK, "--html", "a.html"]) == 2
    page = (folder / "a.html").read_text("utf-8")
    assert "own.py:absent: ? INCONCLUSIVE" in page
    assert "can be checked" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["check", "wilson", "--html", "."], "--html . cannot be written"),
        (
            ["check", "own.py:reversed_limits", "--html", "own.py"],
            "--html own.py would replace a file that the command reads",
        ),
        (["check", "wilson", "--json", "a", "--html", "./a"], "is the file of"),
        (
            ["audit", "--list", "list.yaml", "--html", "list.yaml"],
            "--html list.yaml would replace a file that the command reads",
        ),
        (
            ["audit", "--list", "list.yaml", "--out", "o", "--html", "o/audit.md"],
            "is the file of the file audit.md as well",
        ),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_first(folder, capsys, asked, said):
    before = sorted(folder.rglob("*"))
    assert main(asked) == 2
    assert said in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_an_audit_writes_its_page(folder, capsys):
    asked = ["audit", "--list", "list.yaml", "--out", "o", "--quiet", "--html", "o/audit.html"]
    assert main(asked) == 0
    page = (folder / "o" / "audit.html").read_text("utf-8")
    assert "clopper_pearson" in page
    assert commands_on(page) == [
        "python -m harness audit --list list.yaml --out o --html o/audit.html"
    ]
    assert (folder / "o" / "audit.md").is_file()


def test_a_check_without_a_page_loads_no_templates(tmp_path):
    loaded = modules_of_command(tmp_path, "check", "wilson", *QUICK)
    assert "report" not in rooms(loaded)
    assert not loaded & {"jinja2", "markupsafe", "matplotlib"}


def test_a_page_loads_no_figures(tmp_path):
    loaded = modules_of_command(tmp_path, "check", "wilson", *QUICK, "--html", "a.html")
    assert "jinja2" in loaded
    assert "matplotlib" not in loaded
