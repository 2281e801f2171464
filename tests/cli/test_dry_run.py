"""``run --dry-run``, and what is said or refused before a run."""

import tracemalloc
from pathlib import Path

from harness.kinds.coverage import run
from tests.cli.conftest import is_one_sentence
from tests.study.experiments import files


def test_a_dry_run_prints_the_cost_and_writes_nothing(run_command, config, here):
    name = config()
    before = files(here)
    result = run_command("run", name, "--dry-run")
    assert (result.code, result.err) == (0, "")
    lines = dict(line.strip().split(": ") for line in result.out.splitlines()[1:])
    assert list(lines) == ["scenarios", "tasks", "trials", "outcomes", "rows", "memory"]
    assert (lines["scenarios"], lines["tasks"], lines["trials"]) == ("2", "2", "1,000")
    assert lines["rows"].startswith("at most ")
    assert lines["rows"].endswith(" of cells, 12 of the summary")
    assert files(here) == before


def test_a_dry_run_shows_what_a_run_would_refuse(run_command, config):
    large = config(n=list(range(1, 200)), trials={"per_size": 10**11}, figures=[])
    result = run_command("run", large, "--dry-run")
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "are more than the 1,000,000,000,000 that a run may have" in result.err


def test_sizes_that_do_not_fit_into_memory_are_one_sentence(run_command, config, here, monkeypatch):
    large = config(n=[1_000_000 + i for i in range(99)], figures=[])
    monkeypatch.setattr(run, "machine_memory", lambda: 4e9)
    result = run_command("run", large)
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "memory of this machine; use fewer sizes" in result.err
    assert not (here / "results").exists()


def test_issues_are_cut_after_the_first_fifty(run_command, config):
    result = run_command("run", config(methods=[f"unknown{i}" for i in range(75)], figures=[]))
    assert (result.code, result.err.count("\n")) == (2, 51)
    assert result.err.endswith("\nand 25 more\n")


def test_of_a_config_of_ten_megabytes_hardly_more_than_two_are_read(run_command, here):
    Path(here / "large.yaml").write_bytes(b"# nothing\n" * 1_000_000)
    tracemalloc.start()
    result = run_command("run", "large.yaml")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8e6
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "expected a config of at most 2,000,000 bytes, found more" in result.err


def test_a_lack_of_memory_is_one_sentence_with_exit_code_2(run_command, config, monkeypatch):
    def too_large(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("harness.kinds.load.load_all", too_large)
    result = run_command("run", config())
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert result.err == "harness: the memory did not suffice for the command run\n"
