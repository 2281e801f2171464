"""Links work beside the sources and in the site, and no page loads from another server."""

from __future__ import annotations

import pytest
from handbook import links, requests

FIGURE = "results/saw_teeth/figures/coverage_curve-n50.png"


@pytest.mark.parametrize(
    ("page", "link", "place"),
    [
        ("index.md", "docs/long_runs.md", "long_runs.md"),
        ("index.md", "docs/long_runs.md#a-batch-queue", "long_runs.md#a-batch-queue"),
        ("index.md", "CONTRIBUTING.md", "contributing.md"),
        ("index.md", FIGURE, f"repository/{FIGURE}"),
        ("long_runs.md", "../README.md#two-commands", "index.md#two-commands"),
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


def test_a_style_sheet_that_loads_a_font_is_found():
    assert requests.foreign_in_style("src: url(https://fonts.example/a.woff2)") != []
    assert requests.foreign_in_style("src: url(a.woff2)") == []
