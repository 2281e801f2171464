"""The columns of an experiment: its methods × its alphas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.stochastic import DrawnColumn, StochasticColumn
from harness.errors import InputError
from harness.families.family import MONTE_CARLO
from harness.methods.catalogue import find
from harness.methods.user.process import UserFunction
from harness.scenario import Column
from harness.study.user_methods import UserColumn

_COMPARING = ("length_surface", "length_over_outcome")
"""The figures of lengths, a method's against another's."""

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
    _refuse_figures(experiment, functions)
    if MONTE_CARLO in experiment.engines:
        return
    for spec in experiment.methods:
        if is_stochastic(experiment, spec, functions):
            raise InputError(
                f"{spec.label} draws its limits, and only the engine {MONTE_CARLO} computes how "
                f"often they miss: give trials and that engine, or leave the method out"
            )


def _refuse_figures(experiment: Experiment, functions: UserFunctions) -> None:
    drawn = {
        spec.label for spec in experiment.methods if is_stochastic(experiment, spec, functions)
    }
    known = {spec.label for spec in experiment.methods} - drawn
    for figure in experiment.figures:
        if drawn and figure.kind in _COMPARING and not _compares(figure.options, known):
            raise InputError(
                f"{figure.kind} compares lengths at each outcome, which limits that are drawn do "
                f"not have, found {', '.join(sorted(drawn))}"
            )


def _compares(options: Mapping[str, Any], known: set[str]) -> bool:
    """Whether all that a figure of lengths asks for is among the methods that have them."""
    reference = options.get("reference")
    asked = options.get("method", options.get("methods"))
    if asked is None:
        return reference in known and len(known) > 1
    return {reference, *([asked] if isinstance(asked, str) else asked)} <= known


def _specified(experiment: Experiment) -> list[tuple[Column, MethodSpec]]:
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [
        (Column(spec.label, spec.side, alpha, place), spec)
        for place, (spec, alpha) in enumerate(each)
    ]
