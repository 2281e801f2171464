"""The catalogue of the kinds of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.config.form import AnyExperiment
from harness.config.shared_keys import KINDS as WORDS
from harness.config.shared_keys import USUAL_KIND
from harness.kinds.calibration.kind import CalibrationKind
from harness.kinds.choice.kind import ChoiceKind
from harness.kinds.coverage.kind import CoverageKind
from harness.kinds.kind import Kind
from harness.kinds.simulation.kind import SimulationKind

KINDS: dict[str, Kind[Any]] = {}
"""The kinds by their names."""


def register(kind: Kind[Any]) -> None:
    """Add a kind of experiment to the catalogue."""
    KINDS[kind.name] = kind
    WORDS[kind.name] = kind.asks


for _kind in (CoverageKind(), ChoiceKind(), CalibrationKind(), SimulationKind()):
    register(_kind)


def kind_of_experiment(experiment: AnyExperiment) -> Kind[Any]:
    """The kind of an experiment."""
    return KINDS[experiment.kind]


def kind_of_config(document: Mapping[str, Any]) -> Kind[Any]:
    """The kind of the experiment of a config; the usual one where it names none that there is."""
    name = document.get("kind")
    return KINDS[name if isinstance(name, str) and name in KINDS else USUAL_KIND]
