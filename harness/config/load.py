"""A config as plain data with its overrides, and its experiment or all issues in order of lines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from harness.base.errors import ConfigError, ConfigIssue, KeyPath, Place, path_text
from harness.base.plain_data import describe, expected_found
from harness.config import yaml12
from harness.config.form import AnyExperiment
from harness.config.yaml12 import LONGEST_NUMBER, NULL, Document

_PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])*")
_PART = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True)
class Overridden:
    """The data of a config after its overrides."""

    data: Any
    places: Mapping[KeyPath, Place]
    """The override that a part of the config comes from."""
    issues: tuple[ConfigIssue, ...]
    """One for each override that cannot be applied."""

    def place(self, path: KeyPath) -> Place | None:
        """The override that the value at the path comes from, if any."""
        above = (self.places.get(path[:end]) for end in range(len(path), 0, -1))
        return next((place for place in above if place is not None), None)


def _refused(path: KeyPath, message: str) -> ConfigError:
    """An override cannot be applied: the path as far as it exists, and the reason."""
    return ConfigError([ConfigIssue(path, message)])


def apply_overrides(data: Any, overrides: Sequence[str]) -> Overridden:
    """Set the overrides in the data, in order (``data`` itself is changed).

    A path is written ``methods.0.prior`` or ``methods[0].prior``. Mappings that are missing on
    the way are created. Unknown keys are set too: validation refuses them later.
    """
    places: dict[KeyPath, Place] = {}
    issues: list[ConfigIssue] = []
    for override in overrides:
        place = Place(f"--set {override}")
        try:
            key, equals, text = override.partition("=")
            key = key.strip()
            if not equals or not _PATH.fullmatch(key):
                raise _refused((), "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]")
            keys, value = _PART.findall(key), None
            if text.strip():
                document = yaml12.read(text)
                if document.issues:
                    raise _refused(tuple(keys), document.issues[0].message)
                value = document.data
            changed = _set(data, keys, value)
        except ConfigError as error:
            issues += [replace(issue, place=place) for issue in error.issues]
            continue
        # What an earlier override set below this path is gone.
        places = {
            path: former for path, former in places.items() if path[: len(changed)] != changed
        }
        places[changed] = place
    return Overridden(data, places, tuple(issues))


def _set(data: Any, keys: Sequence[str], value: Any) -> KeyPath:
    """Set the value and return the path of the topmost part that the override replaced."""
    path: KeyPath = ()
    created: KeyPath | None = None
    node = data
    for key in keys[:-1]:
        part = _part(node, key, path)
        path = (*path, part)
        if isinstance(node, dict) and node.get(part) is None:
            node[part] = {}
            created = created or path
        elif path[:1] == ("methods",) and isinstance(node[part], str):
            # The name of a method is short for a mapping with that name.
            node[part] = {"name": node[part]}
        node = node[part]
    last = _part(node, keys[-1], path)
    node[last] = value
    return created or (*path, last)


def _part(node: Any, key: str, path: KeyPath) -> str | int:
    """The key of a mapping, or an index that a list has."""
    here = (*path, key)
    if isinstance(node, dict):
        return key
    if not isinstance(node, list):
        message = f"expected {path_text(path)} to hold keys, found {describe(node)}"
        raise _refused(here, message)
    if not (key.isdecimal() and key.isascii() and len(key) < 10 and int(key) < len(node)):
        raise _refused(here, f"expected an index below {len(node)}, found {key}")
    return int(key)


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
            for name, content in value.items():
                # What other readers of YAML make of the key `null`.
                key = NULL if name is None else name
                if _is_text(key):
                    data[key] = plain(content, (*path, key))
                else:
                    report(path, f"expected text as a key, found {describe(key)}")
            return data
        if isinstance(value, list | tuple | range):
            return [plain(content, (*path, i)) for i, content in enumerate(value)]
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
