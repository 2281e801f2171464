"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from collections.abc import Mapping

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import DrawnColumn, StochasticColumn
from harness.errors import InputError
from harness.families.family import MONTE_CARLO
from harness.figures.requirements import undrawable_lengths
from harness.methods.catalogue import find
from harness.methods.user.process import UserFunction
from harness.scenario import Column
from harness.study.user_methods import UserColumn

UserFunctions = Mapping[str, UserFunction]
"""The loaded user functions, by the labels of their methods."""


def deterministic_specs(experiment: Experiment, functions: UserFunctions) -> list[MethodSpec]:
    """The methods whose limits are a function of the outcome, in the order of the config."""
    return [spec for spec in experiment.methods if not is_stochastic(experiment, spec, functions)]


def deterministic_columns(experiment: Experiment, functions: UserFunctions) -> tuple[Column, ...]:
    """The columns of those methods."""
    return tuple(
        column
        for column, spec in _specified(experiment)
        if not is_stochastic(experiment, spec, functions)
    )


def stochastic_columns(experiment: Experiment, functions: UserFunctions) -> tuple[DrawnColumn, ...]:
    """The columns whose limits are drawn anew in every trial."""
    return tuple(
        _drawn(experiment, column, spec, functions)
        for column, spec in _specified(experiment)
        if is_stochastic(experiment, spec, functions)
    )


def _drawn(
    experiment: Experiment, column: Column, spec: MethodSpec, functions: UserFunctions
) -> DrawnColumn:
    if spec.name is None:
        return UserColumn(column, functions[spec.label])
    return StochasticColumn(column, find(experiment.family, spec.name), spec.prior)


def is_stochastic(experiment: Experiment, spec: MethodSpec, functions: UserFunctions) -> bool:
    """Whether a method draws its limits; of a user function that is known once it is loaded."""
    if spec.name is not None:
        return not find(experiment.family, spec.name).deterministic
    return spec.label in functions and not functions[spec.label].deterministic


def refuse_undrawn(experiment: Experiment, functions: UserFunctions) -> None:
    """Refuse methods that draw their limits in an experiment that cannot report on them.

    Raises:
        InputError: a method draws its limits, and no trials are asked for; or a figure compares
            lengths with those of such a method, or has no other lengths to compare.
    """
    drawn = {
        spec.label for spec in experiment.methods if is_stochastic(experiment, spec, functions)
    }
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
