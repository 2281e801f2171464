"""Claims of papers: every verdict follows from the tables, and changes with them."""

from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import harness
from harness.findings.papers import brown2001, ross2003
from harness.findings.papers.claim import (
    FAILS,
    HOLDS,
    IN_PART,
    UNDECIDED,
    Decided,
    as_many_as_expected,
    decide,
)
from harness.kinds.stored import load_tables
from harness.report.answer import claims
from harness.tables.results import Results
from tests.report.pages import tables_in
from tests.report.some_runs import page_of, results_of

ROOT = Path(harness.__file__).resolve().parents[1]
CLAIMS = {**ross2003.PAPER.claims, **brown2001.PAPER.claims}
NAMES = list(CLAIMS)


@cache
def stored(name: str) -> Results:
    """The committed tables, without cells."""
    return load_tables(ROOT / "results" / name)


@cache
def made(name: str) -> Results:
    """The results of the shipped config, in memory."""
    return harness.run(ROOT / "configs" / f"{name}.yaml", out=None)


def decided(results: Results) -> list[Decided]:
    return decide(CLAIMS[results.manifest["experiment"]["name"]], results)


def verdicts(results: Results) -> list[str]:
    return [each.found.verdict for each in decided(results)]


def changed(results: Results, **columns: Any) -> Results:
    """Results with other values in columns of the summary."""
    summary = results.summary.with_columns(
        **{
            name: value if isinstance(value, pl.Expr) else pl.lit(value)
            for name, value in columns.items()
        }
    )
    return Results(results.cells, summary, results.manifest)


@pytest.mark.parametrize("name", NAMES)
def test_each_claim_is_about_an_experiment_that_is_shipped(name: str) -> None:
    assert (ROOT / "configs" / f"{name}.yaml").is_file()
    assert verdicts(stored(name))


def test_the_stored_tables_decide_what_they_can() -> None:
    found = {name: verdicts(stored(name)) for name in NAMES}
    assert found["ross2003/fig03"] == [HOLDS, HOLDS, UNDECIDED]
    assert found["ross2003/fig05"] == [HOLDS]
    assert found["ross2003/fig06"] == [HOLDS, HOLDS, UNDECIDED, UNDECIDED]
    assert found["ross2003/fig12-rates"] == [FAILS, HOLDS]
    assert found["brown2001/recommended"] == [HOLDS, HOLDS, IN_PART, HOLDS, HOLDS]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fig03", [HOLDS, HOLDS, HOLDS]),
        ("fig04-left", [HOLDS]),
        ("fig04-right", [HOLDS, HOLDS, IN_PART]),
        ("fig06", [HOLDS, HOLDS, HOLDS, HOLDS]),
        ("fig07", [HOLDS, HOLDS, HOLDS]),
        ("fig08", [HOLDS, HOLDS, HOLDS, IN_PART]),
        ("fig09", [HOLDS, HOLDS, FAILS]),
        ("fig10", [FAILS, FAILS, HOLDS]),
        ("fig11", [HOLDS, HOLDS, HOLDS]),
        ("fig12-proportions", [HOLDS, HOLDS]),
    ],
)
def test_a_run_with_its_cells_decides_every_claim(name: str, expected: list[str]) -> None:
    assert verdicts(made(f"ross2003/{name}")) == expected


def test_numbers_are_those_of_the_page_on_the_figures() -> None:
    page = (ROOT / "docs" / "ross2003.md").read_text("utf-8")
    fig03, fig11 = decided(stored("ross2003/fig03")), decided(made("ross2003/fig11"))
    assert "0.050093 (0.0495, 0.0507)" in page
    assert fig03[0].found.ours == "0.050093 (0.0495, 0.0507) in 567,900 trials"
    assert "14.8 %, 3.4 %" in page
    assert [each.found.ours for each in fig11[1:]] == ["14.8 %", "3.42 %"]
    fig08 = decided(made("ross2003/fig08"))
    assert "49 % of alpha" in page
    assert fig08[0].found.ours == "49.4 % of α"


def test_a_verdict_follows_the_tables_and_not_the_name() -> None:
    fig06 = stored("ross2003/fig06")
    assert verdicts(changed(fig06, alpha_error_min=-1e-6))[0] == FAILS
    assert verdicts(changed(fig06, alpha_error_max=0.02))[1] == FAILS
    fig05 = stored("ross2003/fig05")
    assert verdicts(changed(fig05, alpha_error_max=2e-5)) == [IN_PART]
    assert verdicts(changed(fig05, alpha_error_max=2e-4)) == [FAILS]
    fig03 = stored("ross2003/fig03")
    assert verdicts(changed(fig03, actual_alpha=0.052))[0] == FAILS
    assert verdicts(changed(fig03, ci_lower=0.051, ci_upper=0.06))[1] == FAILS
    rates = stored("ross2003/fig12-rates")
    assert verdicts(changed(rates, p_value=0.5)) == [HOLDS, FAILS]
    recommended = stored("brown2001/recommended")
    assert verdicts(changed(recommended, mean_coverage=0.955, min_coverage=0.94))[:3] == [
        FAILS,
        FAILS,
        HOLDS,
    ]


def test_tables_without_what_a_claim_is_about_decide_nothing() -> None:
    for name in NAMES:
        results = stored(name)
        empty = Results(results.cells.clear(), results.summary.clear(), results.manifest)
        assert set(verdicts(empty)) == {UNDECIDED}


def test_as_many_intervals_may_miss_as_chance_allows() -> None:
    # Of 101 intervals 5.05 should miss; 11 and more do with a probability of 0.013.
    assert as_many_as_expected(101 - 10, 101)
    assert not as_many_as_expected(101 - 11, 101)
    assert as_many_as_expected(8, 8)
    assert not as_many_as_expected(1000, 1000)


def test_the_section_is_a_table_of_the_claims() -> None:
    results = stored("ross2003/fig06")
    (section,) = claims(results)
    (table,) = tables_in(page_of(section))
    assert table.heads == ["claim", "verdict", "Ross (2003)", "here"]
    rules = [each.claim.judged for each in decided(results)]
    assert [[part.strip() for part in row[1].split("\n")] for row in table.texts] == [
        [verdict, f"judged: {rule}"] for verdict, rule in zip(verdicts(results), rules, strict=True)
    ]
    assert table.texts[1][2:] == ["above 0.03", "up to 0.0494"]
    assert "Of 4 claims 2 hold, 2 are not decided." in page_of(section)
    assert (
        table.texts[2][3] == "needs cells.parquet, which is not stored here: run the config of it"
    )


@pytest.mark.parametrize("paper", [ross2003, brown2001])
def test_a_claim_that_may_hold_in_part_says_by_which_part(paper: Any) -> None:
    """Other claims hold or do not."""
    partly = {
        each.where: each.judged.partition("in part: ")[2]
        for claims_of in paper.PAPER.claims.values()
        for each in claims_of
        if "in part" in each.judged
    }
    assert partly
    assert all(partly.values())
    for name in paper.PAPER.claims:
        for each in decided(stored(name)):
            assert each.found.verdict != IN_PART or "in part" in each.claim.judged


def test_papers_of_several_authors_say_and_their_sections_are_not_made_up() -> None:
    (one,) = claims(stored("ross2003/fig05"))
    (several,) = claims(stored("brown2001/recommended"))
    assert one.title.startswith("What Ross (2003) says, ")
    assert several.title.startswith("What Brown, Cai and DasGupta (2001) say, ")
    assert {each.where for each in brown2001.PAPER.claims["brown2001/recommended"]} == {
        "Statistical Science 16(2)"
    }


def test_an_experiment_of_no_paper_has_no_claims() -> None:
    assert claims(results_of("outcomes")) == []
    assert claims(results_of("calibrated")) == []
