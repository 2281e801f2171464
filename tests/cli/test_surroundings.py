"""Disks, limits, folders and files that misbehave: one sentence each, or the command works."""

import csv
import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.config import yaml12
from harness.kinds.load import load_experiment
from harness.runner.parallel import Task
from harness.tables.sheet import spreadsheet_safe
from tests.cli.conftest import FIGURES, SMALL, RunCommand, is_one_sentence
from tests.simulation.studies import study
from tests.study.experiments import changed, stable_files

ROOT = Path(harness.__file__).parents[1]
posix = pytest.mark.skipif(sys.platform == "win32", reason="a limit of POSIX")


@pytest.fixture
def config(here: Path) -> str:
    (here / "small.yaml").write_text(json.dumps(SMALL))
    return "small.yaml"


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which $H is the command line of the harness."""
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            # As usual, what is printed waits in a buffer.
            "PYTHONUNBUFFERED": "",
            "PYTHONPATH": str(ROOT),
            "H": f"{sys.executable} -m harness",
            **environment,
        },
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_full_standard_output_is_one_sentence(form: str) -> None:
    done = shell(f"$H interval proportion --x 9 --n 10 --format {form} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == ("harness: standard output cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("words", ["--help", "--version", "run --help", "interval rate --help"])
def test_a_help_that_cannot_be_written_is_one_sentence(words: str) -> None:
    done = shell(f"$H {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "harness: standard output cannot be written: No space left on device\n"


def test_a_backend_of_matplotlib_that_does_not_exist_is_not_asked(here: Path) -> None:
    (here / "small.yaml").write_text(json.dumps({**SMALL, "figures": FIGURES}))
    done = shell("$H run small.yaml --quiet", MPLBACKEND="nosuch")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(here.rglob("*.png"))) == 1


@posix
def test_too_few_files_are_one_sentence(config: str) -> None:
    done = shell(f"ulimit -n 20; $H run {config} --backend loky --jobs 2 --quiet")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Too many open files" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
@pytest.mark.parametrize("kilobytes", [500_000, 1_000_000, 1_950_000])
def test_too_few_addresses_of_memory_are_one_sentence(config: str, kilobytes: int) -> None:
    done = shell(f"ulimit -v {kilobytes}; $H run {config} --quiet")
    assert done.returncode == 2
    assert done.stderr == (
        f"harness: this process may use {kilobytes * 1024 / 1e9:.2f} GB of memory addresses "
        "(ulimit -v), and its libraries need 2 GB: raise the limit\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")
def test_a_run_fits_in_four_gigabytes_of_addresses(config: str) -> None:
    done = shell(f"ulimit -v 4000000; $H run {config} --jobs 2 --quiet", OMP_NUM_THREADS="")
    assert (done.returncode, done.stderr) == (0, "")


@posix
def test_a_folder_that_was_deleted_is_one_sentence(config: str, here: Path) -> None:
    done = shell(f"mkdir gone; cd gone; rmdir ../gone; $H run {here / config}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the current folder does not exist any more" in done.stderr


def test_a_package_in_an_archive_is_one_sentence(config: str, here: Path) -> None:
    shutil.make_archive("zipped", "zip", ROOT, "harness")
    for words in ("methods", f"run {config}", "interval proportion 9/10", "check wilson"):
        done = shell(f"$H {words}", PYTHONPATH=str(here / "zipped.zip"))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "lies in an archive" in done.stderr


def test_functions_in_an_archive_run_and_are_followed(here: Path) -> None:
    study = {
        "name": "archived",
        "kind": "simulation",
        "model": {"module": "mine.study", "function": "draw"},
        "methods": [{"module": "mine.study", "function": "limits"}],
        "estimand": 0,
        "trials": {"per_scenario": 20},
        "seed": 1,
        "figures": [],
    }
    Path("archived.yaml").write_text(json.dumps(study))
    covers = []
    for upper in (9.0, -9.0):
        text = "def draw(rng):\n    return rng.normal()\n\n"
        text += f"def limits(data, alpha):\n    return data - 9.5, data + {upper}\n"
        with zipfile.ZipFile("mine.zip", "w") as archive:
            archive.writestr("mine/__init__.py", "")
            archive.writestr("mine/parts.py", text)
            archive.writestr("mine/study.py", "from mine.parts import draw, limits\n")
        path = os.pathsep.join((str(ROOT), str(here / "mine.zip")))
        done = shell("$H run archived.yaml", PYTHONPATH=path)
        assert (done.returncode, done.stderr) == (0, "")
        summary = pl.read_csv("results/archived/summary.csv")
        covers += summary.filter(measure="coverage")["estimate"].to_list()
    assert covers == [1.0, 0.0]


@pytest.mark.parametrize("name", ["deep.json", "deep.jsonl"])
@pytest.mark.parametrize(
    "words",
    [
        ["interval", "proportion", "--x", "x", "--n", "n", "--rows"],
        ["leaderboard", "--correct", "a", "--correct", "b", "--rows"],
        ["metrics", "--truth", "a", "--prediction", "b", "--rows"],
        ["summarize", "--estimate", "b"],
    ],
    ids=lambda words: words[0],
)
def test_json_that_is_nested_too_deeply_is_one_sentence(
    run_command: RunCommand, here: Path, name: str, words: list[str]
) -> None:
    nested = "[" * 100_000 + "]" * 100_000
    (here / name).write_text(nested if name == "deep.json" else f'{{"x": {nested}}}\n')
    result = run_command(*words, name)
    assert result.code == 2
    assert is_one_sentence(result)
    assert "nested too deeply" in result.err


def test_a_size_can_be_pickled() -> None:
    size = harness.size("proportion", method="wilson", p=0.9, half_width=0.1)
    assert pickle.loads(pickle.dumps(size)).n == size.n


@pytest.mark.parametrize("scale", [1e200, -1e200, 1e307])
def test_estimates_of_any_size_have_measures(
    run_command: RunCommand, here: Path, scale: float
) -> None:
    (here / "huge.py").write_text(
        "def model(rng, n):\n    return rng.normal(size=n)\n\n"
        "def estimate(data, alpha):\n"
        f"    return {{'estimate': data[0] * {scale}, 'lower': -1e200, 'upper': 1e200}}\n"
    )
    config = study(trials={"per_scenario": 20})
    config["model"] = {"path": "huge.py", "function": "model"}
    config["methods"] = [{"path": "huge.py", "function": "estimate"}]
    (here / "huge.yaml").write_text(json.dumps(config))
    result = run_command("run", "huge.yaml")
    assert (result.code, result.err) == (0, "")
    assert "e+" in result.words


# Texts that a spreadsheet would run.

FORMULA = "=cmd|'/c calc'!A1"


@pytest.mark.parametrize("label", [FORMULA, "+1+1", "-2+3", "@SUM(A1)"])
def test_a_label_that_is_a_formula_is_refused(label: str) -> None:
    config = {**SMALL, "methods": [{"name": "wald", "label": label}]}
    with pytest.raises(InputError, match="no formula, which begins with"):
        load_experiment(config)


def test_a_level_that_is_a_formula_is_refused_and_a_negative_number_is_not() -> None:
    with pytest.raises(InputError, match="no formula"):
        load_experiment(study("t", factors={"n": [5], "law": [FORMULA]}))
    load_experiment(study("t", factors={"n": [5], "law": ["-1", -1, "normal"]}))


def test_names_of_systems_are_quoted_in_csv_and_numbers_are_not(
    run_command: RunCommand, here: Path
) -> None:
    rows = [[FORMULA, "-b", "n"], ["1", "0", "-0.5"], ["0", "0", "-1"]]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    (here / "rows.csv").write_text(text.getvalue())
    result = run_command(
        *("leaderboard", "--rows", "rows.csv", "--correct", FORMULA, "--correct=-b"),
        *("--format", "csv"),
    )
    assert result.code == 0, result.err
    listed = list(csv.DictReader(io.StringIO(result.out)))
    assert [row["system"] for row in listed[:2]] == [f"'{FORMULA}", "'-b"]
    assert any(value.startswith("-") for row in listed for value in row.values())


def test_exported_tables_quote_what_a_former_version_let_pass() -> None:
    table = pl.DataFrame({"method": [FORMULA, "wald"], "side": ["-", None], "low": [-1.5, 0.0]})
    quoted = {"method": [f"'{FORMULA}", "wald"], "side": ["-", None], "low": [-1.5, 0.0]}
    assert spreadsheet_safe(table).to_dict(as_series=False) == quoted


# A result that lost its manifest, and figures that lie elsewhere.


@pytest.fixture
def drawn_here(run_command: RunCommand, here: Path) -> Path:
    (here / "small.yaml").write_text(json.dumps({**SMALL, "figures": FIGURES}))
    assert run_command("run", "small.yaml", "--quiet").code == 0
    return here / "results" / "small"


def test_no_figure_is_written_through_a_link(
    run_command: RunCommand, here: Path, drawn_here: Path
) -> None:
    (drawn_here / "figures").rename(here / "elsewhere")
    (drawn_here / "figures").symlink_to(here / "elsewhere")
    (drawn := next((here / "elsewhere").iterdir())).write_bytes(b"")
    sentence = "harness: results/small holds figures, which no run wrote; move it or choose"
    for words in (["plot", "results/small"], ["run", "small.yaml"]):
        result = run_command(*words)
        assert (result.code, is_one_sentence(result)) == (2, True), result.err
        assert sentence in result.err.replace(f"{here}/", "")
    assert drawn.read_bytes() == b""


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_lost_manifest_is_named_and_fresh_replaces_the_result(
    run_command: RunCommand, drawn_here: Path, content: str | None
) -> None:
    before = stable_files(drawn_here)
    (drawn_here / "manifest.json").unlink()
    if content is not None:
        (drawn_here / "manifest.json").write_text(content)
    (drawn_here / "figures" / "former.png").write_bytes(b"")
    result = run_command("run", "small.yaml")
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "a result whose manifest.json is missing or damaged" in result.err
    assert "--fresh" in result.err
    assert run_command("run", "small.yaml", "--fresh", "--quiet").code == 0
    assert stable_files(drawn_here) == before


def test_fresh_replaces_no_file_of_somebody_else(run_command: RunCommand, drawn_here: Path) -> None:
    (drawn_here / "manifest.json").unlink()
    (drawn_here / "notes.txt").write_text("mine")
    result = run_command("run", "small.yaml", "--fresh")
    assert result.code == 2
    assert "which no run wrote" in result.err


# What an interrupted run has recorded.


@pytest.mark.parametrize(("tasks", "words"), [(0, "nothing was finished yet"), (1, "is recorded")])
def test_an_interrupted_run_says_whether_anything_is_recorded(
    run_command: RunCommand, config: str, monkeypatch: pytest.MonkeyPatch, tasks: int, words: str
) -> None:
    done: list[Callable[[Any], None]] = []

    class Interrupted(Task):
        def __init__(self, add: Callable[[Any], None], trials: int = 0) -> None:
            def interrupted(result: Any) -> None:
                if len(done) == tasks:
                    signal.raise_signal(signal.SIGINT)
                done.append(add)
                add(result)

            super().__init__(interrupted, trials)

    monkeypatch.setattr("harness.kinds.coverage.trials.Task", Interrupted)
    result = run_command("run", config)
    assert result.code == 130
    assert words in result.err


# Text of JSON.


def test_a_pair_of_surrogates_is_a_character_and_a_half_is_refused() -> None:
    document = yaml12.read(json.dumps({"title": "\U0001f600", "\U0001f600": 1}))
    assert (document.data, document.issues) == ({"title": "\U0001f600", "\U0001f600": 1}, ())
    (issue,) = yaml12.read('{"title": "\\ud83d"}').issues
    assert "half of a surrogate pair" in str(issue)
    assert load_experiment(changed(SMALL, title="\U0001f600")).title == "\U0001f600"
