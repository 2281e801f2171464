"""``--update``: what is stored, what is refused, and where a baseline is looked for."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.baseline.folder import HEADER, read_baseline, resolve_baseline, write_baseline
from harness.checks.behaviour import measures
from harness.checks.check import check
from harness.checks.subject import Subject
from harness.checks.watch import TimeUpError, stage, steps, watching
from harness.cli import main
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE

GRID = "n=10,37;alpha=0.05"
PASSED, REFUSED, FAILED = 0, 2, 3


def update(method, folder, *more):
    return main(["check", method, "--grid", GRID, "--update", str(folder), *more])


def contents(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def printed(capsys, code, expected):
    assert code == expected
    return capsys.readouterr().out


def test_what_passes_is_stored_and_the_same_again_changes_no_byte(tmp_path, capsys):
    out = printed(capsys, update("wilson", tmp_path), PASSED)
    assert f"{tmp_path}: 2 rows, 98 limits and 2 sums of limits written" in out
    before = contents(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in before} == {
        HEADER,
        "proportion/wilson.csv",
        "proportion/limits/wilson.csv",
        "proportion/sums/wilson.csv",
    }
    assert f"{tmp_path}: nothing changed" in printed(capsys, update("wilson", tmp_path), PASSED)
    assert contents(tmp_path) == before


def test_what_fails_its_check_is_stored_by_force_only(tmp_path, capsys):
    out = printed(capsys, update("wald", tmp_path, "--contract", "at-least"), FAILED)
    assert f"{tmp_path} is left as it is: the check did not pass; --force stores it" in out
    assert contents(tmp_path) == {}
    out = printed(capsys, update("wald", tmp_path, "--contract", "at-least", "--force"), FAILED)
    assert f"{tmp_path}: 2 rows, 98 limits and 2 sums of limits written" in out


MINE = """
def wilson(x, n, alpha):
    from statistics import NormalDist
    z = NormalDist().inv_cdf(1 - {alpha})
    middle, half = x + z**2 / 2, z * (x * (n - x) / n + z**2 / 4) ** 0.5
    total = n + z**2
    return max(0.0, (middle - half) / total), min(1.0, (middle + half) / total)
"""


def test_a_change_on_purpose_is_reported_with_gains_and_losses(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part in ("alpha / 2", "alpha / 2.02"):
        Path("mine.py").write_text(MINE.format(alpha=part))
        out = printed(capsys, update("mine.py:wilson", "kept"), PASSED)
    assert "against its baseline: safer at 2 of 2 sizes and alphas; longer by 0.2 %" in out
    assert (
        "kept: 2 of 2 rows changed, the first at n = 10, alpha = 0.05; 94 of 98 limits changed; "
        "2 of 2 sums of limits changed"
    ) in out
    Path("mine.py").write_text(MINE.format(alpha="alpha / 2.0200001"))
    against = ["check", "mine.py:wilson", "--grid", GRID, "--against", "kept"]
    assert "against its baseline: limits: the" in printed(capsys, main(against), FAILED)
    loose = ["--tolerance", "limits=1e-6,length=1e-6,alpha=1e-6"]
    assert "against                4 pass" in printed(capsys, main([*against, *loose]), PASSED)


def test_a_damaged_baseline_is_written_anew(tmp_path, capsys):
    update("wilson", tmp_path)
    before = contents(tmp_path)
    file = tmp_path / "proportion" / "sums" / "wilson.csv"
    file.write_text("<<<<<<< HEAD\n")
    against = ["check", "wilson", "--grid", GRID, "--against", str(tmp_path)]
    capsys.readouterr()
    assert main(against) == REFUSED
    assert "the mark <<<<<<< of a merge" in capsys.readouterr().err
    assert update("wilson", tmp_path) == PASSED
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["bootstrap_percentile"], "bootstrap_percentile draws its limits, and so has no baseline"),
        (["student_t", "--family", "mean"], "methods of mean have no baseline"),
        (["wilson", "--tolerance", "limit=1e-9"], "found 'limit'; did you mean limits?"),
    ],
)
def test_what_cannot_be_stored_is_refused_at_once(tmp_path, capsys, command, message):
    assert main(["check", *command, "--update", str(tmp_path)]) == REFUSED
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_update_and_force_are_arguments_of_check(tmp_path):
    report = check("wald", contract="at-least", grid=GRID, update=tmp_path, force=True)
    assert report.stored.endswith("sums of limits written")
    assert read_baseline(tmp_path, family_of("proportion"), "wald").limits is not None
    assert check("wald", contract="none", grid=GRID, update=tmp_path).stored.endswith(
        "nothing changed"
    )


def test_methods_that_are_stored_at_the_same_time_are_all_in_the_header(tmp_path):
    names = ["wilson", "wald", "jeffreys", "arcsine", "logit", "agresti_coull"]
    method = CATALOGUE["proportion"]["wilson"]
    measured = measures(
        Subject(CatalogueSource("wilson", method, seed=0), family_of("proportion")), (3,), (0.05,)
    )
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda name: write_baseline(tmp_path, named(name), measured), names))
    header = json.loads((tmp_path / HEADER).read_text())
    assert sorted(header["methods"]["proportion"]) == sorted(names)


def test_a_relative_baseline_is_looked_for_beside_a_test_file(tmp_path, monkeypatch):
    base, elsewhere = tmp_path / "tests", tmp_path / "elsewhere"
    for folder in (base / "kept", elsewhere / "old"):
        folder.mkdir(parents=True)
        (folder / HEADER).write_text('{"methods": {}}')
    monkeypatch.chdir(elsewhere)
    assert resolve_baseline("kept", base) == base / "kept"
    assert resolve_baseline(Path("kept"), base) == base / "kept"
    assert resolve_baseline("old", base) == "old"
    assert resolve_baseline(base / "kept", elsewhere) == base / "kept"
    assert resolve_baseline("wilson", base) == "wilson"
    assert resolve_baseline("mine.py:wilson", base) == "mine.py:wilson"
    with pytest.raises(InputError, match="tests/no/such holds no baseline"):
        check("wilson", against=str(resolve_baseline("no/such", base)), grid=GRID)


# What a check reports while it runs: the fraction done, and that its time is over.


def test_stages_and_steps_divide_what_is_left():
    told = []
    with watching(told.append):
        with stage(0.5):
            for _ in steps("ab"):
                list(steps("xy"))
        list(steps("cd"))
    rounded = [round(each, 6) for each in dict.fromkeys(told)]
    assert rounded == [0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0]


def test_the_fraction_of_a_check_rises_to_one():
    told = []
    with watching(told.append):
        check("wilson", sizes=[2, 3], alphas=[0.05], against="jeffreys")
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)
    assert len(set(told)) > 10


def test_the_time_is_over_between_steps():
    with watching(seconds=0.01), pytest.raises(TimeUpError):
        list(map(time.sleep, steps([0.002] * 100)))


def test_unwatched_steps_are_the_items():
    assert list(steps("abc")) == ["a", "b", "c"]


def test_a_check_out_of_time_says_what_it_did_not_reach_and_keeps_failures():
    def reversed_late(x, n, alpha):
        time.sleep(0.01)
        return 0.5 + 0.0 * x, 0.0 * x

    report = check(reversed_late, timeout=0.5)
    assert report.verdict == "fail"
    found = {each.check: each for each in report.findings}
    assert found["is ordered"].verdict == "fail"
    assert found["finishes in time"].message.endswith(
        "not reached or not all of it: conformance, tails, behaviour, contract, cross-check"
    )


def test_a_check_out_of_time_is_inconclusive_and_keeps_what_it_found():
    def late(x, n, alpha):
        time.sleep(0.02)
        return 0.0 * x, 0.0 * x + 1

    report = check(late, timeout=0.1)
    assert report.verdict == "inconclusive"
    assert report.findings[-1].check == "finishes in time"
