"""Check an interval method: its properties, its exact behaviour, its contract, and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.arguments import validate_number, validate_whole
from harness.checks.baseline import is_baseline, is_folder_path
from harness.checks.behaviour import behaviour, check_exact_numbers
from harness.checks.compare.cross_check import cross_check
from harness.checks.compare.exact import compare_with_baseline, compare_with_method
from harness.checks.compare.paired_test import paired_test
from harness.checks.conformance.runner import check_conformance
from harness.checks.contract.exact import (
    NOMINAL,
    Contract,
    check_contract,
    declared_contract,
    validate_contract,
)
from harness.checks.contract.lists import check_contract_of_lists
from harness.checks.contract.simulated import check_contract_by_trials
from harness.checks.expected_failures import apply_expected_failures
from harness.checks.report import CheckReport, Finding
from harness.checks.scenarios import (
    Size,
    default_alphas,
    default_sizes,
    validate_alphas,
    validate_sizes,
)
from harness.checks.subjects.naming import Function, Named, named
from harness.checks.subjects.subject import (
    CachedSubject,
    CatalogueSubject,
    FunctionSubject,
    Subject,
    side_of,
)
from harness.checks.trials import TRIALS, default_trial_sizes
from harness.config.experiment import Experiment
from harness.config.load import load_experiment
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED, Method
from harness.methods.user.process import TIMEOUT

SEED = 2003
ALPHAS_OF_LISTS = (0.05, 0.2)
"""The alphas of a check of lists by default."""

_LONGEST_TIMEOUT = 86_400.0
"""One day, in seconds."""

AnyMethod = str | Function | Method


@dataclass(frozen=True)
class _Settings:
    """The validated options of a check."""

    contract: Contract
    sizes: tuple[Size, ...]
    """The sizes at which exact numbers are computed."""
    trial_sizes: tuple[Size, ...]
    """The sizes at which trials of a stochastic method are made."""
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
    """Check whether a method is sound, keeps its contract, and is no worse than another one.

    Whatever the method does wrong, exceptions included, becomes a finding of the report.

    Args:
        method: a name of the catalogue, "file.py:function", "package.module:function", a peer
            such as "statsmodels:wilson", an entry point of the group ``harness.methods``, or a
            callable f(x, n, alpha). Functions of files and modules run in a separate process.
        family: the family, which decides the arguments of the method.
        against: another method, or the folder of a baseline.
        config: the config of an experiment with the sizes and alphas of the check.
        contract: "nominal", "at-least" or "none"; by default what a method of the catalogue
            declares, and "nominal" for any other method.
        margin: of the mean alpha error of a nominal method, and of the miss rate where limits are
            drawn; by default 0.3·alpha.
        trials: the number of trials at each size, for a stochastic method.
        seed: of all draws.
        timeout: the longest time of a call of a function in a file or module, in seconds.
        sizes: n or exposures, pairs of them for two samples; by default those of the config, or a
            grid for the family.
        alphas: by default those of the config, or a few for the family.

    Returns:
        The report with all findings.

    Raises:
        InputError: the method cannot be loaded, or an argument is wrong.

    Example:
        >>> report = check("wilson", against="clopper_pearson", sizes=[10], alphas=[0.05])
        >>> report.headline
        'wilson (proportion): FAIL: against clopper_pearson: worst alpha'
        >>> print(report.worst(1)[0].message)
        0.165046 at n = 10, alpha = 0.05, where clopper_pearson has 0.0389795: worse by 0.13
    """
    called = named(method, family)
    if against is not None and not family_of(family).has_outcomes:
        raise InputError(f"methods of {family} are not compared by a check; leave against out")
    settings = _settings(called, config, sizes, alphas, contract, margin, trials, seed, timeout)
    if not (against is None or isinstance(against, Path)) and not is_baseline(str(against)):
        _validate_largest(_reference(against, family), settings.sizes)
    with _open_subject(called, settings) as subject:
        findings = check_conformance(subject)
        deterministic_alphas = settings.alphas if subject.deterministic else ()
        exact = behaviour(subject, settings.sizes, deterministic_alphas)
        findings += _check_contract(subject, exact, settings)
        if against is not None:
            findings += _compare(subject, against, settings)
        findings = apply_expected_failures(findings, subject)
        side = side_of(subject)
    return CheckReport(called.label, family, settings.contract, tuple(findings), exact, side)


def _settings(
    called: Named,
    config: str | Path | None,
    sizes: Sequence[Any] | None,
    alphas: Sequence[float] | None,
    contract: str | None,
    margin: float | None,
    trials: int,
    seed: int,
    timeout: float,
) -> _Settings:
    """The options; the sizes and alphas default to those of the config, or of the family."""
    family = called.family
    if config is not None:
        experiment = load_experiment(config)
        if not isinstance(experiment, Experiment) or experiment.family != family:
            raise InputError(f"{config} is no experiment of the family {family}")
        sizes = experiment.sizes if sizes is None else sizes
        alphas = experiment.alphas if alphas is None else alphas
    _validate_options(margin, trials, seed, timeout)
    has_outcomes = family_of(family).has_outcomes
    if sizes is not None and not has_outcomes:
        raise InputError(
            f"a check of {family} takes no sizes, since it draws lists of its own; leave them out"
        )
    if sizes is not None:
        _validate_largest(called, validate_sizes(family, sizes))
    exact: tuple[Size, ...] = ()
    drawn: tuple[Size, ...] = ()
    levels: tuple[float, ...] = ALPHAS_OF_LISTS
    if has_outcomes:
        exact = validate_sizes(family, default_sizes(family) if sizes is None else sizes)
        drawn = validate_sizes(family, default_trial_sizes(family) if sizes is None else sizes)
        levels = default_alphas(family)
    return _Settings(
        contract=_declared(called) if contract is None else validate_contract(contract),
        sizes=exact,
        trial_sizes=drawn,
        alphas=validate_alphas(levels if alphas is None else alphas),
        margin=margin,
        trials=trials,
        seed=seed,
        timeout=timeout,
    )


def _validate_largest(called: Named, sizes: Sequence[Size]) -> None:
    """Refuse sizes that a method of the catalogue does not take.

    Raises:
        InputError: a size is too large for the method.
    """
    if called.method is not None:
        names = family_of(called.family).sizes
        for size in sizes:
            each = size if isinstance(size, tuple) else (size,)
            called.method.validate_sizes(dict(zip(names, each, strict=True)))


def _validate_options(margin: float | None, trials: int, seed: int, timeout: float) -> None:
    """Refuse options that are out of range.

    Raises:
        InputError: an option is out of range.
    """
    if margin is not None:
        validate_number("margin", margin)
    if margin is not None and not 0 <= margin < 1:
        raise InputError(f"margin should be at least 0 and less than 1, found {margin:g}")
    validate_whole("trials", trials, 1)
    validate_whole("seed", seed, 0)
    validate_number("timeout", timeout)
    if not 0 < timeout <= _LONGEST_TIMEOUT:
        raise InputError(
            f"timeout should be more than 0 and at most {_LONGEST_TIMEOUT:g}, found {timeout:g}"
        )


def _declared(called: Named) -> Contract:
    """The contract that a method declares; "nominal" for a method outside the catalogue."""
    return NOMINAL if called.method is None else declared_contract(called.method, called.family)


@contextmanager
def _open_subject(called: Named, settings: _Settings) -> Iterator[Subject]:
    """The method with its process, which ends with the block."""
    label, family, seed = called.label, called.family, settings.seed
    if called.method is not None:
        yield CachedSubject(CatalogueSubject(label, family, called.method, seed))
    elif called.location is not None:
        location, timeout = called.location, settings.timeout
        process = FunctionSubject.of_location(label, family, location, timeout, seed)
        try:
            yield CachedSubject(process)
        finally:
            process.close()
    else:
        assert called.function is not None
        yield CachedSubject(FunctionSubject.of_callable(label, family, called.function, seed))


def _check_contract(subject: Subject, exact: pl.DataFrame, settings: _Settings) -> list[Finding]:
    """Check the contract by exact numbers, or by trials for a stochastic method."""
    contract, margin = settings.contract, settings.margin
    if not family_of(subject.family).has_outcomes:
        return check_contract_of_lists(
            contract,
            subject,
            settings.alphas,
            trials=settings.trials,
            margin=margin,
            seed=settings.seed,
        )
    if not subject.deterministic:
        return check_contract_by_trials(
            contract,
            subject,
            settings.trial_sizes,
            settings.alphas,
            trials=settings.trials,
            margin=margin,
            seed=settings.seed,
        )
    one_sided = TWO_SIDED not in subject.sides
    return [
        check_exact_numbers(exact, subject.family),
        *check_contract(contract, exact, subject.family, margin, one_sided),
        cross_check(subject, settings.sizes, settings.alphas, settings.seed),
    ]


def _compare(subject: Subject, against: AnyMethod | Path, settings: _Settings) -> list[Finding]:
    """Compare a method with another method or with its baseline."""
    if isinstance(against, Path) or (isinstance(against, str) and is_baseline(against)):
        return compare_with_baseline(subject, against)
    with _open_subject(_reference(against, subject.family), settings) as other:
        one, another = _at_common_side(subject, other)
        if one.deterministic and another.deterministic:
            return compare_with_method(one, another, settings.sizes, settings.alphas)
        return paired_test(
            one,
            another,
            settings.trial_sizes,
            settings.alphas,
            margin=settings.margin,
            trials=settings.trials,
            seed=settings.seed,
        )


def _at_common_side(subject: Subject, reference: Subject) -> tuple[Subject, Subject]:
    """Both methods at a side that both have; two-sided where both have two-sided intervals.

    Raises:
        InputError: the methods have no side in common.
    """
    shared = [side for side in subject.sides if side in reference.sides]
    if not shared:
        one, another = (f"{each.label} ({', '.join(each.sides)})" for each in (subject, reference))
        raise InputError(f"{one} and {another} have no side in common to be compared at")
    side = TWO_SIDED if TWO_SIDED in shared else shared[-1]
    return CachedSubject(subject, (side,)), CachedSubject(reference, (side,))


def _reference(against: AnyMethod, family: str) -> Named:
    """The method to compare with.

    Raises:
        InputError: there is no such method; for the path of a folder, that it has no baseline.
    """
    try:
        return named(against, family)
    except InputError:
        if isinstance(against, str) and is_folder_path(against):
            raise InputError(
                f"{against} holds no baseline; --update {against} writes one"
            ) from None
        raise
