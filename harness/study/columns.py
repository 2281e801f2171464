"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import StochasticColumn
from harness.errors import InputError
from harness.families.family import MONTE_CARLO
from harness.figures.requirements import undrawable_lengths
from harness.scenario import Column
from harness.study.sources import Sources


def deterministic_specs(experiment: Experiment, sources: Sources) -> list[MethodSpec]:
    """The methods whose limits are a function of the outcome, in the order of the config."""
    return [spec for spec in experiment.methods if not _is_stochastic(spec, sources)]


def deterministic_columns(experiment: Experiment, sources: Sources) -> tuple[Column, ...]:
    """The columns of those methods."""
    return tuple(
        column for column, spec in _specified(experiment) if not _is_stochastic(spec, sources)
    )


def stochastic_columns(experiment: Experiment, sources: Sources) -> tuple[StochasticColumn, ...]:
    """The columns whose limits are drawn anew in every trial."""
    return tuple(
        StochasticColumn(column, sources[spec.label])
        for column, spec in _specified(experiment)
        if _is_stochastic(spec, sources)
    )


def _is_stochastic(spec: MethodSpec, sources: Sources) -> bool:
    """Whether a method draws its limits; of a user function that is known once it is loaded."""
    return spec.label in sources and not sources[spec.label].deterministic


def refuse_undrawn(experiment: Experiment, sources: Sources) -> None:
    """Refuse methods that draw their limits in an experiment that cannot report on them.

    Raises:
        InputError: a method draws its limits, and no trials are asked for; or a figure compares
            lengths with those of such a method, or has no other lengths to compare.
    """
    drawn = {spec.label for spec in experiment.methods if _is_stochastic(spec, sources)}
    figures = [(figure.kind, figure.options) for figure in experiment.figures]
    refusal = undrawable_lengths(figures, {spec.label for spec in experiment.methods}, drawn)
    if refusal:
        raise InputError(refusal)
    if MONTE_CARLO in experiment.engines:
        return
    for spec in experiment.methods:
        if spec.label in drawn:
            raise InputError(
                f"{spec.label} draws its limits, and only the engine {MONTE_CARLO} computes how "
                f"often they miss: give trials and that engine, or leave the method out"
            )


def _specified(experiment: Experiment) -> list[tuple[Column, MethodSpec]]:
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [
        (Column(spec.label, spec.side, alpha, place), spec)
        for place, (spec, alpha) in enumerate(each)
    ]
