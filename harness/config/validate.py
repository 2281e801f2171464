"""Validate the data of a config: an experiment, or all of its issues in the order of lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from harness.config.experiment import AnyExperiment
from harness.config.forms import FORMS, Form, form_of, model_of_key
from harness.config.messages import issues_of, unknown_key
from harness.config.overrides import apply_overrides
from harness.config.resolve import engines_of, resolve
from harness.config.rules import broken_rules
from harness.config.yaml12 import Document
from harness.errors import ConfigError, ConfigIssue, KeyPath, Place
from harness.families.catalogue import FAMILIES
from harness.plain_data import expected_found

LISTS = ("methods", "figures")
"""Keys whose list is validated entry by entry."""
SIZES = tuple(dict.fromkeys(size for family in FAMILIES.values() for size in family.sizes))


class Validated(NamedTuple):
    """An experiment, and where its config sets the name."""

    experiment: AnyExperiment
    name_place: Place


def validate(document: Document, overrides: Sequence[str], folder: Path) -> Validated:
    """Validate a config and resolve it to an experiment.

    Args:
        document: the config's data, with the lines of its file if it has one.
        overrides: ``key=value``.
        folder: what paths in the config are relative to.

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

    raw = overridden.data
    if not isinstance(raw, Mapping):
        message = expected_found("a mapping of keys", raw)
        raise ConfigError([ConfigIssue((), message, place(()))])
    form = form_of(raw)
    values, invalid = _validate_keys(form, raw, folder)
    found = [*_unknown_keys(form, raw), *invalid, *broken_rules(form, raw, values)]
    issues = [
        *document.issues,
        *(
            replace(issue, place=place(issue.path))
            for issue in found
            if not _is_below(issue.path, document.unreadable)
        ),
    ]
    if issues or overridden.issues:
        raise ConfigError([*sorted(issues, key=_line), *overridden.issues])
    return Validated(resolve(form, raw, values), place(("name",)))


def _is_below(path: KeyPath, unreadable: frozenset[KeyPath]) -> bool:
    return any(path[:end] in unreadable for end in range(len(path) + 1))


def _line(issue: ConfigIssue) -> float:
    line = None if issue.place is None else issue.place.line
    return math.inf if line is None else line


def _validate_keys(
    form: Form, raw: Mapping[str, Any], folder: Path
) -> tuple[dict[str, Any], list[ConfigIssue]]:
    """Validate each key by itself, so that an issue of one hides none of another.

    Returns:
        The values of the valid keys, defaults included, and the issues of the others. In the
        lists of the keys ``LISTS``, None stands for an entry that is not valid. Besides, there
        are the valid ``sizes`` by their keys, and ``engines`` are those that run.
    """
    issues: list[ConfigIssue] = []
    values: dict[str, Any] = {}
    context: dict[str, Any] = {"folder": folder}
    for key, (_, field) in form.keys.items():
        given = raw.get(key) if field.is_required() else raw.get(key, field.get_default())
        if key in LISTS and isinstance(given, list) and given:
            values[key] = []
            for i, entry in enumerate(given):
                found, wrong = _validate(form, key, [entry], context)
                values[key].append(None if wrong else found[0])
                issues += (replace(each, path=(key, i, *each.path[2:])) for each in wrong)
        elif key in raw or not field.is_required() or not _has_other_sizes(form, key, raw):
            found, wrong = _validate(form, key, given, context)
            if not wrong:
                values[key] = found
            issues += wrong
        context[key] = values.get(key)
    values["sizes"] = {name: values[name] for name in form.family.sizes if name in values}
    if "engines" in values:
        written = values.pop("engines")
        if "trials" in values:
            truth, law = values.get("truth"), values.get("sampling")
            values["engines"] = engines_of(form.family, written, values["trials"], truth, law)
    return values, issues


def _validate(
    form: Form, key: str, value: Any, context: Mapping[str, Any]
) -> tuple[Any, list[ConfigIssue]]:
    """The valid value of a key, or None and its issues."""
    model = model_of_key(form, key)
    try:
        return getattr(model.model_validate({key: value}, context=dict(context)), key), []
    except ValidationError as error:
        return None, list(issues_of(error))


def _has_other_sizes(form: Form, key: str, raw: Mapping[str, Any]) -> bool:
    """Whether a missing size is replaced by one of another family, which is an issue already."""
    sizes = form.family.sizes
    return key in sizes and any(size in raw for size in SIZES if size not in sizes)


def _unknown_keys(form: Form, raw: Mapping[str, Any]) -> Iterator[ConfigIssue]:
    """One issue for each key that the form does not have."""
    family_is_known = raw.get("family") == form.family.name
    for key in raw:
        # With an unknown family every size may be meant.
        if key not in form.keys and (key not in SIZES or family_is_known):
            yield ConfigIssue((key,), _unknown_key(key, form))


def _unknown_key(key: str, form: Form) -> str:
    family = form.family
    if key in SIZES:
        return f"expected {' and '.join(family.sizes)} for the family {family.name}, found {key}"
    having = [other for other in FORMS[form.kind].values() if key in other.keys]
    if having:
        design = having[0].family.design
        return f"expected a family of {design} with {key}, found {family.name}"
    for kind, forms in FORMS.items():
        if any(key in other.keys for other in forms.values()):
            return f"expected kind: {kind} with {key}, found {form.kind}"
    return unknown_key(key, list(form.keys))
