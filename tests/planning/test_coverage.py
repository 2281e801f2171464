"""``harness.coverage``: exact coverage at given sizes and true values."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError, MethodError
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import CATALOGUE
from tests.test_imports import SLOW, modules_after, modules_of_command

FOUND = ("coverage", "miss_below", "miss_above", "mean_length")
GIVEN = {
    "proportion": {"n": 12, "p": 0.3},
    "rate": {"exposure": 2.5, "rate": 1.5},
    "proportion_difference": {"n1": 6, "n2": 9, "p1": 0.3, "p2": 0.6},
    "rate_difference": {"exposure1": 1.5, "exposure2": 2.0, "rate1": 1.0, "rate2": 2.0},
    "balanced_accuracy": {"n1": 6, "n2": 9, "p1": 0.3, "p2": 0.6},
}


def summed(method, n, p, alpha=0.05):
    """The four numbers by rational sums over every outcome, with the limits as doubles."""
    found = harness.interval("proportion", method, x=np.arange(n + 1), n=n, alpha=alpha)
    limits = zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    totals = dict.fromkeys(FOUND, Fraction(0))
    for x, (low, high) in enumerate(limits):
        weight = math.comb(n, x) * Fraction(p) ** x * (1 - Fraction(p)) ** (n - x)
        place = "miss_below" if p < low else "miss_above" if p > high else "coverage"
        totals[place] += weight
        totals["mean_length"] += weight * (Fraction(high) - Fraction(low))
    return totals


@pytest.mark.parametrize("method", ["wald", "wilson", "clopper_pearson", "minimal_length"])
def test_sums_are_those_of_rational_arithmetic(method):
    truths = [0.0, 1e-9, 0.1, 0.3, 0.5, 0.97, 1.0]
    for n in (1, 7, 80):
        found = harness.coverage("proportion", method, n=n, p=truths)
        for place, p in enumerate(truths):
            for name, exact in summed(method, n, p).items():
                tolerance = 1e-13 if name == "coverage" else 1e-12 * float(exact) + 1e-300
                assert abs(getattr(found, name)[place] - float(exact)) <= tolerance


@pytest.mark.parametrize("family", GIVEN)
def test_numbers_are_those_of_a_run(family):
    given, known = GIVEN[family], FAMILIES[family]
    truths = [{"values": [given[symbol]]} for symbol in known.symbols]
    config = {
        "name": "one",
        "family": family,
        **{name: given[name] for name in known.sizes},
        "methods": ["balanced_tail"],
        "alpha": 0.1,
        "truth": truths[0] if len(truths) == 1 else {"first": truths[0], "second": truths[1]},
        "engines": ["enumeration"],
    }
    row = harness.run(config, out=None).summary.row(0, named=True)
    found = harness.coverage(family, "balanced_tail", alpha=0.1, **given)
    for name in FOUND:
        assert getattr(found, name) == pytest.approx(row[name], rel=1e-13)


@pytest.mark.parametrize("family", GIVEN)
def test_arrays_broadcast_and_each_number_is_that_of_its_row(family):
    given, known = dict(GIVEN[family]), FAMILIES[family]
    size, truth = known.sizes[-1], known.symbols[0]
    given[size] = np.array([[2], [5]])
    given[truth] = [0.5, 0.1, 0.5]
    method = "wald"
    found = harness.coverage(family, method, **given)
    for name in FOUND:
        values = getattr(found, name)
        assert values.shape == (2, 3)
        for i, j in np.ndindex(2, 3):
            row = {**given, size: int(given[size][i, 0]), truth: given[truth][j]}
            one = getattr(harness.coverage(family, method, **row), name)
            assert isinstance(one, float)
            assert values[i, j] == pytest.approx(one, rel=1e-12, abs=1e-15)


def test_alpha_and_side_are_those_of_the_interval():
    found = harness.coverage("proportion", "clopper_pearson", n=30, p=0.2, alpha=[0.01, 0.2])
    two = [
        harness.coverage("proportion", "clopper_pearson", n=30, p=0.2, alpha=alpha).coverage
        for alpha in (0.01, 0.2)
    ]
    assert found.coverage.tolist() == two
    upper = harness.coverage("proportion", "clopper_pearson", n=30, p=0.2, side="upper")
    assert upper.miss_below == 0
    assert 0 < upper.miss_above <= 0.05


def test_an_open_end_has_an_infinite_expected_length():
    found = harness.coverage("rate", "garwood", exposure=2.0, rate=[0.0, 3.0], side="lower")
    assert found.mean_length.tolist() == [np.inf, np.inf]


def test_wald_of_one_trial_has_no_length_and_covers_nothing():
    found = harness.coverage("proportion", "wald", n=1, p=0.9)
    assert (found.coverage, found.mean_length) == (0, 0)


def test_at_a_million_trials_a_window_of_outcomes_is_summed():
    found = harness.coverage("proportion", "wilson", n=10**6, p=[0.1, 0.9])
    assert found.coverage == pytest.approx([0.95, 0.95], abs=5e-4)
    assert found.mean_length == pytest.approx(2 * 1.959964 * math.sqrt(0.09 / 1e6), rel=1e-4)
    assert found.miss_below[0] == pytest.approx(found.miss_above[1], rel=1e-12)


def test_a_function_is_a_method_like_any_other():
    def mine(x, n, alpha):
        found = harness.interval("proportion", "wilson", x=x, n=n, alpha=alpha)
        return found.lower, found.upper

    ours = harness.coverage("proportion", "wilson", n=20, p=[0.2, 0.6], alpha=0.1)
    theirs = harness.coverage("proportion", mine, n=20, p=[0.2, 0.6], alpha=0.1)
    for name in FOUND:
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-14)


def test_a_function_that_fails_is_named_with_the_outcome():
    def mine(x, n, alpha):
        return x / n, np.where(x == 3, np.nan, 1.0)

    with pytest.raises(MethodError, match=r"^mine: .*x = 3"):
        harness.coverage("proportion", mine, n=5, p=0.5)


def test_the_command_prints_the_four_numbers_as_json(run_command):
    argv = ["coverage", "proportion", "wilson", "--n", "50", "--p", "0.1", "--format", "json"]
    result = run_command(*argv)
    assert (result.code, result.err) == (0, "")
    found = json.loads(result.out)
    assert list(found) == list(FOUND)
    expected = harness.coverage("proportion", "wilson", n=50, p=0.1)
    assert found == {name: getattr(expected, name) for name in FOUND}


def test_a_repeated_option_makes_a_row_for_each(run_command):
    argv = ["coverage", "proportion", "wilson", "--n", "50", "--p", "0.1", "--p", "0.3"]
    result = run_command(*argv, "--format", "json")
    rows = json.loads(result.out)
    assert [list(row) for row in rows] == [["p", *FOUND]] * 2
    expected = harness.coverage("proportion", "wilson", n=50, p=[0.1, 0.3])
    assert [row["coverage"] for row in rows] == expected.coverage.tolist()


def test_coverage_loads_nothing_that_only_runs_need(tmp_path):
    argv = ("coverage", "proportion", "wilson", "--n", "9", "--p", "0.1", "--format", "json")
    loaded = modules_of_command(tmp_path, *argv)
    heavy = {*SLOW, "joblib", "yaml", "matplotlib", "polars", "sqlite3"}
    assert not loaded & heavy
    code = (
        "import json, sys, harness\nharness.coverage('proportion', 'wilson', n=9, p=0.1)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not modules_after(code, tmp_path) & heavy


def test_every_family_has_a_row_here():
    assert set(GIVEN) <= set(CATALOGUE)


LAWS = {
    "binomial": ("proportion", "binomial"),
    "beta_binomial": ("proportion", {"beta_binomial": {"rho": 0.2}}),
    "clusters": ("proportion", {"clusters": {"size": 5, "rho": 0.2}}),
    "hypergeometric": ("proportion", {"hypergeometric": {"population": 100}}),
    "gamma_poisson": ("rate", {"gamma_poisson": {"dispersion": 1.5}}),
}


@pytest.mark.parametrize("name", LAWS)
def test_under_a_law_it_is_the_coverage_of_a_run(name):
    family, sampling = LAWS[name]
    size, method = ("n", "wilson") if family == "proportion" else ("exposure", "garwood")
    config = {
        "name": "x", "family": family, size: 20, "methods": [method], "sampling": sampling,
        "truth": {"values": [0.1, 0.3]}, "engines": ["enumeration"],
    }  # fmt: skip
    cells = harness.run(config, out=None).cells.filter(given="truth")
    truth = {"p" if family == "proportion" else "rate": [0.1, 0.3]}
    found = harness.coverage(family, method, **{size: 20}, **truth, sampling=sampling)
    np.testing.assert_allclose(found.coverage, 1.0 - cells["actual_alpha"].to_numpy(), 1e-13)
    np.testing.assert_allclose(found.mean_length, cells["length"].to_numpy(), 1e-13)


@pytest.mark.parametrize("name", ["hypergeometric_exact", "hypergeometric_wang"])
def test_methods_for_a_finite_population_have_coverage_under_its_law(name):
    """A truth next to M/N is M/N: an interval that ends there covers it."""
    sampling = {"hypergeometric": {"population": 10}}
    found = harness.coverage(
        "proportion", name, n=2, p=[0.3, 0.1 + 0.2, 0.7], alpha=0.1, sampling=sampling
    )
    assert found.coverage[0] == found.coverage[1]
    assert (found.coverage >= 0.9 - 1e-12).all()
    # X = 0 of 2 from 10 with 3 successes has a probability of 42/90, and X = 2 of 6/90.
    limits = harness.interval("proportion", name, x=[0, 1, 2], n=2, population=10, alpha=0.1)
    held = (limits.lower <= 0.3) & (limits.upper >= 0.3)
    assert found.coverage[0] == pytest.approx(held @ [42 / 90, 42 / 90, 6 / 90], abs=1e-14)


@pytest.mark.parametrize(
    ("family", "sampling", "said"),
    [
        ("proportion", "poisson", "sampling should be binomial, or one of beta_binomial"),
        ("proportion", {"gamma_poisson": {"dispersion": 2}}, "sampling should be binomial, or"),
        ("proportion", {"clusters": {"size": 3, "rho": 0.1}}, "n should be a multiple of the size"),
        ("proportion", {"clusters": {"size": 5}}, "clusters needs rho"),
        ("proportion", {"hypergeometric": {"population": 33}}, "p should be M/33"),
        ("risk_ratio", "binomial", "sampling is for the families proportion and rate, found"),
    ],
)
def test_a_wrong_law_is_one_sentence(family, sampling, said):
    method, given = "wald", {"n": 20, "p": 0.1}
    if family == "risk_ratio":
        method, given = "katz", {"n1": 5, "n2": 5, "p1": 0.1, "p2": 0.2}
    with pytest.raises(InputError, match=said):
        harness.coverage(family, method, sampling=sampling, **given)


def test_an_error_that_no_miss_leaves_unknown_is_said(run_command) -> None:
    given = ["--k", "20", "--mean", "0.15", "--sd", "0.2", "--trials", "200"]
    found = run_command("coverage", "bounded_mean", "hoeffding", *given)
    assert "remark: std_error is nan where no drawn data set missed" in found.err
    found = run_command("coverage", "bounded_mean", "student_t", *given)
    assert "nan" not in found.out + found.err


# The tables of the page on sample sizes, and the results of the configs that belong to it.


ROOT = Path(harness.__file__).parents[1]
PAGE = (ROOT / "docs/sample_size.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (0\.\d\d) \| (.*) \|$", PAGE, re.MULTILINE)
METHODS = ("wald", "jeffreys", "minimal_length")


def half_width(method: str, n: int) -> float:
    found = harness.interval("proportion", method, x=8 * n // 10, n=n)
    return float(found.upper - found.lower) / 2


def test_the_articles_table_has_half_widths_rounded_to_three_decimals() -> None:
    assert [int(n) for n, *_ in ROWS] == [100, 200, 500, 1000, 5000]
    for n, article, rest in ROWS:
        assert rest.split(" | ") == [f"{half_width(method, int(n)):.3f}" for method in METHODS]
        assert article == f"{half_width('wald', int(n)):.2f}"


def test_the_sizes_of_the_page_are_found_anew() -> None:
    assert "From 1536 on, by the expected half-width of `wald`" in PAGE
    assert harness.size("proportion", "wald", p=0.8, half_width=0.02).n == 1536
    assert "\n 615        0.9120" in PAGE
    assert harness.size("proportion", "wilson", p=0.8, above=0.75, probability=0.9).n == 615


@pytest.mark.parametrize("name", ["test_set_size", "validation_set"])
def test_committed_summaries_are_computed_anew(name: str) -> None:
    found = harness.run(ROOT / "configs/planning" / f"{name}.yaml", out=None).summary
    committed = ROOT / "results/planning" / name / "summary.csv"
    expected = pl.read_csv(committed, schema=found.schema)
    for column, kind in expected.schema.items():
        ours, theirs = found[column], expected[column]
        if kind == pl.Float64:
            assert ours.is_null().equals(theirs.is_null())
            assert ((ours - theirs).abs() <= 1e-9 * theirs.abs() + 1e-12).all()
        else:
            assert ours.equals(theirs)
