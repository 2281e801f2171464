"""Calibration as a kind of experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from harness.config.shared_keys import (
    Issues,
    ValidKeys,
    levels_are_distinct,
    mean_counts_are_small,
    reads,
    seed_is_given,
)
from harness.config.values import SizeRange
from harness.figures.catalogue import FIGURES
from harness.kinds.calibration.experiment import (
    CALIBRATION,
    FAMILIES_OF_TWO,
    Calibration,
)
from harness.kinds.kind import FamilyKind

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.findings.answer import Answer
    from harness.report.page import Section
    from harness.runner.journal.database import Journal
    from harness.runner.workload import Progress, Workload
    from harness.tables.results import Results


@reads("seed")
def _seed_is_given(config: ValidKeys) -> Issues:
    yield from seed_is_given(config["seed"], "a calibration")


class CalibrationKind(FamilyKind[Calibration]):
    """Whether events happen as often as their computed probability says."""

    name = CALIBRATION
    asks = "whether probabilities hold"
    record = Calibration
    families = FAMILIES_OF_TWO
    rules = (levels_are_distinct, mean_counts_are_small, _seed_is_given)

    def suitable_figures(self, config: ValidKeys) -> list[dict[str, Any]]:
        return [{"kind": kind.name} for kind in FIGURES.values() if kind.experiment == self.name]

    def attributes(self, config: ValidKeys) -> dict[str, Any]:
        lower, upper = config["delta"]
        return {
            "sizes": tuple(SizeRange(*config[name]) for name in config.family.sizes),
            "delta": (lower + 0.0, upper + 0.0),
        }

    def workload(self, experiment: Calibration) -> Workload:
        from harness.kinds.calibration.run import calibration_workload

        return calibration_workload(experiment)

    def compute(
        self, experiment: Calibration, progress: Progress, journal: Journal | None
    ) -> Results:
        from harness.kinds.calibration.run import compute_calibration

        return compute_calibration(experiment, progress, journal)

    def agrees(self, manifest: Mapping[str, Any]) -> bool:
        return bool(manifest["calibration"]["agrees"])

    def screen(self, results: Results, verbose: bool = False) -> Iterable[RenderableType]:
        from harness.kinds.calibration.show import calibration_screen

        return calibration_screen(results)

    def pictures(self, results: Results) -> Iterable[Section]:
        from harness.kinds.calibration.show import calibration_picture

        return calibration_picture(results)

    def answer(self, results: Results) -> Answer:
        from harness.kinds.calibration.show import found_answer

        return found_answer(results)
