"""A user function fails at some outcomes: the run goes on, and every failure is counted."""

import itertools
import json
import os
import textwrap
import threading
import time
from contextlib import chdir, suppress
from math import comb

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.special import gammainc

import harness
from harness.base.errors import InputError
from harness.callers.function import ENOUGH, MOST, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.source import Observed
from harness.cli import main
from harness.families.catalogue import family_of
from harness.figures.draw import drawings
from harness.figures.kind import FigureSpec
from harness.findings.manifest import failed_methods
from tests.study.experiments import stable_files

HALF = """
    def f(x, n, alpha):
        if x in (2, 5):
            raise ValueError("no interval here")
        if x == 7:
            return 0.9, 0.1
        return max(x / n - 0.2, 0.0), min(x / n + 0.2, 1.0)
"""
"""Fails at the outcomes 2, 5 and 7."""
FAILING = (2, 5, 7)
N = 10

CONFIG = {
    "name": "failing",
    "family": "proportion",
    "n": N,
    "alpha": 0.1,
    "methods": [{"path": "mine.py", "function": "f", "label": "mine"}, "wilson"],
    "trials": {"per_size": 40_000},
    "seed": 7,
    "execution": {"jobs": 1},
}
VALUES = (0.05, 0.31, 0.5, 0.77)
# Sums of eleven products, each with a rounding or two.
SUMMED = 1e-14


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(text=HALF, out=None, **changes):
        (tmp_path / "mine.py").write_text(textwrap.dedent(text))
        config = {**CONFIG, **changes}
        return harness.run({k: v for k, v in config.items() if v is not None}, out=out)

    return run


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """The results of the function that fails at three outcomes, which are only read."""
    folder = tmp_path_factory.mktemp("half")
    (folder / "mine.py").write_text(textwrap.dedent(HALF))
    with chdir(folder):
        return harness.run(CONFIG, out=None)


def rows(table, engine, **where):
    chosen = [pl.col(name) == value for name, value in where.items()]
    return table.filter(pl.col("method") == "mine", pl.col("engine") == engine, *chosen)


def misses(p):
    """Below, above and failed at a true p, and the length of the intervals there are: by hand."""
    below = above = failed = length = 0.0
    for x in range(N + 1):
        weight = comb(N, x) * p**x * (1 - p) ** (N - x)
        lower, upper = max(x / N - 0.2, 0.0), min(x / N + 0.2, 1.0)
        if x in FAILING:
            failed += weight
        else:
            below += weight * (p < lower)
            above += weight * (p > upper)
            length += weight * (upper - lower)
    return below, above, failed, length / (1 - failed)


def test_given_the_truth_failures_are_misses_in_one_column_and_left_out_in_another(run):
    results = run(truth={"values": list(VALUES)}, trials={"per_truth": 20_000})
    exact = rows(results.cells, "enumeration", given="truth")
    for p, row in zip(VALUES, exact.iter_rows(named=True), strict=True):
        below, above, failed, length = misses(p)
        assert row["miss_below"] == pytest.approx(below, abs=SUMMED)
        assert row["miss_above"] == pytest.approx(above, abs=SUMMED)
        assert row["failed"] == pytest.approx(failed, abs=SUMMED)
        assert row["actual_alpha"] == pytest.approx(below + above + failed, abs=SUMMED)
        assert row["alpha_error"] == pytest.approx(0.1 - below - above - failed, abs=SUMMED)
        without = (below + above) / (1 - failed)
        assert row["alpha_without_failed"] == pytest.approx(without, abs=SUMMED)
        assert row["length"] == pytest.approx(length, abs=SUMMED)
    drawn = rows(results.cells, "monte_carlo", given="truth")
    # Four standard errors each way, of eight numbers: a false alarm in 2,000 seeds.
    for name, error in (
        ("actual_alpha", "std_error"),
        ("alpha_without_failed", "std_error_without_failed"),
    ):
        assert (np.abs(drawn[name] - exact[name]) < 4 * drawn[error]).all()
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]


def test_given_the_outcome_a_failure_is_certain_and_the_others_are_as_without_it(run, half):
    results = half
    never = run(HALF.replace("x in (2, 5)", "False").replace("x == 7", "False"))
    for engine in ("monte_carlo", "posterior", "enumeration"):
        found, sound = (rows(each.cells, engine, given="outcome") for each in (results, never))
        failed = found["x"].is_in(FAILING)
        assert found.filter(failed)["actual_alpha"].to_list() == [1.0] * 3
        assert found.filter(failed)["failed"].to_list() == [1.0] * 3
        for name in ("lower", "upper", "length", "alpha_without_failed"):
            assert found.filter(failed)[name].null_count() == 3
        others, same = found.filter(~failed), sound.filter(~failed)
        if engine == "enumeration":
            # The nodes of its integrals lie between the limits of all outcomes.
            assert_frame_equal(others, same, rel_tol=1e-13, abs_tol=1e-15)
        else:
            assert others.equals(same)
        assert sound["failed"].to_list() == [0.0] * 11
        assert sound["alpha_without_failed"].equals(
            sound["actual_alpha"].alias("alpha_without_failed")
        )


def test_the_mean_over_a_uniform_truth_weighs_each_outcome_alike(half):
    """Under a uniform truth every outcome of n has the probability 1/(n + 1)."""
    (row,) = rows(half.summary, "enumeration").iter_rows(named=True)
    cells = rows(half.cells, "enumeration")
    assert row["failed"] == pytest.approx(3 / 11, abs=SUMMED)
    assert row["actual_alpha"] == pytest.approx(cells["actual_alpha"].mean(), abs=SUMMED)
    without = cells["alpha_without_failed"].drop_nulls().mean()
    assert row["alpha_without_failed"] == pytest.approx(without, abs=SUMMED)
    assert row["mean_length"] == pytest.approx(cells["length"].drop_nulls().mean(), abs=SUMMED)
    assert row["interval_score"] is None
    (drawn,) = rows(half.summary, "monte_carlo").iter_rows(named=True)
    assert drawn["failed"] == pytest.approx(3 / 11, abs=4 * np.sqrt(3 / 11 * 8 / 11 / 40_000))
    assert drawn["ci_lower"] < drawn["actual_alpha"] < drawn["ci_upper"]


def test_the_worst_case_and_the_root_mean_square_count_failures_as_misses(run):
    results = run(engines=["enumeration"], trials=None, seed=None)
    (row,) = rows(results.summary, "enumeration").iter_rows(named=True)
    grid = np.linspace(0.0005, 0.9995, 4001)
    found = np.array([sum(misses(p)[:3]) for p in grid])
    assert found.max() <= row["worst_alpha"] <= found.max() + 0.01
    near = row["worst_truth"]
    assert sum(misses(near)[:3]) == pytest.approx(row["worst_alpha"], abs=SUMMED)
    square = np.sqrt(np.mean((0.1 - found) ** 2))
    # A midpoint rule across jumps of at most 1 at 20 limits.
    assert row["rms_alpha_error"] == pytest.approx(square, abs=2e-3)


def test_other_methods_are_as_they_were(run, half):
    with_failures, alone = half, run(methods=["wilson"])
    for table in ("cells", "summary"):
        ours, theirs = getattr(with_failures, table), getattr(alone, table)
        assert ours.filter(pl.col("method") == "wilson").select(theirs.columns).equals(theirs)
    assert "failed" not in alone.summary.columns
    assert "failures" not in alone.manifest


def test_the_manifest_names_the_first_outcome_and_counts_them(half):
    (line,) = half.manifest["failures"]
    assert line == {
        "method": "mine",
        "alpha": 0.1,
        "n": 10,
        "failed_outcomes": 3,
        "outcomes": 11,
        "not_called": 0,
        "first": "failed at x = 2, n = 10, alpha = 0.1: ValueError: no interval here",
    }


def test_the_command_tells_of_it_in_one_sentence_and_ends_with_3(run, tmp_path, capsys):
    run(out="results")
    (tmp_path / "c.yaml").write_text(json.dumps({**CONFIG, "name": "again"}))
    assert main(["run", "c.yaml"]) == 3
    captured = capsys.readouterr()
    assert captured.err == (
        "harness: again: mine: failed at x = 2, n = 10, alpha = 0.1: ValueError: no interval here "
        "(no limits for 3 of 11 outcomes, which count as misses)\n"
    )
    assert "Failed: mine: failed at x = 2" in captured.out
    loaded = harness.load("results/again")
    assert loaded.cells.equals(harness.load("results/failing").cells)


def test_tables_with_failures_are_the_same_for_any_number_of_jobs(run, tmp_path):
    files = [
        stable_files(
            run(out=tmp_path / str(jobs), execution={"jobs": jobs, "backend": backend}).path
        )
        for jobs, backend in ((1, "threading"), (2, "threading"), (2, "loky"))
    ]
    assert files[0] == files[1] == files[2]


def test_what_draws_without_a_generator_of_its_own_draws_the_same_in_every_run(run):
    text = """
        import random
        import numpy as np

        def f(x, n, alpha):
            return 0.1 * random.random(), 0.9 + 0.1 * np.random.random()
        """
    assert run(text).cells.equals(run(text).cells)


def test_a_hang_is_a_failure_after_its_time(run):
    results = run(
        """
        import time

        def f(x, n, alpha):
            if x == 3:
                time.sleep(60)
            return 0.0, 1.0
        """,
        execution={"jobs": 1, "timeout": 0.3},
    )
    (line,) = results.manifest["failures"]
    assert (line["failed_outcomes"], line["outcomes"]) == (1, 11)
    assert line["first"] == "no answer within 0.3 s at x = 3, n = 10, alpha = 0.1"


def test_deaths_at_one_size_do_not_count_at_another(run):
    results = run(
        """
        import os

        def f(x, n, alpha):
            if n == 5 and x in (1, 2, 3):
                os._exit(3)
            return 0.0, 1.0
        """,
        n=[5, 20],
        alpha=[0.05, 0.1],
    )
    lines = results.manifest["failures"]
    assert [(line["n"], line["alpha"]) for line in lines] == [(5, 0.05), (5, 0.1)]
    # The outcomes 1, 2 and 3; 4 and 5 come after the third death of their size and alpha.
    assert [(line["failed_outcomes"], line["not_called"]) for line in lines] == [(5, 2)] * 2
    (sentence,) = failed_methods(results.manifest)
    assert "(no limits for 10 of 12 outcomes, 4 of which it was not called for" in sentence
    summary = results.summary.filter(pl.col("n") == 20, pl.col("method") == "mine")
    assert summary["failed"].to_list() == [0.0] * summary.height


def test_a_function_that_dies_everywhere_is_given_up(run):
    results = run("import os\ndef f(x, n, alpha):\n    os._exit(5)\n", n=list(range(4, 14)))
    called = [line["failed_outcomes"] - line["not_called"] for line in results.manifest["failures"]]
    assert called == [ENOUGH] * (MOST // ENOUGH) + [0] * 2


@pytest.mark.parametrize("method", ["bootstrap_percentile", "mine"])
@pytest.mark.parametrize("reference", ["wilson", "drawn"])
def test_a_figure_that_drawn_limits_have_no_lengths_for_is_refused_before_any_trial(
    run, method, reference
):
    own = {"path": "mine.py", "function": "f", "label": "drawn"}
    drawn = {"name": method, "label": "drawn"} if method != "mine" else own
    text = "def f(x, n, alpha, rng):\n    raise AssertionError('called')\n"
    figure = {"kind": "length_surface", "reference": reference}
    with pytest.raises(InputError, match=r"length_surface compares lengths .* found drawn"):
        run(text, methods=[drawn, "wilson"], figures=[figure], n=[5, 10])


def test_a_function_that_dies_is_called_three_times_and_not_again(run):
    results = run("import os\ndef f(x, n, alpha):\n    os._exit(5)\n")
    (line,) = results.manifest["failures"]
    assert (line["failed_outcomes"], line["outcomes"]) == (11, 11)
    assert "its process ended with exit code 5 at x = 0" in line["first"]
    (row,) = rows(results.summary, "enumeration").iter_rows(named=True)
    assert (row["failed"], row["actual_alpha"], row["worst_alpha"]) == (1.0, 1.0, 1.0)
    assert row["alpha_without_failed"] is None
    assert row["mean_length"] is None
    assert results.manifest["agreement"]["agrees"]


ZERO_ALONE = """
    def f(x, n, alpha):
        if x > 0:
            raise ValueError
        return 0.2, 0.3
"""


def test_what_is_left_without_failures_is_not_lost_to_rounding(run):
    """At a true p only x = 0 has an interval, with the probability (1 − p)^n; it always misses."""
    results = run(ZERO_ALONE, n=20, truth={"values": [0.4, 0.7, 0.9]}, trials={"per_truth": 10})
    exact = rows(results.cells, "enumeration", given="truth")
    assert exact["failed"].to_list() == pytest.approx([1 - (1 - p) ** 20 for p in (0.4, 0.7, 0.9)])
    assert exact["alpha_without_failed"].to_list() == pytest.approx([1, 1, 1], rel=1e-12)
    assert exact["length"].to_list() == pytest.approx([0.1] * 3, rel=1e-12)


def test_a_method_that_never_answers_has_no_alpha_without_failures(run):
    truth = {"values": [0.05, 0.31, 0.5, 0.77, 0.9]}
    results = run(NEVER, n=[10, 37], truth=truth, trials={"per_truth": 10})
    for name in ("alpha_without_failed", "mean_length"):
        assert results.summary.filter(pl.col("method") == "mine")[name].null_count() == 6


RATE = """
    def f(x, exposure, alpha):
        if x == 4:
            raise ValueError
        return max(x - 2.0, 0.0) / exposure, (x + 3.0) / exposure
"""


@pytest.mark.parametrize("group", [None, {"width": 3, "last": 9}])
def test_failures_of_a_rate_pooled_or_not(run, group):
    own = {"path": "mine.py", "function": "f", "label": "mine"}
    changes = {"family": "rate", "exposure": 2, "n": None, "truth": {"uniform": [0, 6]}}
    if group is not None:
        changes["group"] = group
    results = run(RATE, methods=[own], **changes)
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    pooled = rows(results.cells, "enumeration", x=3 if group else 4)
    found = pooled["failed"][0]
    assert 0.3 < found < 0.4 if group else found == 1.0
    assert pooled["length"].null_count() == (0 if group else 1)
    (row,) = rows(results.summary, "enumeration").iter_rows(named=True)
    # Pr(X = 4) under a mean uniform on 0 … 12: the integral of the Poisson probability.
    assert row["failed"] == pytest.approx(gammainc(5, 12) / 12, rel=1e-12)


PAIR = """
    def f(x1, n1, x2, n2, alpha):
        if x1 == 1 and x2 == 2:
            raise ValueError
        middle = x1 / n1 - x2 / n2
        return max(middle - 0.4, -1), min(middle + 0.4, 1)
"""


@pytest.mark.parametrize("listed", [False, True])
def test_failures_of_two_samples(run, listed):
    own = {"path": "mine.py", "function": "f", "label": "mine"}
    values = {"values": [0.2, 0.6]}
    truth = {"truth": {"first": values, "second": values}} if listed else {}
    results = run(PAIR, family="proportion_difference", n=None, n1=3, n2=4, methods=[own], **truth)
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    (row,) = rows(results.summary, "enumeration").iter_rows(named=True)
    if listed:
        pairs = itertools.product(values["values"], repeat=2)
        expected = np.mean([3 * p * (1 - p) ** 2 * 6 * q**2 * (1 - q) ** 2 for p, q in pairs])
    else:
        expected = 1 / 4 / 5
    assert row["failed"] == pytest.approx(expected, rel=1e-12)
    missed = row["miss_below"] + row["miss_above"] + row["failed"]
    assert row["actual_alpha"] == pytest.approx(missed, rel=1e-12)
    assert row["worst_alpha"] >= row["actual_alpha"]


NEVER = """
    def f(x, n, alpha):
        raise ValueError("never")
"""


@pytest.mark.parametrize("text", [HALF, NEVER], ids=["somewhere", "everywhere"])
def test_figures_are_drawn_of_what_there_is(run, tmp_path, text):
    figures = [
        {"kind": "alpha_surface"},
        {"kind": "length_surface", "reference": "wilson"},
        {"kind": "length_surface", "reference": "mine"},
        {"kind": "bounds", "n": 10, "x": [2, 3]},
        {"kind": "alpha_by_outcome", "n": 10},
    ]
    folder = run(text, out=tmp_path, n=[5, 10], figures=figures).path
    drawn = {path.stem for path in (folder / "figures").iterdir()}
    lengths = {f"length_surface-{a}-over-{b}" for a, b in (("mine", "wilson"), ("wilson", "mine"))}
    expected = {f"{each}-{form}" for each in lengths for form in ("map", "mesh")}
    assert (expected <= drawn) == (text is HALF)
    assert {"bounds-n10", "alpha_by_outcome-mine-n10", "alpha_surface-mine-map"} <= drawn


def test_bounds_say_where_a_method_has_no_interval(half):
    spec = FigureSpec("bounds", {"n": 10, "x": [2, 3], "methods": ["mine"]})
    (drawing,) = drawings(half, [spec])
    (axes,) = drawing.figure.axes
    (numbers,) = axes.child_axes
    assert [label.get_text() for label in numbers.get_yticklabels()] == ["no interval", "0.1 … 0.5"]
    bars = [patch for patch in axes.patches if patch.get_gid() == "bar"]
    assert len(bars) == 1


def test_a_run_that_cannot_tell_of_drawn_limits_is_refused_before_it_starts(run):
    with pytest.raises(InputError, match="mine draws its limits, and only the engine monte_carlo"):
        run("def f(x, n, alpha, rng):\n    return 0.0, rng.random()\n", engines=["enumeration"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('not \\udcff a name')", r"ValueError: not \udcff a name"),
        ("raise ValueError('z' * 1000)", "zz…"),
        ("return object()", "found <object object>"),
        ("return [1 / int(x == v) for v in (9, 9)]", "ZeroDivisionError: division by zero"),
        ("return 0.0, 10**400", "found (0.0, 1000000"),
    ],
)
def test_whatever_a_function_says_is_one_line_that_any_file_can_hold(run, tmp_path, body, words):
    results = run(f"def f(x, n, alpha):\n    {body}\n", out=tmp_path, n=3)
    (line,) = results.manifest["failures"]
    assert words in line["first"]
    assert line["first"].isprintable()
    assert len(line["first"]) < 400
    assert line["failed_outcomes"] == 4


HANGING = """
    import os
    import pathlib
    import time

    def f(x, n, alpha):
        with pathlib.Path("began").open("a") as file:
            file.write(f"{os.getpid()} ")
        while True:
            time.sleep(0.01)
"""


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until(holds, seconds=10.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_closed_while_it_answers_starts_no_other_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(textwrap.dedent(HANGING))
    function = FunctionInProcess("mine", FunctionLocation("f", path=str(tmp_path / "mine.py")))
    observed = Observed(family_of("proportion"), (3,), (np.arange(4.0),))

    def ask():
        with suppress(ValueError):
            function.limits(observed, 0.1, "two-sided")

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    began = tmp_path / "began"
    wait_until(began.exists)
    function.close()
    asking.join(10.0)
    assert not asking.is_alive()
    (pid,) = set(began.read_text().split())
    assert gone(int(pid))


def test_a_hang_ends_with_all_that_the_function_has_started(run, tmp_path):
    run(
        """
        import subprocess

        def f(x, n, alpha):
            if x == 1:
                child = subprocess.Popen(["sleep", "60"])
                with open("began", "a") as file:
                    file.write(f"{child.pid} ")
                child.wait()
            return 0.0, 1.0
        """,
        n=1,
        execution={"jobs": 1, "timeout": 0.3},
    )
    pids = (tmp_path / "began").read_text().split()
    wait_until(lambda: all(gone(int(pid)) for pid in pids))
