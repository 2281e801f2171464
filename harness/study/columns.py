"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from collections.abc import Mapping

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import DrawnColumn, StochasticColumn
from harness.errors import InputError
from harness.methods.catalogue import find
from harness.methods.own import OwnFunction
from harness.scenario import Column
from harness.study.own import OwnColumn
from harness.tables.schema import MONTE_CARLO

Own = Mapping[str, OwnFunction]
"""The user's own methods, by their labels."""


def deterministic_specs(experiment: Experiment, own: Own) -> list[MethodSpec]:
    """The methods whose limits are a function of the outcome."""
    return [spec for spec in experiment.methods if not is_stochastic(experiment, spec, own)]


def deterministic_columns(experiment: Experiment, own: Own) -> tuple[Column, ...]:
    """The columns of those methods."""
    return tuple(
        column
        for column, spec in _specified(experiment)
        if not is_stochastic(experiment, spec, own)
    )


def stochastic_columns(experiment: Experiment, own: Own) -> tuple[DrawnColumn, ...]:
    """The columns whose limits are drawn."""
    return tuple(
        _drawn(experiment, column, spec, own)
        for column, spec in _specified(experiment)
        if is_stochastic(experiment, spec, own)
    )


def _drawn(experiment: Experiment, column: Column, spec: MethodSpec, own: Own) -> DrawnColumn:
    if spec.name is None:
        return OwnColumn(column, own[spec.label])
    return StochasticColumn(column, find(experiment.family, spec.name), spec.prior)


def is_stochastic(experiment: Experiment, spec: MethodSpec, own: Own) -> bool:
    """Whether a method draws its limits; of a user's own that is known once it is loaded."""
    if spec.name is not None:
        return not find(experiment.family, spec.name).deterministic
    return spec.label in own and not own[spec.label].deterministic


def refuse_undrawn(experiment: Experiment, own: Own) -> None:
    """A method that draws its limits is a fault where nothing else can tell how it does.

    Raises:
        InputError: a method draws its limits, and no trials do.
    """
    if MONTE_CARLO in experiment.engines:
        return
    for spec in experiment.methods:
        if is_stochastic(experiment, spec, own):
            raise InputError(
                f"{spec.label} draws its limits, and only {MONTE_CARLO} can tell how often they "
                f"miss: give trials and the engine {MONTE_CARLO}, or leave the method out"
            )


def _specified(experiment: Experiment) -> list[tuple[Column, MethodSpec]]:
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [
        (Column(spec.label, spec.side, alpha, place), spec)
        for place, (spec, alpha) in enumerate(each)
    ]
