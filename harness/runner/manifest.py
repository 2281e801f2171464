"""What the manifest of a run holds whatever the kind of experiment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

_PACKAGES = ("coverage-harness", "numpy", "scipy", "polars", "matplotlib")


def manifest_of(
    document: Mapping[str, Any], sources: Mapping[str, str], content: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of manifest.json with what that of every kind of experiment has.

    Args:
        document: the resolved config.
        sources: the digest of each file that holds a user function, by what it is in the config.
        content: what the kind of experiment has of its own.
    """
    return {
        "name": document["name"],
        "title": document["title"],
        **({"kind": document["kind"]} if "kind" in document else {}),
        "seed": document["seed"],
        "content_hash": content_hash(document, sources),
        "versions": versions(),
        **content,
        "experiment": {key: value for key, value in document.items() if key != "execution"},
    }


def versions() -> dict[str, str]:
    """The versions of the packages that the numbers and the figures depend on."""
    return {package: version(package) for package in _PACKAGES}


def content_hash(document: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """The SHA-256 of all that decides the numbers of a run.

    The name, the title, the figures and the execution of an experiment change no number.
    """
    aside = {"execution", "figures", "title", "name"}
    content = {key: value for key, value in document.items() if key not in aside}
    content["sources"] = dict(sources)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
