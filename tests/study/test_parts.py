"""A run in parts: their merge has the bytes of a run in one go, and says what does not fit."""

import shutil
import sqlite3

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.callers.source import Answers, CatalogueSource
from harness.designs.engines import monte_carlo
from harness.kinds.coverage import trials as study_trials
from harness.kinds.load import load_experiment
from harness.kinds.run import merge_parts, run_part
from harness.runner.parts import Part, find_parts, refuse_unmergeable
from harness.runner.workload import Progress
from harness.runner.write import write_figures_asked_for
from tests.study.experiments import DRAWN, LISTED, changed, stable_files

RATES = {
    "name": "small/rates",
    "family": "rate",
    "exposure": [3, 1e6],
    "methods": ["exact_tail", "wald"],
    "truth": {"gamma": [2, 0.5]},
    "trials": {"per_size": 2000},
    "engines": ["monte_carlo"],
    "seed": 1,
}

OWN = """
import numpy as np
def mine(x, n, alpha, rng):
    width = 0.3 * rng.random(np.shape(x))
    return np.clip(x / n - width, 0, 1), np.clip(x / n + width, 0, 1)
"""


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(monte_carlo, "SHARD", 1 << 9)


def parts_of(config, folder, count=3, numbers=None):
    experiment = load_experiment(config)
    for number in numbers or range(1, count + 1):
        run_part(experiment, Part(number, count), folder, Progress())
    (parts,) = find_parts([folder]).values()
    return parts


def merged(parts, out):
    experiment, results = merge_parts(parts, out, Progress(), say=print)
    write_figures_asked_for(results, experiment, results.path)
    return results


@pytest.mark.parametrize("config", [DRAWN, LISTED, RATES], ids=["drawn", "listed", "rates"])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_a_merge_has_the_bytes_of_a_run_in_one_go(config, count, tmp_path):
    expected = harness.run(config, out=tmp_path / "whole")
    results = merged(parts_of(config, tmp_path / "parts", count), tmp_path / "merged")
    assert stable_files(results.path) == stable_files(expected.path)
    assert results.manifest == expected.manifest


def test_a_function_that_draws_is_merged_too(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    own = {"path": str(tmp_path / "own.py"), "function": "mine"}
    config = changed(DRAWN, methods=["wald", own], figures=[])
    expected = harness.run(config, out=tmp_path / "whole")
    parts = parts_of(config, tmp_path / "parts")
    results = merged(parts, tmp_path / "merged")
    assert stable_files(results.path) == stable_files(expected.path)
    (tmp_path / "own.py").write_text(OWN.replace("0.3", "0.4"))
    with pytest.raises(InputError, match=r"own\.py has changed"):
        merged(parts, tmp_path / "again")


def test_each_trial_is_simulated_by_one_part(tmp_path, monkeypatch):
    done = []
    simulate = study_trials.simulate_shard

    def counted(shard, limits, stochastic):
        done.append((shard.scenario.sizes[0], shard.number))
        return simulate(shard, limits, stochastic)

    monkeypatch.setattr(study_trials, "simulate_shard", counted)
    parts = parts_of(changed(DRAWN, figures=[]), tmp_path / "parts")
    assert len(done) == len(set(done)) == sum(-(-400 * (n + 1) // 512) for n in DRAWN["n"])
    done.clear()
    merged(parts, tmp_path / "merged")
    parts_of(changed(DRAWN, figures=[]), tmp_path / "parts")
    assert done == []


def test_a_part_that_was_stopped_goes_on(tmp_path):
    class Stopping(Progress):
        def advance(self, trials):
            raise KeyboardInterrupt

    config = changed(DRAWN, figures=[])
    with pytest.raises(KeyboardInterrupt):
        run_part(load_experiment(config), Part(1, 2), tmp_path / "parts", Stopping())
    found = find_parts([tmp_path / "parts"])["small/drawn"]
    with pytest.raises(InputError, match="missing parts 2/2"):
        refuse_unmergeable(found)
    run_part(load_experiment(config), Part(2, 2), tmp_path / "parts", Progress())
    found = find_parts([tmp_path / "parts"])["small/drawn"]
    with pytest.raises(InputError, match=r"part-1-of-2\.sqlite has not finished.*--shard 1/2"):
        refuse_unmergeable(found)
    results = merged(parts_of(config, tmp_path / "parts", 2), tmp_path / "merged")
    expected = harness.run(config, out=tmp_path / "whole")
    assert stable_files(results.path) == stable_files(expected.path)


SMALL = changed(DRAWN, n=[5], methods=["wald"], figures=[], engines=["monte_carlo"])


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """Three parts of a small run."""
    folder = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monte_carlo, "SHARD", 1 << 9)
        parts_of(SMALL, folder)
    return folder / "small" / "drawn"


@pytest.fixture
def copied(three, tmp_path):
    return shutil.copytree(three, tmp_path / "copied")


def check_parts(paths):
    for parts in find_parts(paths).values():
        refuse_unmergeable(parts)


def refused(paths, match):
    with pytest.raises(InputError, match=match):
        check_parts(paths)


def test_a_missing_part_is_named(copied):
    (copied / "part-2-of-3.sqlite").unlink()
    refused([copied], r"missing parts 2/3")


def test_a_part_that_is_there_twice_is_named(copied, three):
    refused([copied, three], r"are both part 1/3")


def test_the_same_file_given_twice_is_one_part(three):
    (parts,) = find_parts([three, three / "part-1-of-3.sqlite"]).values()
    assert len(parts) == 3


def test_parts_of_another_experiment_are_named(copied, tmp_path):
    parts_of(changed(SMALL, seed=8), tmp_path / "other", numbers=[2])
    (copied / "part-2-of-3.sqlite").unlink()
    refused([copied, tmp_path / "other"], "parts of different experiments")


def test_parts_of_another_division_are_named(copied, tmp_path):
    parts_of(SMALL, tmp_path / "other", count=4, numbers=[4])
    refused([copied, tmp_path / "other"], "is one of 3 parts and .* one of 4")


def test_parts_of_another_version_are_refused_with_both(copied):
    path = copied / "part-3-of-3.sqlite"
    with sqlite3.connect(path) as connection:
        old, new = '"numpy": "', '"numpy": "0.'
        connection.execute("UPDATE facts SET content = replace(content, ?, ?)", (old, new))
    connection.close()
    refused([copied], r"another program: there .*numpy 0\..*here .*numpy")


def test_limits_that_differ_in_a_bit_are_refused(three, tmp_path, monkeypatch):
    right = CatalogueSource.limits

    def wrong(self, observed, alpha, side):
        answers = right(self, observed, alpha, side)
        return Answers(answers.lower, np.nextafter(answers.upper, 0.0), answers.failures)

    monkeypatch.setattr(CatalogueSource, "limits", wrong)
    (parts,) = find_parts([three]).values()
    with pytest.raises(InputError, match=r"another kind of machine.*processor.*processor"):
        merge_parts(parts, tmp_path / "merged", Progress(), say=print)
    assert not list((tmp_path / "merged").rglob("*.csv"))


@pytest.mark.parametrize("content", [b"", b"a photo", b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_part_is_named(content, copied):
    (copied / "part-2-of-3.sqlite").write_bytes(content)
    refused([copied], r"part-2-of-3\.sqlite is (damaged|not a journal|no part)")


def test_a_folder_without_parts_is_named(tmp_path):
    refused([tmp_path], "holds no part of a run")
    refused([tmp_path / "none"], "none cannot be read: it is no file and no folder")


def test_another_experiment_does_not_take_the_place_of_a_part(copied):
    experiment = load_experiment(changed(SMALL, seed=8, name="copied"))
    with pytest.raises(InputError, match="a part of another experiment"):
        run_part(experiment, Part(2, 3), copied.parent, Progress())
    run_part(experiment, Part(2, 3), copied.parent, Progress(), fresh=True)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "-1/3", "1/0", "1.0/3", " 1/3"])
def test_what_is_no_part_is_refused(text):
    with pytest.raises(InputError, match="i/m with 1 ≤ i ≤ m"):
        Part.read(text)


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_the_parts_share_all_tasks(count):
    spans = [Part(number, count).share(41) for number in range(1, count + 1)]
    assert [each for a, b in spans for each in range(a, b)] == list(range(41))
