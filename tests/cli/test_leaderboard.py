"""``leaderboard``: systems on the same cases, and the intervals of all their differences."""

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import harness
from harness.base.errors import InputError
from harness.one.answers import PAIRS_METHOD, ranks_left_open

ROOT = Path(__file__).parents[2]
RIGHT = {
    "c": [0, 1] * 50,
    "a": [1] * 90 + [0] * 10,
    "b": [1] * 60 + [0] * 40,
}
ALL = ["--correct", "a", "--correct", "b", "--correct", "c"]


@pytest.fixture
def rows(run_command):
    pl.DataFrame({"id": range(100), "doc": [i // 5 for i in range(100)], **RIGHT}).write_csv(
        "results.csv"
    )
    return ["--rows", "results.csv", *ALL]


def test_each_system_has_the_interval_of_a_proportion_at_its_own_level():
    for each in harness.leaderboard(RIGHT, alpha=0.1).systems:
        alone = harness.interval("proportion", x=sum(RIGHT[each.system]), n=100, alpha=0.1)
        assert (each.lower, each.upper) == (alone.lower, alone.upper)


def test_the_best_system_stands_first():
    assert [each.system for each in harness.leaderboard(RIGHT).systems] == ["a", "b", "c"]


def test_each_difference_has_the_interval_of_pairs_at_its_share_of_alpha():
    found = harness.leaderboard(RIGHT, joint=0.94).differences
    assert [(each.first, each.second) for each in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for each in found:
        first, second = (np.array(RIGHT[name], bool) for name in (each.first, each.second))
        alone = harness.interval(
            "paired_difference",
            both=(first & second).sum(),
            first_only=(first & ~second).sum(),
            second_only=(second & ~first).sum(),
            neither=(~first & ~second).sum(),
            method="scas",
            alpha=0.02,
        )
        assert (each.alpha, each.method) == (0.02, alone.method)
        assert (each.lower, each.upper) == (alone.lower, alone.upper)
        assert each.told_apart == (alone.lower > 0 or alone.upper < 0)


@pytest.mark.parametrize(
    ("method", "least", "most"), [(PAIRS_METHOD, 0.0, 1.05), ("balanced_width", 2.3, 2.4)]
)
def test_how_often_equal_systems_are_told_apart(method, least, most):
    """Exactly, over all counts of 50 cases, at the alpha of one of 45 pairs, as a share of it.

    Of D discordant cases, D ~ Binomial(n, 2p) for p = p10 = p01, the first system has
    Binomial(D, 1/2) right. Limits depend on the discordant counts and n alone.
    """
    n, alpha = 50, 0.05 / 45
    first, second = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    discordant = first + second
    found = harness.interval(
        "paired_difference",
        method,
        alpha=alpha,
        both=n - discordant,
        first_only=first,
        second_only=second,
        neither=np.zeros_like(first),
    )
    told_apart = (found.lower > 0) | (found.upper < 0)
    p = np.linspace(0.005, 0.5, 100)[:, None]
    probability = binom.pmf(discordant, n, 2 * p) * binom.pmf(first, discordant, 0.5)
    worst = (probability[:, told_apart].sum(1) / alpha).max()
    assert least < worst < most


def test_told_apart_is_said_and_needs_more_the_more_pairs_there_are():
    cases = {"a": [1] * 60 + [0] * 40, "b": [1] * 54 + [0] * 46}
    assert harness.leaderboard(cases).differences[0].told_apart
    copies = {**cases, **{f"b{i}": cases["b"] for i in range(20)}}
    found = harness.leaderboard(copies)
    assert not any(each.told_apart for each in found.differences)
    assert f"not told apart: {22 * 21 // 2} of {22 * 21 // 2} pairs" in found.remarks[-2]


def test_bonferroni_holds_all_differences_together_in_draws():
    # Six systems of one accuracy: an error is a pair that is told apart. In 60 experiments with
    # an error probability of at most 0.1, 15 errors or more have probability 0.0007.
    rng = np.random.default_rng(5)
    errors = 0
    for _ in range(60):
        shared = rng.random(150) < 0.5
        cases = {
            f"s{i}": np.where(rng.random(150) < 0.4, shared, rng.random(150) < 0.5)
            for i in range(6)
        }
        errors += any(each.told_apart for each in harness.leaderboard(cases, joint=0.9).differences)
    assert 0 < errors < 15


def test_clusters_give_the_systems_their_intervals_and_differences_of_clusters():
    doc = [i // 5 for i in range(100)]
    board = harness.leaderboard({**RIGHT, "doc": doc}, cluster="doc", joint=0.94)
    counts = np.reshape(RIGHT["b"], (20, 5)).sum(1)
    alone = harness.interval("clustered_proportion", x=counts, n=[5] * 20)
    second = board.systems[1]
    assert (second.system, second.lower, second.upper) == ("b", alone.lower, alone.upper)
    for pair in board.differences:
        columns = {"first": RIGHT[pair.first], "second": RIGHT[pair.second]}
        alone = harness.interval("clustered_difference", **columns, cluster=doc, alpha=0.02)
        assert (pair.lower, pair.upper) == pytest.approx((alone.lower, alone.upper), rel=1e-13)
        assert (pair.first_only, pair.method) == (None, alone.method)


def test_systems_are_not_told_apart_by_a_difference_that_is_the_same_in_too_few_clusters():
    # Of systems that are right in half of the cases, both of two clusters of one case differ in
    # this way with probability 1/8, and all six of six with 2/4^6.
    for clusters, told_apart in ((2, False), (5, False), (6, True)):
        cases = {"a": [1] * clusters, "b": [0] * clusters, "doc": list(range(clusters))}
        board = harness.leaderboard(cases, correct=["a", "b"], cluster="doc")
        assert [pair.told_apart for pair in board.differences] == [told_apart]
        assert [system.rank_low for system in board.systems] == ([1, 2] if told_apart else [1, 1])
        assert any("same in all" in remark for remark in board.remarks) != told_apart


def test_equal_differences_are_seen_where_sums_are_rounded():
    scores = {"a": [0.3, 0.7, 0.9], "b": [0.2, 0.6, 0.8], "doc": ["x", "y", "z"]}
    (pair,) = harness.leaderboard(scores, score=["a", "b"], cluster="doc").differences
    assert (pair.lower, pair.upper) == (-np.inf, np.inf)
    assert not pair.told_apart


@pytest.mark.parametrize("kind", ["correct", "score"])
def test_differences_of_0_and_1_stay_between_minus_1_and_1(kind):
    cases = {"a": [1, 1, 1, 0], "b": [0] * 4, "doc": list("xyzu")}
    board = harness.leaderboard(cases, **{kind: ["a", "b"]}, cluster="doc")
    (pair,) = board.differences
    direct = harness.interval(
        "clustered_difference", first=cases["a"], second=cases["b"], cluster=cases["doc"]
    )
    assert (pair.lower, pair.upper) == (direct.lower, direct.upper)
    assert -1 < pair.lower < 0 < pair.upper == 1.0


def test_differences_of_scores_are_not_cut():
    cases = {"first": [1, 1, 1, 0], "second": [0, 0, 0, 0.001], "cluster": list("xyzu")}
    assert harness.interval("clustered_difference", **cases).upper > 1.5


def test_a_system_whose_clusters_have_one_mean_has_no_limits():
    scores = {"a": [0.9] * 6, "b": [0.2, 0.6, 0.8, 0.7, 0.1, 0.4], "doc": list("xyzuvw")}
    board = harness.leaderboard(scores, score=["a", "b"], cluster="doc")
    first = board.systems[0]
    assert (first.system, first.lower, first.upper) == ("a", -np.inf, np.inf)
    assert "without limits: a, of which all clusters have one mean" in board.remarks


def test_scores_without_clusters_have_the_t_intervals_of_pairs():
    scores = np.random.default_rng(8).normal([0, 1, 1], 1, (40, 3)).T
    frame = pl.DataFrame(dict(zip("abc", scores, strict=True)))
    board = harness.leaderboard(frame, score=["a", "b", "c"])
    for system in board.systems:
        alone = harness.interval("mean", "student_t", values=frame[system.system])
        assert (system.lower, system.upper) == pytest.approx((alone.lower, alone.upper), rel=1e-12)
        assert (system.x, system.n) == (None, 40)
    for pair in board.differences:
        values = frame[pair.first] - frame[pair.second]
        alone = harness.interval("mean", "student_t", values=values, alpha=0.05 / 3)
        assert (pair.lower, pair.upper) == pytest.approx((alone.lower, alone.upper), rel=1e-12)
    assert "x" not in repr(board).split("\n")[1].split()


def long_answers():
    """Two systems, three items in each of six documents, two or three samples of an item."""
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        [
            {"model": model, "item": item, "doc": item // 3, "ok": int(rng.random() < p)}
            for model, p, samples in (("a", 0.8, 3), ("b", 0.6, 2))
            for item in range(18)
            for _ in range(samples)
        ]
    )


@pytest.mark.parametrize("cluster", ["item", "doc"])
@pytest.mark.parametrize("kind", ["correct", "score"])
def test_samples_of_an_item_count_by_their_mean_in_differences(kind, cluster):
    frame = long_answers()
    names = {"key": "item", "by": "model", "cluster": cluster, kind: "ok"}
    board = harness.leaderboard(frame, **names)
    means = frame.group_by("model", "item", maintain_order=True).agg(
        pl.col("ok").mean(), pl.col("doc").first()
    )
    a, b = (means.filter(model=model).sort("item") for model in "ab")
    sign = 1 if board.systems[0].system == "a" else -1
    (pair,) = board.differences
    alone = harness.interval(
        "clustered_difference", first=a["ok"], second=b["ok"], cluster=a[cluster]
    )
    limits = sorted([sign * alone.lower, sign * alone.upper])
    assert [pair.lower, pair.upper] == pytest.approx(limits, rel=1e-12)
    assert {system.n for system in board.systems} == {54, 36}


def test_an_item_in_two_clusters_is_refused():
    frame = long_answers().with_columns(doc=pl.Series([0] * 89 + [1]))
    with pytest.raises(
        InputError, match=r"should belong to one cluster, found 17 in [01] and [01]"
    ):
        harness.leaderboard(frame, "ok", key="item", by="model", cluster="doc")


def by_p_values(p, alpha):
    """Holm's procedure as it is stated, with sorted p-values: which are rejected."""
    order = np.argsort(p, kind="stable")
    keeps = p[order] <= alpha / np.arange(p.size, 0, -1)
    count = p.size if keeps.all() else int(np.argmin(keeps))
    rejected = np.zeros(p.size, bool)
    rejected[order[:count]] = True
    return rejected


@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_those_of_sorted_p_values(seed):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.3, 3, (6, 6))
    first, last = ranks_left_open(6, lambda i, j, alpha: p[i, j] <= alpha, 0.2)
    i, j = np.nonzero(~np.eye(6, dtype=bool))
    better = np.zeros((6, 6), int)
    better[i, j] = by_p_values(p[i, j], 0.2)
    assert first.tolist() == (1 + better.sum(axis=0)).tolist()
    assert last.tolist() == (6 - better.sum(axis=1)).tolist()


def test_ranks_agree_with_one_sided_intervals_of_each_pair():
    board = harness.leaderboard(RIGHT)
    assert [(each.system, each.rank_low, each.rank_high) for each in board.systems] == [
        ("a", 1, 1),
        ("b", 2, 3),
        ("c", 2, 3),
    ]
    # Of six hypotheses two are rejected at 0.05/6; "b is not better than c" is then tested at
    # 0.05/4, where a single pair would be told apart.
    only = {"first_only": 30, "second_only": 20, "both": 30, "neither": 20}
    alone = harness.interval("paired_difference", "scas", side="lower", alpha=0.05 / 4, **only)
    assert alone.lower < 0
    assert board.remarks[-1].endswith("95 % (Holm): a 1, b 2..3 and c 2..3")


def test_the_frame_has_a_row_for_each_system_and_each_difference():
    frame = harness.leaderboard(RIGHT).to_frame()
    assert frame["system"].to_list() == ["a", "b", "c", None, None, None]
    assert frame["second"].to_list() == [None, None, None, "b", "c", "c"]


def test_the_record_is_frozen():
    with pytest.raises(FrozenInstanceError):
        harness.leaderboard(RIGHT).joint = 0.5


def test_files_that_are_joined_give_what_one_file_gives(run_command, rows):
    for name, right in RIGHT.items():
        lines = [json.dumps({"id": i, "acc": float(each)}) for i, each in enumerate(right)]
        Path(f"{name}.jsonl").write_text("\n".join(lines[::-1]))
    files = [word for name in RIGHT for word in ("--rows", f"{name}.jsonl")]
    several = run_command(
        "leaderboard", *files, "--key", "id", "--correct", "acc", "--format", "csv"
    )
    one = run_command("leaderboard", *rows, "--format", "csv")
    assert several.out.replace(":acc", "") == one.out


def test_the_answer_says_what_the_levels_mean(run_command, rows):
    result = run_command("leaderboard", *rows, "--joint", "94%", "--level", "90%")
    assert "each system has an interval at its own level of 90 %" in result.words
    two = run_command("leaderboard", *rows[:6])
    assert "the only difference has the level 95 %" in two.words
    assert "all 3 differences hold together with 94 %: each has the level 98 %" in result.words
    assert "whatever the dependence between them" in result.words
    assert "remark: told apart: 2 of 3 pairs: a from b and a from c" in result.words


def test_json_has_all_of_the_record(run_command, rows):
    found = json.loads(run_command("leaderboard", *rows, "--format", "json").out)
    assert list(found) == ["systems", "differences", "joint", "remarks"]
    assert found["differences"][2]["told_apart"] is False


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_the_figure_is_the_same_bytes_each_time(run_command, rows, ending):
    drawn = []
    for name in ("first", "second"):
        assert run_command("leaderboard", *rows, "--figure", f"{name}.{ending}").code == 0
        drawn.append(Path(f"{name}.{ending}").read_bytes())
    assert drawn[0] == drawn[1]


def test_the_figure_names_the_systems_from_the_top_down(run_command, rows):
    run_command("leaderboard", *rows, "--figure", "f.svg")
    text = Path("f.svg").read_text()
    places = [text.index(f"<!-- {name} -->") for name in "abc"]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (5, "cases should be the path of a file, a data frame or a mapping of columns, found 5"),
        (
            {"a": [1, 2], "b": [0, 1]},
            "or true or false, in a, found '2'; .*correct, key and by",
        ),
        ({"a": [1], "b": [0, 1]}, "columns of one length, found that a has 1 and b has 2"),
        ({"a": [1]}, "needs cases of at least two systems, found systems: 1"),
        ({"a": [], "b": []}, "cases should have a row for each case, found none"),
    ],
)
def test_wrong_cases_are_refused(cases, said):
    with pytest.raises(InputError, match=said):
        harness.leaderboard(cases)


def test_the_ranks_of_all_systems_are_among_theirs_as_often_as_stated():
    stored = harness.load(ROOT / "results/simulations/ranks").summary
    coverage = stored.filter(measure="coverage")
    holm, order = (coverage.filter(method=name)["estimate"] for name in ("Holm", "order"))
    assert len(holm) == 6
    assert holm.min() > 0.95
    assert order.min() == 0
