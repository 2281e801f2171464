"""The results of a simulation study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from harness.tables.columns import DIFFERENCES, REPLICATES, SUMMARY
from harness.tables.results import Results


@dataclass(frozen=True)
class SimulationResults(Results):
    """The tables and the manifest of a simulation study.

    ``cells`` has a row per scenario × trial × method, and no row unless replicates are kept;
    ``summary`` has one per scenario × method × measure.
    """

    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    """A row per scenario × method × measure: the method minus the reference."""
    calls: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Of the calls of this run, not of those that were recorded: their number and their seconds."""

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the study, by the names of their files without the ending."""
        found = {SUMMARY: self.summary, DIFFERENCES: self.differences, REPLICATES: self.cells}
        return {name: table for name, table in found.items() if table.height or name == SUMMARY}

    @property
    def ranking(self) -> None:
        """None: the methods of a study are not ranked."""

    @property
    def recommendation(self) -> None:
        """None: no method of a study is recommended."""

    @property
    def near_nominal(self) -> None:
        """None: a study has no sizes."""

    def data(self, scenario: int, trial: int) -> Any:
        """Draw the data of one trial again, as the model returned them.

        The model is called in this process.

        Args:
            scenario: the number of the scenario, from 1 on.
            trial: the number of the trial, from 1 on.

        Returns:
            What the model returns; of a study in batches the part of this trial.

        Raises:
            InputError: there is no such scenario, the results are not written, or the model
                cannot be loaded.
        """
        from harness.kinds.simulation.replay import drawn_again

        return drawn_again(self, scenario, trial)
