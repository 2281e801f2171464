"""Messages for wrong configs: file, line, path, what was expected and what was found."""

import re
from collections.abc import Callable
from string import Template

import pytest

from harness.families.catalogue import FAMILIES
from harness.figures.catalogue import FIGURES
from tests.config.conftest import WRONG, changed, config_with

Issues = Callable[..., list[str]]


def listed(one_or_more: str | list[str]) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else one_or_more


WORDS = {
    **WRONG["words"],
    "FIGURES": ", ".join(FIGURES),
    "FAMILIES": ", ".join(FAMILIES),
    "PAIRED": ", ".join(name for name, family in FAMILIES.items() if family.samples == 2),
    "BOUNDED": ", ".join(
        name for name, family in FAMILIES.items() if family.is_bounded and family.has_outcomes
    ),
}
CASES = [
    pytest.param(base.split(",")[0], listed(case["change"]), listed(case["says"]))
    for base, cases in WRONG["cases"].items()
    for case in cases
]


@pytest.mark.parametrize(("base", "changes", "says"), CASES)
def test_what_is_wrong_is_named_with_its_line_and_what_it_should_be(
    base: str, changes: list[str], says: list[str], issues_of: Issues
) -> None:
    lines = [Template(line).substitute(WORDS) for line in says]
    assert issues_of(changed(base, *changes)) == [f"fig.yaml:{line}" for line in lines]


def test_no_message_has_words_of_pydantic(issues_of: Issues) -> None:
    jargon = re.compile(
        r"Input|pydantic|https?:|_type|_error|validat|instance|dictionary|Error|<\w"
    )
    changes = [case["change"] for case in WRONG["cases"]["proportion"]]
    spoken = [line for change in changes for line in issues_of(config_with(change))]
    assert len(spoken) >= len(changes) > 100
    assert [line for line in spoken if jargon.search(line)] == []


def test_missing_keys_say_what_was_expected(issues_of: Issues) -> None:
    assert issues_of("# nothing here\n\nalpha: 0.1\n") == [
        f"fig.yaml:3: name: {WORDS['NAME']}, found nothing",
        f"fig.yaml:3: family: expected a family ({WORDS['FAMILIES']}), found nothing",
        f"fig.yaml:3: n: {WORDS['SIZE']}, a list of them, or {{log_grid: ...}}, found nothing",
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
        "fig.yaml:8: methods[2].side: minimal_length has no one-sided form (`methods --family "
        "proportion --wide` lists the sides of each), found lower",
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
    (line,) = issues_of(changed("proportion", "methods: [{name: wald, prior: [1, 1]}]"))
    assert line.startswith("fig.yaml:5: methods[0].prior: wald takes no prior")
    assert "minimal_length" in line
    assert line.endswith("found [1, 1]")


@pytest.mark.parametrize(
    ("base", "figure", "start"),
    [
        ("rate", "alpha_surface", "8: figures[0].kind: expected a figure for the family rate ("),
        ("rate", "calibration", "8: figures[0].kind: expected a figure of coverage ("),
        ("rate", "zip_plot", "8: figures[0].kind: expected a figure of coverage ("),
        ("calibration", "lollipop", "9: figures[0].kind: expected a figure of calibration ("),
        ("calibration", "coverage_curve", "9: figures[0].kind: expected a figure of calibration ("),
        ("pair", "alpha_by_outcome",
         "6: figures[0].kind: expected a figure for the family proportion_difference ("),
    ],
)  # fmt: skip
def test_a_figure_of_another_family_or_kind_is_refused_with_those_there_are(
    base: str, figure: str, start: str, issues_of: Issues
) -> None:
    (line,) = issues_of(changed(base, f"figures: [{{kind: {figure}}}]"))
    assert line.startswith(f"fig.yaml:{start}")
    assert line.endswith(f"), found {figure}")


def test_the_sizes_of_a_misspelt_family_are_validated_and_not_called_unknown(
    issues_of: Issues,
) -> None:
    lines = issues_of(changed("rate", "family: rates", "exposure: -1"))
    assert [line.split(" expected")[0] for line in lines] == [
        "fig.yaml:2: family:",
        "fig.yaml:3: exposure:",
    ]


@pytest.mark.parametrize(
    ("family", "issues"),
    [
        ("f_scor", ["fig.yaml:2: family: expected a family"]),
        ("rate", ["fig.yaml:8: beta: expected the family f_score with beta, found rate"]),
    ],
)
def test_beta_belongs_to_f_scores_and_is_no_issue_of_a_misspelt_one(
    family: str, issues: list[str], issues_of: Issues
) -> None:
    lines = issues_of(changed("rate", f"family: {family}") + "beta: 2\n")
    assert [line[: len(start)] for line, start in zip(lines, issues, strict=True)] == issues


def test_what_cannot_be_of_a_calibration_is_reported_at_once(issues_of: Issues) -> None:
    lines = issues_of(changed("rate", "kind: calibration"))
    assert [line.split(" expected")[0] for line in lines] == [
        "fig.yaml:1: delta:",
        "fig.yaml:2: family:",
        "fig.yaml:4: methods:",
        "fig.yaml:5: truth:",
        "fig.yaml:6: trials:",
    ]


def test_a_method_of_another_family_beside_no_family_is_no_internal_error(issues_of):
    text = "{name: s, n: 10, methods: [posterior], truth: {uniform: [0, 1]}, seed: 1}"
    assert any("family" in issue for issue in issues_of(text))
