"""What a kind of experiment gives: its configs, its computation, and what is shown of it.

A kind is an object in the catalogue, of a class whose methods import what they need when called:
configs are validated without the engines, and run without the pages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel

from harness.base.errors import ConfigIssue, InputError
from harness.config.form import AnyExperiment, Form
from harness.config.load import document_of, validated
from harness.figures.kind import FigureSpec
from harness.runner.workload import Workload

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.parts import Part
    from harness.runner.progress import Progress
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
    def compute(
        self,
        experiment: E,
        progress: Progress,
        journal: Journal | None,
        complete: bool = False,
    ) -> Results:
        """Compute the tables and the manifest, which are not written yet.

        The manifest is one of ``runner.storage.manifest_of``, with ``trials``, a mapping.

        Args:
            experiment: what to compute.
            progress: receives the numbers of trials to come and done.
            journal: knows what former runs finished and keeps what this one does; None for
                neither.
            complete: whether the journal should have all trials, as after a run in parts.
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
