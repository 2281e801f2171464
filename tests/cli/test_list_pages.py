"""The configs and commands of lists in the pages are valid, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import harness
from harness.config.load import load_experiment
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import CATALOGUE

ROOT = Path(harness.__file__).parents[1]
CONFIG = (ROOT / "docs/config.md").read_text("utf-8")
FAMILY_PAGE = (ROOT / "docs/families.md").read_text("utf-8")
RUNS = (ROOT / "docs/repeated_runs.md").read_text("utf-8")
LISTS = [name for name, family in FAMILIES.items() if not family.has_outcomes]
BLOCKS = re.findall(r"^```yaml\n(family: .*?)^```", CONFIG, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(
    r"^\$ python -m harness (interval (?:mean|clustered).*)\n(.*)\n(.*)$", FAMILY_PAGE, re.M
)
COMMANDS += re.findall(r"^\$ python -m harness (interval mean .*)\n(.*)\n(.*)$", RUNS, re.M)


@pytest.mark.parametrize("family", LISTS)
def test_the_config_of_a_family_of_lists_is_valid_with_every_truth_that_it_shows(family):
    (block,) = (each for each in BLOCKS if yaml.safe_load(each)["family"] == family)
    shown = yaml.safe_load(block)
    # Other truths stand in the comments.
    comments = " ".join(part.lstrip("#").strip() for part in re.findall(r"#.*$", block, re.M))
    others = re.findall(r"\{(?:gamma|beta|mixture|first): .*?\}(?=[,:;]| |$)", comments)
    truths = [shown["truth"], *(yaml.safe_load(balanced(each, comments)) for each in others)]
    assert len(truths) == {"mean": 4, "clustered_proportion": 1, "stratified_difference": 2}[family]
    for truth in truths:
        config = {**shown, "truth": truth, "name": "page", "seed": 1}
        config["methods"] = [next(iter(CATALOGUE[family]))]
        assert load_experiment(config).family == family


def balanced(start: str, text: str) -> str:
    """The mapping that starts so, up to the brace that closes it."""
    rest, depth = text[text.index(start) :], 0
    for place, letter in enumerate(rest):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return rest[: place + 1]
    raise AssertionError(f"no closing brace after {start}")


def test_every_family_of_lists_is_in_the_table():
    for family in LISTS:
        assert re.search(rf"^\| `{family}` \|", FAMILY_PAGE, re.M)


@pytest.mark.parametrize(("argv", "head", "row"), COMMANDS)
def test_a_command_prints_what_the_page_says(run_command, argv, head, row):
    result = run_command(*argv.split())
    assert (result.code, result.err) == (0, "")
    lines = [line.rstrip() for line in result.out.splitlines() if line.strip()]
    assert [lines[0], lines[-1]] == [head, row]


def test_there_are_commands_to_compare():
    assert len(COMMANDS) == 4
