"""Simulation studies as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from harness.base.errors import ConfigIssue
from harness.figures.catalogue import figure_spec
from harness.figures.kind import FigureSpec
from harness.kinds.kind import Kind
from harness.kinds.simulation.experiment import SIMULATION, Simulation

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from harness.kinds.simulation.tables import SimulationResults
    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.parts import Part
    from harness.runner.workload import Progress, Workload


class SimulationKind(Kind[Simulation]):
    """A study with a model and methods of the user."""

    name = SIMULATION
    asks = "a study with a model and methods of your own"

    def models(self) -> Iterator[type[BaseModel]]:
        from harness.kinds.simulation.keys import SimulationConfig

        yield SimulationConfig

    def validated(
        self, raw: Mapping[str, Any], folder: Path, kinds: Sequence[Kind[Any]]
    ) -> tuple[Simulation | None, list[ConfigIssue]]:
        from harness.kinds.simulation.keys import simulation_of

        return simulation_of(raw, folder)

    def validated_figure(
        self, document: Mapping[str, Any], figure: Mapping[str, Any]
    ) -> tuple[FigureSpec | None, list[ConfigIssue]]:
        from harness.kinds.simulation.keys import figures_of

        values, issues = figures_of([figure], document)
        return (None, issues) if issues else (figure_spec(values["figures"][0]), [])

    def workload(self, experiment: Simulation) -> Workload:
        from harness.kinds.simulation.run import simulation_workload

        return simulation_workload(experiment)

    def undivided(self, experiment: Simulation) -> str:
        if experiment.trials.is_fixed:
            return ""
        return "trials that depend on results cannot be run in parts; give per_scenario"

    def compute(
        self, experiment: Simulation, progress: Progress, journal: Journal | None
    ) -> SimulationResults:
        from harness.kinds.simulation.run import compute_simulation

        return compute_simulation(experiment, progress, journal)

    def compute_part(
        self, experiment: Simulation, part: Part, progress: Progress, journal: Journal
    ) -> None:
        from harness.kinds.simulation.run import compute_share

        compute_share(experiment, part.share, progress, journal)

    def sources(self, experiment: Simulation) -> dict[str, str]:
        from harness.kinds.simulation.functions import study_files

        return dict(study_files(experiment).by_function)

    def files(self, experiment: Simulation) -> dict[str, str]:
        return {"folder": experiment.folder}

    def restored(self, document: Mapping[str, Any], files: Mapping[str, str]) -> Simulation:
        return self.loaded(document, Path(files["folder"]))

    def changeable(self, files: Mapping[str, str]) -> str:
        return "a function"

    def run_record(self, experiment: Simulation, results: SimulationResults) -> dict[str, Any]:
        return {"calls": dict(results.calls), "folder": experiment.folder}

    def results(
        self, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, Any], folder: Path
    ) -> SimulationResults:
        from harness.kinds.simulation.tables import SimulationResults
        from harness.tables.columns import DIFFERENCES, REPLICATES, SOLVE, SUMMARY

        replicates, summary = tables[REPLICATES], tables[SUMMARY]
        return SimulationResults(
            replicates,
            summary,
            manifest,
            folder,
            differences=tables[DIFFERENCES],
            solve=tables[SOLVE],
        )

    def failures(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        from harness.kinds.simulation.tables import failed_calls

        return failed_calls(manifest)

    def unanswered(self, results: SimulationResults) -> Iterable[str]:
        from harness.kinds.simulation.show import solve_sentences

        if "solve" not in results.manifest["experiment"]:
            return ()
        return [sentence for sentence, answers in solve_sentences(results) if not answers]

    def screen(self, results: SimulationResults, verbose: bool = False) -> Iterable[RenderableType]:
        from harness.kinds.simulation.show import simulation_screen

        return simulation_screen(results)

    def setting(self, document: Mapping[str, Any]) -> str:
        if "solve" in document:
            return f"a search of {document['solve']['factor']} by simulation"
        return f"a simulation study of {len(document['factors'])} scenarios"

    def sections(
        self, results: SimulationResults, folder: Path | None, command: str
    ) -> Iterable[Section]:
        from harness.kinds.simulation.show import sections

        return sections(results, command)

    def markdown(self, results: SimulationResults) -> Iterable[str]:
        from harness.kinds.simulation.show import paragraphs

        return paragraphs(results)
