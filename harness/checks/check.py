"""The whole check of one method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.checks.baseline import is_baseline, is_folder
from harness.checks.compare.cross_check import cross_check
from harness.checks.compare.exact import against_baseline, against_drawn, against_method
from harness.checks.conformance.runner import conformance
from harness.checks.contract.behaviour import behaviour, sound
from harness.checks.contract.exact import (
    NOMINAL,
    Contract,
    checked_contract,
    declared_contract,
    promise_kept,
)
from harness.checks.contract.simulated import drawn_promise
from harness.checks.draws import TRIALS, drawn_sizes
from harness.checks.expectations import as_expected
from harness.checks.report import CheckReport, Finding
from harness.checks.scenarios import (
    Size,
    checked_alphas,
    checked_sizes,
    default_alphas,
    default_sizes,
)
from harness.checks.subjects.cached import CachedSubject
from harness.checks.subjects.naming import Function, Named, named
from harness.checks.subjects.process import ProcessSubject
from harness.checks.subjects.subject import CallableSubject, CatalogueSubject, Subject, side_of
from harness.config.experiment import Experiment
from harness.config.load import load_experiment
from harness.errors import InputError
from harness.methods.method import TWO_SIDED, Method
from harness.methods.user.process import TIMEOUT

SEED = 2003

_LONGEST = 86_400.0
"""Seconds that a call may take."""

AnyMethod = str | Function | Method


@dataclass(frozen=True)
class _Terms:
    """What a method is held to, and where it is looked at."""

    contract: Contract
    sizes: tuple[Size, ...]
    """Where exact numbers are computed."""
    drawn: tuple[Size, ...]
    """Where trials are made of a method without exact numbers."""
    alphas: tuple[float, ...]
    margin: float | None
    trials: int
    seed: int
    timeout: float


def check(
    method: AnyMethod,
    *,
    family: str = "proportion",
    against: AnyMethod | Path | None = None,
    config: str | Path | None = None,
    contract: str | None = None,
    margin: float | None = None,
    trials: int = TRIALS,
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
        trials: at each size, of a stochastic method.
        seed: of all draws.
        timeout: seconds that a call of a function in a file or module may take.
        sizes: where exact numbers are computed: n or exposures, or pairs of them.
        alphas: likewise.

    Raises:
        InputError: the method cannot be loaded, or an argument is wrong.
    """
    called = named(method, family)
    terms = _terms(called, config, sizes, alphas, contract, margin, trials, seed, timeout)
    with _opened(called, terms) as subject:
        findings = conformance(subject)
        exact = behaviour(subject, terms.sizes, terms.alphas if subject.deterministic else ())
        findings += _promise(subject, exact, terms)
        if against is not None:
            findings += _against(subject, against, terms)
        findings = as_expected(findings, subject)
        side = side_of(subject)
    return CheckReport(called.label, family, terms.contract, tuple(findings), exact, side)


def _terms(
    called: Named,
    config: str | Path | None,
    sizes: Sequence[Any] | None,
    alphas: Sequence[float] | None,
    contract: str | None,
    margin: float | None,
    trials: int,
    seed: int,
    timeout: float,
) -> _Terms:
    """Those asked for; else sizes and alphas of a config, or the usual ones."""
    family = called.family
    if config is not None:
        experiment = load_experiment(config)
        if not isinstance(experiment, Experiment) or experiment.family != family:
            raise InputError(f"{config} is no experiment of the family {family}")
        sizes = experiment.sizes if sizes is None else sizes
        alphas = experiment.alphas if alphas is None else alphas
    _check_options(margin, trials, seed, timeout)
    return _Terms(
        contract=_declared(called) if contract is None else checked_contract(contract),
        sizes=checked_sizes(family, default_sizes(family) if sizes is None else sizes),
        drawn=checked_sizes(family, drawn_sizes(family) if sizes is None else sizes),
        alphas=checked_alphas(default_alphas(family) if alphas is None else alphas),
        margin=margin,
        trials=trials,
        seed=seed,
        timeout=timeout,
    )


def _check_options(margin: float | None, trials: int, seed: int, timeout: float) -> None:
    """
    Raises:
        InputError: one of them is out of its range.
    """
    if margin is not None and not 0 <= margin < 1:
        raise InputError(f"margin should be at least 0 and less than 1, found {margin:g}")
    if trials < 1:
        raise InputError(f"trials should be 1 or more, found {trials}")
    if seed < 0:
        raise InputError(f"seed should be 0 or more, found {seed}")
    if not 0 < timeout <= _LONGEST:
        raise InputError(
            f"timeout should be more than 0 and at most {_LONGEST:g}, found {timeout:g}"
        )


def _declared(called: Named) -> Contract:
    return NOMINAL if called.method is None else declared_contract(called.method, called.family)


@contextmanager
def _opened(called: Named, terms: _Terms) -> Iterator[Subject]:
    """The method, ready to be called."""
    label, family, seed = called.label, called.family, terms.seed
    if called.method is not None:
        yield CachedSubject(CatalogueSubject(label, family, called.method, seed))
    elif called.source is not None:
        process = ProcessSubject(label, family, called.source, terms.timeout, seed)
        try:
            yield CachedSubject(process)
        finally:
            process.close()
    else:
        assert called.function is not None
        yield CachedSubject(CallableSubject(label, family, called.function, seed))


def _promise(subject: Subject, exact: pl.DataFrame, terms: _Terms) -> list[Finding]:
    """By exact numbers; by trials where limits are drawn, and so no function of x."""
    contract, margin = terms.contract, terms.margin
    if not subject.deterministic:
        return drawn_promise(
            contract,
            subject,
            terms.drawn,
            terms.alphas,
            trials=terms.trials,
            margin=margin,
            seed=terms.seed,
        )
    one_sided = TWO_SIDED not in subject.sides
    return [
        sound(exact, subject.family),
        *promise_kept(contract, exact, subject.family, margin, one_sided),
        cross_check(subject, terms.sizes, terms.alphas, terms.seed),
    ]


def _against(subject: Subject, against: AnyMethod | Path, terms: _Terms) -> list[Finding]:
    if isinstance(against, Path) or (isinstance(against, str) and is_baseline(against)):
        return against_baseline(subject, against)
    with _opened(_reference(against, subject.family), terms) as other:
        one, another = _of_one_side(subject, other)
        if one.deterministic and another.deterministic:
            return against_method(one, another, terms.sizes, terms.alphas)
        return against_drawn(
            one,
            another,
            terms.drawn,
            terms.alphas,
            margin=terms.margin,
            trials=terms.trials,
            seed=terms.seed,
        )


def _of_one_side(subject: Subject, reference: Subject) -> tuple[Subject, Subject]:
    """Both at a side that both have: two-sided intervals where there are any.

    Raises:
        InputError: there is no such side.
    """
    shared = [side for side in subject.sides if side in reference.sides]
    if not shared:
        one, another = (f"{each.label} ({', '.join(each.sides)})" for each in (subject, reference))
        raise InputError(f"{one} and {another} have no side in common to be compared at")
    side = TWO_SIDED if TWO_SIDED in shared else shared[-1]
    return CachedSubject(subject, (side,)), CachedSubject(reference, (side,))


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
