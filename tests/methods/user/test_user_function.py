"""A user's function as a method: any form of it works, and any failure of it is one sentence."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

import harness
from harness.base.errors import InputError
from harness.callers.function import FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.source import Observed
from harness.cli import main
from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION
from tests.methods.user.calls import call
from tests.study.experiments import stable_files

CONFIG = {
    "name": "mine",
    "figures": [],
    "family": "proportion",
    "n": [4, 9, 30],
    "alpha": [0.05, 0.3],
    "methods": [{"path": "mine.py", "function": "f", "label": "my own"}, "wilson"],
    "trials": {"per_size": 200},
    "seed": 1,
    "execution": {"jobs": 2},
}

WILSON = """
from math import sqrt
from statistics import NormalDist

def f(x, n, alpha):
    z = NormalDist().inv_cdf(1 - alpha / 2)
    center, total = x + z * z / 2, n + z * z
    delta = z * sqrt(x * (n - x) / n + z * z / 4)
    return max(0.0, (center - delta) / total), min(1.0, (center + delta) / total)
"""
"""For one x at a time: ``sqrt`` and ``max`` take no arrays."""

WILSON_OF_ARRAYS = """
import numpy as np
import polars as pl
from scipy.special import ndtri

def f(x, n, alpha):
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - delta) / (n + z * z), (x + z * z / 2 + delta) / (n + z * z)
"""

# Wilson's lower limit at x = 0 is a difference of equal numbers when it is written so.
SAME = 1e-12


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a user's file ``mine.py`` into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.py"):
        (tmp_path / name).write_text(textwrap.dedent(text))

    return write


def run(**changes):
    return harness.run({**CONFIG, **changes}, out=None)


def limits(results, label):
    rows = results.cells.filter(
        (results.cells["method"] == label) & results.cells["x"].is_not_null()
    )
    return rows.select("lower", "upper").to_numpy()


@pytest.mark.parametrize("text", [WILSON, WILSON_OF_ARRAYS], ids=["numbers", "arrays"])
def test_functions_of_numbers_and_of_arrays_are_methods_like_any_other(write, text):
    write(text)
    results = run()
    np.testing.assert_allclose(limits(results, "my own"), limits(results, "wilson"), atol=SAME)
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    columns = ["trials", "miss_below", "miss_above", "mean_length"]
    ours, theirs = (
        results.summary.filter(results.summary["method"] == label).select(columns)
        for label in ("my own", "wilson")
    )
    for name in columns:
        np.testing.assert_allclose(
            ours[name].fill_null(-1).to_numpy(), theirs[name].fill_null(-1).to_numpy(), atol=SAME
        )


def test_a_function_of_an_importable_module_is_a_method(write, tmp_path, monkeypatch):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "part.py").write_text(WILSON)
    monkeypatch.syspath_prepend(tmp_path)
    results = run(methods=[{"module": "pack.part", "function": "f", "label": "my own"}, "wilson"])
    np.testing.assert_allclose(limits(results, "my own"), limits(results, "wilson"), atol=SAME)


def test_the_path_is_relative_to_the_config(write, tmp_path):
    (tmp_path / "configs").mkdir()
    write(WILSON, "configs/mine.py")
    (tmp_path / "configs" / "c.yaml").write_text(json.dumps(CONFIG))
    results = harness.run(tmp_path / "configs" / "c.yaml", out=None)
    assert results.manifest["experiment"]["methods"][0]["path"] == "mine.py"


def test_tables_are_the_same_for_any_number_of_jobs_and_either_backend(write, tmp_path):
    write(WILSON)
    folders = [
        harness.run({**CONFIG, "execution": execution}, out=tmp_path / str(i)).path
        for i, execution in enumerate(
            [{"jobs": 1}, {"jobs": 2}, {"jobs": 2, "backend": "loky"}],
        )
    ]
    first, *others = map(stable_files, folders)
    assert all(other == first for other in others)


def test_a_function_runs_in_other_processes_that_end_with_the_run(write, tmp_path):
    write(
        f"""
        import os

        def f(x, n, alpha):
            with open({str(tmp_path / "pids")!r}, "a") as file:
                print(os.getpid(), file=file)
            return 0.0, 1.0
        """
    )
    run()
    pids = set(map(int, (tmp_path / "pids").read_text().split()))
    # The second one is asked again, in another order.
    assert len(pids) == 2
    assert os.getpid() not in pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_a_function_changes_in_its_process_stays_there(write):
    write(
        """
        import os, sys
        import numpy as np

        def f(x, n, alpha):
            np.random.seed(0)
            np.seterr(all="raise")
            sys.path.clear()
            os.chdir("/")
            return 0.0, 1.0
        """
    )
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    before = np.geterr(), list(sys.path), Path.cwd()
    run()
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert (np.geterr(), sys.path, Path.cwd()) == before


def test_what_a_function_prints_neither_breaks_the_run_nor_reaches_its_output(write, capfd):
    write(
        """
        import sys
        print("loading", flush=True)

        def f(x, n, alpha):
            print("computing", x)
            sys.stdout.write("x" * 100_000)
            sys.stdout.flush()
            sys.stderr.write("warning")
            return 0.0, 1.0
        """
    )
    results = run()
    assert results.manifest["agreement"]["agrees"]
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "computing" in captured.err


def test_a_file_may_be_called_like_a_module_that_it_imports(write):
    Path("mine").mkdir()
    for name in ("mine/numpy.py", "mine/statistics.py"):
        write("import numpy as np\nimport statistics\n" + WILSON, name)
        results = run(methods=[{"path": name, "function": "f", "label": "my own"}, "wilson"])
        np.testing.assert_allclose(limits(results, "my own"), limits(results, "wilson"), atol=SAME)


def test_a_file_imports_the_other_files_of_its_folder_after_the_libraries(write):
    Path("mine").mkdir()
    write("raise RuntimeError('not to be imported')\n", "mine/numpy.py")
    write("import numpy as np\n" + WILSON, "mine/formulas_of_mine.py")
    write("def f(x, n, alpha):\n    from formulas_of_mine import f\n    return f(x, n, alpha)\n")
    Path("mine.py").rename("mine/mine.py")
    mine = {"path": "mine/mine.py", "function": "f", "label": "my own"}
    results = run(methods=[mine, "wilson"])
    np.testing.assert_allclose(limits(results, "my own"), limits(results, "wilson"), atol=SAME)


def test_a_callable_object_is_a_function_too(write):
    write("import functools\ndef g(w, x, n, alpha): return 0.0, w\nf = functools.partial(g, 1.0)\n")
    assert limits(run(n=3), "my own")[:, 1].tolist() == [1.0] * len(limits(run(n=3), "my own"))


FORMS = {
    "a dataclass and a main guard": """
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Interval:
            lower: float
            upper: float

        def f(x, n, alpha):
            found = Interval(0.0, 1.0)
            return found.lower, found.upper

        if __name__ == "__main__":
            raise SystemExit("not to be run")
        """,
    "whole numbers and a plain alpha": """
        def f(x, n, alpha):
            if not (isinstance(x, int) and isinstance(n, int) and isinstance(alpha, float)):
                raise TypeError("one at a time, please")
            return 0.0, 1.0
        """,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_function_of_any_form_is_a_method(write, form):
    write(FORMS[form])
    results = run()
    assert results.manifest["identity"]["holds"]
    assert "failures" not in results.manifest or not results.manifest["failures"]


@pytest.mark.parametrize(
    "wrong",
    [
        "return 0.0 * x, np.full(x.shape, x.mean() / n)",
        "return 0.0 * x, x.max() / n + 0.0 * x",
        "return 0.0 * x, 1.0 - 0.1 * (x.size > 1) + 0.0 * x",
    ],
    ids=["mean", "largest", "size"],
)
def test_a_function_that_mixes_outcomes_is_asked_for_each_alone(wrong):
    """What was written for one number may take an array and give numbers that are no limits."""
    namespace = {"np": np}
    exec(f"def f(x, n, alpha):\n    x = np.asarray(x)\n    {wrong}\n", namespace)
    f = namespace["f"]
    x = np.arange(11.0)
    lower, upper = call(f, Observed(family_of("proportion"), (10,), (x,)), 0.05)
    for i in range(11):
        assert (lower[i], upper[i]) == tuple(map(float, f(i, 10, 0.05)))
    np.testing.assert_array_equal(x, np.arange(11))


NO_NUMBERS = {
    "texts": lambda x: ([str(each) for each in 0.0 * x], [str(each) for each in 1 + 0.0 * x]),
    "texts among objects": lambda x: (0.0 * x, np.array(["1"] * x.size, dtype=object)),
    "bytes": lambda x: (np.zeros(x.size, "S1"), 1 + 0.0 * x),
    "complex": lambda x: (0j * x, 1 + 0j * x),
    "dates": lambda x: (np.zeros(x.size, "M8[s]"), np.ones(x.size, "M8[s]")),
    "masked": lambda x: (np.ma.masked_less(0.0 * x, 1.0), 1 + 0.0 * x),
    "masked, nothing hidden": lambda x: (np.ma.array(0.0 * x), 1 + 0.0 * x),
    "a generator": lambda x: (each for each in (0.0 * x, 1 + 0.0 * x)),
    "a dictionary": lambda x: {1.0: "lower", 2.0: "upper"},
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_only_converts_to_numbers_is_no_limit(kind):
    """NumPy reads texts and dates as numbers, and drops masks and imaginary parts."""

    def of_any(x, n, alpha):
        return NO_NUMBERS[kind](np.atleast_1d(x))

    function = FunctionHere("f", of_any)
    found = function.limits(
        Observed(family_of("proportion"), (10,), (np.arange(11.0),)), 0.05, "two-sided"
    )
    assert sorted(found.failures) == list(range(11))
    assert np.isnan(found.lower).all()


def test_a_function_may_write_to_the_array_it_is_given():
    def f(x, n, alpha):
        limits = 0.0 * x, (x + 1) / (n + 1)
        if isinstance(x, np.ndarray):
            x[:] = 0
        return limits

    x = np.arange(11.0)
    lower, upper = call(f, Observed(family_of("proportion"), (10,), (x,)), 0.05)
    np.testing.assert_array_equal(x, np.arange(11))
    np.testing.assert_array_equal(lower, np.zeros(11))
    np.testing.assert_array_equal(upper, (x + 1) / 11)


FAILURES = yaml.safe_load(Path(__file__).with_name("failures.yaml").read_text("utf-8"))["failures"]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_one_sentence_that_names_method_and_outcome(write, failure, capfd):
    body, expected = FAILURES[failure]
    arguments = "x, n, alpha" if body else "data"
    write(f"import os, sys\ndef f({arguments}):\n    {body or 'return 0.0, 1.0'}\n")
    Path("c.yaml").write_text(json.dumps({**CONFIG, "execution": {"jobs": 1}}))
    assert main(["run", "c.yaml", "--quiet"]) == 3
    captured = capfd.readouterr()
    assert captured.out == ""
    last = captured.err.splitlines()[-1]
    assert last.startswith("harness: mine: my own: ")
    assert expected in last
    assert "which count as misses" in last
    assert "harness/methods" not in captured.err
    assert harness.load("results/mine").manifest["agreement"]["agrees"]


@pytest.mark.parametrize("body", ["os._exit(7)", "raise RuntimeError('no')", "sys.exit(1)"])
def test_a_failure_is_reported_the_same_whatever_the_number_of_jobs(write, body):
    write(f"import os, sys\ndef f(x, n, alpha):\n    {body}\n")
    reported = [
        run(n=[4, 9], execution={"jobs": jobs, "backend": backend}).manifest["failures"]
        for jobs, backend in ((1, "threading"), (2, "threading"), (2, "loky"))
    ]
    assert reported[0] == reported[1] == reported[2]
    assert [line["n"] for line in reported[0]] == [4, 9] * 2


CANNOT_BE_LOADED = {
    "a slip of the pen": ("def f(x, n, alpha)\n    return 0, 1\n", "SyntaxError"),
    "an import that is not there": ("import no_such_module_here\n", "ModuleNotFoundError"),
    "a fault on the way": ("raise RuntimeError('no licence')\n", "RuntimeError: no licence"),
    "an exit on the way": ("raise SystemExit('no licence')\n", "SystemExit: no licence"),
    "a death on the way": ("import os\nos._exit(3)\n", "my own"),
    "no such function": ("def g(x, n, alpha):\n    return 0, 1\n", "has no function 'f'"),
    "a number in its place": ("f = 3\n", "has no function 'f'"),
    "bytes that are no text": (b"\xff\xfe\x00f = 3\n", "my own"),
}


@pytest.mark.parametrize("what", CANNOT_BE_LOADED)
def test_a_file_that_cannot_be_loaded_is_an_input_error(write, tmp_path, what, capfd):
    text, expected = CANNOT_BE_LOADED[what]
    (tmp_path / "mine.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "c.yaml").write_text(json.dumps(CONFIG))
    assert main(["run", "c.yaml", "--quiet"]) == 2
    last = capfd.readouterr().err.splitlines()[-1]
    assert "my own" in last
    assert expected in last
    assert not (tmp_path / "results").exists()


def test_a_module_that_is_not_there_is_an_input_error(write):
    with pytest.raises(InputError, match="no_such_module_here"):
        run(methods=[{"module": "no_such_module_here", "function": "f", "label": "my own"}])


def test_failures_name_methods_by_their_labels(write):
    write(WILSON, "good.py")
    write("def f(x, n, alpha):\n    raise RuntimeError('no')\n", "bad.py")
    methods = [
        {"path": "good.py", "function": "f", "label": "good"},
        {"path": "bad.py", "function": "f", "label": "bad"},
    ]
    failures = run(methods=methods).manifest["failures"]
    assert {line["method"] for line in failures} == {"bad"}


def test_a_function_answers_until_it_is_closed(write, tmp_path):
    write(WILSON)
    function = FunctionInProcess("mine", FunctionLocation("f", path=str(tmp_path / "mine.py")))
    try:
        observed = Observed(family_of("proportion"), (10,), (np.array([0.0, 3.0, 2.0]),))
        for alpha in (0.05, 0.5):
            found = function.limits(observed, alpha, "two-sided")
            expected = PROPORTION["wilson"].limits(observed.columns(), alpha)
            np.testing.assert_allclose((found.lower, found.upper), expected, atol=SAME)
            assert not found.failures
    finally:
        function.close()


UNLESS_IGNORED = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from harness.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)
"""A background job of a shell inherits that it ignores interrupts."""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_from_the_keyboard_ends_a_run_at_once_and_quietly(write, tmp_path, jobs):
    """Ctrl-C reaches every process of a terminal: the user reads one sentence and no traceback."""
    write("import time\ndef f(x, n, alpha):\n    print('at it', flush=True)\n    time.sleep(30)\n")
    (tmp_path / "c.yaml").write_text(json.dumps(CONFIG))
    with subprocess.Popen(
        [sys.executable, "-c", UNLESS_IGNORED, "run", "c.yaml", "--jobs", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stderr.readline() == "at it\n"
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=15)
        finally:
            process.kill()
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "interrupted" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.yaml", "mine.py"]


RATE = """
    import numpy as np

    def f(x, exposure, alpha):
        half = 2 * np.sqrt(x + 1)
        return np.maximum(x - half, 0) / exposure, (x + half) / exposure
"""
PAIR = """
    def f(x1, n1, x2, n2, alpha):
        middle = x1 / n1 - x2 / n2
        return max(middle - 0.5, -1), min(middle + 0.5, 1)
"""


def run_of_family(tmp_path, family, **config):
    """Results of a config file for ``mine.py``, whose path is relative to it."""
    mine = {"path": "mine.py", "function": "f", "label": "my own"}
    document = {
        "name": "mine/family",
        "figures": [],
        "family": family,
        "seed": 1,
        "methods": [mine],
        **config,
    }
    (tmp_path / "c.yaml").write_text(json.dumps(document))
    return harness.run(tmp_path / "c.yaml", out=None)


ARGUMENTS = {
    "rate": (
        RATE,
        {"exposure": [0.5, 2], "truth": {"uniform": [0, 5]}},
        {"x": 3},
        ("exposure", "lower", "upper"),
        [(0.5, 0.0, 14.0), (2.0, 0.0, 3.5)],
    ),
    "proportion_difference": (
        PAIR,
        {"n1": 3, "n2": 4},
        {"x1": 3, "x2": 1},
        ("lower", "upper"),
        [(0.25, 1.0)],
    ),
}


@pytest.mark.parametrize("family", ARGUMENTS)
def test_a_function_is_given_the_data_of_its_family(write, tmp_path, family):
    text, config, outcome, columns, expected = ARGUMENTS[family]
    write(text)
    results = run_of_family(tmp_path, family, trials={"per_size": 5000}, **config)
    assert results.manifest["agreement"]["agrees"]
    of_mine = (pl.col("method") == "my own") & (pl.col("engine") == "posterior")
    cells = results.cells.filter(of_mine, *(pl.col(name) == x for name, x in outcome.items()))
    assert cells.select(columns).rows() == expected


def test_a_failure_of_a_function_of_two_samples_names_the_outcome(write, tmp_path):
    write(PAIR.replace("min(middle + 0.5, 1)", "-1.5"))
    results = run_of_family(tmp_path, "proportion_difference", n1=3, n2=4)
    (line,) = results.manifest["failures"]
    assert "at x1 = 0, n1 = 3, x2 = 0, n2 = 4, alpha = 0.05" in line["first"]
    assert (line["n1"], line["n2"], line["failed_outcomes"], line["outcomes"]) == (3, 4, 20, 20)
