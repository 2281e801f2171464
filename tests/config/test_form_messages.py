"""Messages for wrong configs of a rate, of two samples, and of a calibration."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.families.catalogue import FAMILIES

Issues = Callable[..., list[str]]

RATE = """\
name: a
family: rate
exposure: [1, 10]
methods: [{module: pack, function: f}]
truth: {uniform: [0, 20]}
trials: {per_size: 30}
seed: 1
"""
PAIR = """\
name: a
family: proportion_difference
n1: [10, 50]
n2: [20, 50]
methods: [{module: pack, function: f}]
"""
RATES = """\
name: a
family: rate_difference
exposure1: 1
exposure2: [1, 10]
truth: {first: {uniform: [0, 10]}, second: {uniform: [0, 10]}}
methods: [{module: pack, function: f}]
"""
CALIBRATION = """\
name: a
kind: calibration
family: proportion_difference
n1: {uniform: [1, 100]}
n2: 5
delta: {uniform: [-1, 1]}
trials: 1000
seed: 1
"""
TABLES = """\
name: a
family: paired_difference
n: 10
methods: [tango]
truth: {first_only: {values: [0.1]}, second_only: {values: [0.05]}}
"""
BASES = {"rate": RATE, "pair": PAIR, "rates": RATES, "calibration": CALIBRATION, "tables": TABLES}

WHOLE = "expected a whole number from 1 to 10^9"
REAL = "expected a number from 1e-100 to 1e100"
EITHER = "a list of them, or {log_grid: ...}"
RANGE = "or {uniform: [a, b]}"
GAMMA = "expected two numbers [shape, rate], from 0.001 to 10^6 and from 1e-100 to 1e100"
SPAN = (
    "expected two numbers [a, b] with 0 <= a < b, b from 1e-100 to 1e100 and b - a at least 1e-12 b"
)
KINDS = "expected one of the keys uniform, grid, values, gamma"
NO_LARGEST = "found nothing: a rate has no largest value, so no truth is uniform over all of them"
FLAT = "expected two numbers [a, b] with a above 0 and b at least 0"
UNDER = "8: reference: expected prior, found truth, which needs"
THIN = "8: draws: expected numpy, found thinned, which needs"
TRIALS = "expected a whole number of trials from 1 to 10^12"
PAIRED = ", ".join(name for name, family in FAMILIES.items() if family.samples == 2)
BOUNDED = ", ".join(
    name for name, family in FAMILIES.items() if family.is_bounded and family.has_outcomes
)
PAIRS = (
    "expected a mapping with first_only and second_only, with first, second and correlation, or "
    "with dirichlet"
)
LISTS = "truth: {first: {values: [0.1, 0.2]}, second: {values: [0.1, 0.2]}}"


def changed(base: str, changes: tuple[str, ...]) -> str:
    """Keys replaced or added; ``-key`` takes one out."""
    lines = {line.split(":")[0]: line for line in BASES[base].splitlines()}
    for change in changes:
        if change.startswith("-"):
            del lines[change[1:]]
        else:
            lines[change.split(":")[0]] = change
    return "\n".join(lines.values()) + "\n"


WRONG: list[tuple[str, tuple[str, ...], str]] = [
    # sizes
    ("rate", ("-exposure", "n: 5"), "7: n: expected exposure for the family rate, found n"),
    ("rate", ("n: 5",), "8: n: expected exposure for the family rate, found n"),
    ("rate", ("-exposure",), f"1: exposure: {REAL}, {EITHER}, found nothing"),
    ("rate", ("exposure: 0",), f"3: exposure: {REAL}, {EITHER}, found 0"),
    ("rate", ("exposure: [1, 1e101]",), f"3: exposure[1]: {REAL}, found 1.0e+101"),
    ("rate", ("exposure: [1, 1.0]",),
     "3: exposure[1]: expected each value once, found 1.0, which exposure[0] is too"),
    ("rate", ("exposure: {log_grid: {start: 2, stop: 1, count: 3}}",),
     "3: exposure.log_grid: expected start below stop, found {start: 2, stop: 1, count: 3}"),
    ("rate", ("exposure: {log_grid: {start: 1, stop: 1.0000000000000002, count: 3}}",),
     "3: exposure.log_grid: expected values far enough apart to differ, "
     "found {start: 1, stop: 1.0000000000000002, count: 3}"),
    ("rate", ("exposure: {log_grid: {start: 1, stop: 9, count: 3, cont: 3}}",),
     "3: exposure.log_grid.cont: expected a known key, found 'cont'; did you mean count?"),
    # draws
    ("rate", ("draws: table",),
     "8: draws: expected a source of draws (numpy, thinned), found 'table'"),
    ("rate", ("draws: thinned", "engines: [enumeration]"), f"{THIN} monte_carlo among the engines"),
    ("rate", ("draws: thinned", "trials: {per_size: 9}", "truth: {gamma: [1, 1]}"),
     f"{THIN} a truth that is uniform"),
    ("rate", ("draws: thinned", "trials: {per_size: 9}", "truth: {values: [1, 2]}"),
     f"{THIN} a truth that is uniform"),
    ("pair", ("draws: thinned",),
     "6: draws: expected a family of one sample with draws, found proportion_difference"),
    ("rate", ("cross: true",), "8: cross: expected a family of two samples with cross, found rate"),
    ("pair", ("-n1", "-n2", "n: 5"),
     "4: n: expected n1 and n2 for the family proportion_difference, found n"),
    ("pair", ("-n2",), f"1: n2: {WHOLE}, {EITHER}, found nothing"),
    ("pair", ("n2: [1, 2, 3]",), "4: n2: expected as many sizes as n1 has (2), or one, or "
     "cross: true for all pairs, found 3"),
    ("pair", ("n1: [10, 10]", "n2: [20, 20]"),
     "4: n2: expected each pair of sizes once, found [10, 20] again"),
    ("pair", ("n1: [10, 10]", "n2: 20"),
     "4: n2: expected each pair of sizes once, found [10, 20] again"),
    ("pair", ("n1: [10, 50, 10]", "cross: true"),
     "3: n1[2]: expected each value once, found 10, which n1[0] is too"),
    ("pair", ("n1: {log_grid: {start: 1, stop: 1000, count: 300}}",
              "n2: {log_grid: {start: 1, stop: 1000, count: 300}}", "cross: true"),
     "6: cross: expected at most 10000 pairs of sizes, found 32041"),
    ("pair", ("cross: yes",), "6: cross: expected true or false, found 'yes'"),
    ("rates", ("exposure1: {uniform: [1, 2]}",),
     "3: exposure1.log_grid: expected this key, found nothing\n"
     "3: exposure1.uniform: expected one of the keys log_grid, found 'uniform'"),
    # truth
    ("rate", ("-truth",), f"1: truth: expected a truth, as in {{uniform: [0, 10]}}, {NO_LARGEST}"),
    ("rates", ("-truth",), "1: truth: expected a truth, as in {first: {uniform: [0, 10]}, "
     f"second: {{uniform: [0, 10]}}}}, {NO_LARGEST}"),
    ("rate", ("truth: {beta: [1, 1]}",),
     f"5: truth.beta: {KINDS}, found beta, which is for a proportion"),
    ("rate", ("truth: {gama: [1, 1]}",), f"5: truth.gama: {KINDS}, found 'gama'; did you mean "
     "gamma?"),
    ("rate", ("truth: {gamma: [0, 1]}",), f"5: truth.gamma: {GAMMA}, found [0, 1]"),
    ("rate", ("truth: {gamma: [2000000, 1]}",), f"5: truth.gamma: {GAMMA}, found [2000000, 1]"),
    ("rate", ("truth: {uniform: [-1, 1]}",), f"5: truth.uniform: {SPAN}, found [-1, 1]"),
    ("rate", ("truth: {uniform: [1, 1]}",), f"5: truth.uniform: {SPAN}, found [1, 1]"),
    ("rate", ("truth: {values: [-1, 1]}",),
     "5: truth.values[0]: expected a number from 0 to 1e100, found -1"),
    ("rate", ("truth: {grid: {start: 0, stop: -1, count: 3}}",),
     "5: truth.grid.stop: expected a number from 0 to 1e100, found -1"),
    ("rate", ("truth: {first: {uniform: [0, 1]}, second: {uniform: [0, 1]}}",),
     f"5: truth.first: {KINDS}, found first, which is for two samples"),
    ("rate", ("truth: {uniform: [0, 1.1e8]}",), "5: truth: expected mean counts, rate times "
     "exposure, of at most 10^9, found 1.1e+08 times 10"),
    ("rates", ("truth: {first: {uniform: [0, 1.0e8]}, second: {uniform: [0, 1.0e9]}}",),
     "5: truth.second: expected mean counts, rate times exposure2, of at most 10^9, "
     "found 1e+09 times 10"),
    ("pair", ("truth: {uniform: [0, 1]}",), "6: truth: expected a mapping with the keys first and "
     "second, a truth for each sample, found {uniform: [0, 1]}"),
    ("pair", ("truth: {first: {uniform: [0, 1]}}",),
     "6: truth.second: expected this key, found nothing"),
    ("pair", ("truth: {first: {uniform: [0, 1]}, second: {gamma: [1, 1]}}",),
     "6: truth.second.gamma: expected one of the keys uniform, grid, values, beta, found gamma, "
     "which is for a rate"),
    ("pair", ("truth: {first: {uniform: [0, 1]}, second: {values: [1]}}",), "6: truth: expected "
     "two lists (values, grid) or two distributions, found uniform and values"),
    ("pair", ("truth: {first: {uniform: [0, 1]}, second: {uniform: [0, 1]}, third: 1}",),
     "6: truth.third: expected one of the keys first, second, found 'third'"),
    ("pair", ("truth: {first: {values: [0.1, 0.1]}, second: {values: [0.1]}}",),
     "6: truth.first.values[1]: expected each value once, found 0.1, which "
     "truth.first.values[0] is too"),
    ("pair", ("truth: {first: {grid: {start: 0, stop: 1, count: 1000}}, "
              "second: {grid: {start: 0, stop: 1, count: 1000}}}",),
     "6: truth: expected at most 100000 pairs of true values, found 1000000"),
    # truths of pairs
    ("tables", ("truth: {first_only: {values: [0.7]}, second_only: {values: [0.1, 0.5]}}",),
     "5: truth: expected probabilities with a sum of at most 1, found first_only 0.7 and "
     "second_only 0.5"),
    ("tables", ("truth: {first: {values: [0.9]}, second: {values: [0.8]}, "
                "correlation: {values: [0.9]}}",),
     "5: truth: expected a correlation from -0.166667 to 0.666667, which the margins 0.9 and 0.8 "
     "allow, found 0.9"),
    ("tables", ("truth: {dirichlet: [1, 1, 1]}",),
     "5: truth.dirichlet: expected four numbers [a11, a10, a01, a00], each at least 0.05 and at "
     "most 10^6, found [1, 1, 1]"),
    ("tables", ("truth: {values: [0.1]}",), f"5: truth: {PAIRS}, found {{values: [0.1]}}"),
    ("tables", ("truth: 0.1",), f"5: truth: {PAIRS}, found 0.1"),
    ("tables", ("truth: {first: {values: [0.1]}, first_only: {values: [0.1]}}",),
     f"5: truth: {PAIRS}, found {{first: {{values: [0.1]}}, first_only: {{values: [0.1]}}}}"),
    ("tables", ("truth: {first_only: {values: [0.1]}}",),
     "5: truth.second_only: expected this key, found nothing"),
    # trials, methods, priors
    ("rate", ("trials: {per_outcome: 30}",), "6: trials.per_outcome: expected per_size or "
     "per_truth, found per_outcome, which needs a family with finitely many outcomes "
     f"({BOUNDED})"),
    ("rate", ("trials: {per_truth: 30}",), "6: trials.per_truth: expected per_size, found "
     "per_truth, which needs a truth that is a grid or a list of values"),
    ("rate", ("methods: [clopper_pearson]",), "4: methods[0]: expected the name of a method for "
     "the family rate, found clopper_pearson, which is one for proportion"),
    ("rates", ("methods: [{name: clopper_pearson}]",), "6: methods[0].name: expected the name of a "
     "method for the family rate_difference, found clopper_pearson, which is one for proportion"),
    ("rate", ("methods: [{name: minimal_length, prior: [0, 1]}]",),
     f"4: methods[0].prior: {FLAT}, found [0, 1]"),
    ("rate", ("reference_prior: [0, 1]",), f"8: reference_prior: {FLAT}, found [0, 1]"),
    ("rate", ("reference_prior: [1, -1]",), f"8: reference_prior: {FLAT}, found [1, -1]"),
    # outcomes, group, reference
    ("rate", ("outcomes: {fractions: 21}",), "8: outcomes.fractions: expected one of the keys "
     "values, log_grid, found fractions, which is for a proportion"),
    ("rate", ("outcomes: some",),
     "8: outcomes: expected all, {values: ...} or {log_grid: ...}, found 'some'"),
    ("rate", ("outcomes: {values: [0, 0]}",), "8: outcomes.values[1]: expected each value once, "
     "found 0, which outcomes.values[0] is too"),
    ("rate", ("outcomes: {log_grid: {start: 0, stop: 10, count: 3}}",),
     f"8: outcomes.log_grid.start: {WHOLE}, found 0"),
    ("pair", ("outcomes: {fractions: 3}",), "6: outcomes: expected all, as for every family with "
     "several counts, found {fractions: 3}"),
    ("rate", ("group: 10",), "8: group: expected a mapping, found 10"),
    ("rate", ("group: {width: 0}",), f"8: group.width: {WHOLE}, found 0"),
    ("rate", ("group: {width: 10, last: 505}",),
     "8: group: expected last to be a multiple of width, found {width: 10, last: 505}"),
    ("rate", ("group: {width: 10, lst: 500}",),
     "8: group.lst: expected a known key, found 'lst'; did you mean last?"),
    ("rate", ("group: {width: 10}", "outcomes: {values: [1]}"),
     "8: group: expected outcomes: all with groups, found {values: [1]}"),
    ("pair", ("group: {width: 3}",),
     "6: group: expected a family of one sample with group, found proportion_difference"),
    ("rate", ("reference: posterior",), "8: reference: expected a reference (prior, truth), found "
     "'posterior'; did you mean prior?"),
    ("rate", ("reference: truth", "truth: {values: [1]}", "engines: [enumeration]"),
     f"{UNDER} a truth that is a distribution\n{UNDER} posterior among the engines"),
    ("rate", ("reference: truth", "outcomes: {values: [1]}"), f"{UNDER} outcomes: all"),
    # figures
    ("rate", ("figures: [{kind: alpha_by_outcome}]",),
     "8: figures[0].n: expected an exposure of this experiment (1, 10), found nothing"),
    ("rate", ("figures: [{kind: alpha_by_outcome, n: 5}]",),
     "8: figures[0].n: expected an exposure of this experiment (1, 10), found 5"),
    ("rate", ("figures: [{kind: coverage_curve, n: 1, second: 1}]", "truth: {values: [1]}"),
     "8: figures[0].second: expected two samples for a second true value, found 1.0"),
    ("pair", (LISTS, "figures: [{kind: coverage_curve, second: 0.1, n: [10, 50]}]"),
     "7: figures[0].n: expected a pair [n1, n2] of this experiment ([10, 20], [50, 50]), "
     "found [10, 50]"),
    ("pair", (LISTS, "figures: [{kind: coverage_curve, n: [10, 20]}]"),
     "7: figures[0].second: expected a second true value of this experiment (0.1, 0.2), "
     "found nothing"),
    ("pair", (LISTS, "figures: [{kind: length_curve, n: [50, 50], second: 0.3}]"),
     "7: figures[0].second: expected a second true value of this experiment (0.1, 0.2), "
     "found 0.3"),
    ("pair", ("figures: [{kind: coverage_curve, n: [50, 50]}]",), "6: figures[0].kind: expected a "
     "truth that is a grid or a list of values for coverage_curve, found uniform and uniform"),
    ("rate", ("exposure: 1", "methods: [minimal_length]", "figures: [{kind: length_over_outcome}]"),
     "8: figures[0].reference: expected another two-sided method to compare with minimal_length, "
     "found none"),
    # calibration
    ("calibration", ("family: proportion",), f"3: family: expected a family of two samples "
     f"({PAIRED}), found 'proportion'; did you mean proportion_difference?"),
    ("calibration", ("-n2", "-delta", "-trials", "-seed"),
     f"1: n2: {WHOLE}, {RANGE}, found nothing\n"
     f"1: delta: expected a number from -1 to 1, {RANGE}, found nothing\n"
     f"1: trials: {TRIALS}, found nothing\n"
     "1: seed: expected a whole number, found nothing: a seed is required "
     "because a calibration draws random numbers"),
    ("calibration", ("n1: [1, 2]",), f"4: n1: {WHOLE}, {RANGE}, found [1, 2]"),
    ("calibration", ("n1: {uniform: [5, 1]}",),
     "4: n1.uniform: expected two whole numbers [a, b] from 1 to 10^9 with a < b, found [5, 1]"),
    ("calibration", ("n1: {unifrom: [1, 5]}",),
     "4: n1.uniform: expected this key, found nothing\n"
     "4: n1.unifrom: expected a known key, found 'unifrom'; did you mean uniform?"),
    ("calibration", ("delta: 2",), f"6: delta: expected a number from -1 to 1, {RANGE}, found 2"),
    ("calibration", ("family: balanced_accuracy",),
     "6: delta.uniform: expected two numbers [a, b] from 0 to 1 with a < b, found [-1, 1]"),
    ("calibration", ("trials: {per_size: 100}",), f"7: trials: {TRIALS}, found {{per_size: 100}}"),
    ("calibration", ("bins: 1",),
     "9: bins: expected a whole number of bins from 2 to 1000, found 1"),
    ("calibration", ("prior: [1, 0]",),
     "9: prior: expected two numbers [a, b] above 0, of two samples no shape below 0.05, "
     "found [1, 0]"),
    ("calibration", ("prior: [1, 0.01]",),
     "9: prior: expected two numbers [a, b] above 0, of two samples no shape below 0.05, "
     "found [1, 0.01]"),
    ("calibration", ("alpha: 0.05",),
     "9: alpha: expected kind: coverage with alpha, found calibration"),
    ("pair", ("delta: 0",), "6: delta: expected kind: calibration with delta, found coverage"),
    ("calibration", ("binz: 3",), "9: binz: expected a known key, found 'binz'; did you mean "
     "bins?"),
    ("calibration", (LISTS,),
     "9: truth: expected two distributions for a calibration, found values and values"),
    ("calibration", ("exposure1: 5",),
     "9: exposure1: expected n1 and n2 for the family proportion_difference, found exposure1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "changes", "lines"), WRONG, ids=[" ".join(changes) for _, changes, _ in WRONG]
)
def test_what_is_wrong_is_named_with_its_line_and_what_it_should_be(
    base: str, changes: tuple[str, ...], lines: str, issues_of: Issues
) -> None:
    assert issues_of(changed(base, changes)) == [f"fig.yaml:{line}" for line in lines.split("\n")]


@pytest.mark.parametrize(
    ("base", "figure", "start"),
    [
        ("rate", "alpha_surface", "8: figures[0].kind: expected a figure for the family rate ("),
        ("rate", "calibration", "8: figures[0].kind: expected a figure of coverage ("),
        ("calibration", "coverage_curve", "9: figures[0].kind: expected a figure of calibration ("),
        ("pair", "alpha_by_outcome",
         "6: figures[0].kind: expected a figure for the family proportion_difference ("),
    ],
)  # fmt: skip
def test_a_figure_of_another_family_or_kind_is_refused_with_those_there_are(
    base: str, figure: str, start: str, issues_of: Issues
) -> None:
    (line,) = issues_of(changed(base, (f"figures: [{{kind: {figure}}}]",)))
    assert line.startswith(f"fig.yaml:{start}")
    assert line.endswith(f"), found {figure}")


def test_the_sizes_of_a_misspelt_family_are_validated_and_not_called_unknown(
    issues_of: Issues,
) -> None:
    lines = issues_of(changed("rate", ("family: rates", "exposure: -1")))
    assert [line.split(" expected")[0] for line in lines] == [
        "fig.yaml:2: family:",
        "fig.yaml:3: exposure:",
    ]


def test_what_cannot_be_of_a_calibration_is_reported_at_once(issues_of: Issues) -> None:
    lines = issues_of(changed("rate", ("kind: calibration",)))
    assert [line.split(" expected")[0] for line in lines] == [
        "fig.yaml:1: delta:",
        "fig.yaml:2: family:",
        "fig.yaml:4: methods:",
        "fig.yaml:5: truth:",
        "fig.yaml:6: trials:",
    ]
