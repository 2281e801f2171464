"""Records as bytes: they read back to the last bit, and no damaged byte is read as a number."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from harness.designs.results import Counts, Enumerated, Exact, Mean, Tally, WorstCase
from harness.designs.scores import Scores
from harness.designs.verification import Comparison
from harness.study.journal.records import DamagedRecordError, pack, unpack
from harness.study.solve import Simulation
from harness.tables.scenario_result import Solution


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
