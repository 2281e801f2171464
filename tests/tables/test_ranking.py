"""Rankings, sizes near nominal, and titles."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from rich.console import Console

from harness.families.catalogue import family_of
from harness.kinds.load import load_experiment
from harness.kinds.stored import load
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import TWO_SIDED
from harness.runner.write import write_tables
from harness.screen.records import near_nominal_screen, ranking_screen
from harness.tables.answers import near_nominal, ranking
from harness.tables.wording import method_titles, short_title
from tests.study.experiments import DRAWN, ODD_LABEL, changed, in_memory, part

# The ranking follows from the summary, over all sizes.


COLUMNS = [
    *("family", "alpha", "rank", "method", "worst_alpha", "worst_n", "worst_from", "worst_to"),
    *("alpha_error", "rms_alpha_error", "relative_length"),
    *("least_length_guaranteed", "least_length_deterministic", "least_length_on_average"),
    *("efficiency_guaranteed", "efficiency_on_average", "below_share", "relative_score"),
]
METHODS = ["wald", "clopper_pearson", "minimal_length", "balanced_tail"]
# Means of a few ratios.
SUMMED = 1e-13
UNIFORM = {"uniform": [0, 1]}


@pytest.fixture(scope="module")
def results():
    changes = {"truth": {"uniform": [0, 1]}, "trials": None, "seed": None}
    return in_memory(DRAWN, methods=METHODS, engines=["enumeration"], **changes)


def without(results, name):
    """The ranking where one method was left out."""
    return ranking(results.summary.filter(pl.col("method") != name))


def test_methods_stand_from_best_to_worst_at_each_alpha(results):
    table = results.ranking
    assert table.columns == COLUMNS
    assert table["alpha"].to_list() == [0.3] * 4 + [0.05] * 4
    for _, rows in table.group_by("alpha"):
        assert rows["rank"].to_list() == [1, 2, 3, 4]
        assert rows["relative_score"].is_sorted()
        assert set(rows["method"]) == set(METHODS)
        # Quantiles under the truth's own prior minimise the expected score.
        assert rows["method"][0] == "balanced_tail"
        assert rows["relative_score"][0] == 1.0


def test_a_row_is_the_mean_over_the_sizes_of_the_summary(results):
    for row in results.ranking.iter_rows(named=True):
        same = {"alpha": row["alpha"], "method": row["method"]}
        rows = part(results.summary, engine="enumeration", **same)
        worst = rows["worst_alpha"].to_numpy()
        assert row["worst_alpha"] == worst.max()
        assert (row["worst_from"], row["worst_to"]) == (0, 1)
        assert row["worst_n"] == rows["n"][int(np.flatnonzero(worst == worst.max())[0])]
        assert row["alpha_error"] == pytest.approx(rows["alpha_error"].mean(), abs=1e-16)
        squares = rows["rms_alpha_error"].to_numpy() ** 2
        assert row["rms_alpha_error"] == pytest.approx(np.sqrt(squares.mean()), rel=SUMMED)
        yardstick = part(results.summary, method="minimal_length", alpha=row["alpha"])
        ratios = rows["mean_length"].to_numpy() / yardstick["mean_length"].to_numpy()
        assert row["relative_length"] == pytest.approx(ratios.mean(), rel=SUMMED)
        assert row["below_share"] == pytest.approx(0.5, abs=1e-12)


def test_lengths_are_relative_to_the_shortest_where_minimal_length_is_not_there(results):
    with_it, without_it = results.ranking, without(results, "minimal_length")
    assert with_it.filter(pl.col("relative_length") < 1)["method"].unique().to_list() == ["wald"]
    assert without_it["relative_length"].min() < 1.0 < without_it["relative_length"].max()


def test_an_interval_of_no_width_is_no_yardstick():
    """At n = 1 Wald intervals have no width at all."""
    few = in_memory(
        DRAWN, n=[1], methods=METHODS[:2], engines=["enumeration"], trials=None, seed=None
    )
    table = part(few.ranking, alpha=0.05).sort("method")
    assert table["relative_length"].to_list() == [1.0, 0.0]


def test_the_share_of_misses_below_tells_a_lopsided_method():
    """log(−log p) is not symmetric."""
    methods = ["cloglog", "wilson"]
    results = in_memory(
        DRAWN,
        methods=methods,
        truth={"uniform": [0, 1]},
        engines=["enumeration"],
        trials=None,
        seed=None,
    )
    share = dict(
        results.ranking.filter(pl.col("alpha") == 0.05).select("method", "below_share").rows()
    )
    assert share["wilson"] == pytest.approx(0.5, abs=1e-12)
    assert abs(share["cloglog"] - 0.5) > 0.05


def test_there_is_no_ranking_of_one_method_or_without_enumeration(results, drawn):
    alone = results.summary.filter(pl.col("method") == "wald")
    assert ranking(alone) is None
    assert ranking(drawn.summary.filter(pl.col("engine") != "enumeration")) is None
    one_sided = results.summary.with_columns(pl.lit("upper").alias("side"))
    assert ranking(one_sided) is None


def test_one_sided_intervals_are_not_ranked(drawn):
    assert "clopper_pearson upper" in set(drawn.summary["method"])
    assert "clopper_pearson upper" not in set(drawn.ranking["method"])


def test_what_is_not_known_at_every_size_is_empty_and_ranked_last(results):
    gone = (pl.col("method") == "balanced_tail") & (pl.col("n") == 5)
    names = ["interval_score", "worst_alpha", "rms_alpha_error"]
    holes = results.summary.with_columns(
        pl.when(~gone).then(pl.col(name)).alias(name) for name in names
    )
    table = part(ranking(holes), alpha=0.05)
    last = table.row(-1, named=True)
    assert last["method"] == "balanced_tail"
    for name in ("rank", "worst_alpha", "worst_n", "worst_from", "worst_to", "rms_alpha_error"):
        assert last[name] is None
    assert last["relative_score"] is None
    assert last["relative_length"] is not None
    assert table["rank"].to_list() == [1, 2, 3, None]


def test_two_samples_are_ranked_over_listed_truths():
    results = in_memory(
        {
            "name": "small/pairs",
            "title": "Pairs",
            "family": "proportion_difference",
            "n1": [4, 6],
            "n2": [5, 3],
            "alpha": 0.05,
            "methods": ["wald", "newcombe"],
            "truth": {"first": {"values": [0.1, 0.5]}, "second": {"values": [0.3, 0.9]}},
            "engines": ["enumeration"],
        }
    )
    table = results.ranking
    assert {"worst_n1", "worst_n2"} < set(table.columns)
    title, _ = screen(table, {"first": UNIFORM, "second": {"beta": [2, 8]}})
    assert title.endswith("; worst over p1 in 0.1 … 0.5, p2 in 0.3 … 0.9")
    assert table["method"].to_list() == ["newcombe", "wald"]
    assert table["relative_score"][0] == 1.0


def test_the_file_holds_the_ranking_of_the_summary_beside_it(drawn, tmp_path):
    stored = pl.read_csv(drawn.path / "ranking.csv", schema=drawn.ranking.schema)
    assert_frame_equal(stored, drawn.ranking, check_exact=True)
    write_tables(load(drawn.path), tmp_path)
    assert (tmp_path / "ranking.csv").read_bytes() == (drawn.path / "ranking.csv").read_bytes()


def screen(table, truth=UNIFORM):
    """Title and cells, column by column."""
    shown = ranking_screen(table, truth)
    return str(shown.title), {str(each.header): list(each.cells) for each in shown.columns}


def test_the_screen_shows_the_ranking_and_what_it_is_ordered_by(results):
    title, columns = screen(part(results.ranking, alpha=0.05))
    assert "ranked by interval score" in title
    assert "worst over p in 0 … 1" in title
    assert columns["method"][0] == "balanced_tail"
    assert "alpha" not in columns
    assert columns["score"][0] == "1.0000"
    assert columns["below"] == ["50 %"] * 4


def test_the_screen_shows_coverage_in_per_cent(results):
    table = part(results.ranking, alpha=0.05)
    _, columns = screen(table)
    assert columns["average"][0] == "95.00"
    assert columns["worst case"] == [f"{100 * (1 - each):.2f}" for each in table["worst_alpha"]]


def test_a_long_ranking_of_several_alphas_is_cut_and_says_so(results):
    rows = [
        results.ranking.with_columns(pl.col("method") + str(copy), pl.col("rank") + 4 * copy)
        for copy in range(6)
    ]
    title, columns = screen(pl.concat(rows))
    assert "ranking.csv" in title
    assert len(columns["method"]) == 20
    assert set(columns["alpha"]) == {"0.3", "0.05"}


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ({"uniform": [0.85, 0.99]}, "p uniform on 0.85 … 0.99, whose equal-tailed posterior"),
        ({"beta": [2, 8]}, "p from Beta(2, 8), whose equal-tailed posterior"),
        ({"values": [0.1, 0.5]}, "2 values of p in 0.1 … 0.5."),
        ({"values": [0.5]}, "p = 0.5."),
        ({"grid": {"start": 0.1, "stop": 0.9, "count": 9}}, "9 values of p in 0.1 … 0.9."),
    ],
)
def test_the_caption_names_the_truth_of_the_mean_and_says_what_below_is(results, truth, words):
    caption = str(ranking_screen(results.ranking, truth).caption)
    assert f"lower is better; mean over {words}" in caption
    assert caption.endswith(
        "below: the share of the misses in which the true value lies below the interval."
    )


def test_under_another_truth_equal_tails_under_the_flat_prior_are_not_first():
    """Quantiles minimise the score under their own prior, here Beta(2, 8), and under no other."""
    own = {"name": "balanced_tail", "prior": [2, 8], "label": "own"}
    flat = ["minimal_length", "wilson", "scas", "cloglog", "second_order", "balanced_tail"]
    beta = {"truth": {"beta": [2, 8]}, "trials": None, "seed": None, "engines": ["enumeration"]}
    table = part(in_memory(DRAWN, methods=[own, *flat], n=[10, 50], **beta).ranking, alpha=0.05)
    order = table["method"].to_list()
    assert order[0] == "own"
    assert table["relative_score"][0] == 1.0
    assert order.index("balanced_tail") >= 5


# From which size on coverage is near nominal, of cells made by hand.


SIZES = (20, 50, 100)


def cells(*columns, sizes=SIZES, alpha=0.05, family="clustered_proportion"):
    """Cells at given truths, of (method, rho, actual alphas) over the sizes."""
    rows = [
        {
            "family": family,
            "method": method,
            "side": "two-sided",
            "alpha": alpha,
            "clusters": clusters,
            "size": 10,
            "engine": "monte_carlo",
            "given": "truth",
            "truth": 0.8,
            "rho": rho,
            "actual_alpha": actual,
            "std_error": clusters / 1e5,
        }
        for method, rho, actuals in columns
        for clusters, actual in zip(sizes, actuals, strict=True)
    ]
    return pl.DataFrame(rows)


def near_from(*actuals, **settings):
    (found,) = near_nominal(cells(("wilson", 0.1, actuals), **settings))["near_from"]
    return found


@pytest.mark.parametrize(
    ("actuals", "expected"),
    [
        ((0.05, 0.05, 0.05), 20),
        ((0.061, 0.05, 0.05), 50),
        ((0.061, 0.06, 0.04), 50),
        ((0.05, 0.05, 0.0601), None),
        # Near by chance at the smallest, and from the largest on.
        ((0.05, 0.03, 0.055), 100),
        ((0.05, None, 0.055), 100),
    ],
)
def test_it_is_the_size_from_which_on_all_are_within_a_fifth_of_alpha(actuals, expected):
    assert near_from(*actuals) == expected


def test_the_part_is_of_alpha():
    assert near_from(0.13, 0.12, 0.08, alpha=0.1) == 50


def test_sizes_in_any_order_are_ordered():
    table = cells(("wilson", 0.1, (0.07, 0.05, 0.05)))
    assert near_nominal(table.reverse())["near_from"].to_list() == [50]


def test_a_row_has_the_coverage_there_and_at_the_largest_size():
    never = "scas", 0.1, (0.0, 0.0, 0.0)
    table = near_nominal(cells(("wilson", 0.1, (0.07, 0.045, 0.052)), never))
    assert table.height == 2
    first, second = table.rows(named=True)
    assert first["within"] == pytest.approx(0.01)
    assert (first["near_from"], first["largest"]) == (50, 100)
    assert first["coverage"] == pytest.approx(0.955)
    assert first["std_error"] == 50 / 1e5
    assert first["largest_coverage"] == pytest.approx(0.948)
    assert first["largest_std_error"] == 100 / 1e5
    assert [second[name] for name in ("near_from", "coverage", "std_error")] == [None] * 3
    assert second["largest_coverage"] == 1.0


def test_each_true_value_and_second_size_has_a_row():
    table = pl.concat(
        [
            cells(("wilson", 0.0, (0.05, 0.05, 0.05)), ("wilson", 0.5, (0.3, 0.3, 0.3))),
            cells(("wilson", 0.0, (0.07, 0.05, 0.05))).with_columns(size=pl.lit(5, pl.Int64)),
        ]
    )
    found = near_nominal(table).select("size", "rho", "near_from")
    assert found.rows() == [(10, 0.0, 20), (10, 0.5, None), (5, 0.0, 50)]


def test_it_is_none_for_one_size_and_for_numbered_outcomes():
    assert near_nominal(cells(("wilson", 0.1, (0.05,)), sizes=(20,))) is None
    assert in_memory(DRAWN, methods=["wald", "wilson"]).near_nominal is None


def test_the_screen_has_a_column_for_each_true_value():
    table = near_nominal(
        cells(("wilson", 0.0, (0.05, 0.05, 0.05)), ("wilson", 0.5, (0.3, 0.3, 0.3)))
    )
    console = Console(width=120, no_color=True)
    with console.capture() as printed:
        console.print(near_nominal_screen(table))
    lines = printed.get().splitlines()
    text = " ".join(printed.get().split())
    assert text.startswith("The clusters from which on coverage is within alpha/5 of nominal")
    assert any(line.split() == ["method", "rho", "=", "0", "rho", "=", "0.5"] for line in lines)
    assert any(line.split() == ["wilson", "20", "–"] for line in lines)


# What readers call a method: the label that the user gave, or the title in the catalogue.


def titles(*methods: Any) -> list[str]:
    """The titles of methods as a config writes them."""
    experiment = load_experiment(changed(DRAWN, methods=list(methods), figures=None))
    return list(method_titles({"experiment": experiment.document}).values())


def test_a_method_has_the_title_of_the_catalogue_and_a_label_is_its_own_title() -> None:
    assert titles("wilson", {"name": "wald", "label": ODD_LABEL}) == ["Wilson score", ODD_LABEL]


def test_every_name_of_the_catalogue_gives_the_beginning_of_its_title() -> None:
    for family, methods in CATALOGUE.items():
        written = [
            {"name": name, "side": TWO_SIDED, "label": name, "prior": method.default_prior}
            for name, method in methods.items()
        ]
        found = method_titles({"experiment": {"family": family, "methods": written}})
        assert len(set(found.values())) == len(methods)
        for name, method in methods.items():
            assert method.title == found[name] or method.title.startswith(f"{found[name]}, ")


def test_an_alias_gives_the_title_of_its_method() -> None:
    known = CATALOGUE["proportion"].values()
    alias, name = next((each.aliases[0], each.name) for each in known if each.aliases)
    assert titles(alias) == [short_title(family_of("proportion"), name)]


def test_a_side_and_a_prior_that_the_config_gives_are_part_of_the_title() -> None:
    upper = {"name": "clopper_pearson", "side": "upper"}
    prior = {"name": "balanced_tail", "prior": [0.5, 2]}
    assert titles(upper, prior, "balanced_tail") == [
        "Clopper-Pearson (upper limit)",
        "Bayesian balanced tails, prior Beta(0.5, 2)",
        "Bayesian balanced tails",
    ]


def test_two_methods_never_have_the_same_title() -> None:
    same = "Wilson score"
    assert titles("wilson", {"name": "wald", "label": same}) == [f"{same} (wilson)", same]


def test_a_calibration_has_no_methods() -> None:
    assert method_titles({"experiment": {"family": "proportion_difference"}}) == {}
