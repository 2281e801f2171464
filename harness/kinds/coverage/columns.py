"""The columns of an experiment, its methods × its alphas, and the sources of their limits."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base.errors import InputError
from harness.callers.command import Command, RFunction
from harness.callers.function import FunctionInProcess
from harness.callers.location import FunctionLocation, source_paths
from harness.callers.program import Program
from harness.callers.source import Source
from harness.callers.sources import LoadedFiles, file_digests, loaded_files
from harness.callers.table import LimitTable, TableSource, read_points
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.designs.limits import Column
from harness.families.family import MONTE_CARLO
from harness.figures.requirements import has_mean_lengths, undrawable_lengths
from harness.kinds.coverage.experiment import Experiment


@dataclass(frozen=True)
class RunColumns:
    """The columns of an experiment, its methods × its alphas, and the sources of their limits."""

    sources: Mapping[str, Source]
    """The sources by the labels of the methods, without user functions that are not loaded yet."""
    deterministic: tuple[Column, ...]
    """The columns whose limits are a function of the outcome."""
    stochastic: tuple[StochasticColumn, ...]
    """The columns whose limits are computed for every trial."""


def columns_of(experiment: Experiment, sources: Mapping[str, Source]) -> RunColumns:
    """Return the columns of an experiment.

    Limits are computed for every trial where a method draws them, or where data are lists. Whether
    a user function draws its limits is not known before it is loaded.

    Args:
        experiment: the experiment.
        sources: of its methods.
    """
    deterministic, stochastic = [], []
    levels = itertools.product(experiment.methods, experiment.alphas)
    for position, (spec, alpha) in enumerate(levels):
        column, source = Column(spec.label, spec.side, alpha, position), sources.get(spec.label)
        if experiment.family.has_outcomes and (source is None or source.deterministic):
            deterministic.append(column)
        elif source is not None:
            stochastic.append(StochasticColumn(column, source))
    return RunColumns(sources, tuple(deterministic), tuple(stochastic))


def catalogue_columns(experiment: Experiment) -> RunColumns:
    """Return the columns of an experiment as far as no user function is loaded."""
    return columns_of(experiment, experiment.catalogue_sources)


@contextmanager
def opened_columns(experiment: Experiment) -> Iterator[RunColumns]:
    """Load the user functions of an experiment and yield all of its columns.

    The processes of user functions end when the context exits.

    Raises:
        InputError: a user function cannot be loaded, or is of another side than its entry says.
    """
    family, timeout = experiment.family, experiment.execution.timeout
    sources = dict(experiment.catalogue_sources)
    with ExitStack() as opened:
        for spec in experiment.methods:
            if spec.function is not None:
                location = FunctionLocation(spec.function, spec.path, spec.module, spec.pickled)
                function = FunctionInProcess(spec.label, location, timeout)
                opened.callback(function.close)
                side = function.sides[0]
                if side != spec.side:
                    raise InputError(
                        f"{spec.label}: the config's side is {spec.side!r} and the function's "
                        f"attribute side is {side!r}, which should be the same"
                    )
                sources[spec.label] = function
            elif spec.program is not None:
                program = spec.program
                command = program if isinstance(program, Command) else program.command(family)
                command = replace(command, label=spec.label, folder=spec.folder)
                running = Program(command, timeout)
                opened.callback(running.close)
                sources[spec.label] = running
            elif spec.path is not None:
                points = read_points(LimitTable(spec.path, spec.side), family)
                sources[spec.label] = TableSource(spec.label, points)
        yield columns_of(experiment, sources)


@dataclass(frozen=True)
class MethodFiles:
    """The files of the user functions and the tables of an experiment."""

    digests: Mapping[str, str]
    """The SHA-256 of the file of each method, with all that it loads, by its label."""
    by_path: Mapping[str, str]
    """The SHA-256 of each file."""
    loaded: Mapping[str, LoadedFiles]
    """What each function loads, by the label of its method."""


def method_files(experiment: Experiment) -> MethodFiles:
    """The files of the methods, of which a process loads those of user functions to list them."""
    digests: dict[str, str] = {}
    by_path: dict[str, str] = {}
    for spec in experiment.methods:
        if spec.path is not None:
            digests[spec.label] = hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
            by_path[spec.path] = digests[spec.label]
    functions = {
        spec.label: FunctionLocation(spec.function, spec.path, spec.module, spec.pickled)
        for spec in experiment.methods
        if spec.function is not None
    }
    for spec in experiment.methods:
        of_r = spec.program.location(spec.folder) if isinstance(spec.program, RFunction) else None
        if of_r is not None:
            functions[spec.label] = of_r
    if not functions:
        return MethodFiles(digests, by_path, {})
    listed = loaded_files(functions.values(), experiment.execution.timeout)
    for label, location in functions.items():
        by_path |= file_digests(source_paths(location).values()) | listed[location].digests
        own = [Path(str(location.path))] if label in digests else []
        beside = listed[location].beside(own)
        if beside:
            content = json.dumps([digests.get(label, ""), beside], sort_keys=True)
            digests[label] = hashlib.sha256(content.encode()).hexdigest()
    return MethodFiles(
        digests, by_path, {label: listed[location] for label, location in functions.items()}
    )


def refuse_undrawn(experiment: Experiment, columns: RunColumns) -> None:
    """Refuse methods that draw their limits in an experiment that cannot report on them.

    Raises:
        InputError: a method draws its limits, and the experiment has no trials; or a figure
            compares lengths with those of such a method, or has no other lengths to compare.
    """
    drawn = {label for label, source in columns.sources.items() if not source.deterministic}
    figures = [(figure.kind, figure.options) for figure in experiment.figures]
    labels = {spec.label for spec in experiment.methods}
    has_means = has_mean_lengths(experiment.family, experiment.engines)
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
