"""``interval``: one interval now, as a table, as JSON and as CSV."""

import csv
import json

import pytest

import harness
from harness.families.catalogue import family_of
from harness.methods.catalogue import methods_for

PROPORTION = {
    name: m for name, m in methods_for(family_of("proportion")).items() if m.deterministic
}
KEYS = ["estimate", "lower", "upper", "alpha", "method", "side"]
MORE = ["length", "lower_tail", "upper_tail", "actual_alpha", "alpha_error", "seconds"]
EXAMPLE = ["interval", "proportion", "--x", "90", "--n", "100"]


def record(run_command, *argv, remarks=False):
    result = run_command(*argv, "--format", "json")
    assert result.code == 0
    assert remarks or result.err == ""
    return json.loads(result.out)


def test_the_papers_example_is_read_off_the_table(run_command):
    result = run_command(*EXAMPLE)
    assert (result.code, result.err) == (0, "")
    header, _, values = (line.split() for line in result.out.splitlines() if line.strip())
    assert header == KEYS
    assert values == ["0.9000", "0.8313", "0.9485", "0.0500", "minimal_length", "two-sided"]


def test_json_holds_the_documented_keys_in_that_order(run_command):
    found = record(run_command, *EXAMPLE)
    assert list(found) == KEYS
    expected = harness.interval("proportion", "minimal_length", x=90, n=100)
    assert (found["estimate"], found["lower"], found["upper"]) == (
        *(expected.estimate, expected.lower, expected.upper),
    )
    assert (found["alpha"], found["method"], found["side"]) == (0.05, "minimal_length", "two-sided")


def test_verbose_adds_the_rest_of_the_papers_thirteen_figures(run_command):
    found = record(run_command, *EXAMPLE, "--verbose")
    assert list(found) == [*KEYS, "x", "n", *MORE]
    assert (found["x"], found["n"]) == (90, 100)
    assert found["length"] == found["upper"] - found["lower"]
    assert found["actual_alpha"] == found["lower_tail"] + found["upper_tail"]
    assert found["alpha_error"] == found["alpha"] - found["actual_alpha"]
    assert abs(found["alpha_error"]) <= 1e-12
    assert 0 < found["seconds"] < 60


def test_csv_is_a_header_and_a_row_with_the_same_values(run_command):
    result = run_command(*EXAMPLE, "--verbose", "--format", "csv")
    (row,) = csv.DictReader(result.out.splitlines())
    assert "\r" not in result.out
    expected = record(run_command, *EXAMPLE, "--verbose")
    assert list(row) == list(expected)
    for name in set(expected) - {"seconds", "method", "side"}:
        assert float(row[name]) == expected[name]


def test_the_verbose_table_cuts_neither_a_name_nor_a_digit(run_command):
    result = run_command(*EXAMPLE, "--verbose")
    assert "…" not in result.out
    words = result.out.replace(":", "").split()
    assert {*KEYS, "x", "n", *MORE} <= set(words)
    assert {"0.8313", "0.9485", "0.1172", "0.0350", "0.0150", "minimal_length"} <= set(words)


@pytest.mark.parametrize("name", PROPORTION)
def test_every_method_of_the_catalogue_can_be_asked_for(run_command, name):
    for side in PROPORTION[name].sides:
        asked = ["--method", name, "--side", side, "--alpha", "0.1"]
        found = record(run_command, *EXAMPLE, *asked, remarks=True)
        expected = harness.interval("proportion", name, x=90, n=100, side=side, alpha=0.1)
        assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)
        assert (found["method"], found["side"], found["alpha"]) == (name, side, 0.1)


def test_an_alias_is_shown_by_its_proper_name(run_command):
    assert record(run_command, *EXAMPLE, "--method", "exact_tail")["method"] == "clopper_pearson"


def test_a_prior_is_two_numbers(run_command):
    found = record(run_command, *EXAMPLE, "--method", "balanced_tail", "--prior", "0.5", "2")
    expected = harness.interval("proportion", "balanced_tail", x=90, n=100, prior=(0.5, 2))
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)


@pytest.mark.parametrize("prior", [["--prior=0.5", "2"], ["--prior", "0.5 2"]])
def test_a_prior_may_be_one_argument_and_stand_before_the_family(run_command, prior):
    command, family, *data = EXAMPLE
    found = record(run_command, command, *prior, family, *data, "--method", "balanced_tail")
    expected = harness.interval("proportion", "balanced_tail", x=90, n=100, prior=(0.5, 2))
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)


def test_tails_are_those_of_the_methods_own_prior(run_command):
    own = ["--method", "balanced_tail", "--prior", "0.5", "2", "--verbose"]
    found = record(run_command, *EXAMPLE, *own)
    assert found["lower_tail"] == pytest.approx(0.025, rel=1e-12)
    assert found["upper_tail"] == pytest.approx(0.025, rel=1e-12)


@pytest.mark.parametrize(("x", "n"), [(0, 1), (1, 1), (0, 10**9), (10**9, 10**9)])
def test_boundary_outcomes_and_the_largest_sizes_work(run_command, x, n):
    argv = ["interval", "proportion", "--x", str(x), "--n", str(n)]
    found = record(run_command, *argv, remarks=n < 30)
    assert 0 <= found["lower"] <= found["estimate"] == x / n <= found["upper"] <= 1


USAGE = {
    "fractional counts": [*EXAMPLE, "--x", "1.5"],
    "counts in words": [*EXAMPLE, "--n", "ten"],
    "an alpha in words": [*EXAMPLE, "--alpha", "small"],
    "a prior in words": [*EXAMPLE, "--prior", "flat", "1"],
    "a prior left out": [*EXAMPLE, "--prior", "--alpha", "0.1"],
    "no counts": ["interval", "proportion"],
    "no family": ["interval", "--x", "1", "--n", "2"],
    "unknown option": [*EXAMPLE, "--gamma", "1"],
    "unknown format": [*EXAMPLE, "--format", "xml"],
    "unknown command": ["intervall"],
    "a word for a number of jobs": ["run", "a.yaml", "--jobs", "many"],
}


@pytest.mark.parametrize("what", USAGE)
def test_a_command_line_that_cannot_be_read_ends_with_2_and_no_traceback(run_command, here, what):
    result = run_command(*USAGE[what])
    assert result.code == 2
    assert result.out == ""
    assert result.err
    assert "Traceback" not in result.err
    assert "\x1b" not in result.err
    assert list(here.iterdir()) == []


def test_of_one_side_the_one_sided_limit_is_asked_for(run_command):
    found = record(run_command, *EXAMPLE, "--side", "upper")
    assert (found["method"], found["lower"]) == ("mid_p", 0.0)


def test_an_open_end_is_the_text_inf_in_json(run_command):
    found = record(
        run_command,
        *("interval", "rate", "--x", "10", "--exposure", "50", "--side", "lower"),
        *("--method", "one_sided"),
    )
    assert found["upper"] == "inf"
    assert found["lower"] == pytest.approx(0.1234, abs=5e-5)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ("rate --x 10 --exposure 50 --method balanced_tail", (0.2, 0.1098, 0.3678)),
        (
            "proportion_difference --x1 5 --n1 12 --x2 36 --n2 112 --method fagan",
            (0.0952, -0.1878, 0.4151),
        ),
        (
            "proportion_difference --x1 5 --n1 12 --x2 36 --n2 112 --method balanced_width",
            (0.0952, -0.1665, 0.3570),
        ),
    ],
)
def test_the_papers_other_examples(run_command, argv, expected):
    found = record(run_command, "interval", *argv.split())
    limits = found["estimate"], found["lower"], found["upper"]
    assert limits == pytest.approx(expected, abs=5.1e-5)


def test_a_significance_is_the_same_as_in_python(run_command):
    data = {"x1": 5, "n1": 12, "x2": 36, "n2": 112}
    words = [word for name, value in data.items() for word in (f"--{name}", str(value))]
    argv = "significance", "proportion_difference", *words, "--delta", "0.1"
    found = record(run_command, *argv, remarks=True)
    expected = harness.significance("proportion_difference", delta=0.1, **data)
    assert found["probability"] == expected
    assert found["delta"] == 0.1


def test_a_finite_population_is_an_option(run_command):
    argv = ["interval", "proportion", "--x", "3", "--n", "20", "--population", "1000"]
    found = record(run_command, *argv, "--method", "hypergeometric_exact", "--verbose")
    expected = harness.interval("proportion", "hypergeometric_exact", x=3, n=20, population=1000)
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)
    # The posterior is that of independent trials, and is left out.
    assert list(found) == [*KEYS, "x", "n", "population", "length", "seconds"]
    assert found["population"] == 1000


def test_the_command_takes_known_error_rates(run_command):
    options = "--x 430 --n 500 --sensitivity 0.95 --specificity 0.9 --method wilson --format json"
    shown = json.loads(run_command("interval", "judged_share", *options.split()).out)
    ours = harness.interval(
        "judged_share", "wilson", x=430, n=500, sensitivity=0.95, specificity=0.9
    )
    assert (shown["lower"], shown["upper"]) == (ours.lower, ours.upper)


def test_the_command_says_that_data_contradict_the_error_rates(run_command):
    options = "--x 490 --n 500 --sensitivity 0.9 --specificity 0.85"
    shown = run_command("interval", "judged_share", *options.split())
    assert "remark: wilson: the data contradict the error rates" in shown.err
