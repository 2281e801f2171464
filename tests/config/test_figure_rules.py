"""Figures that can be drawn are not refused; those that cannot stand in ``wrong.yaml``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.errors import ConfigError
from harness.designs.limits import outcomes_at_fractions
from harness.figures import requirements
from harness.figures.kinds.surfaces import outcome_at
from harness.kinds.coverage import plan
from harness.kinds.load import load_experiment
from tests.config.conftest import config_with

Issues = Callable[..., list[str]]
LENGTH = "figures: [{kind: length_surface, reference: wald}]"
SURFACE = "figures: [{kind: alpha_surface}]"
DRAWN = "figures: [{kind: alpha_surface, engine: monte_carlo}]"
ENUMERATED = "figures: [{kind: alpha_surface, engine: enumeration}]"
OVER_SIZE = "figures: [{kind: coverage_over_size}]"
LISTED = "truth: {values: [0.3, 0.5]}"
SIDES = "methods: [wald, {name: one_sided, side: lower}, {name: one_sided, side: upper}]"

ALLOWED = [
    [SURFACE],
    [SURFACE, "n: [10, 131072]"],
    [SURFACE, "n: {log_grid: {start: 5, stop: 100, count: 2}}"],
    # All outcomes of a small n are there however few fractions are asked for.
    [SURFACE, "n: [3, 4]", "outcomes: {fractions: 5}"],
    ["figures: [{kind: alpha_surface, fractions: 3}]", "n: [5, 100]", "outcomes: {fractions: 5}"],
    [DRAWN, "n: [5, 100]", "outcomes: {fractions: 5}"],
    [LENGTH],
    ["figures: [{kind: length_surface, reference: wald, method: one_sided lower}]", SIDES],
    [OVER_SIZE, LISTED],
    ["figures: [{kind: coverage_over_size, truths: [0.3]}]",
     "truth: {grid: {start: 0.1, stop: 0.9, count: 81}}"],
    ["figures: [{kind: alpha_by_outcome, n: 10}]", "n: [10, 131072]"],
    ["figures: [{kind: alpha_by_outcome, n: 131072}]", "n: 131072", "truth: {uniform: [0, 1]}"],
    [ENUMERATED, "engines: [enumeration]", "truth: {uniform: [0, 1]}"],
    [ENUMERATED, "engines: [enumeration, monte_carlo]"],
    # What is drawn from its options alone names no level, and asks for no engine.
    ["figures: [{kind: outcome_tails, n: 80, x: 70}]", "engines: [posterior]"],
]  # fmt: skip


CLUSTERED = """name: clusters
family: clustered_proportion
clusters: [20, 50]
size: [5, 10]
cross: true
alpha: 0.05
methods: [cluster_t]
truth: {p: {values: [0.5, 0.8]}, rho: {values: [0, 0.1]}}
trials: {per_truth: 30}
seed: 1
"""


def test_panels_of_clusters_are_named_by_proportion_and_correlation(
    write: Callable[[str], str], issues_of: Issues
) -> None:
    figure = "figures: [{{kind: coverage_over_size, truths: {}, other_sizes: [10]}}]"
    assert load_experiment(write(CLUSTERED + figure.format("[[0.8, 0.1], 0.5]"))).figures
    assert issues_of(CLUSTERED + figure.format("[[0.8, 0.2]]")) == [
        "fig.yaml:11: figures[0].truths: expected a true value of this experiment ([0.5, 0], "
        "[0.5, 0.1], [0.8, 0], [0.8, 0.1]), found [0.8, 0.2]"
    ]
    assert issues_of(CLUSTERED + "figures: [{kind: length_over_size, other_sizes: [20]}]") == [
        "fig.yaml:11: figures[0].other_sizes: expected size of this experiment (5, 10), found 20"
    ]


@pytest.mark.parametrize("changes", ALLOWED)
def test_a_figure_that_can_be_drawn_is_not(changes: list[str], write: Callable[[str], str]) -> None:
    assert load_experiment(write(config_with(*changes))).figures


def test_the_largest_size_with_outcomes_beside_truths_is_the_one_that_is_planned() -> None:
    assert requirements.LARGEST_BESIDE_TRUTHS == plan.LARGEST_BESIDE_TRUTHS


@pytest.mark.parametrize("there", [2, 3, 4, 5, 8, 11, 21])
def test_fractions_are_held_where_every_outcome_drawn_is_among_those_computed(there: int) -> None:
    for n in range(1, 60):
        known = set(outcomes_at_fractions(n, there).tolist())
        for asked in range(2, 30):
            drawn = {outcome_at(n, step, asked - 1) for step in range(asked)}
            assert requirements.has_fractions(n, there - 1, asked - 1) == (drawn <= known)


# The options of every figure in a config, and what the results keep of them.


CONFIG = """
name: styled
family: proportion
n: [10, 50]
methods: [wilson]
truth: {grid: {start: 0.1, stop: 0.9, count: 9}}
engines: [enumeration]
figures:
  - {kind: coverage_curve, n: [10, 50], title: Mine, width: 120, format: pdf, %s}
"""


def written(folder: Path, option: str) -> Path:
    path = folder / "styled.yaml"
    path.write_text(CONFIG % option)
    return path


def test_a_style_file_is_found_beside_the_config_and_its_settings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "paper.mplstyle").write_text("# of the journal\nfont.size: 8\n")
    (figure,) = load_experiment(written(tmp_path, "style: paper.mplstyle")).figures
    assert figure.options["style"] == {"font.size": "8"}
    assert figure.options["format"] == ["pdf"]
    assert figure.options["n"] == [10, 50]
    again = written(tmp_path, 'style: {font.size: "8"}')
    assert load_experiment(again).figures == (figure,)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "style: absent",
            "an existing matplotlib style file, relative to the config, or the name of a style",
        ),
        ("xlim: [1, 0]", "figures[0].xlim: expected values that increase"),
        ("dpi: 20", "figures[0].dpi: expected a number of at least 50, found 20"),
        ("ylim: 1", "figures[0].ylim: expected two numbers in increasing order"),
        ("heigth: 80", "figures[0].heigth: expected a known key, found 'heigth'; did you mean"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, option: str, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        load_experiment(written(tmp_path, option))
    assert message in str(found.value)
