"""One rule says which method to use: in results, defaults, lists and pages alike."""

import inspect
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

import harness
from harness.commands.interval import interval as interval_command
from harness.families.catalogue import FAMILIES, family_of
from harness.findings.conclusion import advice, mean_coverages
from harness.findings.judgements import WITHIN, Choice, choice, judgements
from harness.findings.numbers import percent
from harness.kinds.stored import load_tables
from harness.methods.catalogue import CATALOGUE, default_method, methods_for
from harness.methods.catalogue.recommended import RECOMMENDED
from harness.methods.listing import NEVER_ABOVE, USE, better_methods, listing
from harness.methods.method import ALL_SIDES, TWO_SIDED

ROOT = Path(harness.__file__).parents[1]
STOCHASTIC = {"mean", "clustered_proportion", "auc", "auc_difference"}
"""Families whose bootstrap methods are compared with the others."""


@cache
def chosen(family: str) -> Choice:
    (judged,) = judgements(load_tables(ROOT / "results/recommendation" / family))
    return choice(judged)


def test_every_family_has_a_recommendation() -> None:
    assert list(RECOMMENDED) == list(CATALOGUE)


@pytest.mark.parametrize("family", RECOMMENDED)
def test_what_is_recommended_is_what_the_rule_takes_in_the_results(family: str) -> None:
    known, found = RECOMMENDED[family], chosen(family)
    assert found.judged.alpha == 0.05
    assert known.never_above == (found.never_above and found.never_above.method)
    assert known.use == found.default.method
    assert bool(known.reason) == (found.use is None)


@pytest.mark.parametrize("family", RECOMMENDED)
def test_the_rule_chooses_among_all_methods_that_apply(family: str) -> None:
    config = yaml.safe_load((ROOT / f"configs/recommendation/{family}.yaml").read_text("utf-8"))
    apply = {
        name
        for name, method in methods_for(family_of(family)).items()
        if TWO_SIDED in method.sides and (method.deterministic or family in STOCHASTIC)
    }
    assert set(config["methods"]) == apply


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
        "methods": list(methods_for(family_of("proportion"))),
        "truth": {"uniform": [0, 1]},
        "engines": ["enumeration"],
        "figures": [],
    }
    config["methods"] = [
        "wald", "wilson", "jeffreys", "clopper_pearson", "blaker", "minimal_length",
    ]  # fmt: skip
    results = harness.run(config, out=None)
    (judged,) = judgements(results)
    found = choice(judged)
    rows = results.summary.filter(engine="enumeration")
    means = rows.pivot("n", index="method", values="actual_alpha")
    right = [
        name
        for name, *values in means.rows()
        if all(abs(each - 0.05) <= WITHIN * 0.05 for each in values)
    ]
    assert {"jeffreys", "minimal_length"} <= set(right)
    worst = {name: rows.filter(method=name)["worst_alpha"].max() for name in config["methods"]}
    assert found.use is not None
    assert found.use.method == min(right, key=lambda name: worst[name]) == "minimal_length"
    assert found.use.worst == worst["minimal_length"]
    lengths = {name: rows.filter(method=name)["mean_length"].to_list() for name in worst}
    safe = [name for name in worst if worst[name] <= 0.05 + 1e-9]
    assert safe == ["clopper_pearson", "blaker"]
    assert found.never_above is not None
    assert found.never_above.method == min(safe, key=lambda name: lengths[name][0]) == "blaker"
    lengths_of = [judged.relative_length(each) for each in (found.never_above, found.use)]
    longer = percent(lengths_of[0] / lengths_of[1] - 1, 2)
    assert list(advice([judged])) == [
        "Use minimal_length: it covers 95 % on average, 88.9 % at worst. Where coverage must never "
        f"be below 95 %, use blaker, whose intervals are {longer} longer."
    ]


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
def test_one_sided_and_with_a_prior_the_default_is_of_the_posterior(family: str) -> None:
    for side in ALL_SIDES:
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
    for name, use, covers, worst, over, never in rows:
        known = RECOMMENDED[name]
        (one,) = (each for each in chosen(name).candidates if each.method == known.use)
        assert use == f"`{known.use}`"
        assert f"{covers} %" == mean_coverages(one)
        assert f"{worst} %" == percent(1 - one.worst)
        assert never == (f"`{known.never_above}`" if known.never_above else "none proven")
        listed = not one.is_exact and (one.worst_case is None or one.scope.endswith("this run"))
        assert over == ("listed" if listed else one.scope.removeprefix("for ") or "all")


def test_what_a_search_or_trials_found_is_no_proof() -> None:
    """Each of these keeps alpha at every truth that was tried."""
    for family, name in (
        ("proportion_difference", "fagan"),
        ("paired_ratio", "bonett_price"),
        ("stratified_difference", "miettinen_nurminen"),
    ):
        (method,) = (each for each in chosen(family).candidates if each.method == name)
        assert method.keeps
        assert not method.is_proven
        assert chosen(family).never_above is not method
    assert chosen("mean").never_above.method == "student_t"
    promised = chosen("proportion_difference").never_above
    assert promised.promises
    assert not promised.is_exact


def test_the_readme_names_the_recommended_methods() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").partition("## Use this\n")[2]
    table = [row.split(" | ")[1].strip("`") for row in re.findall(r"^\| .*`.*$", readme, re.M)]
    families = (
        "proportion", "proportion_difference", "paired_difference", "mean", "clustered_proportion",
        "f_score",
    )  # fmt: skip
    assert table[:6] == [RECOMMENDED[each].use for each in families]
    assert f"`{RECOMMENDED['proportion'].never_above}`" in readme.partition("\n## ")[0]
    assert set(RECOMMENDED) == set(FAMILIES)
