"""Which interval to take follows from the summary by the written rule."""

from pathlib import Path

import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal

from harness.findings.manifest import worst_cases_are_exact
from harness.kinds.stored import load
from harness.runner.write import write_tables
from harness.screen.records import recommendation_screen
from harness.tables.answers import CLOSEST, NEVER, WITHIN, recommendation
from tests.study.experiments import in_memory, part

CONFIGS = Path(__file__).parents[2] / "configs"


def summary(methods, **changes):
    """A summary at one alpha and size; of each method its length, worst alpha and actual alpha."""
    schema = ["method", "mean_length", "worst_alpha", "actual_alpha"]
    rows = pl.DataFrame(methods, schema=schema, orient="row")
    same = {
        "family": "proportion",
        "side": "two-sided",
        "alpha": 0.05,
        "n": 10,
        "engine": "enumeration",
        "worst_from": 0.2,
        "worst_to": 0.9,
        **changes,
    }
    return rows.with_columns(pl.lit(value).alias(name) for name, value in same.items())


def answer(methods, question, **changes):
    """The method, the runner-up and the number of methods that qualify."""
    table = recommendation(summary(methods, **changes))
    row = part(table, question=question).row(0, named=True)
    return row["method"], row["runner_up"], row["qualified"]


FOUR = [
    ("short", 0.20, 0.0800, 0.0600),
    ("middle", 0.22, 0.0700, 0.0480),
    ("safe", 0.24, 0.0500, 0.0400),
    ("long", 0.30, 0.0300, 0.0100),
]


def test_each_question_has_the_shortest_or_the_closest_method_that_qualifies():
    assert answer(FOUR, NEVER) == ("safe", "long", 2)
    assert answer(FOUR, WITHIN) == ("middle", "safe", 3)
    assert answer(FOUR, CLOSEST) == ("middle", None, 3)


def test_the_measures_beside_a_method_are_those_of_the_summary():
    row = part(recommendation(summary(FOUR)), question=NEVER).row(0, named=True)
    measures = ("mean_length", "worst_alpha", "actual_alpha")
    assert tuple(row[name] for name in measures) == (0.24, 0.05, 0.04)
    assert tuple(row[f"runner_up_{name}"] for name in measures) == (0.30, 0.03, 0.01)
    assert (row["worst_from"], row["worst_to"], row["methods"]) == (0.2, 0.9, 4)


@pytest.mark.parametrize(("excess", "qualified"), [(0.9e-9, 2), (1.1e-9, 1)])
def test_never_allows_a_rounding_of_1e_9(excess, qualified):
    methods = [("a", 0.1, 0.05 + excess, 0.01), ("b", 0.2, 0.04, 0.01)]
    assert answer(methods, NEVER) == (
        "ab"[2 - qualified],
        "b" if qualified == 2 else None,
        qualified,
    )


@pytest.mark.parametrize(("excess", "qualified"), [(0.9e-9, 2), (1.1e-9, 1)])
def test_once_and_a_half_alpha_allows_the_same_rounding(excess, qualified):
    methods = [("a", 0.1, 0.075 + excess, 0.01), ("b", 0.2, 0.04, 0.01)]
    assert answer(methods, WITHIN)[2] == qualified


def test_the_tolerance_shrinks_with_a_small_alpha():
    """A method that misses twice as often as desired does not qualify, however small alpha is."""
    methods = [("a", 0.1, 2e-10, 1e-11), ("b", 0.2, 1e-10, 1e-11)]
    assert answer(methods, NEVER, alpha=1e-10) == ("b", None, 1)


def test_lengths_within_a_relative_1e_9_are_ties_that_the_alphabet_decides():
    tied = [("b", 0.2, 0.05, 0.01), ("c", 0.2 * (1 - 9e-10), 0.05, 0.01), ("a", 0.21, 0.05, 0.01)]
    assert answer(tied, NEVER) == ("b", "c", 3)
    apart = [("b", 0.2, 0.05, 0.01), ("c", 0.2 * (1 - 1.1e-9), 0.05, 0.01)]
    assert answer(apart, NEVER) == ("c", "b", 2)


def test_mean_alphas_within_1e_9_are_ties_that_the_alphabet_decides():
    tied = [("b", 0.2, 0.1, 0.05 - 0.9e-9), ("a", 0.3, 0.1, 0.05 - 1.8e-9), ("c", 0.1, 0.1, 0.05)]
    assert answer(tied, CLOSEST) == ("b", None, 3)


def test_a_mean_above_alpha_is_named_only_as_what_is_nearer():
    methods = [("a", 0.2, 0.1, 0.045), ("b", 0.2, 0.1, 0.052), ("c", 0.2, 0.1, 0.056)]
    assert answer(methods, CLOSEST) == ("a", "b", 1)
    assert answer(methods[::2], CLOSEST) == ("a", None, 1)


def test_where_none_qualifies_the_nearest_is_named():
    methods = [("a", 0.2, 0.12, 0.06), ("b", 0.3, 0.08, 0.07), ("c", 0.1, 1.0, 0.3)]
    assert answer(methods, NEVER) == (None, "b", 0)
    assert answer(methods, WITHIN) == (None, "b", 0)
    assert answer(methods, CLOSEST) == (None, "a", 0)


def test_a_method_with_an_unknown_worst_case_is_in_the_third_question_only():
    methods = [("a", 0.1, None, 0.05), ("b", 0.3, 0.05, 0.03)]
    table = recommendation(summary(methods))
    assert table["question"].to_list() == [NEVER, WITHIN, CLOSEST]
    assert table["methods"].to_list() == [1, 1, 2]
    assert table["method"].to_list() == ["b", "b", "a"]


def test_a_question_on_worst_cases_that_nobody_knows_is_left_out():
    unknown = [(name, length, None, mean) for name, length, _, mean in FOUR]
    table = recommendation(
        summary(unknown).with_columns(
            pl.lit(None, pl.Float64).alias(name)
            for name in ("worst_alpha", "worst_from", "worst_to")
        )
    )
    assert table["question"].to_list() == [CLOSEST]
    assert words(table).startswith(
        "n = 10, alpha 0.05:\n  closest to 5 % on average: middle (4.8 %)"
    )


def test_a_method_without_a_mean_length_is_no_answer():
    assert answer([("a", None, 0.05, 0.05), *FOUR], NEVER) == ("safe", "long", 2)


def test_there_is_no_answer_for_one_method_or_without_enumeration():
    assert recommendation(summary(FOUR[:1])) is None
    assert recommendation(summary(FOUR, engine="posterior")) is None
    assert recommendation(summary(FOUR, side="upper")) is None
    no_length = summary(FOUR).with_columns(pl.lit(None, pl.Float64).alias("mean_length"))
    assert recommendation(no_length) is None


def test_each_alpha_and_size_has_its_own_answers():
    parts = [
        summary(
            [(name, length * 10 / n, worst, mean) for name, length, worst, mean in FOUR]
        ).with_columns(pl.lit(alpha).alias("alpha"), pl.lit(n).alias("n"))
        for alpha in (0.1, 0.05)
        for n in (10, 40)
    ]
    table = recommendation(pl.concat(parts))
    keys = table.select("alpha", "n").unique(maintain_order=True).rows()
    assert keys == [(0.1, 10), (0.1, 40), (0.05, 10), (0.05, 40)]
    never = part(table, question=NEVER)
    assert never["method"].to_list() == ["short", "short", "safe", "safe"]
    assert never["mean_length"].to_list() == [0.2, 0.05, 0.24, 0.06]


def words(table, worst_is_exact=True):
    """All that the screen says in sentences."""
    return "\n".join(str(line) for line in recommendation_screen(table, worst_is_exact))


def test_the_screen_answers_in_words():
    assert words(recommendation(summary(FOUR))) == (
        "n = 10, p in 0.2 … 0.9, alpha 0.05:\n"
        "  shortest that never misses more than 5 %: safe, length 0.2400 (long 0.3000)\n"
        "  shortest that never misses more than 7.5 %: middle (7 % at worst)\n"
        "  closest to 5 % on average: middle (4.8 %)"
    )


def test_the_screen_says_which_comes_closest_where_none_qualifies():
    methods = [("a", 0.2, 0.12, 0.06), ("b", 0.3, 0.08, 0.07)]
    said = words(recommendation(summary(methods)))
    assert "than 5 %: none of the 2; nearest is b (8 % at worst)" in said
    assert "closest to 5 % on average: none of the 2; nearest is a (6 % on average)" in said


def test_a_worst_case_that_is_searched_for_is_not_said_to_be_never_exceeded():
    pairs = {
        "name": "small/pairs",
        "family": "proportion_difference",
        "n1": 4,
        "n2": 5,
        "methods": ["wald", "newcombe"],
        "truth": {"first": {"values": [0.1, 0.5]}, "second": {"values": [0.3, 0.9]}},
        "engines": ["enumeration"],
    }
    found = in_memory(pairs)
    said = words(found.recommendation, worst_cases_are_exact(found.manifest))
    assert said.startswith("n1 = 4, n2 = 5, p1 in 0.1 … 0.5, p2 in 0.3 … 0.9, alpha 0.05:\n")
    assert "never" not in said
    assert "shortest that was not found to miss more than 5 %: none of the 2" in said


def test_many_sizes_are_a_table_with_a_row_for_each():
    sizes = [summary(FOUR, n=n) for n in (5, 10, 20, 50)]
    (table,) = recommendation_screen(recommendation(pl.concat(sizes)), True)
    assert str(table.title) == "Which interval: p in 0.2 … 0.9, alpha 0.05"
    cells = [list(column.cells) for column in table.columns]
    assert cells[0] == ["5", "10", "20", "50"]
    assert [column[0] for column in cells[1:]] == [
        *("safe", "0.2400", "middle", "7 %", "middle", "4.8 %")
    ]


@pytest.fixture(scope="module")
def sixty():
    """The shipped example: every deterministic two-sided interval at n = 60."""
    document = yaml.safe_load((CONFIGS / "sixty_images.yaml").read_text(encoding="utf-8"))
    return in_memory(document, engines=["enumeration"], reference=None, trials=None, seed=None)


def test_the_answer_for_sixty_images(sixty):
    """feldman_cousins is shorter than blaker by half a per cent, and both reach alpha exactly."""
    table = sixty.recommendation
    rows = {row["question"]: row for row in table.iter_rows(named=True)}
    never, within, closest = (rows[name] for name in (NEVER, WITHIN, CLOSEST))
    assert (never["method"], never["runner_up"]) == ("feldman_cousins", "blaker")
    assert never["mean_length"] == pytest.approx(0.137749, abs=1e-6)
    assert never["runner_up_mean_length"] == pytest.approx(0.138413, abs=1e-6)
    assert within["method"] == "probit"
    assert within["worst_alpha"] == pytest.approx(0.064072, abs=1e-6)
    assert closest["method"] == "jeffreys"
    assert closest["actual_alpha"] == pytest.approx(0.048772, abs=1e-6)
    assert (closest["worst_from"], closest["worst_to"]) == (0.85, 0.99)
    assert set(table["methods"]) == {31}


def test_the_two_jeffreys_intervals_tie_where_their_ends_do_not_matter(sixty):
    """They differ at x = 0 and x = n, and no truth lies between 0.99 and the upper limit at n."""
    both = sixty.summary.filter(pl.col("method").is_in(["jeffreys", "jeffreys_equal_tailed"]))
    a, b = both["actual_alpha"]
    assert a == pytest.approx(b, abs=1e-12)


def test_the_file_holds_the_answers_of_the_summary_beside_it(drawn, tmp_path):
    stored = pl.read_csv(drawn.path / "recommendation.csv", schema=drawn.recommendation.schema)
    assert_frame_equal(stored, drawn.recommendation, check_exact=True)
    write_tables(load(drawn.path), tmp_path)
    written, expected = (
        (folder / "recommendation.csv").read_bytes() for folder in (tmp_path, drawn.path)
    )
    assert written == expected
