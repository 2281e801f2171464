"""A choice applies one rule over several truths; its numbers are those of coverage runs."""

from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import ConfigError, InputError
from harness.cli import main
from harness.findings.allowance import Allowance
from harness.findings.choice import Candidate, choice
from harness.findings.judgements import judgements
from harness.kinds.catalogue import KINDS
from harness.kinds.load import load_experiment
from harness.pages.results_page import markdown

CONFIG: dict[str, Any] = {
    "kind": "choice",
    "name": "chosen",
    "family": "proportion",
    "n": [10, 20],
    "methods": ["wald", "wilson", "clopper_pearson", "jeffreys", "minimal_length", "scas"],
    "truths": {"flat": {"uniform": [0, 1]}, "high": {"beta": [8, 2]}},
    "shown": {"good": {"uniform": [0.85, 0.99]}},
    "reference": "clopper_pearson",
}


@pytest.fixture(scope="module")
def results() -> Any:
    return harness.run(CONFIG, out=None)


def coverage(truth: Any) -> pl.DataFrame:
    kept = {key: CONFIG[key] for key in ("name", "family", "n", "methods")}
    more = {"truth": truth, "engines": ["enumeration"], "figures": []}
    return harness.run({**kept, **more}, out=None).summary


def test_its_numbers_are_those_of_coverage_under_each_truth(results: Any) -> None:
    for name, truth in (CONFIG["truths"] | CONFIG["shown"]).items():
        table, expected = results.cells.filter(truth=name), coverage(truth)
        assert table["actual_alpha"].to_list() == expected["actual_alpha"].to_list()
        assert table["loss"].to_list() == expected["mean_length"].to_list()
        assert set(table["decides"]) == {name != "good"}
        # The worst cases of truths within others are no others.
        worst = expected["worst_alpha"].to_list()
        assert table["worst_alpha"].to_list() == (worst if name == "flat" else [None] * 12)


def test_its_answer_in_markdown_names_each_table(results: Any) -> None:
    text = markdown([results])
    assert "95 % intervals, in the order of the rule:\n\n| Method |" in text
    assert "\n\n| Alpha | On average |" in text


def test_the_summary_is_the_rule_over_the_truths_that_decide(results: Any) -> None:
    cells = results.cells.filter(pl.col("decides"))
    unit = cells.filter(method="clopper_pearson")["loss"].to_numpy()
    for row in results.summary.iter_rows(named=True):
        own = cells.filter(method=row["method"])
        assert row["mean_alpha"] == own["actual_alpha"].max()
        assert row["least_mean_alpha"] == own["actual_alpha"].min()
        assert row["worst_alpha"] == own["worst_alpha"].max()
        ratio = np.exp(np.log(own["loss"].to_numpy() / unit).mean())
        assert row["relative_length"] == pytest.approx(ratio, rel=1e-12)
        kept = row["mean_alpha"] <= 0.055 and row["worst_alpha"] <= 0.125
        assert row["qualifies"] == kept
    use = results.summary.row(0, named=True)
    shortest = results.summary.filter(pl.col("qualifies")).sort("relative_length")
    assert (use["method"], use["recommended"]) == (shortest["method"][0], "use")
    answer = results.answers.filter(allowed_mean=1.1, allowed_worst=2.5)
    assert answer["method"].to_list() == [use["method"]]
    assert results.answers.filter(allowed_worst=2.0)["method"].unique().to_list() == ["scas"]


def candidate(method: str, mean: float, worst: float, length: float) -> Candidate:
    """A method at alpha 0.05, with one truth and one size."""
    config = {**CONFIG, "n": 10, "methods": ["wilson"], "truth": {"values": [0.5]}}
    for key in ("kind", "truths", "shown", "reference"):
        del config[key]
    (judged,) = judgements(harness.run(config | {"engines": ["enumeration"]}, out=None))
    (known,) = judged.methods
    known = replace(known, method=method, worst=worst, keeps=worst <= 0.05)
    return Candidate(method, 0.05, (mean,), (length,), (known,))


def test_the_shortest_of_those_that_qualify_is_used() -> None:
    wide, short, bad = (
        candidate("wide", 0.03, 0.05, 1.2),
        candidate("short", 0.05, 0.12, 1.0),
        candidate("bad", 0.05, 0.13, 0.9),
    )
    found = choice([wide, short, bad])
    assert (found.use, found.default) == (short, short)
    assert choice([wide, short, bad], Allowance(1.1, 3)).use is bad
    assert choice([wide, short, bad], Allowance(1.1, 2)).use is wide


def test_of_methods_as_short_the_better_worst_case_is_used() -> None:
    short, better = candidate("short", 0.05, 0.12, 1.0), candidate("better", 0.05, 0.08, 1.0009)
    assert choice([short, better]).use is better
    assert choice([short, candidate("longer", 0.05, 0.08, 1.0011)]).use is short


def test_where_none_qualifies_the_least_bad_is_the_default() -> None:
    on_average, at_worst = candidate("a", 0.11, 0.12, 1.0), candidate("b", 0.05, 0.2, 1.5)
    found = choice([on_average, at_worst])
    assert found.use is None
    assert found.default is at_worst


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"truths": {"flat": {"uniform": [0.5, 2]}}}, "truths.flat.uniform"),
        ({"truths": {}}, "truths: expected a mapping of at least 1, found {}"),
        ({"trials": {"per_truth": 9}}, "expected one of the families mean, bounded_mean, "),
        ({"shown": {"flat": {"uniform": [0, 1]}}}, "expected another name than one of truths"),
        ({"reference": "blaker"}, "expected the label of a method of the config, found blaker"),
        ({"allow": {"mean": 0.9}}, "expected a number from 1 to 1000"),
        ({"truth": {"uniform": [0, 1]}}, "truth"),
        ({"n": [10, 10]}, "expected each value once"),
    ],
)
def test_a_config_that_is_wrong_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_experiment({**CONFIG, **change})
    assert message in str(refused.value)


def test_methods_that_are_left_out_are_all_of_the_catalogue() -> None:
    config = {key: value for key, value in CONFIG.items() if key not in ("methods", "reference")}
    sides = load_experiment({**config, "sides": ["two-sided", "upper"]})
    labels = [spec.label for spec in sides.methods]
    assert {"blaker", "wald", "clopper_pearson (upper)"} <= set(labels)
    assert not {"stagewise", "hypergeometric"} & set(labels)
    again = load_experiment(sides.document)
    assert (again, again.document) == (sides, sides.document)


def test_it_is_run_resumed_read_and_shown(here: Path, capsys: Any) -> None:
    Path("c.yaml").write_text(
        "{kind: choice, name: c, family: rate, exposure: [1, 5], methods: [garwood, jeffreys],\n"
        " truths: {flat: {uniform: [0, 5]}, few: {gamma: [0.5, 1]}}}\n"
    )
    assert main(["run", "c.yaml", "--report"]) == 0
    shown = capsys.readouterr().out
    assert "Of the methods that miss at most 1.1 times alpha on average under each of flat" in shown
    assert "At 95 % use jeffreys: it covers" in shown
    first = harness.load("results/c")
    assert first.tables.keys() == {"summary", "truths", "answers"}
    assert "At 95 % use jeffreys" in (here / "results/c/report.html").read_text("utf-8")
    assert main(["run", "c.yaml"]) == 0
    assert harness.load("results/c").summary.equals(first.summary)
    described = pl.read_csv("results/c/columns.csv")
    assert {"loss", "worst_known_by"} <= set(described["column"])


def test_a_function_of_a_user_is_compared(here: Path) -> None:
    Path("own.py").write_text(
        "import numpy as np\n\ndef f(x, n, alpha):\n    return np.zeros(x.size), np.ones(x.size)\n"
    )
    own = {"path": "own.py", "function": "f", "label": "all"}
    found = harness.run({**CONFIG, "methods": [own, "clopper_pearson"]}, out=None).summary
    assert found.filter(method="all")["relative_length"][0] > 1
    assert found["method"].to_list()[0] == "clopper_pearson"


def test_the_geometric_mean_knows_no_reference() -> None:
    first, second = candidate("a", 0.05, 0.05, 2.0), candidate("b", 0.05, 0.05, 3.0)
    assert log(second.length / first.length) == pytest.approx(log(1.5))
    assert exp(log(first.length)) == pytest.approx(2.0)


def test_engines_that_disagree_under_a_truth_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.kinds.choice.run.agrees", lambda manifest: False)
    results = harness.run(CONFIG, out=None)
    assert results.manifest["disagreeing"] == ["flat", "high", "good"]
    kind = KINDS["choice"]
    assert not kind.agrees(results.manifest)
    assert any("engines disagree" in str(line) for line in kind.screen(results))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.2}, "alpha should be one of 0.05, found 0.2"),
        ({"side": "upper"}, "side should be one of two-sided, found 'upper'"),
        ({"methods": ["blaker"]}, "methods should be one of "),
    ],
)
def test_a_figure_of_what_was_not_compared_is_refused(
    results: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        results.plot("choice", **options)
