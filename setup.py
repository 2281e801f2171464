"""The README as a package index shows it: no link in it is relative.

An index shows the README beside no files, so that a relative link leads nowhere there. Where the
address of the repository is known, links become absolute: from ``Repository`` of ``project.urls``,
or from the variables that GitHub sets in a workflow, at the very commit that is built. Where none
is known, pictures are replaced by their descriptions and links by their texts.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent

LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?!https?:|#)([^()\s]+)\)")
"""A relative link, or a picture where an exclamation mark precedes it: mark, text, target."""


def repository(project: Mapping[str, dict], environment: Mapping[str, str]) -> str | None:
    """The address below which the files of the repository are, at a branch or a commit."""
    declared = project.get("urls", {}).get("Repository")
    if declared is not None:
        return f"{declared.rstrip('/')}/raw/{environment.get('GITHUB_SHA', 'HEAD')}"
    parts = [environment.get(f"GITHUB_{each}") for each in ("SERVER_URL", "REPOSITORY", "SHA")]
    if not all(parts):
        return None
    server, name, commit = parts
    return f"{server}/{name}/raw/{commit}"


def for_index(text: str, address: str | None) -> str:
    """The README with absolute links below ``address``; without it, with none that are relative.

    Pages are shown and not downloaded: their links have ``blob`` in place of ``raw``.
    """

    def absolute(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        if address is None:
            return f"*{words}*" if picture else words
        below = address if picture else address.replace("/raw/", "/blob/")
        return f"{picture}[{words}]({below}/{target})"

    # Code stands as it is.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [LINK.sub(absolute, part) for part in parts[::2]]
    return "".join(parts)


if __name__ == "__main__":
    from setuptools import setup

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    readme = (ROOT / "README.md").read_text("utf-8")
    setup(
        long_description=for_index(readme, repository(project, os.environ)),
        long_description_content_type="text/markdown",
    )
