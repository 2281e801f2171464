"""What a kind of experiment gives: its configs, its computation, and what is shown of it.

A kind is an object in the catalogue, of a class whose methods import what they need when called:
configs are validated without the engines, and run without the pages. Kinds whose configs have a
family, which decides their keys, share ``FamilyKind``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel

from harness.base.errors import ConfigIssue, InputError
from harness.base.models import unknown_key
from harness.base.plain_data import flow
from harness.base.text import enumerated
from harness.catalogue import family_in, with_settings
from harness.config.form import (
    AnyExperiment,
    FamilyForm,
    Form,
    family_form,
    validate_key,
    validate_keys,
)
from harness.config.load import document_of, validated
from harness.config.shared_keys import Rule, ValidKeys, broken_figures
from harness.families.catalogue import FAMILIES
from harness.families.family import STOPPING, Family
from harness.families.judged import SENSITIVITY, SPECIFICITY
from harness.figures.catalogue import figure_spec
from harness.figures.kind import FigureSpec
from harness.figures.requirements import ExperimentFacts
from harness.runner.workload import Workload

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from harness.findings.answer import Answer
    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.parts import Part
    from harness.runner.workload import Progress
    from harness.tables.results import Results

E = TypeVar("E", bound=AnyExperiment)
"""The experiments of a kind."""


class Kind(ABC, Generic[E]):
    """A kind of experiment."""

    name: ClassVar[str]
    """The word for it in the key ``kind`` of a config."""
    asks: ClassVar[str]
    """What it asks, in a few words that follow its name."""

    # Configs.

    def forms(self) -> Iterator[Form]:
        """The forms of its configs; none where its configs have a model of their own."""
        return iter(())

    def models(self) -> Iterator[type[BaseModel]]:
        """The models of its configs, for their JSON Schema."""
        return (form.model() for form in self.forms())

    @abstractmethod
    def validated(
        self, raw: Mapping[str, Any], folder: Path, kinds: Sequence[Kind[Any]]
    ) -> tuple[E | None, list[ConfigIssue]]:
        """The experiment of a config, or None and its issues.

        Args:
            raw: the data of the config.
            folder: what paths in it are relative to.
            kinds: all kinds, of which another one may have a key that this one lacks.
        """

    def loaded(self, document: Mapping[str, Any], folder: Path) -> E:
        """The experiment of a resolved config of this kind.

        Raises:
            ConfigError: the config is not valid.
        """

        def validate(raw: Mapping[str, Any], folder: Path) -> tuple[E | None, list[ConfigIssue]]:
            return self.validated(raw, folder, (self,))

        return cast(E, validated(document_of(document), (), folder, validate).experiment)

    @abstractmethod
    def validated_figure(
        self, document: Mapping[str, Any], figure: Mapping[str, Any]
    ) -> tuple[FigureSpec | None, list[ConfigIssue]]:
        """A figure of the results of a resolved config, or None and its issues."""

    # Before a run.

    @abstractmethod
    def workload(self, experiment: E) -> Workload:
        """What a run has to do.

        Raises:
            InputError: it cannot be run on this machine, or not at all; the message says what can.
        """

    def undivided(self, experiment: E) -> str:
        """Why an experiment cannot be run in parts; empty if it can."""
        return f"a {self.name} cannot be run in parts; run it whole"

    # A run.

    @abstractmethod
    def compute(self, experiment: E, progress: Progress, journal: Journal | None) -> Results:
        """Compute the tables and the manifest, which are not written yet.

        The manifest is one of ``runner.storage.manifest_of``, with ``trials``, a mapping.

        Args:
            experiment: what to compute.
            progress: receives the numbers of trials to come and done.
            journal: knows what former runs finished and keeps what this one does; None for
                neither.
        """

    def compute_part(self, experiment: E, part: Part, progress: Progress, journal: Journal) -> None:
        """Compute a part of a run, and record it in a journal.

        Raises:
            InputError: the kind cannot be divided, as ``undivided`` says.
        """
        raise InputError(f"{experiment.name}: {self.undivided(experiment)}")

    def sources(self, experiment: E) -> dict[str, str]:
        """The digests of the files of user functions, by what they are in the config."""
        return {}

    def files(self, experiment: E) -> dict[str, str]:
        """What is needed beside the resolved config to load an experiment elsewhere."""
        return {}

    def restored(self, document: Mapping[str, Any], files: Mapping[str, str]) -> E:
        """The experiment of a resolved config and of what ``files`` gave beside it."""
        return self.loaded(document, Path())

    def changeable(self, files: Mapping[str, str]) -> str:
        """Names what may have changed since the parts of a run were computed."""
        return "the config"

    def run_record(self, experiment: E, results: Any) -> dict[str, Any]:
        """What else is recorded of a run, which differs from one run to the next."""
        return {}

    # Results.

    def results(
        self, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, Any], folder: Path
    ) -> Results:
        """The results of a run, read from its folder.

        Args:
            tables: by the names of their files, without the ending.
            manifest: their manifest, without the list of files.
            folder: where they are.
        """
        from harness.tables.columns import CELLS, SUMMARY
        from harness.tables.results import Results

        return Results(tables[CELLS], tables[SUMMARY], manifest, folder)

    def agrees(self, manifest: Mapping[str, Any]) -> bool:
        """Whether no two computations of a run disagree."""
        return True

    def remarks(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        """What is said of a run on standard error, in sentences, unless it is quiet."""
        return ()

    def failures(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        """A sentence for each failure of a method of a run."""
        return ()

    def unanswered(self, results: Any) -> Iterable[str]:
        """A sentence for each question of a run that its results do not answer."""
        return ()

    # What is shown.

    @abstractmethod
    def screen(self, results: Any, verbose: bool = False) -> Iterable[RenderableType]:
        """What a terminal shows of results: what matters most, or where ``verbose`` all of it."""

    @abstractmethod
    def setting(self, document: Mapping[str, Any]) -> str:
        """What was run, in a few words."""

    @abstractmethod
    def sections(self, results: Any, folder: Path | None, command: str) -> Iterable[Section]:
        """The sections of results on a page.

        Args:
            results: of a run.
            folder: the folder of the page; None for that of the results.
            command: the command that makes the page again.
        """

    @abstractmethod
    def markdown(self, results: Any) -> Iterable[str]:
        """What was found, in paragraphs of Markdown."""


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

    def pictures(self, results: Any) -> Iterable[Section]:
        """The sections of a page between the answer and the cells."""
        return ()

    def sections(self, results: Any, folder: Path | None, command: str) -> Iterable[Section]:
        from harness.report.sections import answer_section, cells, cells_file, facts

        yield answer_section(self.answer(results))
        yield from self.pictures(results)
        yield cells(results, cells_file(results, folder))
        yield facts(results, command)

    def markdown(self, results: Any) -> Iterable[str]:
        from harness.report.sections import paragraphs

        return paragraphs(self.answer(results), results.manifest)

    def forms(self) -> Iterator[FamilyForm]:
        """The forms, in the order of the families."""
        return (family_form(self.record, family) for family in self.families.values())

    def form_of(self, raw: Mapping[str, Any]) -> FamilyForm:
        """The form of a config; for an unknown family, of the first with a size the config has."""
        name = raw.get("family")
        if isinstance(name, str) and name in self.families:
            try:
                return family_form(self.record, with_settings(name, dict(raw)))
            except InputError:
                # The key of the setting says so.
                return family_form(self.record, self.families[name])
        families = tuple(self.families.values())
        fitting = (family for family in families if set(family.sizes) & set(raw))
        return family_form(self.record, next(fitting, families[0]))

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
        # With an unknown family every size, and every key of some family, may be meant.
        meant: set[str] = set()
        if raw.get("family") != config.family.public_name:
            meant.update(SIZES, *(form.keys for form in self.forms()))
        issues = [
            ConfigIssue((key,), self._unknown_key(key, config.form, kinds))
            for key in raw
            if key not in config.form.keys and key not in meant
        ]
        issues += invalid
        for rule in self.rules:
            if all(key in config for key in rule.reads):
                issues += rule.issues(config)
        issues += broken_figures(config, self.facts(config))
        if issues:
            return None, issues
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
        return self.record(**{name: resolved[name] for name in attributes}), []

    def validated_figure(
        self, document: Mapping[str, Any], figure: Mapping[str, Any]
    ) -> tuple[FigureSpec | None, list[ConfigIssue]]:
        config, invalid = self.valid_keys({**document, "figures": [figure]}, Path())
        # What has become of the user's files since the run decides nothing here.
        issues = [issue for issue in invalid if issue.path[:1] == ("figures",)]
        issues = issues or list(broken_figures(config, self.facts(config)))
        return (None, issues) if issues else (figure_spec(config["figures"][0]), [])

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
        having = [form.family for form in self.forms() if key in form.keys]
        if len(having) == 1:
            return f"expected the family {having[0].name} with {key}, found {family.name}"
        if len({other.design for other in having}) == 1:
            return f"expected a family of {having[0].design} with {key}, found {family.name}"
        if having:
            names = enumerated(dict.fromkeys(other.public_name for other in having), "or")
            return f"expected one of the families {names} with {key}, found {family.name}"
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
