"""What a run would replace: the results of the same experiment, of a changed one, or of another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.config.experiment import COVERAGE, AnyExperiment
from harness.config.serialize import serialize
from harness.tables.storage import read_manifest

FRESH_REPLACES = ", or replace them with --fresh (in Python fresh=True)"
"""What allows a run to replace the results of another experiment."""

_NO_NUMBERS = frozenset({"name", "title", "execution", "figures"})
"""Keys that change no number."""
_WHAT = ("kind", "family")
"""Keys by which two experiments are different ones, and not one that was changed."""


def refuse_other_experiment(experiment: AnyExperiment, folder: Path, allowed_by: str) -> None:
    """Refuse a folder with the results of another kind of experiment or of another family.

    Args:
        experiment: the experiment to run.
        folder: the folder of its results.
        allowed_by: the end of the message: what replaces them, or nothing.

    Raises:
        InputError: the results in the folder are of another experiment.
    """
    former, new = _former(folder), _plain(serialize(experiment))
    if former is None:
        return
    for key in _WHAT:
        was, now = (each.get(key, COVERAGE) for each in (former, new))
        if was != now:
            raise InputError(
                f"{folder} holds the results of another experiment ({key} {was}, not {now}); "
                f"choose another name or folder{allowed_by}"
            )


def replaced_results(experiment: AnyExperiment, folder: Path) -> str:
    """Say that the results in a folder are those of another config; nothing if they are not.

    Args:
        experiment: the experiment to run.
        folder: the folder of its results.

    Returns:
        A sentence with the keys of the config that differ and change numbers; or nothing where
        there are no results or no such keys.
    """
    former, new = _former(folder), _plain(serialize(experiment))
    if former is None:
        return ""
    keys = [key for key in {**new, **former} if former.get(key) != new.get(key)]
    changed = [key for key in keys if key not in _NO_NUMBERS]
    if not changed:
        return ""
    return (
        f"{folder} holds the results of a config with another {enumerated(changed)}, which this "
        "run replaces when it is complete; another name or --out keeps them"
    )


def _former(folder: Path) -> Mapping[str, Any] | None:
    """The resolved config of the results in a folder; None where there are none to be read."""
    try:
        document = read_manifest(folder)["experiment"]
    except InputError:
        return None
    return document if isinstance(document, Mapping) else None


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as JSON gives it back, so that it compares with one that was stored."""
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain
