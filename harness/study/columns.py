"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import StochasticColumn
from harness.methods.catalogue import find
from harness.scenario import Column


def columns(experiment: Experiment) -> tuple[Column, ...]:
    """All of them, in the order of the tables."""
    return tuple(column for column, _ in _specified(experiment))


def deterministic_columns(experiment: Experiment) -> tuple[Column, ...]:
    """Those whose limits are a function of the outcome."""
    return tuple(
        column for column, spec in _specified(experiment) if not is_stochastic(experiment, spec)
    )


def stochastic_columns(experiment: Experiment) -> tuple[StochasticColumn, ...]:
    """Those whose limits are drawn."""
    return tuple(
        StochasticColumn(column, find(experiment.family, spec.name), spec.prior)
        for column, spec in _specified(experiment)
        if spec.name is not None and is_stochastic(experiment, spec)
    )


def is_stochastic(experiment: Experiment, spec: MethodSpec) -> bool:
    """Whether a method draws its limits; a user's own is a function of the outcome."""
    return spec.name is not None and not find(experiment.family, spec.name).deterministic


def _specified(experiment: Experiment) -> list[tuple[Column, MethodSpec]]:
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [
        (Column(spec.label, spec.side, alpha, place), spec)
        for place, (spec, alpha) in enumerate(each)
    ]
