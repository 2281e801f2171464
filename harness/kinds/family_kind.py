"""Kinds of experiments whose configs have a family, which decides their keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import ConfigIssue, InputError
from harness.base.models import unknown_key
from harness.base.plain_data import flow
from harness.base.text import enumerated
from harness.catalogue import family_in, with_settings
from harness.config.form import (
    FamilyForm,
    family_form,
    validate_key,
    validate_keys,
)
from harness.config.shared_keys import Rule, ValidKeys, broken_figures
from harness.families.catalogue import FAMILIES
from harness.families.family import STOPPING, Family
from harness.families.judged import SENSITIVITY, SPECIFICITY
from harness.figures.catalogue import figure_spec
from harness.figures.kind import FigureSpec
from harness.figures.requirements import ExperimentFacts
from harness.kinds.kind import E, Kind

if TYPE_CHECKING:
    from harness.findings.answer import Answer

SIZES = tuple(dict.fromkeys(size for family in FAMILIES.values() for size in family.sizes))


class FamilyKind(Kind[E]):
    """A kind of experiment whose configs have a family."""

    record: Any
    """What a config becomes; the attributes of it state the keys."""
    families: Mapping[str, Family]
    """The families that it has."""
    rules: tuple[Rule, ...]
    """The rules that relate the keys."""

    def facts(self, config: ValidKeys) -> ExperimentFacts:
        """What is known of the experiment by the valid values of its config."""
        truth = config.get("truth")
        return ExperimentFacts(self.name, config.family, "family" in config, truth=truth)

    @abstractmethod
    def suitable_figures(self, config: ValidKeys) -> list[dict[str, Any]]:
        """The figures of a config that leaves the key out, as it would write them."""

    @abstractmethod
    def attributes(self, config: ValidKeys) -> dict[str, Any]:
        """The attributes of the experiment that are not the values of keys of their names."""

    @abstractmethod
    def answer(self, results: Any) -> Answer:
        """What a run has found, before all details."""

    def markdown(self, results: Any) -> Iterable[str]:
        from harness.report.sections import paragraphs

        return paragraphs(self.answer(results), results.manifest)

    def form_for(self, family: Family) -> FamilyForm:
        """The form of a family; made when it is first asked for."""
        return family_form(self.record, family)

    def forms(self) -> Iterator[FamilyForm]:
        """The forms, in the order of the families."""
        return (self.form_for(family) for family in self.families.values())

    def form_of(self, raw: Mapping[str, Any]) -> FamilyForm:
        """The form of a config; for an unknown family, of the first with a size the config has."""
        name = raw.get("family")
        if isinstance(name, str) and name in self.families:
            try:
                return self.form_for(with_settings(name, dict(raw)))
            except InputError:
                # The key of the setting says so.
                return self.form_for(self.families[name])
        families = tuple(self.families.values())
        fitting = (family for family in families if set(family.sizes) & set(raw))
        return self.form_for(next(fitting, families[0]))

    def valid_keys(
        self, raw: Mapping[str, Any], folder: Path
    ) -> tuple[ValidKeys, list[ConfigIssue]]:
        """The valid values of a config, each by itself, and the issues of the others."""
        form = self.form_of(raw)
        sizes = form.family.sizes
        # k is a size of runs, and a setting of tasks.
        of_family = {*sizes, *form.family.settings}
        others = any(size in raw for size in SIZES if size not in of_family)
        # A missing size is replaced by one of another family, which is an issue already.
        replaced = [size for size in sizes if others and size not in raw]
        values, issues = validate_keys(form, raw, folder, replaced)
        values["sizes"] = {name: values[name] for name in sizes if name in values}
        return ValidKeys(form, raw, values), issues

    def validated(
        self, raw: Mapping[str, Any], folder: Path, kinds: Sequence[Kind[Any]]
    ) -> tuple[E | None, list[ConfigIssue]]:
        config, invalid = self.valid_keys(raw, folder)
        issues = [*self._unknown_keys(config, kinds), *invalid]
        for rule in self.rules:
            if all(key in config for key in rule.reads):
                issues += rule.issues(config)
        issues += broken_figures(config, self.facts(config))
        return (None, issues) if issues else (self._experiment(config), [])

    def _experiment(self, config: ValidKeys) -> E:
        """The experiment of a config without issues."""
        figures = config["figures"]
        if figures is None:
            figures, _ = validate_key(config.form, "figures", self.suitable_figures(config), {})
        resolved = {
            **config,
            "title": config["title"] or config["name"],
            "family": config.family,
            # Where nothing is drawn, the seed does not matter.
            "seed": config["seed"] or 0,
            "figures": tuple(map(figure_spec, figures)),
            "figures_are_suggested": config["figures"] is None,
            **self.attributes(config),
        }
        attributes = [field.name for field in fields(self.record) if field.name in resolved]
        made: E = self.record(**{name: resolved[name] for name in attributes})
        return made

    def validated_figure(
        self, document: Mapping[str, Any], figure: Mapping[str, Any]
    ) -> tuple[FigureSpec | None, list[ConfigIssue]]:
        config, invalid = self.valid_keys({**document, "figures": [figure]}, Path())
        # What has become of the user's files since the run decides nothing here.
        issues = [issue for issue in invalid if issue.path[:1] == ("figures",)]
        issues = issues or list(broken_figures(config, self.facts(config)))
        return (None, issues) if issues else (figure_spec(config["figures"][0]), [])

    def _unknown_keys(self, config: ValidKeys, kinds: Sequence[Kind[Any]]) -> Iterator[ConfigIssue]:
        """One issue for each key that the form does not have."""
        family_is_known = config.raw.get("family") == config.family.public_name
        for key in config.raw:
            # With an unknown family every size, and every key of some family, may be meant.
            may_be_meant = not family_is_known and (key in SIZES or self._families_with(key))
            if key not in config.form.keys and not may_be_meant:
                yield ConfigIssue((key,), self._unknown_key(key, config.form, kinds))

    def _families_with(self, key: str) -> list[Family]:
        return [form.family for form in self.forms() if key in form.keys]

    def _unknown_key(self, key: str, form: FamilyForm, kinds: Sequence[Kind[Any]]) -> str:
        family = form.family
        if key in SIZES:
            wanted = " and ".join(family.sizes)
            return f"expected {wanted} for the family {family.name}, found {key}"
        if key in (SENSITIVITY, SPECIFICITY) and key in family.truth_parts:
            return (
                f"expected {SENSITIVITY} and {SPECIFICITY} together, with a sum above 1 and "
                f"without {enumerated(family.sizes[1:])}, or in the truth, found {key}"
            )
        having = self._families_with(key)
        if len(having) == 1:
            return f"expected the family {having[0].name} with {key}, found {family.name}"
        if having:
            return f"expected a family of {having[0].design} with {key}, found {family.name}"
        for kind in kinds:
            if any(key in other.keys for other in kind.forms()):
                return f"expected kind: {kind.name} with {key}, found {form.kind}"
        return unknown_key(key, list(form.keys))

    def setting(self, document: Mapping[str, Any]) -> str:
        family = family_in(document)
        sizes = [f"{name} = {_values(document[name])}" for name in family.sizes if name in document]
        alpha = [f"alpha = {_values(document['alpha'])}"] if "alpha" in document else []
        truth = [f"truth {flow(document['truth'])}"] if "truth" in document else []
        arise = [
            f"{key} {flow(document[key])}" for key in ("sampling", STOPPING) if key in document
        ]
        words = [family.title, ", ".join(sizes), *arise, *truth, *alpha]
        return "; ".join(words).replace("; ;", ";")


def _values(values: Any) -> str:
    """A number, or the numbers of a list: of many the first and the last."""
    if not isinstance(values, list):
        return flow(values)
    if len(values) > 8:
        return f"{flow(values[0])} … {flow(values[-1])} ({len(values)} values)"
    return ", ".join(map(flow, values))
