"""Every command and snippet of the README and of the pages runs, or it is said why not."""

import shutil

import pytest
from handbook import links, requests

from tests.cli.test_logs import inspect, promptfoo, result
from tests.docs.snippets import PAGES, ROOT, RUNNERS, blocks, fences, run

ELSEWHERE = {
    "docs/any_language.md": "tests/checks/test_any_language.py::"
    "test_the_page_runs_as_it_is_written",
    "docs/checking.md": "tests/checks/test_tutorial.py::"
    "test_it_fails_is_mended_passes_and_is_stored",
    "docs/long_runs.md": "tests/test_guide.py::test_the_cluster_gives_the_tables_of_a_plain_run",
    "docs/one_interval.md": "tests/cli/test_one_interval_page.py::"
    "test_a_command_prints_what_the_page_says",
    "docs/python.md": "tests/test_python_page.py::test_the_python_examples_print_what_they_show",
}
"""Pages whose blocks another test runs, with a test of its file."""

NOT_RUN = {
    ("README.md", "python3 -m venv .venv"): "installs the package; .ci/run runs it as it stands",
    ("README.md", "python3 -m venv .venv-test"): "runs all tests; .ci/run runs it as it stands",
    ("README.md", "# my.py"): "the file of docs/checking.md under another name, compared with it "
    "by tests/pages/test_readme.py",
    ("README.md", "$ python -m harness check my.py:f"): "the check of docs/checking.md, compared "
    "with it by tests/pages/test_readme.py",
    (
        "docs/sample_size.md",
        "$ python -m harness size paired_difference --method tango "
        "--p11 0.8 --p10 0.1 --p01 0.05 --half-width 0.08",
    ): "takes 10 s of a processor; tests/planning asks for a wider interval of pairs",
    ("docs/report.md", "- name: Show what was found"): "steps of continuous integration, run by "
    "tests/pages/test_pages.py",
    (
        "docs/simulation_forms.md",
        "python -m harness summarize results/slope --contract conservative",
    ): "needs estimates of yours; tests/simulation/test_gate.py holds others",
    ("docs/own_method.md", "methods:"): "one key of a config, with a module that stands for yours",
}
"""Blocks that are not run, by their page and first line, each with the reason."""

SHOWN = {
    "bibtex": "is for other programs",
    "text": "shows what a command prints",
    "toml": "a part of another project's file",
}
"""Languages of blocks with nothing to run."""


def test_every_block_of_every_page_is_found():
    for page in PAGES:
        assert fences(page) == 2 * len(blocks(page)), page


def test_a_block_that_is_not_run_exists():
    existing = {(page, block.first) for page in PAGES for block in blocks(page)}
    assert set(NOT_RUN) <= existing


@pytest.mark.parametrize(("page", "test"), ELSEWHERE.items())
def test_a_page_that_another_test_runs_is_named_there(page, test):
    file, _, name = test.partition("::")
    source = (ROOT / file).read_text("utf-8")
    assert f"\ndef {name}(" in source
    assert page.rpartition("/")[2] in source


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    shutil.copytree(ROOT / "configs", "configs")
    rows = [f"{number // 10},{int(number % 7 > 0)}" for number in range(100)]
    (tmp_path / "results.csv").write_text("\n".join(["document,right", *rows]) + "\n")
    scores = [f"{number % 2},0.{number * 7 % 10},0.{number * 3 % 10}" for number in range(20)]
    (tmp_path / "scores.csv").write_text("\n".join(["label,model,other", *scores]) + "\n")
    for model in ("first", "second"):
        inspect(f"{model}.eval", model, [1, 0, 1, model == "second"])
    answers = [result(test, name, "p", test % 2) for test in range(4) for name in ("a", "b")]
    promptfoo("promptfoo.json", answers)
    scope = {"__name__": "page"}
    for block in blocks(page):
        if block.language in SHOWN or (page, block.first) in NOT_RUN:
            continue
        assert block.language in RUNNERS, f"{page}: {block.first}"
        run(block, scope)


# Links work beside the sources and in the site, and no page loads from another server.


FIGURE = "results/saw_teeth/figures/coverage_curve-n50.png"


@pytest.mark.parametrize(
    ("page", "link", "place"),
    [
        ("index.md", "docs/long_runs.md", "long_runs.md"),
        ("index.md", "docs/long_runs.md#a-batch-queue", "long_runs.md#a-batch-queue"),
        ("index.md", "CONTRIBUTING.md", "contributing.md"),
        ("index.md", FIGURE, f"repository/{FIGURE}"),
        ("long_runs.md", "../README.md#start", "index.md#start"),
        ("methods/rate.md", f"../../{FIGURE}", f"../repository/{FIGURE}"),
        ("long_runs.md", "../results/saw_teeth", "repository/results/saw_teeth/index.md"),
        ("repository/results/saw_teeth/index.md", "summary.csv", "summary.csv"),
        ("index.md", f"https://host.example/owner/name/raw/main/{FIGURE}", f"repository/{FIGURE}"),
        ("index.md", "https://host.example/page", "https://host.example/page"),
        ("long_runs.md", "#a-batch-queue", "#a-batch-queue"),
        ("long_runs.md", "sample_size.md", "sample_size.md"),
    ],
)
def test_a_link_leads_to_the_same_file_in_the_site(page, link, place):
    assert links.rewritten(f"[text]({link})", page) == f"[text]({place})"
    assert links.rewritten(f'<img src="{link}">', page) == f'<img src="{place}">'


def test_code_blocks_keep_their_text():
    text = "```md\n[text](docs/long_runs.md)\n```\n"
    assert links.rewritten(text, "index.md") == text


def test_what_pages_link_to_outside_the_folder_of_pages_is_copied():
    found = links.targets(
        {"index.md": f"![x]({FIGURE}) [y](docs/long_runs.md) [z](results/paired)"}
    )
    assert links.ROOT / FIGURE in found
    assert links.ROOT / "results/paired/summary.csv" in found
    assert links.ROOT / "docs/long_runs.md" not in found


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<img src="http://host.example/x.png">',
        "<style>@import 'https://host.example/x.css';</style>",
        '<p style="background: url(https://host.example/x.png)">',
    ],
)
def test_an_element_that_loads_from_another_server_is_found(element):
    assert len(requests.foreign(element)) == 1


def test_links_that_a_reader_follows_are_no_requests():
    page = '<a href="https://host.example">x</a><link rel="canonical" href="https://host.example/">'
    assert requests.foreign(page + '<img src="assets/x.png"><svg xmlns="http://www.w3.org">') == []
    assert requests.foreign('<img src="data:image/png;base64,iVBO//33Qq">') == []


def test_a_style_sheet_that_loads_a_font_is_found():
    assert requests.foreign_in_style("src: url(https://fonts.example/a.woff2)") != []
    assert requests.foreign_in_style("src: url(a.woff2)") == []
