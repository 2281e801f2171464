"""A calibration from config to files: the same bytes however it is run, and faults are seen."""

from typing import Any

import polars as pl
import pytest

from harness.kinds.calibration import engine
from harness.kinds.calibration.run import compute_calibration
from harness.kinds.load import load_experiment
from harness.kinds.stored import load
from harness.methods.significance import at_least
from harness.runner.workload import Progress
from harness.runner.write import write_tables
from harness.tables.results import Results
from tests.study.experiments import changed

FIGURE_12: dict[str, Any] = {
    "name": "small/calibration",
    "title": "Are computed probabilities those with which the event comes true?",
    "kind": "calibration",
    "family": "proportion_difference",
    "n1": {"uniform": [1, 100]},
    "n2": {"uniform": [1, 100]},
    "truth": {"first": {"uniform": [0, 1]}, "second": {"uniform": [0, 1]}},
    "delta": {"uniform": [-1, 1]},
    "trials": 6000,
    "bins": 20,
    "seed": 2003,
    "execution": {"jobs": 1},
}
"""Ross (2003), Fig. 12 (left), with fewer trials."""

RATES = {
    **changed(FIGURE_12, n1=None, n2=None),
    "family": "rate_difference",
    "exposure1": {"uniform": [0.5, 5]},
    "exposure2": 2,
    "truth": {"first": {"uniform": [0, 4]}, "second": {"uniform": [0, 3]}},
    "delta": {"uniform": [-3, 3]},
    "trials": 3000,
}
"""Fig. 12 (right): the upper ends of the truths make the flat prior a little wrong."""

ACCURACY = changed(
    FIGURE_12, family="balanced_accuracy", delta={"uniform": [0.2, 0.8]}, trials=3000
)


def computed(base: dict[str, Any], **changes: Any) -> Results:
    return compute_calibration(load_experiment(changed(base, **changes)), Progress())


def p_value(results: Results, reference: str) -> float:
    return results.summary.filter(pl.col("reference") == reference)["p_value"].item()


@pytest.fixture
def small_shards(monkeypatch):
    """Shards of 2^8 trials, so that several are merged in an order that could go wrong."""
    monkeypatch.setattr(engine, "SHARD", 1 << 8)


@pytest.mark.parametrize("execution", [(1, "threading"), (2, "threading"), (2, "loky")], ids=str)
def test_neither_jobs_nor_backend_change_a_byte(execution, small_shards, tmp_path):
    jobs, backend = execution
    here = {"jobs": jobs, "backend": backend}
    for name, given in (("one", {"jobs": 1, "backend": "threading"}), ("other", here)):
        (tmp_path / name).mkdir()
        results = computed(RATES, trials=1000, execution=given)
        write_tables(results, tmp_path / name)
    for name in ("cells.parquet", "columns.csv", "summary.csv", "manifest.json"):
        one, other = (tmp_path / folder / name for folder in ("one", "other"))
        assert one.read_bytes() == other.read_bytes()


def test_what_is_read_is_what_was_written(tmp_path):
    results = computed(RATES, trials=300)
    write_tables(results, tmp_path)
    stored = load(tmp_path)
    assert stored.cells.equals(results.cells)
    assert stored.summary.equals(results.summary)
    assert stored.manifest == results.manifest


def test_a_calibration_has_neither_a_ranking_nor_a_recommendation():
    results = computed(FIGURE_12, trials=1000)
    assert results.ranking is None
    assert results.recommendation is None


def test_progress_is_told_of_every_trial(small_shards):
    class Told(Progress):
        expected = done = 0

        def expect(self, trials):
            self.expected += trials

        def advance(self, trials):
            self.done += trials

    told = Told()
    compute_calibration(load_experiment(changed(FIGURE_12, trials=1000)), told)
    assert (told.expected, told.done) == (1000, 1000)


@pytest.mark.parametrize("config", [FIGURE_12, RATES, ACCURACY], ids=lambda c: c["family"])
def test_the_truths_own_posterior_is_calibrated(config):
    """A fixed seed; one sample in a thousand would be refused."""
    results = computed(config)
    assert p_value(results, results.summary["reference"][-1]) > 1e-3
    assert results.manifest["calibration"]["checked"]
    assert results.manifest["calibration"]["agrees"]


def test_uniform_truths_and_the_flat_prior_are_one_reference():
    results = computed(FIGURE_12, trials=200)
    assert results.summary["reference"].to_list() == ["prior"]
    other = computed(FIGURE_12, trials=200, prior=[0.5, 0.5])
    assert other.summary["reference"].to_list() == ["prior", "truth"]


def test_a_prior_far_from_the_truths_is_not_calibrated_and_their_own_is():
    """Small samples of a small and of a large proportion, under the flat prior."""
    results = computed(
        FIGURE_12,
        n1=5,
        n2={"uniform": [1, 8]},
        truth={"first": {"beta": [1, 12]}, "second": {"uniform": [0.5, 1]}},
        delta={"uniform": [-1, -0.2]},
        trials=3000,
    )
    assert p_value(results, "prior") < 1e-10
    assert p_value(results, "truth") > 1e-3
    assert results.manifest["calibration"]["agrees"]


def test_a_probability_that_is_a_little_off_is_seen(monkeypatch):
    """The posterior of another delta: 0.02 too large."""

    def shifted(family, posterior, delta):
        return at_least(family, posterior, delta + 0.02)

    monkeypatch.setattr(engine, "at_least", shifted)
    results = computed(FIGURE_12, delta=0.05, trials=20000)
    assert p_value(results, "prior") < 1e-6
    assert not results.manifest["calibration"]["agrees"]
