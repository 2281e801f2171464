"""Coverage as a kind of experiment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import ConfigIssue
from harness.catalogue import design_for
from harness.config.form import FamilyForm, family_form
from harness.config.models.sizes import paired
from harness.config.models.truths import written_truth
from harness.config.shared_keys import CROSS, USUAL_KIND, ValidKeys
from harness.config.values import Precision, Size, TrialCount
from harness.designs.stopping.family import stopped_proportion
from harness.distributions.sampling.law import on_lattice
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import FAMILIES
from harness.families.family import (
    CLOSED_FORM,
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
    STOPPING,
    Family,
)
from harness.families.judged import known_judge
from harness.figures.requirements import ExperimentFacts, suitable_figures
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.rules import RULES
from harness.kinds.kind import FamilyKind
from harness.methods.catalogue import methods_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.findings.answer import Answer
    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.parts import Part
    from harness.runner.workload import Progress, Workload
    from harness.tables.results import Results


class CoverageKind(FamilyKind[Experiment]):
    """How often intervals miss, exact and by Monte Carlo."""

    name = USUAL_KIND
    asks = "how often intervals miss"
    record = Experiment
    families = FAMILIES
    rules = RULES

    def forms(self) -> Iterator[FamilyForm]:
        """The forms, and that of a judge whose error rates are keys, whatever they are."""
        yield from super().forms()
        yield family_form(Experiment, known_judge(0.9, 0.9))

    def valid_keys(
        self, raw: Mapping[str, Any], folder: Path
    ) -> tuple[ValidKeys, list[ConfigIssue]]:
        config, issues = super().valid_keys(raw, folder)
        if "engines" in config:
            written = config.pop("engines")
            if "trials" in config:
                named = _usual_engines(config) if written is None else written
                config["engines"] = tuple(
                    engine for engine in config.family.engines if engine in named
                )
        return config, issues

    def facts(self, config: ValidKeys) -> ExperimentFacts:
        methods, trials = config.get("methods", [None]), config.get("trials")
        family = config.family
        sizes: list[Any] = []
        if set(family.sizes) <= set(config["sizes"]):
            sizes = list(sizes_of(family, config["sizes"], config.get(CROSS, False)))
            if design_for(family).sizes_are_lists:
                # Tables have the sums over the strata.
                sizes = [tuple(map(sum, size)) for size in sizes]
        return replace(
            super().facts(config),
            sizes=sizes,
            alphas=config.get("alpha"),
            sides=None if None in methods else {spec.label: spec.side for spec in methods},
            engines=config.get("engines"),
            trials=trials.kind if isinstance(trials, TrialCount | Precision) else None,
            outcomes=config.get("outcomes"),
        )

    def suitable_figures(self, config: ValidKeys) -> list[dict[str, Any]]:
        named = [spec for spec in config["methods"] if spec.name is not None]
        catalogue = methods_of(config.family)
        settled = [spec.label for spec in named if catalogue[spec.name].deterministic]
        return suitable_figures(self.facts(config), settled)

    def attributes(self, config: ValidKeys) -> dict[str, Any]:
        family, outcomes = config.family, config.get("outcomes")
        stopping = config.get(STOPPING)
        if stopping is not None:
            family = stopped_proportion(stopping)
        truth, law = config["truth"], config.get("sampling")
        if law is not None and isinstance(truth, DiscreteTruth):
            # Each is the double of an M/N, the only ones of the law; those that meet there are one.
            values = on_lattice(np.array(truth.values), law).tolist()
            truth = DiscreteTruth(tuple(dict.fromkeys(values)))
        return {
            "family": family,
            "sizes": sizes_of(config.family, config["sizes"], config.get(CROSS, False)),
            "alphas": config["alpha"],
            "methods": tuple(config["methods"]),
            "truth": truth,
            "written_truth": written_truth(config["truth"].content(), config.raw.get("truth")),
            "outcomes": tuple(sorted(outcomes)) if isinstance(outcomes, tuple) else outcomes,
            "reference_prior": config.get("reference_prior", config.family.model.FLAT_PRIOR),
        }

    def workload(self, experiment: Experiment) -> Workload:
        from harness.kinds.coverage.run import coverage_workload

        return coverage_workload(experiment)

    def undivided(self, experiment: Experiment) -> str:
        if not isinstance(experiment.trials, Precision):
            return ""
        return (
            "trials: {half_width, max} are decided on from all results and cannot be run in "
            "parts; give a number of trials"
        )

    def compute(
        self, experiment: Experiment, progress: Progress, journal: Journal | None
    ) -> Results:
        from harness.kinds.coverage.run import compute

        return compute(experiment, progress, journal)

    def compute_part(
        self, experiment: Experiment, part: Part, progress: Progress, journal: Journal
    ) -> None:
        from harness.kinds.coverage.run import compute_part

        compute_part(experiment, part, progress, journal)

    def sources(self, experiment: Experiment) -> dict[str, str]:
        from harness.kinds.coverage.columns import method_files

        return dict(method_files(experiment).digests)

    def files(self, experiment: Experiment) -> dict[str, str]:
        return {spec.label: spec.path for spec in experiment.methods if spec.path is not None}

    def restored(self, document: Mapping[str, Any], files: Mapping[str, str]) -> Experiment:
        methods = document["methods"]
        written = {
            method["label"]: {key: method[key] for key in method if key not in ("side", "label")}
            for method in methods
        }
        placed = [
            {**method, "table" if "table" in method else "path": files[method["label"]]}
            if method["label"] in files
            else method
            for method in methods
        ]
        experiment = self.loaded({**document, "methods": placed}, Path())
        specs = tuple(
            replace(spec, written=written[spec.label]) if spec.path is not None else spec
            for spec in experiment.methods
        )
        return replace(experiment, methods=specs)

    def changeable(self, files: Mapping[str, str]) -> str:
        return ", ".join(sorted(map(os.path.basename, files.values()))) or "the config"

    def agrees(self, manifest: Mapping[str, Any]) -> bool:
        from harness.findings.manifest import agrees

        return agrees(manifest)

    def remarks(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        from harness.findings.manifest import remarked_methods

        return remarked_methods(manifest)

    def failures(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        from harness.findings.manifest import failed_methods, unsteady_methods

        return [*failed_methods(manifest), *unsteady_methods(manifest)]

    def screen(self, results: Results, verbose: bool = False) -> Iterable[RenderableType]:
        from harness.kinds.coverage.screen import results_screen

        return results_screen(results, verbose)

    def pictures(self, results: Results) -> Iterator[Section]:
        from harness.report.curves.section import curves
        from harness.report.maps.section import maps

        yield from curves(results)
        yield from maps(results)

    def answer(self, results: Results) -> Answer:
        from harness.findings.answer import found_answer

        return found_answer(results)


def sizes_of(family: Family, sizes: Mapping[str, Sequence[float]], cross: bool) -> tuple[Size, ...]:
    """The sizes of the scenarios, ascending: one size each, or a pair.

    Args:
        family: the family of the config.
        sizes: the sizes of each sample by their keys.
        cross: whether each size of the first sample is combined with each of the second.
    """
    if len(family.sizes) == 1:
        return tuple(sorted(sizes[family.sizes[0]]))
    return tuple(sorted(paired([sizes[name] for name in family.sizes], cross)))


def _usual_engines(config: ValidKeys) -> set[str]:
    """The engines that can run, where a config names none; its truth may not be valid."""
    family, truth = config.family, config.get("truth")
    left_out = {MONTE_CARLO} if config["trials"] is None else set()
    if config.get("sampling") is not None or family.law is not None:
        # A posterior is that of the family's own law, and an integral over truths needs one.
        is_listed = truth is None or truth.is_discrete
        left_out |= {POSTERIOR} if is_listed else {POSTERIOR, ENUMERATION}
    if truth is not None and not family.has_closed_form(truth):
        left_out |= {CLOSED_FORM}
    return {*family.engines} - left_out
