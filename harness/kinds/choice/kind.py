"""The choice of a method as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import ConfigIssue, InputError
from harness.config.form import validate_key
from harness.config.shared_keys import CROSS, Issues, ValidKeys, levels_are_distinct, reads
from harness.families.catalogue import FAMILIES
from harness.families.family import ENUMERATION, Family
from harness.kinds.choice.experiment import CHOICE, SHOWN, TRUTHS, ChoiceExperiment
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.kind import CoverageKind, sizes_of
from harness.kinds.kind import FamilyKind
from harness.methods.catalogue import methods_of
from harness.methods.method import TWO_SIDED

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from harness.findings.answer import Answer
    from harness.kinds.choice.tables import ChoiceResults
    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.workload import Progress, Workload

_COVERAGE = CoverageKind()
_OWN = ("kind", TRUTHS, SHOWN, "sides", "allow", "reference", "search", "title", "methods")
"""The keys that its coverage experiments do not have, or have otherwise."""


@reads(TRUTHS, SHOWN)
def _names_of_truths_are_distinct(config: ValidKeys) -> Issues:
    for name in config[TRUTHS].keys() & config[SHOWN].keys():
        message = f"expected another name than one of {TRUTHS}, found {name}"
        yield ConfigIssue((SHOWN, name), message)


@reads("methods", "reference")
def _reference_is_compared(config: ValidKeys) -> Issues:
    reference, methods = config["reference"], config["methods"]
    if methods is None:
        labels = [spec["label"] for spec in catalogue_specs(config.family, (TWO_SIDED,))]
    else:
        labels = [method.label for method in methods if method is not None]
    if reference is not None and reference not in labels:
        message = f"expected the label of a method of the config, found {reference}"
        yield ConfigIssue(("reference",), message)


class ChoiceKind(FamilyKind[ChoiceExperiment]):
    """Which method one rule takes, over several truths."""

    name = CHOICE
    asks = "which interval to use"
    record = ChoiceExperiment
    families = FAMILIES
    rules = (levels_are_distinct, _names_of_truths_are_distinct, _reference_is_compared)

    def validated(
        self, raw: Mapping[str, Any], folder: Path, kinds: Sequence[Any]
    ) -> tuple[ChoiceExperiment | None, list[ConfigIssue]]:
        experiment, issues = super().validated(raw, folder, kinds)
        if experiment is None:
            return None, issues
        # The config of the coverage experiments, but for the truth.
        shared = {key: value for key, value in raw.items() if key not in _OWN}
        if experiment.family.has_outcomes:
            shared["engines"] = [ENUMERATION]
        shared["methods"] = raw.get("methods") or catalogue_specs(
            experiment.family, experiment.sides
        )
        coverages: dict[str, Experiment] = {}
        for key in (TRUTHS, SHOWN):
            for name, truth in (raw.get(key) or {}).items():
                config = {**shared, "truth": truth, "figures": []}
                coverage, wrong = _COVERAGE.validated(config, folder, kinds)
                issues += [
                    replace(issue, path=(key, name, *issue.path[1:]))
                    if issue.path[:1] == ("truth",)
                    else issue
                    for issue in wrong
                ]
                if coverage is not None:
                    coverages[name] = coverage
        if experiment.search is not None:
            from harness.kinds.choice.box import Box

            try:
                Box(experiment.family, experiment.search.over, None)
            except InputError as error:
                issues.append(ConfigIssue(("search", "over"), str(error)))
        if issues:
            return None, list(dict.fromkeys(issues))
        written = {name: coverage.written_truth for name, coverage in coverages.items()}
        return replace(
            experiment,
            truths={name: written[name] for name in experiment.truths},
            shown={name: written[name] for name in experiment.shown},
            coverages=coverages,
        ), []

    def suitable_figures(self, config: ValidKeys) -> list[dict[str, Any]]:
        specs = config["methods"]
        sides = config["sides"] if specs is None else [spec.side for spec in specs]
        return [{"kind": CHOICE, "side": side} for side in dict.fromkeys(sides)]

    def attributes(self, config: ValidKeys) -> dict[str, Any]:
        methods = config["methods"]
        if methods is None:
            every = catalogue_specs(config.family, config["sides"])
            methods, _ = validate_key(config.form, "methods", every, {"family": config.family})
        return {
            "sizes": sizes_of(config.family, config["sizes"], config.get(CROSS, False)),
            "alphas": config["alpha"],
            "methods": tuple(methods),
            "sides": tuple(dict.fromkeys(spec.side for spec in methods)),
        }

    def workload(self, experiment: ChoiceExperiment) -> Workload:
        from harness.kinds.choice.run import choice_workload

        return choice_workload(experiment)

    def compute(
        self, experiment: ChoiceExperiment, progress: Progress, journal: Journal | None
    ) -> ChoiceResults:
        from harness.kinds.choice.run import compute_choice

        return compute_choice(experiment, progress, journal)

    def sources(self, experiment: ChoiceExperiment) -> dict[str, str]:
        return _COVERAGE.sources(next(iter(experiment.coverages.values())))

    def results(
        self, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, Any], folder: Path
    ) -> ChoiceResults:
        from harness.kinds.choice.tables import ANSWERS, ChoiceResults
        from harness.tables.columns import SUMMARY

        return ChoiceResults(
            tables[TRUTHS], tables[SUMMARY], manifest, folder, answers=tables[ANSWERS]
        )

    def agrees(self, manifest: Mapping[str, Any]) -> bool:
        return not manifest.get("disagreeing")

    def failures(self, manifest: Mapping[str, Any]) -> Iterable[str]:
        return list(manifest["failures"])

    def screen(self, results: ChoiceResults, verbose: bool = False) -> Iterable[RenderableType]:
        from harness.kinds.choice.show import choice_screen

        return choice_screen(results)

    def setting(self, document: Mapping[str, Any]) -> str:
        return f"{super().setting(document)}; truths {', '.join(document[TRUTHS])}"

    def sections(
        self, results: ChoiceResults, folder: Path | None, command: str
    ) -> Iterator[Section]:
        from harness.report.sections import answer_section, facts

        yield answer_section(self.answer(results))
        yield facts(results, command, cells_file="")

    def answer(self, results: ChoiceResults) -> Answer:
        from harness.kinds.choice.show import found_answer

        return found_answer(results)


def catalogue_specs(family: Family, sides: Sequence[str]) -> list[dict[str, Any]]:
    """The methods of the catalogue that have a side and do not draw their limits, as in a config.

    A method of a finite population, or for trials that end by a rule, is not among them.
    """
    return [
        {
            "name": name,
            "side": side,
            "label": name if side == TWO_SIDED else f"{name} ({side})",
        }
        for side in sides
        for name, method in methods_of(family).items()
        if side in method.sides
        and method.deterministic
        and not method.needs_population
        and not method.is_for_stopping
    ]
