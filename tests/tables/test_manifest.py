"""The manifest holds what is the same each time a run is repeated."""

import importlib.metadata
import re

import polars as pl
import pytest

from harness.findings.manifest import agrees, engine_remarks
from harness.kinds.load import load_experiment
from harness.runner.storage import content_hash
from tests.study.experiments import DRAWN, LISTED, changed, in_memory, part

BASE = changed(DRAWN, execution=None, figures=[])


def content(config, sources=()):
    return content_hash(load_experiment(config).document, dict(sources))


@pytest.mark.parametrize(
    "change",
    [
        {"n": [1, 5]},
        {"alpha": [0.3, 0.05, 0.1]},
        {"methods": ["wald"]},
        {"methods": [{"name": "wald", "side": "upper"}, *BASE["methods"][1:]]},
        {"methods": [*BASE["methods"][:3], {"name": "minimal_length", "prior": [2, 1]}]},
        {"truth": {"uniform": [0.1, 0.8]}},
        {"truth": {"beta": [1, 1]}},
        {"trials": {"per_outcome": 401}},
        {"trials": {"per_size": 400}},
        {"outcomes": {"fractions": 3}},
        {"engines": ["monte_carlo", "posterior"]},
        {"reference_prior": [1, 2]},
        {"seed": 8},
    ],
    ids=lambda change: ",".join(f"{key}={value}" for key, value in change.items()),
)
def test_the_content_hash_changes_with_what_decides_the_numbers(change):
    assert content(changed(BASE, **change)) != content(BASE)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other", "title": "Other"},
        {"execution": {"jobs": 3, "backend": "loky"}},
        {"figures": [{"kind": "alpha_surface"}]},
        {"outcomes": "all"},
        {"reference_prior": [1.0, 1.0]},
        {"n": [12, 1, 5]},
    ],
    ids=lambda change: ",".join(f"{key}={value}" for key, value in change.items()),
)
def test_the_content_hash_does_not_change_with_anything_else(change):
    assert content(changed(BASE, **change)) == content(BASE)


def test_the_content_hash_changes_with_the_users_own_code(here):
    config = changed(BASE, methods=[{"path": "mine.py", "function": "f", "label": "mine"}], n=3)
    hashes = []
    for upper in (1.0, 1.0, 0.9):
        (here / "mine.py").write_text(f"def f(x, n, alpha):\n    return 0.0, {upper}\n")
        hashes.append(in_memory(config).manifest["content_hash"])
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_content_hash_is_a_sha_256_and_keys_may_stand_in_any_order(drawn):
    assert re.fullmatch("[0-9a-f]{64}", drawn.manifest["content_hash"])
    assert content(dict(reversed(BASE.items()))) == content(BASE)


def test_versions_are_those_installed(drawn):
    versions = drawn.manifest["versions"]
    assert set(versions) == {"coverage-harness", "numpy", "scipy", "polars", "matplotlib"}
    for package, version in versions.items():
        assert version == importlib.metadata.version(package)


def test_the_experiment_is_the_resolved_config_but_where_it_ran(drawn):
    document = dict(load_experiment(DRAWN).document)
    del document["execution"]
    assert drawn.manifest["experiment"] == document
    assert drawn.manifest["name"] == "small/drawn"
    assert drawn.manifest["title"] == DRAWN["title"]
    assert drawn.manifest["seed"] == 7


@pytest.mark.parametrize("which", ["drawn", "listed"])
def test_overall_is_the_sum_over_the_sizes(which, request):
    results = request.getfixturevalue(which)
    rows = results.manifest["overall"]
    assert len(rows) == 8
    for row in rows:
        sizes = part(
            results.summary, engine="monte_carlo", method=row["method"], alpha=row["alpha"]
        )
        misses = (sizes["actual_alpha"] * sizes["trials"]).round().sum()
        assert (row["trials"], row["misses"]) == (sizes["trials"].sum(), misses)
        assert row["actual_alpha"] == misses / row["trials"]
        assert row["ci_lower"] <= row["actual_alpha"] <= row["ci_upper"]
        spread = (row["actual_alpha"] * (1 - row["actual_alpha"]) / row["trials"]) ** 0.5
        assert row["std_error"] == (pytest.approx(spread) if spread else None)


@pytest.mark.parametrize("which", ["drawn", "listed"])
def test_agreement_counts_the_cells_of_the_tables_and_the_intervals_that_miss(which, request):
    results = request.getfixturevalue(which)
    agreement = results.manifest["agreement"]
    assert agreement["checked"]
    assert agreement["agrees"]
    key = ["alpha", "n", "given", "x", "truth"]
    for line in agreement["methods"]:
        drawn, exact = (
            part(results.cells, method=line["method"], engine=engine)
            for engine in ("monte_carlo", "enumeration")
        )
        if which == "listed":
            # The trials at each value are fixed: only given the truth are counts binomial.
            drawn = drawn.filter(pl.col("given") == "truth")
        assert line["cells"] == drawn.height
        # Below, above and both, for every cell, for every size and alpha as a whole, and for every
        # alpha over the whole run.
        assert line["tests"] == 3 * (drawn.height + 3 * 2 + 2)
        both = drawn.join(exact, on=key, suffix="_exact", nulls_equal=True)
        assert both.height == drawn.height
        value = pl.col("actual_alpha_exact")
        missed = both.filter((value < pl.col("ci_lower")) | (value > pl.col("ci_upper")))
        assert line["intervals_missing"] == missed.height
        # Cells are few and certain ones never miss: the count is near what it should be.
        assert abs(line["intervals_missing"] - line["expected_missing"]) <= 10
    draws = agreement["draws"]
    # Every outcome of 1, 5 and 12 trials, the mean of each size, and that of the whole run.
    assert draws["tests"] == 2 + 6 + 13 + 3 + 1
    assert draws["agree"]
    assert draws["smallest_p"] <= draws["smallest_p_adjusted"]
    tests = sum(line["tests"] for line in agreement["methods"])
    assert agreement["tests"] == tests + draws["tests"]
    assert [line["method"] for line in agreement["methods"]] == list(
        results.cells["method"].unique(maintain_order=True)
    )


@pytest.mark.parametrize("which", ["drawn", "listed"])
def test_the_identity_is_checked_at_every_size(which, request):
    identity = request.getfixturevalue(which).manifest["identity"]
    assert identity["holds"]
    assert identity["sizes"] == [1, 5, 12]
    assert identity["largest_discrepancy_below"] <= 1e-12 < identity["tolerance"] == 1e-11
    parts = identity["comparisons"]
    assert all(each["holds"] for each in parts)
    largest = max(each["largest_discrepancy_below"] for each in parts)
    assert identity["largest_discrepancy_below"] == largest
    of = {each["of"] for each in parts}
    assert {"means", "outcomes", "weights", "worst cases"} <= of
    assert ("truths" in of) == (which == "listed")


def said(manifest):
    """What is said of the engines of a run."""
    return [remark.sentence for remark in engine_remarks(manifest)]


@pytest.mark.parametrize("engines", [["monte_carlo"], ["posterior"], ["enumeration"]])
def test_what_was_not_compared_has_no_verdict_and_is_named(engines):
    trials = {"per_size": 100} if "monte_carlo" in engines else None
    manifest = in_memory(DRAWN, engines=engines, n=5, trials=trials).manifest
    drawn = "monte_carlo" in engines
    assert manifest["agreement"]["checked"] == drawn
    assert manifest["agreement"]["agrees"] is (True if drawn else None)
    assert (manifest["agreement"]["draws"] is None) == (not drawn)
    assert manifest["identity"]["holds"] is True
    sentences = [each for each in said(manifest) if "not compared" in each]
    absent = [name for name in ("posterior", "enumeration") if name not in engines]
    why = " and ".join(absent) + " did not run"
    assert sentences[-1] == f"Posterior and enumeration were not compared: {why}."
    assert len(sentences) == (1 if drawn else 2)
    assert said(manifest)[-1].startswith("Exact values are confirmed by a second computation")
    assert agrees(manifest)


def test_where_all_engines_ran_nothing_is_left_uncompared(drawn, listed):
    for results in (drawn, listed):
        assert not [each for each in said(results.manifest) if "compared" in each]
        assert said(results.manifest)[-1].startswith("Posterior and enumeration agree")


def test_worst_cases_stand_beside_the_summary_with_their_side(listed):
    rows = listed.manifest["worst_cases"]
    summary = part(listed.summary, engine="enumeration")
    assert len(rows) == summary.height
    for row, known in zip(rows, summary.iter_rows(named=True), strict=True):
        for name in ("method", "alpha", "n", "worst_alpha"):
            assert row[name] == known[name]
        assert row["side"] in ("above", "below", "at")
        assert row["truth"] == pytest.approx(known["worst_truth"], abs=1e-15)
        assert row["over"] == [known["worst_from"], known["worst_to"]]
        assert row.get("anywhere", row)["worst_alpha"] == known["worst_alpha_anywhere"]


def test_exact_engines_need_no_seed():
    manifest = in_memory(LISTED, trials=None, seed=None, n=3).manifest
    assert manifest["identity"]["holds"]
    assert not manifest["agreement"]["checked"]
