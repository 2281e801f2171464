"""Experiments from config files and mappings, or one ConfigError with all of their issues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from harness.base.arguments import quoted, validate_path
from harness.base.errors import ConfigError, ConfigIssue, InputError, Place, did_you_mean
from harness.base.plain_data import expected_found
from harness.config import yaml12
from harness.config.files import find_configs, find_shipped, read_text
from harness.config.form import AnyExperiment
from harness.config.load import Validated, apply_overrides, document_of, name_clashes, validated
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureSpec
from harness.kinds.catalogue import KINDS, kind_of_config


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
    issues += name_clashes(loaded)
    if issues:
        raise ConfigError(issues)
    return [config.experiment for config in loaded]


def _load(
    source: Path | str | Mapping[str, Any], overrides: Sequence[str], folder: Path = Path()
) -> Validated:
    if (
        isinstance(overrides, str)
        or not isinstance(overrides, Sequence)
        or not all(isinstance(override, str) for override in overrides)
    ):
        raise InputError(f"overrides should be a list of key=value, found {quoted(overrides)}")
    if isinstance(source, Mapping):
        return validated(document_of(source), overrides, folder, _validate)
    path = validate_path("config", source, "the path of a file, or a mapping")
    # Reading a path that is none raises the error.
    with suppress(OSError, ValueError):
        path = find_shipped(path)
    document = yaml12.read(read_text(path), str(path))
    return validated(document, overrides, path.parent, _validate)


def _validate(
    raw: Mapping[str, Any], folder: Path
) -> tuple[AnyExperiment | None, list[ConfigIssue]]:
    return kind_of_config(raw).validated(raw, folder, tuple(KINDS.values()))


def validate_figure(
    document: Mapping[str, Any], name: str, options: Sequence[str] | Mapping[str, Any]
) -> FigureSpec:
    """Validate a figure of a finished run.

    Args:
        document: the resolved config of the run.
        name: the kind of figure.
        options: of the figure: a mapping, or ``option=value`` each.

    Raises:
        ConfigError: the experiment has no such figure; the issues name the options of the kind.
    """
    if isinstance(options, Mapping):
        asked, where = apply_overrides({"kind": name, **options}, ()), name
    else:
        asked, where = apply_overrides({"kind": name}, options), f"--kind {name}"
    spec, figure_issues = kind_of_config(document).validated_figure(document, asked.data)
    option_names = list(FIGURES[name].options.model_fields) if name in FIGURES else []
    issues = []
    for issue in figure_issues:
        path, message = issue.path[2:], issue.message
        if option_names and len(path) == 1 and path[0] not in (*option_names, "kind"):
            wanted = f"an option of {name} ({', '.join(option_names)})"
            message = expected_found(wanted, path[0]) + did_you_mean(path[0], option_names)
        issues.append(ConfigIssue(path, message, asked.place(path) or Place(where)))
    if spec is None or issues or asked.issues:
        raise ConfigError([*issues, *asked.issues])
    return spec


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a config, for editors: any one of the forms."""
    models = [model for kind in KINDS.values() for model in kind.models()]
    places, defined = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment of the coverage harness",
        "description": "One experiment: the interval methods, the data, and the computations.",
        "anyOf": [places[model, "validation"] for model in models],
        "$defs": defined["$defs"],
    }
