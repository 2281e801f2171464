"""The journal: its rows, its codes, and what its digest covers."""

import dataclasses
import random
import shutil
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from harness.base.errors import InputError
from harness.designs.engines.exact import Solution
from harness.designs.engines.monte_carlo import Simulation
from harness.designs.engines.solver import Scores
from harness.designs.engines.verification import Comparison
from harness.designs.results import Counts, Enumerated, Exact, Mean, Tally, WorstCase
from harness.kinds.coverage.records import ENGINES as COVERAGE_ENGINES
from harness.kinds.simulation.trials import simulate_trials
from harness.runner.journal import records as records
from harness.runner.journal.database import ColumnKey, Journal, opened
from harness.runner.journal.records import DamagedRecordError, pack, source_files, unpack
from tests.test_floors import FILES, graph

# The file of a journal: what is no journal, is damaged, is full or is in use is said.


COLUMNS = (ColumnKey("aa", "wilson"), ColumnKey("bb", ""))


def test_what_was_put_is_there_after_closing(tmp_path):
    with opened(tmp_path / "j") as journal:
        journal.put(b"key", (0, 3), COLUMNS, b"content")
        journal.note("part", [1, 8])
    with opened(tmp_path / "j") as journal:
        (stored,) = journal.records(b"key")
        assert (stored.start, stored.stop, stored.columns) == (0, 3, COLUMNS)
        assert stored.content == b"content"
        assert journal.records(b"other") == []
        assert journal.fact("part") == [1, 8]
        assert journal.fact("whole") is None


def test_a_record_takes_the_place_of_another(tmp_path):
    with opened(tmp_path / "j") as journal:
        first = journal.put(b"key", (0, 3), COLUMNS, b"content")
        journal.put(b"key", (0, 4), COLUMNS, b"more", first)
        assert [each.content for each in journal.records(b"key")] == [b"more"]


def test_a_full_journal_gives_up_what_the_run_has_no_use_for(tmp_path):
    with opened(tmp_path / "j", largest=100) as journal:
        for key in (b"first", b"second", b"third"):
            journal.put(key, (0, 1), COLUMNS, bytes(33))
    with opened(tmp_path / "j", largest=100) as journal:
        assert journal.records(b"first")
        assert journal.put(b"fourth", (0, 1), COLUMNS, bytes(60)) is not None
        assert journal.put(b"fifth", (0, 1), COLUMNS, bytes(60)) is None
        keys = {key: bool(journal.records(key)) for key in (b"first", b"second", b"fourth")}
        assert keys == {b"first": True, b"second": False, b"fourth": True}


@pytest.mark.parametrize("content", [b"no database at all, but a text" * 100, b"SQLite format 3\0"])
def test_a_file_that_is_no_journal_is_refused(content, tmp_path):
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(InputError, match=r"damaged|not a journal"):
        Journal(tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == content


def test_a_database_of_another_program_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute("CREATE TABLE photos (name TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="not a journal"):
        Journal(tmp_path / "j")


def test_a_damaged_page_is_one_sentence(tmp_path):
    with opened(tmp_path / "j") as journal:
        for number in range(200):
            journal.put(b"key", (number, number + 1), COLUMNS, bytes(1000))
    content = bytearray((tmp_path / "j").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(InputError, match=r"damaged.*--fresh"), opened(tmp_path / "j") as journal:
        journal.records(b"key")


def test_two_processes_have_not_the_same_journal(tmp_path):
    with opened(tmp_path / "j"), pytest.raises(InputError, match="in use"):
        Journal(tmp_path / "j")


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        Journal(tmp_path / "none" / "j")


# Records as bytes: they read back to the last bit, and no damaged byte is read as a number.


def same(first, second):
    """Whether two records have equal fields, not-a-number included, of equal types."""
    if dataclasses.is_dataclass(first):
        names = [field.name for field in dataclasses.fields(first)]
        return type(first) is type(second) and all(
            same(getattr(first, name), getattr(second, name)) for name in names
        )
    if isinstance(first, np.ndarray):
        equal = first.dtype == second.dtype and first.shape == second.shape
        return equal and first.tobytes() == second.tobytes()
    if isinstance(first, tuple):
        pairs = zip(first, second, strict=True)
        return type(second) is tuple and all(same(*each) for each in pairs)
    return repr(first) == repr(second)


whole = arrays.arrays(np.int64, st.integers(0, 6), elements=st.integers(-(2**63), 2**63 - 1))


def simulation(conditions, columns=2):
    counts = Counts(
        conditions,
        conditions * 3,
        *np.arange(3 * columns * conditions.size).reshape(3, columns, conditions.size),
    )
    return Simulation(Tally(counts, None), None, {})


def solution():
    cells = np.array([[0.1, np.nan, 1 / 3], [np.inf, -0.0, 5e-324]])
    exact = Exact(np.arange(3), np.array([0.2, 0.3, 0.5]), cells, cells, cells)
    worst = WorstCase(float(np.nextafter(1.0, 0.0)), (0.5, float("nan")), "above", (0.1, 0.2))
    enumerated = Enumerated(
        exact,
        None,
        Mean(cells[:, 0], cells[:, 1], cells[:, 2]),
        "posterior",
        (worst, None),
        (None, worst),
    )
    comparison = Comparison("posterior", "enumeration", "means", np.array([1e-16, 0.0]))
    scores = Scores(cells[:, 0], cells[:, 1])
    return Solution(np.arange(3), (comparison,), enumerated, scores, None)


@given(whole)
def test_arrays_of_whole_numbers_read_back(conditions):
    record = simulation(conditions)
    assert same(unpack(pack(record), Simulation), record)


def test_every_part_of_a_solution_reads_back_to_the_last_bit():
    assert same(unpack(pack(solution()), Solution), solution())


def test_large_arrays_take_little_space():
    zeros = simulation(np.arange(100_000))
    zeros.tally.by_outcome.below[:] = 0
    zeros.tally.by_outcome.above[:] = 0
    zeros.tally.by_outcome.failed[:] = 0
    assert len(pack(zeros)) < 1_000_000
    assert same(unpack(pack(zeros), Simulation), zeros)


@given(st.data())
def test_a_changed_byte_is_found(data):
    content = bytearray(pack(solution()))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(DamagedRecordError):
        unpack(bytes(content), Solution)


@given(st.integers(0, 10_000))
def test_a_cut_record_is_found(size):
    content = pack(solution())
    with pytest.raises(DamagedRecordError):
        unpack(content[: min(size, len(content) - 1)], Solution)


def test_a_record_of_another_kind_is_refused():
    with pytest.raises(DamagedRecordError, match="no Solution"):
        unpack(pack(simulation(np.arange(3))), Solution)


# A change of code that may change a result makes the records of a journal stale.


ENGINES = tuple(module.__name__ for module in COVERAGE_ENGINES)
APART = "harness.callers", "harness.methods"
"""What gives limits, which the keys of records have."""


def digested() -> set[str]:
    """The modules that decide counts and exact values, by their names below the package."""
    return {name.removeprefix("harness.") for name in source_files(ENGINES, APART)}


def test_all_that_solving_and_simulating_import_is_digested():
    used = set().union(*(graph()[module] for module in digested()))
    packages = {module for module in FILES if FILES[module].name == "__init__.py"}
    assert {"designs.engines.exact", "designs.engines.monte_carlo", "designs.lists"} < digested()
    left_out = {module.split(".")[0] for module in used - digested() - packages}
    assert left_out == {"callers", "methods"}


def test_a_change_of_any_file_of_the_engines_changes_the_key(tmp_path, monkeypatch):
    top = records._TOP
    copied = shutil.copytree(top, tmp_path / "harness", ignore=shutil.ignore_patterns("*.html"))
    monkeypatch.setattr(records, "_TOP", copied)
    digest = records.sources_digest.__wrapped__
    before = digest(ENGINES, APART)
    for module in random.Random(1).sample(sorted(digested()), 12):
        file = copied / FILES[module].relative_to(top)
        text = file.read_text("utf-8")
        file.write_text(f"{text}# changed\n", "utf-8")
        assert digest(ENGINES, APART) != before, module
        file.write_text(text, "utf-8")
    (copied / "methods" / "bayes.py").write_text("# another method\n", "utf-8")
    assert digest(ENGINES, APART) == before


def test_the_programs_of_r_beside_the_worker_are_digested(tmp_path, monkeypatch):
    copied = shutil.copytree(records._TOP, tmp_path / "harness")
    monkeypatch.setattr(records, "_TOP", copied)
    digest = records.sources_digest.__wrapped__
    before = digest((simulate_trials.__module__,))
    (copied / "callers" / "simulation" / "trials.R").write_text("# changed\n", "utf-8")
    assert digest((simulate_trials.__module__,)) != before
