"""The sentences at the end of a run, before its tables."""

from typing import Any

import polars as pl

from harness.findings.conclusion import sentences
from harness.findings.judgements import judgements
from harness.tables.results import Results

ROW: dict[str, Any] = {
    "family": "proportion",
    "method": "wald",
    "side": "two-sided",
    "alpha": 0.05,
    "n": 10,
    "engine": "enumeration",
    "trials": None,
    "actual_alpha": 0.04,
    "ci_lower": None,
    "alpha_error_min": None,
    "std_error": None,
    "worst_alpha": 0.05,
    "mean_length": 0.3,
}


def said(*rows: dict[str, Any], worst_is_exact: bool = True) -> list[str]:
    """The sentences about a summary of these rows."""
    table = pl.DataFrame([{**ROW, **row} for row in rows], infer_schema_length=None)
    cells = table.select("method", "engine", "alpha", "actual_alpha", given=pl.lit("truth")).clear()
    found_by = {} if worst_is_exact else {"found_by": "a search"}
    manifest = {"experiment": {"family": "proportion", "methods": []}, "worst_cases": [found_by]}
    results = Results(cells, table, manifest)
    return sentences(results, judgements(results))


def test_the_shortest_method_that_keeps_alpha_is_named_with_those_that_do_not() -> None:
    rows = (
        {"method": "long", "mean_length": 0.5},
        {"method": "short", "mean_length": 0.3},
        {"method": "wald", "actual_alpha": 0.2, "worst_alpha": 1.0, "mean_length": 0.1},
    )
    assert said(*rows) == [
        "Of 3 methods, short is the shortest that never covers less than 95 %. "
        "Coverage is too low on average: wald 80 %."
    ]
    assert "was not found to cover less" in said(*rows, worst_is_exact=False)[0]


def test_a_method_that_exceeds_alpha_at_one_size_does_not_keep_it() -> None:
    rows = (
        {"method": "long"},
        {"method": "long", "n": 20},
        {"method": "short", "mean_length": 0.1},
        {"method": "short", "mean_length": 0.1, "n": 20, "worst_alpha": 0.06},
    )
    (line,) = said(*rows)
    assert line.startswith("Of 2 methods, long is the only one that never covers less")
    assert line.endswith("On average none covers less than 95 %.")


def test_where_no_method_keeps_alpha_the_closest_is_named() -> None:
    rows = ({"method": "a", "worst_alpha": 0.2}, {"method": "b", "worst_alpha": 0.1})
    assert said(*rows)[0].startswith(
        "None of 2 methods covers 95 % at worst; b comes nearest, with 90 %."
    )


def test_a_mean_is_not_held_against_a_worst_case() -> None:
    drawn = {"engine": "monte_carlo", "worst_alpha": None, "ci_lower": 0.14, "trials": 1000}
    rows = ({"method": "a", "worst_alpha": 0.2}, {**drawn, "method": "b", "actual_alpha": 0.15})
    assert said(*rows)[0].startswith(
        "None of 2 methods covers 95 % at worst; a comes nearest, with 80 %."
    )


def test_an_estimate_is_above_alpha_only_if_its_interval_is() -> None:
    drawn = {
        "engine": "monte_carlo",
        "worst_alpha": None,
        "actual_alpha": 0.055,
        "trials": 100_000,
    }
    rows = (
        {**drawn, "method": "a", "ci_lower": 0.049},
        {**drawn, "method": "b", "ci_lower": 0.051},
    )
    (line,) = said(*rows)
    assert line.startswith("Of 2 methods, a is the only one that was not found to cover less")
    assert line.endswith("Coverage is too low on average: b 94.5 %.")


def test_one_estimate_of_many_is_above_alpha_only_if_that_is_no_chance() -> None:
    # As many misses as 0.0547 of 10,000 trials have the probability 0.0167 at alpha = 0.05.
    drawn = {"engine": "monte_carlo", "worst_alpha": None, "trials": 10_000}
    high = {**drawn, "method": "a", "actual_alpha": 0.0547, "ci_lower": 0.0503}
    kept = {**drawn, "method": "a", "actual_alpha": 0.05, "ci_lower": 0.0487}
    assert said(high)[0].endswith("nominal: too little.")
    (line,) = said(high, *({**kept, "n": n} for n in range(11, 50)))
    assert line.endswith("nominal: not too little on average.")


def test_an_exact_value_goes_before_an_estimate() -> None:
    drawn = {
        "engine": "monte_carlo",
        "worst_alpha": None,
        "actual_alpha": 0.9,
        "ci_lower": 0.8,
        "trials": 100,
    }
    (line,) = said(drawn, {})
    assert line == (
        "wald covers 96 % on average, and 95 % at worst, where 95 % is nominal: never too little."
    )


def test_one_method_is_judged_by_its_average_and_its_worst() -> None:
    assert said({"actual_alpha": 0.06})[0].endswith("nominal: too little.")
    assert said({"worst_alpha": 0.1})[0].endswith("nominal: right on average only.")


def test_each_of_several_has_its_own_number_and_of_many_the_first_are_named() -> None:
    means = {"a": 0.1, "b": 0.2, "c": 0.06, "d": 0.07, "e": 0.055}
    rows = [{"method": name, "actual_alpha": mean} for name, mean in means.items()]
    (line,) = said(*rows[:2])
    assert line.endswith(" Coverage is too low on average: b 80 %, a 90 %.")
    (line,) = said(*rows)
    assert line.endswith(" Coverage is too low on average: b 80 %, a 90 %, d 93 %, and 2 others.")
    assert said(*rows[:4])[0].endswith(", and another.")


def test_a_mean_within_a_twentieth_of_alpha_is_about_right() -> None:
    near = {"actual_alpha": 0.0500263, "worst_alpha": 0.1}
    assert said(near) == [
        "wald covers 94.997 % on average, and 90 % at worst, where 95 % is nominal: about right "
        "on average."
    ]
    (line,) = said(near, {"method": "b", "worst_alpha": 0.2})
    assert line.endswith("On average none covers clearly less than 95 %: wald 94.997 %.")
    (line,) = said({"actual_alpha": 0.0525}, {"method": "b", "actual_alpha": 0.0526})
    assert line.endswith("Coverage is too low on average: b 94.7 %.")
    drawn = {"engine": "monte_carlo", "worst_alpha": None, "trials": 100_000_000}
    assert said({**drawn, "actual_alpha": 0.051, "ci_lower": 0.0509})[0].endswith(
        "about right on average."
    )


def test_a_worst_case_over_some_true_values_is_said_to_be_of_these() -> None:
    some, one = {"worst_from": 0.1, "worst_to": 0.9}, {"worst_from": 0.3, "worst_to": 0.3}
    rows = ({"method": "a"}, {"method": "b", "worst_alpha": 0.1})
    first = "Of 2 methods, a is the only one that never covers less than 95 %"
    assert said(*({**row, **some} for row in rows))[0].startswith(f"{first} for p in 0.1 … 0.9.")
    assert said(*({**row, **one} for row in rows))[0].startswith(f"{first} at p = 0.3.")
    every = {"worst_from": 0.0, "worst_to": 1.0}
    assert said(*({**row, **every} for row in rows))[0].startswith(f"{first}.")
    assert said({"method": "b", "worst_alpha": 0.1, **one}, {"worst_alpha": 0.2, **one})[
        0
    ].startswith("None of 2 methods covers 95 % at p = 0.3; b comes nearest, with 90 %.")
    assert "and 90 % at worst for p in 0.1 … 0.9, where" in said({"worst_alpha": 0.1, **some})[0]


def test_each_alpha_has_a_line_and_the_posterior_alone_has_one_on_outcomes() -> None:
    assert len(said({}, {"alpha": 0.1, "actual_alpha": 0.1, "worst_alpha": 0.1})) == 2
    posterior = {"engine": "posterior", "actual_alpha": None, "worst_alpha": None}
    above = {**posterior, "alpha_error_min": -0.15}
    assert said(above) == [
        "By the posterior wald covers as little as 80 % at an outcome, where 95 % is nominal."
    ]
    assert said({**posterior, "alpha_error_min": 0.0}) == [
        "By the posterior no method covers less than 95 % at an outcome."
    ]
    assert said(posterior) == []
