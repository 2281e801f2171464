"""The whole check of one method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.checks.baseline import is_baseline, is_folder
from harness.checks.behaviour import behaviour, sound
from harness.checks.comparison import against_baseline, against_method
from harness.checks.conformance import conformance
from harness.checks.cross_check import cross_check
from harness.checks.expectations import as_expected
from harness.checks.naming import Function, Named, named
from harness.checks.process_subject import ProcessSubject
from harness.checks.promise import (
    NOMINAL,
    Contract,
    checked_contract,
    declared_contract,
    promise_kept,
)
from harness.checks.records import CONTRACT, INCONCLUSIVE, CheckReport, Finding
from harness.checks.remembered import Remembered
from harness.checks.scenarios import Size, checked_sizes, default_alphas, default_sizes
from harness.checks.subject import CallableSubject, CatalogueSubject, Subject
from harness.config.experiment import Experiment
from harness.config.load import load_experiment
from harness.errors import InputError
from harness.methods.method import TWO_SIDED, Method
from harness.methods.own import TIMEOUT

SEED = 2003

AnyMethod = str | Function | Method


@dataclass(frozen=True)
class _Grid:
    """Where the exact behaviour is looked at."""

    sizes: tuple[Size, ...]
    alphas: tuple[float, ...]


def check(
    method: AnyMethod,
    *,
    family: str = "proportion",
    against: AnyMethod | Path | None = None,
    config: str | Path | None = None,
    contract: str | None = None,
    margin: float | None = None,
    seed: int = SEED,
    timeout: float = TIMEOUT,
    sizes: Sequence[Any] | None = None,
    alphas: Sequence[float] | None = None,
) -> CheckReport:
    """Whether a method is sound, keeps what it promises, and is no worse than another one.

    What a method does wrong, be it an exception, is a finding and never the end of the check.

    Args:
        method: a name of the catalogue, "file.py:function", "package.module:function", a peer as
            "statsmodels:wilson", an entry point of the group ``harness.methods``, or a callable
            f(x, n, alpha). What is in a file or module is called in a process of its own.
        family: what is estimated, which decides the arguments.
        against: another method, or the folder of a baseline.
        config: an experiment whose sizes and alphas are taken.
        contract: "nominal", "at-least" or "none"; by default what a method of the catalogue
            declares, "nominal" for any other.
        margin: of the mean alpha error in "nominal", by default 0.3·alpha, and of the miss rate
            against a stochastic method.
        seed: of all draws.
        timeout: seconds that a call of a function in a file or module may take.
        sizes: where exact numbers are computed: n or exposures, or pairs of them.
        alphas: likewise.

    Raises:
        InputError: the method cannot be loaded, or an argument is wrong.
    """
    called = named(method, family)
    held_to = checked_contract(contract) if contract is not None else _declared(called)
    grid = _grid(family, config, sizes, alphas)
    with _opened(called, seed, timeout) as subject:
        findings = conformance(subject)
        exact = _behaviour(subject, grid)
        findings += _exact_findings(subject, grid, exact, held_to, margin, seed)
        if against is not None:
            findings += _against(subject, against, grid, margin, seed, timeout)
        findings = as_expected(findings, subject)
    return CheckReport(called.label, family, held_to, tuple(findings), exact)


def _declared(called: Named) -> Contract:
    return NOMINAL if called.method is None else declared_contract(called.method, called.family)


@contextmanager
def _opened(called: Named, seed: int, timeout: float) -> Iterator[Subject]:
    """The method, ready to be called."""
    if called.method is not None:
        yield Remembered(CatalogueSubject(called.label, called.family, called.method, seed))
    elif called.source is not None:
        process = ProcessSubject(called.label, called.family, called.source, timeout)
        try:
            yield Remembered(process)
        finally:
            process.close()
    else:
        assert called.function is not None
        yield Remembered(CallableSubject(called.label, called.family, called.function))


def _grid(
    family: str,
    config: str | Path | None,
    sizes: Sequence[Any] | None,
    alphas: Sequence[float] | None,
) -> _Grid:
    """Sizes and alphas: those given, those of a config, or the usual ones."""
    usual = _Grid(default_sizes(family), default_alphas(family))
    if config is not None:
        experiment = load_experiment(config)
        if not isinstance(experiment, Experiment) or experiment.family != family:
            raise InputError(f"{config} is no experiment of the family {family}")
        usual = _Grid(experiment.sizes, experiment.alphas)
    chosen = _Grid(checked_sizes(family, sizes or usual.sizes), tuple(alphas or usual.alphas))
    if any(not 0 < alpha < 1 for alpha in chosen.alphas):
        raise InputError(f"alphas should lie between 0 and 1, found {list(chosen.alphas)}")
    return chosen


def _behaviour(subject: Subject, grid: _Grid) -> pl.DataFrame:
    """The exact numbers; none of a stochastic method, whose limits are no function of x."""
    alphas = grid.alphas if subject.deterministic else ()
    return behaviour(subject, grid.sizes, alphas)


def _exact_findings(
    subject: Subject,
    grid: _Grid,
    exact: pl.DataFrame,
    contract: Contract,
    margin: float | None,
    seed: int,
) -> list[Finding]:
    if not subject.deterministic:
        reason = "a stochastic method has no exact numbers; check it against another one"
        asked = contract != "none"
        return [Finding("exact numbers", CONTRACT, INCONCLUSIVE, reason, {})] * asked
    return [
        sound(exact, subject.family),
        *promise_kept(contract, exact, subject.family, margin, TWO_SIDED not in subject.sides),
        cross_check(subject, grid.sizes, grid.alphas, seed),
    ]


def _against(
    subject: Subject,
    against: AnyMethod | Path,
    grid: _Grid,
    margin: float | None,
    seed: int,
    timeout: float,
) -> list[Finding]:
    if isinstance(against, Path) or (isinstance(against, str) and is_baseline(against)):
        return against_baseline(subject, against)
    with _opened(_reference(against, subject.family), seed, timeout) as other:
        return against_method(subject, other, grid.sizes, grid.alphas, margin=margin, seed=seed)


def _reference(against: AnyMethod, family: str) -> Named:
    """The method of a name, which a folder without a baseline is not.

    Raises:
        InputError: there is none.
    """
    try:
        return named(against, family)
    except InputError:
        if isinstance(against, str) and is_folder(against):
            raise InputError(
                f"{against} holds no baseline; --update {against} writes one"
            ) from None
        raise
