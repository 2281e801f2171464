"""Messages for wrong configs: file, line, path, what was expected and what was found."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from harness.families.catalogue import FAMILIES as KNOWN
from harness.figures.catalogue import FIGURES
from tests.config.conftest import config_with

Issues = Callable[..., list[str]]

KINDS = ", ".join(FIGURES)
FAMILIES = ", ".join(KNOWN)
NAME = "expected a name of letters, digits, '.', '_', '-', in parts joined by '/'"
SIZE = "expected a whole number from 1 to 10^9"
ALPHA = "expected a number above 0 and below 1"
TRIALS = "expected a whole number of trials from 1 to 10^12"
TRUTHS = "uniform, grid, values, beta"
LABEL = "expected a label: one line of text, not blank, no spaces around it"

# A change to the right config, and everything that is said of it.
ONE_KEY = [
    # name and title
    ("name: ../out", f"1: name: {NAME}, found '../out'"),
    ("name: /tmp/out", f"1: name: {NAME}, found '/tmp/out'"),
    ("name: a//b", f"1: name: {NAME}, found 'a//b'"),
    ("name: a..b", f"1: name: {NAME}, found 'a..b'"),
    ("name: .hidden", f"1: name: {NAME}, found '.hidden'"),
    ("name: fig 3", f"1: name: {NAME}, found 'fig 3'"),
    ("name: 3", f"1: name: {NAME}, found 3"),
    ("name:", f"1: name: {NAME}, found nothing"),
    ('title: ""', "10: title: expected one line of text, found ''"),
    ('title: "a\\nb"', "10: title: expected one line of text, found 'a\\nb'"),
    # family
    (
        "family: proportoin",
        f"2: family: expected a family ({FAMILIES}), found 'proportoin'; did you mean proportion?",
    ),
    # n
    ("n: 5.0", f"3: n: {SIZE}, a list of them, or {{log_grid: ...}}, found 5.0"),
    ("n: true", f"3: n: {SIZE}, a list of them, or {{log_grid: ...}}, found true"),
    ('n: ["5", 10]', f"3: n[0]: {SIZE}, found '5'"),
    ("n: [5, true, 10]", f"3: n[1]: {SIZE}, found true"),
    ("n: [5.0, 10]", f"3: n[0]: {SIZE}, found 5.0"),
    ("n: [0, 10]", f"3: n[0]: {SIZE}, found 0"),
    ("n: [10, 1000000001]", f"3: n[1]: {SIZE}, found 1000000001"),
    ("n: []", "3: n: expected a list of at least 1, found []"),
    ("n: [5, 10, 5]", "3: n[2]: expected each value once, found 5, which n[0] is too"),
    ("n: {log_grid: {start: 10, stop: 1, count: 3}}",
     "3: n.log_grid: expected start below stop, found {start: 10, stop: 1, count: 3}"),
    ("n: {log_grid: {start: 1, stop: 10, count: 1}}",
     "3: n.log_grid.count: expected a whole number from 2 to 10000, found 1"),
    ("n: {log_grid: {start: 1, stop: 10}}",
     "3: n.log_grid.count: expected this key, found nothing"),
    # alpha
    ("alpha: 1", f"4: alpha: {ALPHA}, or a list of them, found 1"),
    ("alpha: 0", f"4: alpha: {ALPHA}, or a list of them, found 0"),
    ("alpha: 5%", f"4: alpha: {ALPHA}, or a list of them, found '5%'"),
    ("alpha: .nan", f"4: alpha: {ALPHA}, or a list of them, found .nan"),
    ("alpha: [0.1, -.inf]", f"4: alpha[1]: {ALPHA}, found -.inf"),
    ("alpha: [0.1, 1e-1]",
     "4: alpha[1]: expected each value once, found 0.1, which alpha[0] is too"),
    # methods
    ("methods: wald", "5: methods: expected a list, found 'wald'"),
    ("methods: []", "5: methods: expected a list of at least 1, found []"),
    ("methods: [wilsn]",
     "5: methods[0]: expected the name of a method, found 'wilsn'; did you mean wilson?"),
    ("methods: [xyz]", "5: methods[0]: expected the name of a method, found 'xyz'; "
     "the command `harness methods` lists them"),
    ("methods: [3]", "5: methods[0]: expected the name of a method, or a mapping with name, "
     "path or module, found 3"),
    ("methods: [{nmae: wald}]",
     "5: methods[0].name: expected this key, found nothing\n"
     "5: methods[0].nmae: expected a known key, found 'nmae'; did you mean name?"),
    ("methods: [{name: wald, side: uper}]", "5: methods[0].side: expected a side (two-sided, "
     "lower, upper), found 'uper'; did you mean upper?"),
    ("methods: [one_sided]", "5: methods[0]: one_sided needs side: lower or side: upper, "
     "found none ({name: one_sided, side: lower})"),
    ("methods: [{name: one_sided}]",
     "5: methods[0].side: one_sided needs side: lower or side: upper, found two-sided"),
    ("methods: [{name: minimal_length, side: lower}]", "5: methods[0].side: minimal_length has "
     "no one-sided form (one_sided and balanced_tail have), found lower"),
    ("methods: [{name: balanced_width, side: upper}]", "5: methods[0].side: balanced_width has "
     "no one-sided form (one_sided and balanced_tail have), found upper"),
    ("methods: [{name: balanced_tail, prior: [0, 1]}]",
     "5: methods[0].prior: expected two numbers [a, b] above 0, found [0, 1]"),
    ("methods: [{name: balanced_tail, prior: [1, .inf]}]",
     "5: methods[0].prior: expected two numbers [a, b] above 0, found [1, .inf]"),
    ("methods: [{name: balanced_tail, prior: 1}]",
     "5: methods[0].prior: expected two numbers [a, b] above 0, found 1"),
    ('methods: [{name: wald, label: " "}]', f"5: methods[0].label: {LABEL}, found ' '"),
    ('methods: [{name: wald, label: "a\\tb"}]', f"5: methods[0].label: {LABEL}, found 'a\\tb'"),
    ("methods: [wald, wilson, {name: wald}]",
     "5: methods[2].label: expected a unique label, found 'wald', which methods[0] has"),
    ("methods: [wald, {name: wilson, label: wald}]",
     "5: methods[1].label: expected a unique label, found 'wald', which methods[0] has"),
    ("methods: [{path: mine.py, function: f}]", "5: methods[0].path: expected an existing Python "
     "file, relative to the config, found 'mine.py'"),
    ("methods: [{path: fig.yaml, function: f}]",
     "5: methods[0].path: expected a Python file, ending in .py, found 'fig.yaml'"),
    ("methods: [{module: my pack, function: f}]", "5: methods[0].module: expected the name of a "
     "module, such as mypackage.intervals, found 'my pack'"),
    ("methods: [{module: pack, function: f(x)}]",
     "5: methods[0].function: expected the name of a function, found 'f(x)'"),
    ("methods: [{module: pack}]", "5: methods[0].function: expected this key, found nothing"),
    ("methods: [{module: pack, function: f, side: left}]", "5: methods[0].side: expected "
     "a side (two-sided, lower, upper), found 'left'"),
    ("methods: [{module: pack, function: f, prior: [1, 1]}]", "5: methods[0].prior: expected one "
     "of the keys function, side, label, module, found 'prior'"),
    # truth
    ("truth: 0.5", f"6: truth: expected a mapping with exactly one of the keys {TRUTHS}, "
     "found 0.5"),
    ("truth: {}",
     f"6: truth: expected a mapping with exactly one of the keys {TRUTHS}, found {{}}"),
    ("truth: {beta: [1, 1], uniform: [0, 1]}", "6: truth: expected a mapping with exactly one of "
     f"the keys {TRUTHS}, found {{beta: [1, 1], uniform: [0, 1]}}"),
    ("truth: {unifrom: [0, 1]}", f"6: truth.unifrom: expected one of the keys {TRUTHS}, "
     "found 'unifrom'; did you mean uniform?"),
    ("truth: {uniform: [0.5, 0.5]}", "6: truth.uniform: expected two numbers [a, b] with "
     "0 <= a < b <= 1 and b - a at least 1e-12, found [0.5, 0.5]"),
    ("truth: {uniform: [0, 1.0e-13]}", "6: truth.uniform: expected two numbers [a, b] with "
     "0 <= a < b <= 1 and b - a at least 1e-12, found [0, 1.0e-13]"),
    ("truth: {uniform: [0, 1.1]}", "6: truth.uniform: expected two numbers [a, b] with "
     "0 <= a < b <= 1 and b - a at least 1e-12, found [0, 1.1]"),
    ("truth: {beta: [0, 2]}",
     "6: truth.beta: expected two numbers [s, t], each from 0.001 to 10^6, found [0, 2]"),
    ("truth: {beta: [1, 0.0009]}",
     "6: truth.beta: expected two numbers [s, t], each from 0.001 to 10^6, found [1, 0.0009]"),
    ("truth: {beta: [1000001, 1]}",
     "6: truth.beta: expected two numbers [s, t], each from 0.001 to 10^6, found [1000001, 1]"),
    ("truth: {values: [0.5, 1.5]}",
     "6: truth.values[1]: expected a number from 0 to 1, found 1.5"),
    ("truth: {values: [0.5, 0.50]}", "6: truth.values[1]: expected each value once, found 0.5, "
     "which truth.values[0] is too"),
    ("truth: {values: []}", "6: truth.values: expected a list of at least 1, found []"),
    ("truth: {grid: {start: 0.9, stop: 0.1, count: 9}}", "6: truth.grid: expected start below "
     "stop, found {start: 0.9, stop: 0.1, count: 9}"),
    ("truth: {grid: {start: 0.1, stop: 0.9, count: 1}}",
     "6: truth.grid.count: expected a whole number from 2 to 100000, found 1"),
    ("truth: {grid: {start: -0.1, stop: 0.9, count: 9}}",
     "6: truth.grid.start: expected a number from 0 to 1, found -0.1"),
    ("truth: {grid: {start: 0.5, stop: 0.5000000000000001, count: 9}}", "6: truth.grid: expected "
     "values far enough apart to differ, found {start: 0.5, stop: 0.5000000000000001, count: 9}"),
    # trials
    ("trials: 300", "7: trials: expected a mapping with exactly one of the keys per_outcome, "
     "per_size, per_truth, half_width, found 300"),
    ("trials: {per_outcome: 1, per_size: 2}", "7: trials: expected a mapping with exactly one of "
     "the keys per_outcome, per_size, per_truth, half_width, found {per_outcome: 1, per_size: 2}"),
    ("trials: {per_outcome: 0}", f"7: trials.per_outcome: {TRIALS}, found 0"),
    ("trials: {per_size: 1e6}", f"7: trials.per_size: {TRIALS}, found 1000000.0"),
    ("trials: {half_width: 0.0005}", "7: trials.max: expected this key, found nothing"),
    ("trials: {half_width: 0.5, max: 100000}",
     "7: trials.half_width: expected a half-width above 0 and below 0.5, found 0.5"),
    ("trials: {half_width: 0, max: 100000}",
     "7: trials.half_width: expected a half-width above 0 and below 0.5, found 0"),
    ("trials: {half_width: 0.01, max: 1000}",
     "7: trials.max: expected a whole number of trials from 1024 to 10^11, found 1000"),
    ("trials: {half_width: 0.01, max: 1e6}",
     "7: trials.max: expected a whole number of trials from 1024 to 10^11, found 1000000.0"),
    ("trials: {half_width: 0.01, max: 5000, most: 1}",
     "7: trials.most: expected one of the keys half_width, max, found 'most'"),
    ("trials: {half_width: 0.01, max: 5000, per_size: 3}", "7: trials: expected a mapping with "
     "exactly one of the keys per_outcome, per_size, per_truth, half_width, found {half_width: "
     "0.01, max: 5000, per_size: 3}"),
    # outcomes
    ("outcomes: some",
     "10: outcomes: expected all, {fractions: ...} or {values: ...}, found 'some'"),
    ("outcomes: {fractions: 1}",
     "10: outcomes.fractions: expected a whole number of fractions from 2 to 10^6, found 1"),
    ("outcomes: {fraction: 21}", "10: outcomes.fraction: expected one of the keys fractions, "
     "values, found 'fraction'; did you mean fractions?"),
    ("outcomes: {values: [0, -1]}",
     "10: outcomes.values[1]: expected a whole number from 0 to 10^9, found -1"),
    # engines
    ("engines: posterior", "8: engines: expected a list, found 'posterior'"),
    ("engines: [monte_carlo, posteriour]", "8: engines[1]: expected an engine (monte_carlo, "
     "posterior, enumeration), found 'posteriour'; did you mean posterior?"),
    ("engines: [monte_carlo, posterior, posterior]", "8: engines[2]: expected each value once, "
     "found 'posterior', which engines[1] is too"),
    # reference_prior, seed, execution
    ("reference_prior: [1, no]",
     '10: reference_prior: expected two numbers [a, b] above 0, found [1, "no"]'),
    ("seed: -1", "9: seed: expected a whole number from 0 to 2^128 - 1, found -1"),
    ("seed: 2003.0", "9: seed: expected a whole number from 0 to 2^128 - 1, found 2003.0"),
    ("execution: {jobs: 0}",
     "10: execution.jobs: expected a whole number of at least 1, or -1 for every core, found 0"),
    ("execution: {jobs: true}",
     "10: execution.jobs: expected a whole number of at least 1, or -1 for every core, found true"),
    ("execution: {job: 2}",
     "10: execution.job: expected a known key, found 'job'; did you mean jobs?"),
    ("execution: {backend: mpi}",
     "10: execution.backend: expected a backend (threading, loky, dask), found 'mpi'"),
    ("execution: {address: 'tcp://10.0.0.1:8786'}",
     "10: execution.address: expected backend: dask, which an address is for, found backend: "
     "threading"),
    ("execution: {backend: dask, address: 10.0.0.1}",
     "10: execution.address: expected the address of a Dask scheduler, as in tcp://10.0.0.1:8786, "
     "found '10.0.0.1'"),
    ("execution: {backend: dask, address: 'tcp://10.0.0.1:99999'}",
     "10: execution.address: expected the address of a Dask scheduler, as in tcp://10.0.0.1:8786, "
     "found 'tcp://10.0.0.1:99999'"),
    ("execution: {timeout: 0}",
     "10: execution.timeout: expected a number of seconds above 0, up to 86400, found 0"),
    ("execution: {timeout: .inf}",
     "10: execution.timeout: expected a number of seconds above 0, up to 86400, found .inf"),
    ("execution: 4", "10: execution: expected a mapping, found 4"),
    # figures
    ("figures: {kind: alpha_by_outcome}",
     "10: figures: expected a list, found {kind: alpha_by_outcome}"),
    ("figures: [alpha_by_outcome]", "10: figures[0]: expected a mapping with kind and options, as "
     "in {kind: alpha_by_outcome, n: 100}, found 'alpha_by_outcome'"),
    ("figures: [{n: 10}]", f"10: figures[0]: expected the key kind ({KINDS}), found {{n: 10}}"),
    ("figures: [{kind: alpha_by_outcom}]", f"10: figures[0].kind: expected a kind of figure "
     f"({KINDS}), found 'alpha_by_outcom'; did you mean alpha_by_outcome?"),
    ("figures: [{kind: alpha_by_outcome, n: 10, metod: wald}]",
     "10: figures[0].metod: expected a known key, found 'metod'; did you mean method?"),
    ('figures: [{kind: alpha_by_outcome, n: "10"}]',
     "10: figures[0].n: expected a whole number, found '10'"),
    # unknown keys
    ("kid: 1", "10: kid: expected a known key, found 'kid'; did you mean kind?"),
    ("size: 5", "10: size: expected n for the family proportion, found size"),
    ("kind: calibratoin", "10: kind: expected a kind of experiment (coverage, calibration), found "
     "'calibratoin'; did you mean calibration?"),
    ("Alpha: 0.1", "10: Alpha: expected a known key, found 'Alpha'; did you mean alpha?"),
]  # fmt: skip

# What must hold between keys.
RELATIONS = [
    (["trials: {per_truth: 100}", "truth: {uniform: [0, 1]}"], "",
     "7: trials.per_truth: expected per_outcome or per_size, found per_truth, which needs a truth "
     "that is a grid or a list of values"),
    (["engines: [posterior, monte_carlo]"], "trials",
     "7: engines[1]: expected trials (per_outcome, per_size, per_truth or half_width) with "
     "monte_carlo, found none"),
    ([], "seed",
     "1: seed: expected a whole number, found nothing: a seed is required "
     "because monte_carlo draws random numbers"),
    (["outcomes: {values: [0, 6]}"], "figures",
     "10: outcomes.values[1]: expected an outcome of at most 5, the smallest n, found 6"),
    (["outcomes: {fractions: 3}", "group: {width: 5}"], "figures",
     "11: group: expected outcomes: all with groups, found {fractions: 3}"),
    (["engines: [posterior, enumeration]"], "",
     "10: figures[0].kind: expected monte_carlo among the engines, found posterior, enumeration"),
    (["engines: [enumeration]", "figures: [{kind: alpha_surface}]"], "",
     "10: figures[0].engine: expected posterior among the engines, found enumeration"),
    (["figures: [{kind: alpha_by_outcome, n: 50}]"], "",
     "10: figures[0].n: expected an n of this experiment (5, 10), found 50"),
    (["figures: [{kind: alpha_by_outcome}]"], "",
     "10: figures[0].n: expected an n of this experiment (5, 10), found nothing"),
    (["figures: [{kind: alpha_by_outcome, n: 5, method: jeffreys}]"], "",
     "10: figures[0].method: expected the label of a method of this experiment (wald, Jeffreys), "
     "found 'jeffreys'; did you mean Jeffreys?"),
    (["figures: [{kind: coverage_curve, n: 5, methods: [wald, wilson]}]"], "",
     "10: figures[0].methods: expected the label of a method of this experiment (wald, Jeffreys), "
     "found 'wilson'"),
    (["figures: [{kind: length_surface}]"], "",
     "10: figures[0].reference: expected the label of a method of this experiment "
     "(wald, Jeffreys), found 'minimal_length'"),
    (["figures: [{kind: alpha_by_outcome, n: 5, alpha: 0.1}]"], "",
     "10: figures[0].alpha: expected an alpha of this experiment (0.05), found 0.1"),
    (["figures: [{kind: length_curve, n: 5}]", "truth: {beta: [2, 8]}"], "",
     "10: figures[0].kind: expected a truth that is a grid or a list of values for length_curve, "
     "found beta"),
]  # fmt: skip


def seen(lines: str) -> list[str]:
    return [f"fig.yaml:{line}" for line in lines.split("\n")]


@pytest.mark.parametrize(("change", "lines"), ONE_KEY, ids=[change for change, _ in ONE_KEY])
def test_a_wrong_key_is_named_with_its_line_and_what_it_should_be(
    change: str, lines: str, issues_of: Issues
) -> None:
    assert issues_of(config_with(change, without="figures")) == seen(lines)


@pytest.mark.parametrize(("changes", "without", "lines"), RELATIONS)
def test_keys_that_cannot_stand_together_are_named(
    changes: list[str], without: str, lines: str, issues_of: Issues
) -> None:
    assert issues_of(config_with(*changes, without=without)) == seen(lines)


def test_no_message_has_words_of_pydantic(issues_of: Issues) -> None:
    jargon = re.compile(
        r"Input|pydantic|https?:|_type|_error|validat|instance|dictionary|Error|<\w"
    )
    spoken = [line for change, _ in ONE_KEY for line in issues_of(config_with(change))]
    assert len(spoken) >= len(ONE_KEY)
    assert [line for line in spoken if jargon.search(line)] == []


def test_missing_keys_say_what_was_expected(issues_of: Issues) -> None:
    assert issues_of("# nothing here\n\nalpha: 0.1\n") == [
        f"fig.yaml:3: name: {NAME}, found nothing",
        f"fig.yaml:3: family: expected a family ({FAMILIES}), found nothing",
        f"fig.yaml:3: n: {SIZE}, a list of them, or {{log_grid: ...}}, found nothing",
        "fig.yaml:3: methods: expected a list, found nothing",
    ]


def test_every_issue_of_a_file_is_reported_in_the_order_of_its_lines(
    issues_of: Issues,
) -> None:
    text = """\
name: fig
family: proportion
n: [5, 10, 5, -1]
alhpa: 0.05
methods:
  - wald
  - wilsn
  - {name: minimal_length, side: lower, prior: [0, 1], label: wald}
  - wald
truth: {uniform: [0, 2]}
trials: {per_truth: 10}
engines: [monte_carlo]
execution:
  backend: loki
figures:
  - {kind: coverage_curve, engine: posterior}
n: 7
"""
    assert [line.split(" expected")[0] for line in issues_of(text)] == [
        "fig.yaml:1: seed:",
        "fig.yaml:3: n[3]:",
        "fig.yaml:3: n[2]:",
        "fig.yaml:4: alhpa:",
        "fig.yaml:7: methods[1]:",
        "fig.yaml:8: methods[2].side: minimal_length has no one-sided form (one_sided and "
        "balanced_tail have), found lower",
        "fig.yaml:8: methods[2].prior:",
        "fig.yaml:9: methods[3].label:",
        "fig.yaml:10: truth.uniform:",
        "fig.yaml:14: execution.backend:",
        "fig.yaml:16: figures[0].engine:",
        "fig.yaml:17: n:",
    ]


def test_long_values_are_described_instead_of_quoted(issues_of: Issues) -> None:
    (line,) = issues_of(config_with(f"alpha: {'x' * 1000}"))
    assert line.endswith("found a text of 1000 characters")
    (line,) = issues_of(config_with(f"trials: {list(range(100))}"))
    assert line.endswith("found a list of 100")


def test_a_prior_is_refused_where_none_is_taken(issues_of: Issues) -> None:
    (line,) = issues_of(config_with("methods: [{name: wald, prior: [1, 1]}]", without="figures"))
    assert line.startswith("fig.yaml:5: methods[0].prior: wald takes no prior")
    assert "minimal_length" in line
    assert line.endswith("found [1, 1]")
