"""Experiments from config files and mappings, or one ConfigError with all of their issues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from harness.base.arguments import quoted, validate_path
from harness.base.errors import ConfigError, ConfigIssue, InputError, KeyPath, Place
from harness.base.plain_data import describe
from harness.config import yaml12
from harness.config.experiment import AnyExperiment
from harness.config.files import find_configs, find_shipped, read_text
from harness.config.forms import json_schema
from harness.config.validate import Validated, validate
from harness.config.yaml12 import LONGEST_NUMBER, NULL, Document

__all__ = ["find_configs", "json_schema", "load_all", "load_experiment"]

MAPPING = "config"
"""What stands for the name of a file in the issues of a mapping."""


def load_experiment(
    source: Path | str | Mapping[str, Any],
    overrides: Sequence[str] = (),
    folder: Path | None = None,
) -> AnyExperiment:
    """Return the experiment of a config file, or of a mapping with the same keys.

    Args:
        source: path of a YAML file, or name of a config that comes with the package; or a
            mapping, whose paths are relative to the working folder.
        overrides: ``key=value``, as on the command line.
        folder: what paths of a mapping are relative to, instead of the working folder.

    Raises:
        ConfigError: the config is not valid; the error has all issues.
        InputError: there is neither a path nor a mapping, or the overrides are no texts.

    >>> config = {"name": "a", "family": "proportion", "n": [10, 5], "methods": ["wilson"]}
    >>> load_experiment(config).sizes
    (5, 10)
    """
    return _load(source, overrides, folder or Path()).experiment


def load_all(paths: Sequence[Path | str], overrides: Sequence[str] = ()) -> list[AnyExperiment]:
    """Return the experiments of files and folders.

    Args:
        paths: config files, and folders with config files.
        overrides: ``key=value``, set in every config.

    Raises:
        ConfigError: a config is not valid; the error has the issues of all files.
    """
    loaded: list[Validated] = []
    issues: list[ConfigIssue] = []
    for file in find_configs(paths):
        try:
            loaded.append(_load(file, overrides))
        except ConfigError as error:
            issues += error.issues
    issues += _name_clashes(loaded)
    if issues:
        raise ConfigError(issues)
    return [each.experiment for each in loaded]


def _load(
    source: Path | str | Mapping[str, Any], overrides: Sequence[str], folder: Path = Path()
) -> Validated:
    if (
        isinstance(overrides, str)
        or not isinstance(overrides, Sequence)
        or not all(isinstance(each, str) for each in overrides)
    ):
        raise InputError(f"overrides should be a list of key=value, found {quoted(overrides)}")
    if isinstance(source, Mapping):
        return validate(document_of(source), overrides, folder)
    given = validate_path("config", source, "the path of a file, or a mapping")
    path = _existing(given)
    document = yaml12.read(read_text(path), str(path))
    return validate(document, overrides, path.parent)


def _existing(path: Path) -> Path:
    """The path or the shipped config that it names; reading any other path raises the error."""
    try:
        return find_shipped(path)
    except (OSError, ValueError):
        return path


def _name_clashes(loaded: Sequence[Validated]) -> Iterator[ConfigIssue]:
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
