"""One rule says which method to use: in results, defaults, lists and pages alike."""

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

import harness
from harness.commands.interval import interval as interval_command
from harness.families.catalogue import FAMILIES, family_of
from harness.findings.choice import candidates_of, choice
from harness.findings.conclusion import advice
from harness.findings.judgements import judgements
from harness.kinds.choice.tables import LEAST_BAD
from harness.kinds.choice.tables import USE as TAKEN
from harness.methods.catalogue import CATALOGUE, default_method
from harness.methods.catalogue.recommended import OF_ANOTHER_BETA, RECOMMENDED
from harness.methods.listing import NEVER_ABOVE, USE, better_methods, listing
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from harness.tables.wording import percent

ROOT = Path(harness.__file__).parents[1]
LISTS = {
    "mean",
    "auc",
    "auc_difference",
    "clustered_proportion",
    "clustered_mean",
    "clustered_difference",
    "stratified_difference",
}
"""Families whose truths are lists, which a single config crosses."""
OTHER_BETAS = {"f_half", "f_2"}
CONFIGS = sorted((ROOT / "configs/recommendation").glob("*.yaml"))


@cache
def summary(stem: str, side: str = TWO_SIDED) -> pl.DataFrame:
    """The methods of one side at alpha 0.05 in the order of the rule."""
    table = pl.read_csv(ROOT / f"results/recommendation/{stem}/summary.csv")
    return table.filter(pl.col("side") == side, pl.col("alpha") == 0.05)


def row_of(stem: str, method: str) -> dict[str, Any]:
    return summary(stem).filter(pl.col("method") == method).row(0, named=True)


def first(table: pl.DataFrame, *recommended: str) -> dict[str, Any] | None:
    found = table.filter(pl.col("recommended").is_in(recommended))
    return found.row(0, named=True) if found.height else None


def test_every_family_has_a_recommendation() -> None:
    assert list(RECOMMENDED) == list(CATALOGUE)
    families = {yaml.safe_load(path.read_text("utf-8"))["family"] for path in CONFIGS}
    assert families == set(RECOMMENDED)


@pytest.mark.parametrize("path", CONFIGS, ids=[path.stem for path in CONFIGS])
def test_what_is_recommended_is_what_the_rule_takes_in_the_results(path: Path) -> None:
    family = yaml.safe_load(path.read_text("utf-8"))["family"]
    known, table = RECOMMENDED[family], summary(path.stem)
    if path.stem in OTHER_BETAS:
        known = OF_ANOTHER_BETA
    use, never = first(table, TAKEN, LEAST_BAD), table.filter(pl.col("is_proven"))
    assert use is not None
    assert known.use == use["method"]
    assert bool(known.reason) == (use["recommended"] == LEAST_BAD)
    shortest = never.sort("relative_length")["method"].to_list()
    assert known.never_above == (shortest[0] if shortest else None)
    for side, name in ((LOWER, known.lower), (UPPER, known.upper)):
        one_sided = first(summary(path.stem, side), TAKEN, LEAST_BAD)
        assert one_sided is None or name == one_sided["method"].partition(" ")[0]


A_POINT = {"judged_share": {"lang_reiczigel"}}
"""Methods that may be a point, beside a form of them that the rule chooses among and that is not:
both have the same lengths and worst cases but for rounding."""


@pytest.mark.parametrize("path", CONFIGS, ids=[path.stem for path in CONFIGS])
def test_the_rule_chooses_among_all_methods_and_under_several_truths(path: Path) -> None:
    config = yaml.safe_load(path.read_text("utf-8"))
    if path.stem in A_POINT:
        for side in (TWO_SIDED, LOWER, UPPER):
            compared = set(summary(path.stem, side)["method"].str.split(" ").list.first())
            assert compared == set(CATALOGUE[path.stem]) - A_POINT[path.stem]
    else:
        assert "methods" not in config
    assert config.get("allow", {}) == {}
    assert len(config["truths"]) >= 3 or config["family"] in LISTS


def test_a_promise_holds_for_outcomes_of_the_family_alone() -> None:
    config = {
        "name": "promise",
        "family": "proportion",
        "n": 20,
        "methods": ["clopper_pearson", "wilson"],
        "truth": {"values": [0.5]},
        "engines": ["enumeration"],
        "figures": [],
    }
    stopped = {
        "stopping": {"boundaries": [{"n": 10, "at_most": 1}]},
        "methods": ["clopper_pearson", "stagewise"],
    }
    for beside, promising in (
        ({}, {"clopper_pearson"}),
        ({"sampling": {"clusters": {"size": 5, "rho": 0.2}}}, set()),
        (stopped, {"stagewise"}),
    ):
        (judged,) = judgements(harness.run({**config, **beside}, out=None))
        assert {each.method for each in judged.methods if each.promises} == promising


def test_the_rule_by_hand() -> None:
    config = {
        "name": "rule",
        "family": "proportion",
        "n": [10, 100],
        "methods": [
            "wald", "wilson", "jeffreys", "clopper_pearson", "blaker", "minimal_length",
        ],
        "truth": {"uniform": [0, 1]},
        "engines": ["enumeration"],
        "figures": [],
    }  # fmt: skip
    results = harness.run(config, out=None)
    (judged,) = judgements(results)
    found = choice(candidates_of(judged))
    lengths, right, safe = {}, [], []
    for name in config["methods"]:
        rows = results.summary.filter(method=name, engine="enumeration")
        lengths[name] = float(np.sqrt(rows["mean_length"].product()))
        worst = rows["worst_alpha"].max()
        if rows["actual_alpha"].max() <= 1.1 * 0.05 and worst <= 2.5 * 0.05:
            right.append(name)
        if worst <= 0.05 + 1e-9:
            safe.append(name)
    assert found.use is not None
    assert found.use.method == min(right, key=lengths.__getitem__) == "minimal_length"
    assert safe == ["clopper_pearson", "blaker"]
    assert found.never_above is not None
    assert found.never_above.method == min(safe, key=lengths.__getitem__) == "blaker"
    longer = percent(lengths["blaker"] / lengths["minimal_length"] - 1, 2)
    assert list(advice([judged])) == [
        "Use minimal_length: it covers 95 % on average, 88.9 % at worst. Where coverage must never "
        f"be below 95 %, use blaker, whose intervals are {longer} longer."
    ]


# Relative lengths, worst and least mean coverages, computed apart from this package.
@pytest.mark.parametrize(
    ("method", "length", "worst"),
    [
        ("minimal_length", 0.8902, 0.8888),
        ("jeffreys", 0.8905, 0.8681),
        ("arcsine", 0.9075, None),
        ("scas", 0.9093, 0.9013),
        ("jeffreys_modified", 0.9196, None),
        ("mid_p", 0.9234, None),
        ("wilson", 0.9212, 0.8350),
    ],
)
def test_numbers_of_one_proportion(method: str, length: float, worst: float | None) -> None:
    table = pl.read_csv(ROOT / "results/recommendation/proportion/truths.csv")
    table = table.filter(pl.col("alpha") == 0.05, pl.col("side") == TWO_SIDED)
    own, unit = (table.filter(pl.col("method") == each) for each in (method, "clopper_pearson"))
    assert (own["loss"] / unit["loss"]).mean() == pytest.approx(length, abs=6e-5)
    if worst is not None:
        assert 1 - own["worst_alpha"].max() == pytest.approx(worst, abs=6e-5)
    if method == "minimal_length":
        assert 1 - own["actual_alpha"].max() == pytest.approx(0.9491, abs=6e-5)


def test_balanced_tail_covers_too_little_under_a_truth_that_is_not_its_prior() -> None:
    table = pl.read_csv(ROOT / "results/recommendation/proportion/truths.csv")
    own = table.filter(
        pl.col("method") == "balanced_tail", pl.col("alpha") == 0.05, pl.col("truth") == "edges"
    )
    assert 1 - own["actual_alpha"].max() == pytest.approx(0.8903, abs=6e-5)


@pytest.mark.parametrize("family", RECOMMENDED)
def test_defaults_and_lists_begin_with_what_is_recommended(family: str) -> None:
    known = RECOMMENDED[family]
    assert default_method(family_of(family), TWO_SIDED).name == known.use
    first = [(each["name"], each["recommended"]) for each in listing(family)]
    assert first[0] == (known.use, USE)
    if known.never_above not in (None, known.use):
        assert first[1] == (known.never_above, NEVER_ABOVE)
    assert {each for _, each in first[2:]} <= {"none"}
    other = next(each for each in CATALOGUE[family].values() if each.name != known.use)
    assert next(better_methods(other, family_of(family), TWO_SIDED)).name == known.use


@pytest.mark.parametrize("family", RECOMMENDED)
def test_each_side_has_a_default_and_with_a_prior_that_of_the_posterior(family: str) -> None:
    known = RECOMMENDED[family]
    for side, name in ((TWO_SIDED, known.use), (LOWER, known.lower), (UPPER, known.upper)):
        if name:
            assert default_method(family_of(family), side).name == name
        method = default_method(family_of(family), side, has_prior=True)
        assert side in method.sides
        if "minimal_length" in CATALOGUE[family]:
            assert method.name == ("minimal_length" if side == TWO_SIDED else "one_sided")


def test_help_and_docstring_name_no_default_that_may_change() -> None:
    help_of_method = inspect.signature(interval_command).parameters["method"].annotation
    about = inspect.getdoc(harness.interval).partition("method: ")[2].partition("alpha: ")[0]
    for text in (str(help_of_method), about):
        named = set(re.findall(r"[a-z]+_[a-z_]+", text)) & {
            name for methods in CATALOGUE.values() for name in methods
        }
        assert not named


def test_what_pages_and_docstrings_call_the_default_is_one() -> None:
    uses = {known.use for known in RECOMMENDED.values()}
    texts = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for path in (*texts, *(ROOT / "harness").rglob("*.py")):
        called = re.findall(r"`+(\w+)`+, the default\b", path.read_text("utf-8"))
        called += re.findall(r"\bTake `+(\w+)`+", path.read_text("utf-8"))
        assert set(called) <= uses, path


def test_the_page_has_the_methods_and_numbers_of_the_results() -> None:
    page = (ROOT / "docs/which_interval.md").read_text("utf-8")
    section = page.partition("## The rule\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in re.findall(r"^\| `.*$", section, re.M)]
    rows = [(name, *rest) for names, *rest in lines for name in re.findall(r"`(\w+)`", names)]
    assert [name for name, *_ in rows] == list(RECOMMENDED)
    for name, use, covers, lowest, over, never in rows:
        known = RECOMMENDED[name]
        row = row_of(name, known.use)
        assert use == f"`{known.use}`"
        low, high = (percent(1 - row[key]) for key in ("mean_alpha", "least_mean_alpha"))
        span = low if low == high else f"{low.removesuffix(' %')} to {high}"
        assert f"{covers} %" == span
        assert f"{lowest} %" == percent(1 - row["worst_alpha"])
        assert over == row["worst_over"]
        assert never == (f"`{known.never_above}`" if known.never_above else "none proven")


def test_what_a_search_or_trials_found_is_no_proof() -> None:
    for stem in (path.stem for path in CONFIGS):
        table = summary(stem).filter(pl.col("is_proven"))
        for row in table.iter_rows(named=True):
            known = CATALOGUE[row["family"]][row["method"]]
            assert row["worst_known_by"] == "exact" or known.promise == "at-least"


def test_the_readme_names_the_recommended_methods() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").partition("## Use this\n")[2]
    table = [row.split(" | ")[1].strip("`") for row in re.findall(r"^\| .*`.*$", readme, re.M)]
    families = (
        "proportion", "proportion_difference", "paired_difference", "mean", "clustered_proportion",
        "f_score", "judged_share",
    )  # fmt: skip
    assert table[:7] == [RECOMMENDED[each].use for each in families]
    assert f"`{RECOMMENDED['proportion'].never_above}`" in readme.partition("\n## ")[0]
    assert set(RECOMMENDED) == set(FAMILIES)
