"""``interval`` of families whose data are lists: options with commas, and a CSV file of cases."""

import csv
import json
import re
from pathlib import Path

import pytest
import yaml

import harness
from harness.families.catalogue import FAMILIES
from harness.kinds.load import load_experiment
from harness.methods.catalogue import CATALOGUE

CASES = "document,right,model\na,1,m\na,0,m\nb,1,m\nb,1,m\nc,0,m\nc,1,m\n"
FILE = ["--csv", "results.csv", "--cluster", "document", "--correct", "right"]

ASKED = [
    ("mean", "--values 75,72,78,73,77", "student_t", {"values": [75, 72, 78, 73, 77]}),
    ("mean", "--values -1.5,2,1e-3", "student_t", {"values": [-1.5, 2, 0.001]}),
    ("mean", "--mean 75 --sd 2.55 --k 5", "student_t", {"mean": 75, "sd": 2.55, "k": 5}),
    (
        "clustered_proportion",
        "--x 3,5,2,4 --n 10,10,10,10",
        "korn_graubard",
        {"x": [3, 5, 2, 4], "n": [10, 10, 10, 10]},
    ),
    (
        "stratified_difference",
        "--x1 3,5 --n1 9,8 --x2 1,2 --n2 7,11",
        "scas",
        {"x1": [3, 5], "n1": [9, 8], "x2": [1, 2], "n2": [7, 11]},
    ),
    (
        "auc",
        "--positives 0.9,0.4,0.8 --negatives 0.3,0.5",
        "newcombe",
        {"positives": [0.9, 0.4, 0.8], "negatives": [0.3, 0.5]},
    ),
    (
        "auc_difference",
        "--positives1 0.9,0.4 --negatives1 0.3,0.5,1 --positives2 5,3 --negatives2 4,2,-1",
        "delong",
        {
            "positives1": [0.9, 0.4],
            "negatives1": [0.3, 0.5, 1.0],
            "positives2": [5, 3],
            "negatives2": [4, 2, -1],
        },
    ),
]


def record(run_command, *argv):
    result = run_command("interval", *argv, "--format", "json")
    remarks = result.err.splitlines()
    assert result.code == 0
    expected = re.compile(" clusters are few: | was chosen as the default for n1 and n2 from ")
    assert all(expected.search(remark) for remark in remarks)
    return json.loads(result.out)


@pytest.mark.parametrize(
    ("family", "options", "method", "data"), [each for each in ASKED if each[0] in FAMILIES]
)
@pytest.mark.parametrize("side", ["two-sided", "upper"])
def test_lists_are_numbers_with_commas_between(run_command, family, options, method, data, side):
    found = record(run_command, family, *options.split(), "--side", side, "--verbose")
    expected = harness.interval(family, method, side=side, **data)
    assert found["estimate"] == expected.estimate
    assert found["upper"] == expected.upper
    assert found["lower"] == ("-inf" if expected.lower == -float("inf") else expected.lower)
    assert found["method"] == method
    assert {name: found[name] for name in data} == data
    assert list(found)[-2:] == ["length", "seconds"]
    if found["lower"] != "-inf":
        assert found["length"] == found["upper"] - found["lower"]


def test_a_stochastic_method_draws_from_its_seed(run_command):
    argv = ["mean", "--values", "75,72,78,73,77", "--method", "bootstrap_t", "--seed", "4"]
    found = record(run_command, *argv)
    expected = harness.interval("mean", "bootstrap_t", values=[75, 72, 78, 73, 77], seed=4)
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)


def test_a_file_of_cases_is_counted_by_cluster(run_command, here):
    (here / "results.csv").write_text(CASES)
    found = record(run_command, "clustered_proportion", *FILE, "--verbose")
    assert (found["x"], found["n"]) == ([1, 2, 1], [2, 2, 2])
    typed = record(run_command, "clustered_proportion", "--x", "1,2,1", "--n", "2,2,2")
    assert (found["lower"], found["upper"]) == (typed["lower"], typed["upper"])


SCORED = "id,label,a,b,group\n1,spam,0.9,3,x\n2,ham,0.2,1,x\n3,spam,0.4,2,x\n4,ham,0.5,0,x\n"


def test_a_file_of_labels_and_scores_has_the_scores_of_both_classes(run_command, here):
    (here / "scores.csv").write_text(SCORED)
    argv = ["--csv", "scores.csv", "--truth", "label", "--positive", "spam", "--score", "a"]
    one = record(run_command, "auc", *argv, "--verbose")
    assert (one["positives"], one["negatives"]) == ([0.9, 0.4], [0.2, 0.5])
    two = record(run_command, "auc_difference", *argv, "--score", "b", "--verbose")
    names = ("positives1", "negatives1", "positives2", "negatives2")
    assert [two[name] for name in names] == [[0.9, 0.4], [0.2, 0.5], [3, 2], [1, 0]]
    (group,) = record(run_command, "auc", *argv, "--by", "group")
    assert (group["group"], group["rows"], group["lower"]) == ("x", 4, one["lower"])


def test_the_label_of_positives_is_1_or_true_where_none_is_named(run_command, here):
    (here / "scores.csv").write_text(SCORED.replace("spam", "True").replace("ham", "False"))
    found = record(
        run_command,
        "auc",
        *["--csv", "scores.csv", "--truth", "label", "--score", "a", "--verbose"],
    )
    assert (found["positives"], found["negatives"]) == ([0.9, 0.4], [0.2, 0.5])


def test_the_lists_are_in_every_form_of_the_verbose_output(run_command):
    argv = ["interval", "clustered_proportion", "--x", "3,5", "--n", "10,12", "--verbose"]
    assert "\nx: [3, 5]\nn: [10, 12]\n" in run_command(*argv).out
    (row,) = csv.DictReader(run_command(*argv, "--format", "csv").out.splitlines())
    assert (row["x"], row["n"]) == ("[3, 5]", "[10, 12]")


@pytest.mark.parametrize("text", ["75,x", "75,,72", ",", "75;72"])
def test_what_is_no_list_of_numbers_ends_with_2_and_no_traceback(run_command, text):
    result = run_command("interval", "mean", "--values", text)
    assert (result.code, result.out) == (2, "")
    assert f"expected numbers with commas between, found {text}" in result.err
    assert "Traceback" not in result.err


def test_the_help_says_where_clustered_cases_and_repeated_runs_go(run_command):
    text = run_command("interval", "--help").words
    assert "count as independent of each other" in text
    assert "give the counts of each of these clusters to clustered_proportion" in text
    assert "A score of several runs goes to mean" in text


# The configs and commands of lists in the pages are valid, and print what it says.


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


LAWS_SHOWN = {"mean": 4, "bounded_mean": 2, "stratified_difference": 2, "pass_at": 3}


OF_ANOTHERS_BLOCK = ("clustered_difference", "pass_hat")


@pytest.mark.parametrize("family", [name for name in LISTS if name not in OF_ANOTHERS_BLOCK])
def test_the_config_of_a_family_of_lists_is_valid_with_every_truth_that_it_shows(family):
    (block,) = (each for each in BLOCKS if yaml.safe_load(each)["family"] == family)
    shown = yaml.safe_load(block)
    # Other truths stand in the comments.
    comments = " ".join(part.lstrip("#").strip() for part in re.findall(r"#.*$", block, re.M))
    others = re.findall(r"\{(?:gamma|beta|mixture|points|first): .*?\}(?=[,:;]| |$)", comments)
    truths = [shown["truth"], *(yaml.safe_load(balanced(each, comments)) for each in others)]
    assert len(truths) == LAWS_SHOWN.get(family, 1)
    for truth in truths:
        config = {**shown, "truth": truth, "name": "page", "seed": 1}
        config["methods"] = [next(iter(CATALOGUE[family]))]
        assert load_experiment(config).family.public_name == family


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
    assert result.code == 0
    assert result.err in FAMILY_PAGE
    lines = [line.rstrip() for line in result.out.splitlines() if line.strip()]
    assert [lines[0], lines[-1]] == [head, row]


def test_there_are_commands_to_compare():
    assert len(COMMANDS) == 5


def test_labelled_cases_are_counts_or_lists_and_few_disagreements_have_a_remark(run_command):
    counts = "--right-yes 18 --right-no 0 --wrong-yes 0 --wrong-no 2 --yes 900 --unlabelled 1000"
    options = counts.split()
    lists = ["--table", "18,0,0,2", "--verdicts", "900,100"]
    shown = [
        run_command("interval", "labelled_share", "--method", "ppi", *given)
        for given in (options, lists)
    ]
    assert shown[0].out == shown[1].out
    for each in shown:
        assert "remark: ppi: the judge is wrong in 0 of the labelled cases" in each.err
    assert "judge" not in run_command("interval", "labelled_share", *lists).err
