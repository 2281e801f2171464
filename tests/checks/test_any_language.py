"""Checks of programs and of tables: what is a finding, what is refused, and what does not apply."""

import contextlib
import csv
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.callers.naming import named
from harness.callers.table import LimitTable, read_points
from harness.checks.batch import asked_points
from harness.checks.check import check
from harness.checks.options import complete_grid
from harness.cli import main
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from tests.checks.test_tutorial import assert_shown
from tests.methods.user.test_r import missing

GRID = "n=2,5;alpha=0.05,0.1"
PROGRAM = f"{sys.executable} -I -S -u -c "


def clopper_pearson(rows):
    """The rows with limits, as text."""
    method = find(family_of("proportion"), "clopper_pearson")
    for row in rows:
        x, n, alpha = (float(row[name]) for name in ("x", "n", "alpha"))
        lower, upper = method.limits((np.array([x]), np.array([n])), alpha)
        yield {**row, "lower": repr(float(lower[0])), "upper": repr(float(upper[0]))}


@pytest.fixture(scope="module")
def points():
    return list(csv.DictReader(io.StringIO(asked_points(grid=GRID))))


@pytest.fixture
def write(tmp_path):
    def write(rows):
        rows = list(rows)
        with (tmp_path / "limits.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return str(tmp_path / "limits.csv")

    return write


def by_name(report):
    return {finding.check: finding for finding in report.findings}


def test_the_grid_has_every_outcome_of_its_sizes_and_alphas_once(points):
    expected = {(x, n, alpha) for n in (2, 5) for alpha in (0.05, 0.1) for x in range(n + 1)}
    found = [(int(row["x"]), int(row["n"]), float(row["alpha"])) for row in points]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_a_table_of_the_grid_is_checked_at_every_point(points, write):
    report = check(write(clopper_pearson(points)), contract="at-least")
    assert report.passed
    message = by_name(report)["points of the table"].message
    assert message.startswith("18 of 18 points of the table were checked; exact numbers are compu")
    assert report.behaviour.height == 4


def test_a_wrong_limit_of_a_table_is_a_finding(points, write):
    rows = list(clopper_pearson(points))
    wrong = next(row for row in rows if (row["x"], row["n"], row["alpha"]) == ("3", "5", "0.05"))
    wrong["lower"], wrong["upper"] = wrong["upper"], wrong["lower"]
    report = check(write(rows), contract="at-least")
    assert report.exit_code == 3
    assert "x = 3, n = 5, alpha = 0.05" in by_name(report)["is ordered"].message


def test_a_missing_limit_of_a_table_is_a_finding(points, write):
    rows = list(clopper_pearson(points))
    rows[0]["lower"] = "NA"
    assert by_name(check(write(rows)))["is finite"].verdict == "fail"


def test_what_needs_points_that_a_table_lacks_does_not_apply(points, write):
    rows = [row for row in clopper_pearson(points) if row["x"] != "1"]
    report = check(write(rows), contract="at-least")
    assert report.passed
    found = by_name(report)
    assert found["has exact numbers"].message == (
        "does not apply: the table has all outcomes of no size and alpha"
    )
    assert found["points of the table"].message.startswith("14 of 14 points of the table")


def test_exact_numbers_are_those_of_the_sizes_and_alphas_with_all_outcomes(points, write):
    rows = [
        row
        for row in clopper_pearson(points)
        if (row["n"], row["alpha"], row["x"]) != ("5", "0.1", "2")
    ]
    known = read_points(LimitTable(write(rows)), family_of("proportion"))
    assert complete_grid(known, (2, 5), (0.05, 0.1)) == ((2, 5), (0.05,))


def test_a_program_is_checked_from_the_command_line(capsys):
    text = "import sys\nfor line in sys.stdin: print(0.2, 0.1)"
    command = ["--command", f"{PROGRAM}'{text}'"]
    assert main(["check", *command, "--contract", "at-least", "--grid", GRID]) == 3
    out = capsys.readouterr().out
    assert "is ordered: limits 0.2 and 0.1 at x = 0, n = 2, alpha = 0.05" in out
    assert "answers every outcome" not in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "check needs a METHOD or a --command"),
        (("--command", "no-such-program"), 2, "the program 'no-such-program' cannot be started"),
        (("--command", f"{PROGRAM}'import no_such_module'"), 2, "No module named 'no_such_module'"),
        (("wilson", "--arg", "a=1"), 2, "--arg is for functions of R"),
        (("wilson", "--side", "lower"), 2, "--side is for a --command, for tables and for"),
        (("r:stats::binom.test", "--arg", "a"), 2, "--arg should be NAME=EXPRESSION of R"),
        (("no_such_table.csv",), 2, "no_such_table.csv cannot be read: No such file"),
        (("--command", f"{PROGRAM}'print(1)'", "--call-timeout", "1"), 3, "found one number, '1'"),
    ],
)
def test_what_the_caller_wrote_wrongly_is_refused_and_what_the_method_did_is_a_finding(
    capsys, arguments, code, said
):
    assert main(["check", *arguments, "--grid", GRID]) == code
    out, err = capsys.readouterr()
    assert said in (err if code == 2 else out)
    assert "Traceback" not in out + err


def test_a_table_is_named_by_its_file(points, write):
    path = write(clopper_pearson(points))
    assert named(path).label == path


def test_a_method_is_held_to_the_limits_that_a_table_has(points, write):
    rows = list(clopper_pearson(points))
    path = write(row for row in rows if (row["x"], row["n"]) != ("1", "5"))
    same = check("clopper_pearson", same=path, grid="n=2,5;alpha=0.05")
    assert by_name(same)[f"against {path}: same limits"].verdict == "pass"
    found = by_name(check("clopper_pearson", against=path, grid="n=5;alpha=0.05"))
    assert found[f"against {path}"].message.startswith("does not apply: the table has all outcomes")


def test_gaps_of_a_table_do_not_change_what_its_tails_are_compared_with(write):
    # All outcomes at alpha = 0.05, and at other alphas the first few only.
    at = [(x, 40, 0.05) for x in range(41)]
    at += [(x, 40, alpha) for alpha in (0.01, 0.1) for x in range(4)]
    names = ("x", "n", "alpha")
    rows = [dict(zip(names, map(str, each), strict=True)) for each in at]
    report = check(write(clopper_pearson(rows)), contract="at-least")
    assert report.passed, str(report)
    assert report.behaviour["alpha"].to_list() == [0.05]


# The page about intervals of any language runs as it is written, where the tools are.


PAGE = (Path(__file__).parents[2] / "docs/any_language.md").read_text("utf-8")
HARNESS = "python -m harness "


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def sessions():
    """The commands of all console blocks, each with the lines that are shown below it."""
    parts = [part for block in blocks("console") for part in block.split("$ ")[1:]]
    return [(part.splitlines()[0], part.splitlines()[1:]) for part in parts]


def needs():
    """Skip where a tool of the page is not there."""
    reason = missing("stats")
    if reason:
        pytest.skip(reason)
    if shutil.which("perl") is None:
        pytest.skip("perl is not installed")


def typed(command):
    """What a command prints; it ends with exit code 0."""
    words = shlex.split(command)
    if not command.startswith(HARNESS):
        subprocess.run(words, check=True)
        return ""
    target = None
    if words[-2] == ">":
        *words, _, target = words
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(words[3:]) == 0, output.getvalue()
    if target is not None:
        Path(target).write_text(output.getvalue())
    return output.getvalue()


def test_the_page_runs_as_it_is_written(tmp_path, monkeypatch):
    needs()
    monkeypatch.chdir(tmp_path)
    for language in ("perl", "r"):
        (code,) = blocks(language)
        Path(re.match(r"# (\S+)\n", code)[1]).write_text(code)
    for command, shown in sessions():
        assert_shown(typed(command), shown)
    scope = {}
    exec(blocks("python")[0], scope)
    assert scope["report"].passed
    Path("c.yaml").write_text(blocks("yaml")[0])
    rows = harness.run("c.yaml", out=None).summary
    assert rows["method"].to_list() == ["R", "R", "Hoeffding", "Hoeffding", "table", "table"]
    numbers = rows.select("worst_alpha").to_series()
    assert numbers[0] == pytest.approx(numbers[4], rel=1e-9)
    assert numbers[2] < numbers[0]


def test_the_readme_leads_to_the_page():
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert "(docs/any_language.md)" in readme
