"""The columns of an experiment, its methods × its alphas, and the sources of their limits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from harness.base.errors import InputError
from harness.callers.command import Command, RFunction
from harness.callers.function import FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.program import Program
from harness.callers.source import CatalogueSource, Source
from harness.callers.table import LimitTable, TableSource, read_points
from harness.config.values import MethodSpec
from harness.designs.engines.stochastic import StochasticColumn
from harness.designs.limits import Column
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, Family
from harness.figures.requirements import undrawable_lengths
from harness.kinds.coverage.experiment import Experiment
from harness.methods.catalogue import find

Sources = Mapping[str, Source]
"""Sources of limits, by the labels of their methods."""


def catalogue_sources(experiment: Experiment) -> dict[str, Source]:
    """The sources of the catalogue methods of an experiment; loads no user function."""
    return {
        spec.label: CatalogueSource(spec.label, find(experiment.family, spec.name), spec.prior)
        for spec in experiment.methods
        if spec.name is not None
    }


@contextmanager
def limit_sources(experiment: Experiment) -> Iterator[Sources]:
    """The sources of all methods of an experiment.

    The processes of user functions end when the context exits.

    Raises:
        InputError: a user function cannot be loaded, or is of another side than its entry says.
    """
    sources = catalogue_sources(experiment)
    with ExitStack() as opened:
        for spec in experiment.methods:
            if spec.function is not None:
                location = FunctionLocation(spec.function, spec.path, spec.module, spec.pickled)
                function = FunctionInProcess(spec.label, location, experiment.execution.timeout)
                opened.callback(function.close)
                _refuse_other_side(spec, function.sides[0])
                sources[spec.label] = function
            elif spec.program is not None:
                command = _command_of(spec, spec.program, experiment.family)
                running = Program(command, experiment.execution.timeout)
                opened.callback(running.close)
                sources[spec.label] = running
            elif spec.path is not None:
                table = LimitTable(spec.path, spec.side)
                sources[spec.label] = TableSource(spec.label, read_points(table, experiment.family))
        yield sources


def source_digests(experiment: Experiment) -> dict[str, str]:
    """The SHA-256 of every file that holds a user function, by the label of the method."""
    return {
        spec.label: hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
        for spec in experiment.methods
        if spec.path is not None
    }


def _command_of(spec: MethodSpec, program: Command | RFunction, family: Family) -> Command:
    """The program as it is started for an experiment."""
    command = program if isinstance(program, Command) else program.command(family)
    return replace(command, label=spec.label, folder=spec.folder)


def _refuse_other_side(spec: MethodSpec, side: str) -> None:
    if side != spec.side:
        raise InputError(
            f"{spec.label}: the config's side is {spec.side!r} and the function's attribute side "
            f"is {side!r}, which should be the same"
        )


def deterministic_columns(experiment: Experiment, sources: Sources) -> tuple[Column, ...]:
    """The columns of the deterministic methods."""
    return tuple(
        column
        for column in _columns(experiment)
        if not _is_stochastic(experiment, column.method, sources)
    )


def stochastic_columns(experiment: Experiment, sources: Sources) -> tuple[StochasticColumn, ...]:
    """The columns whose limits are drawn anew in every trial."""
    return tuple(
        StochasticColumn(column, sources[column.method])
        for column in _columns(experiment)
        if column.method in sources and _is_stochastic(experiment, column.method, sources)
    )


def _is_stochastic(experiment: Experiment, label: str, sources: Sources) -> bool:
    """Whether limits are computed for every trial: a method draws them, or data are lists.

    Whether a user function draws its limits is not known before it is loaded.
    """
    return not experiment.family.has_outcomes or label in _drawn(sources)


def _drawn(sources: Sources) -> set[str]:
    """The labels of the methods that draw their limits."""
    return {label for label, source in sources.items() if not source.deterministic}


def refuse_undrawn(experiment: Experiment, sources: Sources) -> None:
    """Refuse methods that draw their limits in an experiment that cannot report on them.

    Raises:
        InputError: a method draws its limits, and the experiment has no trials; or a figure
            compares lengths with those of such a method, or has no other lengths to compare.
    """
    drawn = _drawn(sources)
    figures = [(figure.kind, figure.options) for figure in experiment.figures]
    labels = {spec.label for spec in experiment.methods}
    # A trial of lists computes limits anew for every method, as one of drawn limits does.
    has_means = not experiment.family.has_outcomes
    has_means |= not set(EXACT_ENGINES).isdisjoint(experiment.engines)
    refusal = undrawable_lengths(figures, labels, drawn, has_means)
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


def _columns(experiment: Experiment) -> list[Column]:
    """Every column of an experiment, in order."""
    each = [(spec, alpha) for spec in experiment.methods for alpha in experiment.alphas]
    return [Column(spec.label, spec.side, alpha, place) for place, (spec, alpha) in enumerate(each)]
