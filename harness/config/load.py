"""Experiments from config files, or one ConfigError with all that is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.config import shipped, yaml12
from harness.config.experiment import AnyExperiment
from harness.config.files import find_configs, read_text
from harness.config.judge import Judgement, judge
from harness.config.mapping import from_mapping
from harness.config.names import name_clashes
from harness.config.schema import json_schema
from harness.errors import ConfigError, Fault

__all__ = ["find_configs", "json_schema", "load_all", "load_experiment"]

IN_PYTHON = "config"
"""Where the faults of a config are that is no file."""


def load_experiment(
    source: Path | str | Mapping[str, Any], overrides: Sequence[str] = ()
) -> AnyExperiment:
    """The experiment of a config file, or of a mapping with the same keys.

    Args:
        source: path of a YAML file, one's own or shipped; or a mapping, whose paths are relative to
            the working folder.
        overrides: ``key=value``, as on the command line.

    Raises:
        ConfigError: the config has faults; it holds all of them.
    """
    judged = _load(source, overrides)
    if judged.experiment is None:
        raise ConfigError(judged.faults)
    return judged.experiment


def load_all(paths: Sequence[Path | str], overrides: Sequence[str] = ()) -> list[AnyExperiment]:
    """The experiments of files and folders, all of them checked.

    Raises:
        ConfigError: with the faults of all the files.
    """
    judged = [_load(file, overrides) for file in find_configs(paths)]
    faults = [fault for each in judged for fault in each.faults]
    faults += name_clashes(
        [(one.name_place, one.experiment.name) for one in judged if one.experiment is not None]
    )
    if faults:
        raise ConfigError(faults)
    return [one.experiment for one in judged if one.experiment is not None]


def _load(source: Path | str | Mapping[str, Any], overrides: Sequence[str]) -> Judgement:
    if isinstance(source, Mapping):
        return judge(from_mapping(source), overrides, IN_PYTHON, Path())
    path = _found(Path(source))
    text = read_text(path)
    if isinstance(text, Fault):
        return Judgement(None, (text,))
    return judge(yaml12.read(text), overrides, str(path), path.parent)


def _found(path: Path) -> Path:
    """The path or the shipped config it names; reading a path that is none tells what is wrong."""
    try:
        return shipped.found(path)
    except (OSError, ValueError):
        return path
