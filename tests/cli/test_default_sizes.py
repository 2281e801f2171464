"""Defaults below the sizes that they were chosen by are remarked, with what they cover."""

import shlex
from pathlib import Path

import pytest
import yaml

import harness
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import default_method
from harness.methods.catalogue.recommended import COMPUTED_OVER, RECOMMENDED

CONFIGS = Path(harness.__file__).parents[1] / "configs/recommendation"
SMALL = {
    "proportion_difference": "--x1 3 --n1 5 --x2 12 --n2 20",
    "paired_difference": "--both 3 --first-only 1 --second-only 1 --neither 0",
    "jaccard": "--tp 3 --fp 1 --fn 1 --tn 4",
}


def numbers_in(value):
    return [n for each in value for n in numbers_in(each)] if isinstance(value, list) else [value]


def default_of(name):
    return default_method(FAMILIES[name], "two-sided").name


@pytest.mark.parametrize("name", RECOMMENDED)
def test_the_sizes_of_a_default_are_those_of_the_config_that_it_comes_from(name):
    raw = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text("utf-8"))
    known = COMPUTED_OVER[name]
    sizes = [n for size in FAMILIES[name].sizes for n in numbers_in(raw.get(size, []))]
    if FAMILIES[name].has_clusters:
        sizes = raw["clusters"]
    assert (min(sizes), max(sizes)) == (known.least, known.most)
    prevalences = [each for truth in raw["truths"].values() for each in truth.get("prevalence", ())]
    assert known.least_class == (min(prevalences) * min(sizes) if prevalences else None)


def test_a_small_proportion_has_the_exact_coverage_near_its_estimate(run_command):
    result = run_command("interval", "proportion", "14/15", "--format", "json")
    found = harness.coverage("proportion", default_of("proportion"), n=15, p=0.933)
    assert result.err == (
        "remark: near the estimate, at p = 0.933 and n = 15, "
        f"{default_of('proportion')} covers {100 * found.coverage:.1f} % (exact)\n"
    )


def test_below_the_sizes_of_the_default_one_remark_says_so_too(run_command):
    result = run_command("interval", "proportion", "0/5", "--format", "json", "--alpha", "0.1")
    name = default_of("proportion")
    found = harness.coverage("proportion", name, n=5, p=0.1, alpha=0.1)
    assert result.err == (
        f"remark: {name} was chosen as the default for n from 10 to 500; near the estimate, at "
        f"p = 0.1 and n = 5, it covers {100 * found.coverage:.1f} % (exact)\n"
    )


def test_rows_have_the_least_coverage_of_the_small_ones(run_command):
    result = run_command("interval", "proportion", "--x", "7,9,80", "--n", "12,12,90")
    found = harness.coverage("proportion", default_of("proportion"), n=12, p=[0.583, 0.75])
    assert f" {100 * found.coverage.min():.1f} % (exact; the least of 2 outcomes" in result.err
    assert result.err.count("remark: ") == 1


@pytest.mark.parametrize(
    "more", [["--method", "wilson"], ["--side", "lower"], ["--prior", "1", "1"]]
)
def test_what_is_not_the_default_that_was_chosen_has_no_such_remark(run_command, more):
    assert run_command("interval", "proportion", "14/15", *more).err == ""


@pytest.mark.parametrize("argv", ["proportion 27/30", "proportion 9000/10000"])
def test_larger_sizes_have_no_remark(run_command, argv):
    assert run_command("interval", *argv.split()).err == ""


@pytest.mark.parametrize("name", SMALL)
def test_the_command_of_the_remark_computes_the_coverage(run_command, name):
    result = run_command("interval", name, *SMALL[name].split(), "--format", "json")
    known = COMPUTED_OVER[name]
    assert f"from {known.least:g} to {known.most:g}; below, " in result.err
    (command,) = result.err.split("`")[1::2]
    _, *argv = shlex.split(command)
    assert argv[:3] == ["coverage", name, default_of(name)]
    assert run_command(*argv).code == 0


def test_a_class_with_fewer_cases_than_the_results_expect_is_remarked():
    found = harness.interval("mcc", tp=0, fp=10, fn=0, tn=40)
    assert found.remarks[0].startswith(
        f"{found.method} was chosen as the default where a class has 1 expected cases or more, "
        "and here one has 0; `harness coverage mcc "
    )
    assert harness.interval("mcc", tp=1, fp=10, fn=2, tn=40).remarks == ()


def test_few_scores_are_remarked():
    found = harness.interval("auc", positives=[3, 2, 5], negatives=[1, 2, 4, 3])
    assert "n1 and n2 from 10 to 100; below, `harness coverage auc" in found.remarks[0]
    assert "--n1 3 --n2 4 --auc …`" in found.remarks[0]


def test_in_python_the_smallest_row_is_remarked():
    found = harness.interval("proportion", x=[3, 0, 50], n=[5, 4, 60], alpha=0.1)
    assert len(found.remarks) == 1
    assert "--n 4 --p 0.125 --alpha 0.1`" in found.remarks[0]
    assert harness.interval("proportion", "wilson", x=3, n=5).remarks == ()


@pytest.mark.parametrize("name", ["rate", "rate_ratio"])
def test_an_exposure_has_no_smallest_size(name):
    data = {"x": 1, "exposure": 0.1} if name == "rate" else {}
    data = data or {"x1": 1, "exposure1": 0.1, "x2": 2, "exposure2": 0.1}
    assert harness.interval(name, **data).remarks == ()
