"""A config as plain data, and its experiment or all of its issues in the order of lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from harness.base.errors import ConfigError, ConfigIssue, KeyPath, Place
from harness.base.plain_data import describe, expected_found
from harness.config.form import AnyExperiment
from harness.config.overrides import apply_overrides
from harness.config.yaml12 import LONGEST_NUMBER, NULL, Document

Validate = Callable[[Mapping[str, Any], Path], tuple[AnyExperiment | None, list[ConfigIssue]]]
"""Makes the experiment of the data of a config, or its issues; paths are relative to the folder."""


class Validated(NamedTuple):
    """An experiment, and where its config sets the name."""

    experiment: AnyExperiment
    name_place: Place


def validated(
    document: Document, overrides: Sequence[str], folder: Path, validate: Validate
) -> Validated:
    """Validate a config with its overrides.

    Args:
        document: the config's data, with the lines of its file if it has one.
        overrides: ``key=value``.
        folder: what paths in the config are relative to.
        validate: makes the experiment.

    Raises:
        ConfigError: the config is not valid; the error has all issues.
    """
    if () in document.unreadable:
        raise ConfigError(document.issues)
    # Overrides are set in mappings only; any other data is refused below.
    overridden = apply_overrides(
        document.data, overrides if isinstance(document.data, dict) else ()
    )

    def place(path: KeyPath) -> Place:
        return overridden.place(path) or document.place(path)

    if not isinstance(overridden.data, Mapping):
        message = expected_found("a mapping of keys", overridden.data)
        raise ConfigError([ConfigIssue((), message, place(()))])
    experiment, invalid = validate(overridden.data, folder)
    placed = [
        replace(issue, place=place(issue.path))
        for issue in invalid
        if not any(issue.path[:end] in document.unreadable for end in range(len(issue.path) + 1))
    ]
    issues = [*document.issues, *placed]
    if experiment is None or issues or overridden.issues:

        def line(issue: ConfigIssue) -> float:
            number = None if issue.place is None else issue.place.line
            return math.inf if number is None else number

        raise ConfigError([*sorted(issues, key=line), *overridden.issues])
    return Validated(experiment, place(("name",)))


MAPPING = "config"
"""What stands for the name of a file in the issues of a mapping."""


def name_clashes(loaded: Sequence[Validated]) -> Iterator[ConfigIssue]:
    """Find experiments that would write into each other's folder of results.

    Two names that differ in case alone are one folder on some machines. A folder inside another
    one would be deleted when that one is replaced.
    """
    taken: dict[tuple[str, ...], Place] = {}
    for experiment, place in loaded:
        name = experiment.name
        parts = tuple(name.casefold().split("/"))
        for other, first in taken.items():
            shared = min(len(parts), len(other))
            if parts == other:
                message = f"expected a unique name, found {name} as in {first}"
                yield ConfigIssue(("name",), message, place)
            elif parts[:shared] == other[:shared]:
                inner = "inside" if len(parts) > len(other) else "around"
                message = f"expected a separate folder, found {name} {inner} that of {first}"
                yield ConfigIssue(("name",), message, place)
        taken.setdefault(parts, place)


def document_of(mapping: Mapping[Any, Any]) -> Document:
    """The plain data that YAML would give for a mapping of Python objects.

    Tuples and arrays become lists. What is not plain data is left for the validation to refuse.
    """
    issues: list[ConfigIssue] = []
    unreadable: set[KeyPath] = set()

    def report(path: KeyPath, message: str) -> None:
        issues.append(ConfigIssue(path, message, Place(MAPPING)))

    def plain(value: Any, path: KeyPath) -> Any:
        if isinstance(value, Mapping):
            data = {}
            for name, each in value.items():
                # What other readers of YAML make of the key `null`.
                key = NULL if name is None else name
                if _is_text(key):
                    data[key] = plain(each, (*path, key))
                else:
                    report(path, f"expected text as a key, found {describe(key)}")
            return data
        if isinstance(value, list | tuple | range):
            return [plain(each, (*path, i)) for i, each in enumerate(value)]
        if isinstance(value, PurePath):
            return plain(str(value), path)
        if isinstance(value, str) and not _is_text(value):
            report(path, "expected text, found half of a surrogate pair")
        elif isinstance(value, int) and abs(value) >= 10**LONGEST_NUMBER:
            report(path, f"expected a number, found one of more than {LONGEST_NUMBER} digits")
        else:
            # NumPy's arrays and numbers, without importing NumPy.
            to_list = getattr(value, "tolist", None)
            return to_list() if callable(to_list) else value
        unreadable.add(path)
        return None

    try:
        data = plain(mapping, ())
    except RecursionError:
        message = "expected a config, found values nested too deeply to read"
        return Document.without_data(MAPPING, None, message)
    return Document(MAPPING, data, issues=tuple(issues), unreadable=frozenset(unreadable))


def _is_text(value: Any) -> bool:
    """Whether the value is text that a file can hold."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
