"""``methods`` and ``schema``: what there is to ask for."""

import csv
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.cli import COMMANDS
from harness.commands.interval import interval
from harness.commands.options import (
    BETA,
    CASE_COUNTS,
    CLUSTER_LABELS,
    CLUSTERED_SCORES,
    FINITE_POPULATION,
    JUDGE,
    KNOWN_JUDGE,
    LABELLED,
    ONE_SAMPLE,
    OR_LISTS,
    RANGE,
    RUN_VALUES,
    SCORES,
    STOPPING,
    TABLE_COUNTS,
    TWO_COUNTS,
    WHOLE_NUMBERS,
    given_data,
    number_or_list,
)
from harness.commands.planning import size
from harness.commands.significance import significance
from harness.families.catalogue import COMPARED, FAMILIES
from harness.families.lists import RANGE as RANGE_OF_A_MEAN
from harness.kinds.load import json_schema
from harness.methods.catalogue import CATALOGUE, by_any_name
from harness.methods.catalogue.recommended import RECOMMENDED
from tests.names import is_planned

COLUMNS = [
    *(
        "name",
        "family",
        "recommended",
        "kin",
        "sides",
        "promise",
        "deterministic",
        "title",
        "aliases",
    ),
    "reference",
]


def in_order(family):
    """The methods of a family, the recommended ones first."""
    known = RECOMMENDED[family]
    return list(dict.fromkeys([known.use, known.never_above or known.use, *CATALOGUE[family]]))


EVERY = [(family, name) for family in CATALOGUE for name in in_order(family)]
NAMES = sorted({name for methods in CATALOGUE.values() for name in by_any_name(methods)})


def families_with(name):
    """The families that have a method of that name or alias, with the method."""
    named = {family: by_any_name(methods) for family, methods in CATALOGUE.items()}
    return {family: methods[name] for family, methods in named.items() if name in methods}


def test_the_table_fits_eighty_columns_and_cuts_no_name(run_command):
    result = run_command("methods")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    starts = [line.split()[:1] for line in lines]
    place = 0
    for family in CATALOGUE:
        place = starts.index([family], place)
        for name in in_order(family):
            method = CATALOGUE[family][name]
            place = starts.index([name], place + 1)
            row = lines[place]
            assert row.split()[1] == method.title.split()[0]
            assert row.rstrip().endswith(" at-least") == (method.promise == "at-least")
    for methods in CATALOGUE.values():
        for alias in (alias for method in methods.values() for alias in method.aliases):
            assert alias in result.words


def test_the_wide_table_has_all_columns_of_every_method(run_command):
    result = run_command("methods", "--wide")
    assert (result.code, result.err) == (0, "")
    head, _, *rows = (line for line in result.out.splitlines() if line.strip())
    assert head.split() == COLUMNS
    for (family, name), row in zip(EVERY, rows, strict=True):
        method = CATALOGUE[family][name]
        assert row.split()[:2] == [name, family]
        for cell in (method.category, ", ".join(method.sides), method.promise, method.title):
            assert f" {cell} " in row
        assert method.reference in row
        assert f" {', '.join(method.aliases) or 'none'} " in row
    assert "…" not in result.out


def test_a_proportion_has_at_least_thirty_methods(run_command):
    assert (
        len(json.loads(run_command("methods", "--family", "proportion", "--format", "json").out))
        >= 30
    )


@pytest.mark.parametrize("families", [[family] for family in CATALOGUE] + [list(CATALOGUE)])
def test_json_lists_every_method_with_the_recommended_ones_first(run_command, families):
    options = ["--family", *families] if len(families) == 1 else []
    records = json.loads(run_command("methods", *options, "--format", "json").out)
    expected = [(family, name) for family, name in EVERY if family in families]
    assert [(record["family"], record["name"]) for record in records] == expected
    for record in records:
        assert list(record) == COLUMNS
        method = CATALOGUE[record["family"]][record["name"]]
        assert record["kin"] == method.category
        assert record["promise"] == method.promise
        assert record["deterministic"] is method.deterministic
        assert record["reference"] == method.reference
        assert record["sides"] == ", ".join(method.sides)


def test_csv_holds_the_same(run_command):
    rows = list(csv.DictReader(run_command("methods", "--format", "csv").out.splitlines()))
    records = json.loads(run_command("methods", "--format", "json").out)
    assert rows == [{name: str(value) for name, value in record.items()} for record in records]


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_shown_in_full_for_each_family_that_has_it(run_command, name):
    result = run_command("methods", name)
    assert result.code == 0
    having = families_with(name)
    found = json.loads(run_command("methods", name, "--format", "json").out)
    records = found if isinstance(found, list) else [found]
    assert [record["family"] for record in records] == list(having)
    for record, method in zip(records, having.values(), strict=True):
        assert f"name: {method.name}\n" in result.out
        assert record["name"] == method.name
        assert record["description"] == method.description
        assert method.description in result.out
        for part, reason in method.exceptions.items():
            assert f"{part}: {reason}" in record["exceptions"]
            assert f"{part}: {reason}" in result.out


def test_aliases_and_priors_are_shown(run_command):
    def described(*options):
        return json.loads(run_command("methods", *options, "--format", "json").out)

    clopper_pearson = described("clopper_pearson", "--family", "proportion")
    assert clopper_pearson["aliases"] == "exact_tail"
    assert clopper_pearson["prior"] == "none"
    assert described("minimal_length", "--family", "proportion")["prior"] == "Beta(1, 1)"
    assert described("minimal_length", "--family", "rate")["prior"] == "Gamma(1, 0)"


def test_the_alias_that_a_message_suggests_is_in_the_table(run_command):
    assert "did you mean exact_tail" in run_command("methods", "exact_tial").err
    for option in ([], ["--wide"]):
        assert "exact_tail" in run_command("methods", "--family", "proportion", *option).out


def test_the_version_comes_with_the_folder_of_the_package(run_command):
    result = run_command("--version")
    assert (result.code, result.err) == (0, "")
    folder = Path(harness.__file__).parent
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    expected = f"coverage-harness {harness.__version__} from {folder} (Python {python})"
    assert result.out == f"{expected}\n"


def test_the_schema_is_the_configs(run_command):
    result = run_command("schema")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == json_schema()


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["interval", "--help"]])
def test_help_is_plain_text_on_standard_output(run_command, argv):
    result = run_command(*argv)
    assert (result.code, result.err) == (0, "")
    assert "Usage" in result.out
    assert "\x1b" not in result.out


def test_help_names_every_command(run_command):
    out = run_command("--help").out
    for command in ("run", "plot", "interval", "methods", "schema"):
        assert command in out.split()


# The data of the families as options.


DESIGNS = {
    "one sample": ONE_SAMPLE,
    "two samples": TWO_COUNTS,
    "pairs": TABLE_COUNTS,
    "repeated runs": RUN_VALUES,
}
OF_INTERVAL = ONE_SAMPLE | FINITE_POPULATION | TWO_COUNTS | TABLE_COUNTS | RUN_VALUES | RANGE
OF_INTERVAL |= CASE_COUNTS | BETA | SCORES | LABELLED | JUDGE | KNOWN_JUDGE | STOPPING
OF_INTERVAL |= CLUSTERED_SCORES


@pytest.mark.parametrize(("design", "options"), DESIGNS.items())
def test_the_columns_of_all_families_are_options_and_nothing_else_is(design, options):
    families = [family for family in FAMILIES.values() if family.design == design]
    assert set(options) == {name for family in families for name in family.options}


def test_interval_has_an_option_for_all_data_of_every_family():
    data = {name for family in FAMILIES.values() for name in family.options}
    settings = {
        RANGE_OF_A_MEAN,
        *(name for family in FAMILIES.values() for name in family.settings),
    }
    beside = {*FINITE_POPULATION, *STOPPING, *CLUSTER_LABELS, *KNOWN_JUDGE}
    assert data | settings | beside == {*OF_INTERVAL, *CLUSTER_LABELS}
    assert set(OF_INTERVAL) <= set(inspect.signature(interval).parameters)
    lists = {name for f in FAMILIES.values() if not f.has_outcomes for name in f.data}
    assert lists <= {"values", *OR_LISTS, *SCORES, *CLUSTERED_SCORES, *CLUSTER_LABELS, *LABELLED}


def test_whole_numbers_are_the_counts_of_all_families_and_the_sizes_that_are_counts():
    families = FAMILIES.values()
    counts = {name for family in families for name in family.counts}
    counts |= {n for f in families if not f.has_outcomes and f.lists_are_counts for n in f.options}
    counted = [family for family in families if family.model.SIZE_IS_COUNT]
    sizes = {name for family in counted for name in set(family.sizes) & set(family.options)}
    assert counts | sizes | set(FINITE_POPULATION) == WHOLE_NUMBERS


@pytest.mark.parametrize(
    ("command", "families"),
    [
        (interval, FAMILIES.values()),
        (significance, COMPARED),
        (size, [family for family in FAMILIES.values() if is_planned(family)]),
    ],
)
def test_the_help_names_every_family_that_a_command_takes(command, families):
    annotation = inspect.signature(command, eval_str=True).parameters["family"].annotation
    (argument,) = annotation.__metadata__
    named = argument.help.replace(" or ", ", ").split(", ")
    assert named == [family.name for family in families]


@pytest.mark.parametrize(
    ("command", "data", "after"),
    [
        (interval, OF_INTERVAL, "method"),
        (significance, TWO_COUNTS | TABLE_COUNTS, "delta"),
    ],
)
def test_data_stand_between_the_family_and_the_other_options(command, data, after):
    names = [name for name in inspect.signature(command).parameters if name != "words"]
    assert names[: len(data) + 2] == ["family", *data, after]
    assert "data" not in names


def test_a_list_is_numbers_with_commas_between():
    assert number_or_list("3") == 3
    assert number_or_list("3,-5.5,1e2") == [3, -5.5, 100]
    found = given_data({"x": [3.0, 5.0], "values": [3.0], "k": 2.0})
    assert repr(found) == "{'x': [3, 5], 'values': [3.0], 'k': 2}"


def test_only_what_was_given_is_passed_on_and_counts_as_whole_numbers():
    found = given_data({"x": 3.0, "n": None, "x1": 2.5, "exposure": 4.0})
    assert found == {"x": 3, "x1": 2.5, "exposure": 4.0}
    assert [type(value) for value in found.values()] == [int, float, float]


def test_the_help_of_a_family_has_its_data_its_methods_and_its_default_alone(run_command):
    shown = run_command("interval", "clustered_proportion", "--help").out
    assert all(name in shown for name in CATALOGUE["clustered_proportion"])
    assert "korn_graubard (default)" in shown
    assert "--x " in shown
    assert "--tp" not in shown
    assert "--tp" in run_command("interval", "--help").out


def test_every_command_has_a_group_in_the_help(run_command):
    shown = run_command("--help").out
    assert all(f"\n  {command.__name__} " in shown for command in COMMANDS)


def test_a_python_without_the_packages_says_so_in_one_sentence():
    root = Path(harness.__file__).parents[1]
    call = [sys.executable, "-S", "-m", "harness", "interval", "proportion", "9/10"]
    ended = subprocess.run(call, cwd=root, capture_output=True, text=True, check=False, env={})
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"harness: this Python, {sys.executable}, lacks the package ")
    assert len(ended.stderr.splitlines()) == 1
