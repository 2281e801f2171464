"""What a package index shows of the README has no relative links."""

from __future__ import annotations

import re
import runpy
import tomllib

import pytest

import harness
from tests.pages.measured import ROOT

SETUP = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
README = (ROOT / "README.md").read_text("utf-8")
WORKFLOW = {
    "GITHUB_SERVER_URL": "https://example.org",
    "GITHUB_REPOSITORY": "owner/name",
    "GITHUB_SHA": "abc",
}


@pytest.mark.parametrize("address", [None, "https://example.org/owner/name/raw/abc"])
def test_no_link_of_the_readme_is_relative_in_an_index(address: str | None) -> None:
    shown = SETUP["for_index"](README, address)
    outside_code = re.sub(r"^```.*?^```$", "", shown, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"\]\((?!https://)[^)]*\)", outside_code)
    assert ("](https://" in outside_code) == (address is not None)


def test_pictures_are_raw_files_and_pages_are_shown() -> None:
    text = "![a](results/a.png) and [b](docs/b.md), not [c](https://c)\n```\n[d](e)\n```\n"
    shown = SETUP["for_index"](text, "https://example.org/owner/name/raw/abc")
    assert shown == (
        "![a](https://example.org/owner/name/raw/abc/results/a.png) and "
        "[b](https://example.org/owner/name/blob/abc/docs/b.md), not [c](https://c)\n"
        "```\n[d](e)\n```\n"
    )
    assert SETUP["for_index"](text, None).startswith("*a* and b, not [c](https://c)\n```\n[d](e)")


def test_the_address_is_that_of_the_project_or_of_the_workflow() -> None:
    repository = SETUP["repository"]
    assert repository({}, {}) is None
    assert repository({}, WORKFLOW) == "https://example.org/owner/name/raw/abc"
    declared = {"urls": {"Repository": "https://example.org/declared/"}}
    assert repository(declared, {}) == "https://example.org/declared/raw/HEAD"


def test_the_citation_has_the_version_and_the_authors_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {harness.__version__}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    for author in project["authors"]:
        assert f"\n  - name: {author['name']}\n" in citation
