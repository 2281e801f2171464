"""Validate the data of a config: an experiment, or all of its issues in the order of lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from harness.base.errors import ConfigError, ConfigIssue, KeyPath, Place, did_you_mean
from harness.base.plain_data import expected_found
from harness.config.experiment import AnyExperiment
from harness.config.forms import KINDS, Form, form_of, forms_of, model_of_key
from harness.config.models.constraints import issues_of, unknown_key
from harness.config.models.figures import figure_spec
from harness.config.models.simulation import figures_of, simulation_of
from harness.config.overrides import apply_overrides
from harness.config.resolve import engines_of, resolve
from harness.config.rules import broken_figures, broken_rules, facts_of
from harness.config.yaml12 import Document
from harness.designs.simulation import SIMULATION
from harness.families.catalogue import FAMILIES
from harness.families.family import Family
from harness.figures.catalogue import FIGURES
from harness.figures.kind import FigureSpec
from harness.figures.requirements import suitable_figures
from harness.methods.catalogue import CATALOGUE

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
    if raw.get("kind") == SIMULATION:
        study, found = simulation_of(raw, folder)
        issues = _placed(document, found, place)
        if study is None or issues or overridden.issues:
            raise ConfigError([*sorted(issues, key=_line), *overridden.issues])
        return Validated(study, place(("name",)))
    form = form_of(raw)
    values, invalid = _validate_keys(form, raw, folder)
    found = [*_unknown_keys(form, raw), *invalid, *broken_rules(form, raw, values)]
    issues = _placed(document, found, place)
    if issues or overridden.issues:
        raise ConfigError([*sorted(issues, key=_line), *overridden.issues])
    if values["figures"] is None:
        values["figures"] = _suitable_figures(form, values)
        values["figures_are_suggested"] = True
    return Validated(resolve(form, raw, values), place(("name",)))


def _placed(
    document: Document, found: Sequence[ConfigIssue], place: Callable[[KeyPath], Place | None]
) -> list[ConfigIssue]:
    """The issues of the document, and those found in it, each with its line."""
    placed = (
        replace(issue, place=place(issue.path))
        for issue in found
        if not _is_below(issue.path, document.unreadable)
    )
    return [*document.issues, *placed]


def _suitable_figures(form: Form, values: Mapping[str, Any]) -> Any:
    """The valid figures of a config that leaves the key out."""
    named = [each for each in values.get("methods", ()) if each.name is not None]
    catalogue = CATALOGUE[form.family.name]
    settled = [each.label for each in named if catalogue[each.name].deterministic]
    raw = suitable_figures(facts_of(form, values), settled)
    return _validate(form, "figures", raw, {})[0]


def validate_figure(
    document: Mapping[str, Any], kind: str, options: Sequence[str] | Mapping[str, Any]
) -> FigureSpec:
    """Validate a figure of a finished run.

    Args:
        document: the resolved config of the run.
        kind: the kind of figure.
        options: of the figure: a mapping, or ``option=value`` each.

    Raises:
        ConfigError: the experiment has no such figure; the issues name the options of the kind.
    """
    if isinstance(options, Mapping):
        asked, where = apply_overrides({"kind": kind, **options}, ()), kind
    else:
        asked, where = apply_overrides({"kind": kind}, options), f"--kind {kind}"
    figure = asked.data
    if document.get("kind") == SIMULATION:
        values, found = figures_of([figure])
    else:
        form = form_of(document)
        values, found = _validate_keys(form, {**document, "figures": [figure]}, Path())
        # What has become of the user's files since the run decides nothing here.
        found = [issue for issue in found if issue.path[:1] == ("figures",)]
        if not found:
            found = list(broken_figures(form, values))
    known = list(FIGURES[kind].options.model_fields) if kind in FIGURES else []
    issues = [
        ConfigIssue(
            issue.path[2:],
            _unknown_option(kind, str(issue.path[2]), known)
            if known and len(issue.path) == 3 and issue.path[2] not in (*known, "kind")
            else issue.message,
            asked.place(issue.path[2:]) or Place(where),
        )
        for issue in found
    ]
    if issues or asked.issues:
        raise ConfigError([*issues, *asked.issues])
    return figure_spec(values["figures"][0])


def _unknown_option(kind: str, option: str, known: Sequence[str]) -> str:
    wanted = f"an option of {kind} ({', '.join(known)})"
    return expected_found(wanted, option) + did_you_mean(option, known)


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
    for key, record in form.keys.items():
        field = record.field
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
        if key == "family" and key in values:
            context[key] = form.family.name
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
    family_is_known = raw.get("family") == form.family.public_name
    for key in raw:
        # With an unknown family every size, and every key of some family, may be meant.
        may_be_meant = not family_is_known and (key in SIZES or _families_with(key, form))
        if key not in form.keys and not may_be_meant:
            yield ConfigIssue((key,), _unknown_key(key, form))


def _families_with(key: str, form: Form) -> list[Family]:
    return [other.family for other in forms_of(form.kind) if key in other.keys]


def _unknown_key(key: str, form: Form) -> str:
    family = form.family
    if key in SIZES:
        return f"expected {' and '.join(family.sizes)} for the family {family.name}, found {key}"
    having = _families_with(key, form)
    if len(having) == 1:
        return f"expected the family {having[0].name} with {key}, found {family.name}"
    if having:
        return f"expected a family of {having[0].design} with {key}, found {family.name}"
    for kind in KINDS:
        if any(key in other.keys for other in forms_of(kind)):
            return f"expected kind: {kind} with {key}, found {form.kind}"
    return unknown_key(key, list(form.keys))
