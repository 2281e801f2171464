"""Check an interval method: its properties, its exact behaviour, its contract, and comparisons."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.errors import InputError
from harness.callers.naming import AnyMethod, Function, Named, known_family, method_for
from harness.callers.process import TIMEOUT
from harness.checks.baseline.changes import compare_with_baseline, store_as_baseline
from harness.checks.baseline.folder import is_baseline, is_folder_path, validate_target
from harness.checks.behaviour import behaviour, check_exact_numbers
from harness.checks.compare import Compared, check_same, compare_with_method
from harness.checks.conformance.properties import Evaluation
from harness.checks.conformance.runner import (
    answers_arrays,
    broken_properties,
    check_conformance,
    evaluate_widely,
)
from harness.checks.contract.exact import check_contract, contracts_kept
from harness.checks.contract.length import check_length, check_shrinking
from harness.checks.contract.simulated import ListSimulation, Simulation, check_by_trials
from harness.checks.counter_examples.collect import Computed
from harness.checks.cross_check import cross_check
from harness.checks.expected_failures import apply_expected_failures, was_checked
from harness.checks.findings import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    FINISHES,
    INCONCLUSIVE,
    TAILS,
    Finding,
)
from harness.checks.options import SEED, Settings, settings_of, validate_largest, validate_seconds
from harness.checks.paired_test import paired_test
from harness.checks.report import CheckReport
from harness.checks.restriction import ANYWHERE, Restriction
from harness.checks.sizes import sizes_of_numbers
from harness.checks.stopping import under_rule
from harness.checks.subject import Subject, side_of
from harness.checks.table import complete_grid, no_exact_numbers, points_finding, restriction_of
from harness.checks.tails.check import check_tails, tails_of
from harness.checks.tails.record import LimitTails
from harness.checks.trials import TRIALS
from harness.checks.watch import TimeUpError, stage, watching
from harness.families.family import Family
from harness.methods.method import NOMINAL, TWO_SIDED, Contract


def check(
    method: AnyMethod,
    *,
    family: str = "proportion",
    against: AnyMethod | Path | None = None,
    same: AnyMethod | None = None,
    tolerance: Mapping[str, float] | str | None = None,
    update: str | Path | None = None,
    force: bool = False,
    config: str | Path | None = None,
    contract: str | None = None,
    margin: float | None = None,
    expected_failures: Mapping[str, Any] | Sequence[str] | None = None,
    trials: int | None = None,
    seed: int = SEED,
    timeout: float | None = None,
    call_timeout: float = TIMEOUT,
    sizes: Sequence[Any] | None = None,
    alphas: Sequence[float] | None = None,
    grid: str | Mapping[str, Any] | None = None,
    thorough: bool = False,
    stopping: Mapping[str, Any] | str | None = None,
    counter_examples: bool = False,
    model: str | Function | None = None,
    estimand: float | str | Function | None = None,
    factors: Mapping[str, Any] | Sequence[Any] | None = None,
) -> CheckReport:
    """Check whether a method is sound, keeps its contract, and is no worse than another one.

    Whatever the method does wrong, exceptions included, becomes a finding of the report.

    Args:
        method: a name of the catalogue, "file.py:function", "package.module:function", a peer
            such as "statsmodels:wilson", a function of R such as "r:stats::binom.test", a
            table such as "limits.csv", an entry point of the group ``harness.methods``, a
            `Command`, an `RFunction` or a `LimitTable`, or a callable f(x, n, alpha). Functions of
            files and modules run in a separate process.
        family: the family, which decides the arguments of the method.
        against: another method, or the folder of a baseline.
        same: another method, whose limits it should have.
        tolerance: the largest differences that are none, by measure: "limits", "length" and
            "alpha"; a mapping, or a text such as "limits=1e-9,length=1e-6". By default 1e-9 each.
        update: the folder in which its numbers and limits are stored as a baseline, if it passes.
        force: store the baseline of a method that fails as well.
        config: the config of an experiment with the sizes and alphas of the check.
        contract: "nominal", "at-least", "conservative", "approximate" or "none"; by default what
            the method declares, a function by its attribute ``contract``, and else "nominal".
        margin: of the mean alpha error of a nominal method, and of the miss rate where limits are
            drawn; by default 0.3·alpha.
        expected_failures: names of checks that are known to fail, each with the reason; or with a
            dictionary of the reason and the place, as {"n": [10, 20], "alpha": 0.05, "reason":
            "why"}, or a list of these. Or a list of texts as "mirrors@n=10..20,alpha=0.05:why". A
            function declares its own by an attribute of this name.
        trials: the number of trials at each size, for a stochastic method, by default 20,000; of
            a check on a model in each scenario, by default 4,000.
        seed: of all draws.
        timeout: seconds that the check may take, by default any number; what was not checked by
            then is inconclusive, what was found is kept, and the finding "finishes in time" says
            what was not reached. A call under way is not broken off.
        call_timeout: seconds that one call of a function in a file or module may take.
        sizes: of the exact numbers: n or exposures, pairs of them for two samples; by default
            those of the config, or some of the family.
        alphas: of the exact numbers; by default those of the config, or a few for the family.
        grid: the only sizes and alphas that the method is asked for, as "n=10,50;alpha=0.05" or
            {"n": [10, 50], "alpha": 0.05}; of the two it may name one. By default any.
        thorough: whether limits are asked for at all counts of all n up to 200, and at all alphas
            everywhere; by default at some of them, as the method should not take long. Of several
            counts the exact numbers are then at three alphas instead of one.
        stopping: the rule by which the trials of a proportion end, as in a config, with most, the
            most trials, or at the sizes that are given; all is then checked under this rule.
        counter_examples: whether findings hold the numbers of their pictures, which a page draws.
        model: "file.py:function", "package.module:function" or a callable, which draws the data of
            a trial as f(rng, **factors); the method is then such a function f(data, alpha), and is
            checked by trials of each scenario at ``alphas``, by default 0.05. It has no family.
        estimand: of the model, its true value: a factor, a number, or a function of the factors,
            "file.py:function" or a callable.
        factors: of the model, their levels by name, which are crossed; or a list of texts as
            "n=20,100".

    Returns:
        The report with all findings.

    Raises:
        InputError: the method cannot be loaded, or an argument is wrong.

    Example:
        >>> report = check("wilson", against="clopper_pearson", sizes=[10], alphas=[0.05])
        >>> report.headline.partition("; ")[0]
        'wilson (proportion): FAIL: against clopper_pearson: worst alpha'
        >>> print(report.worst(1)[0].message)
        0.165046 at n = 10, alpha = 0.05, where clopper_pearson has 0.0389795: worse by 0.13
    """
    given = dict(locals())
    if model is not None:
        # It loads the schema of configs, which no other check needs.
        from harness.checks.simulation.check import check_on_model

        return check_on_model(method, given)
    if estimand is not None or factors is not None:
        raise InputError("estimand and factors are of a model; give the model as well")
    given["trials"] = TRIALS if trials is None else trials
    if stopping is None:
        estimated = known_family(family)
    else:
        estimated, given = under_rule(family, given)
    called = method_for(estimated, method)
    if against is not None and not estimated.has_outcomes:
        raise InputError(f"methods of {family} are not compared by a check; leave against out")
    settings = settings_of(called, given)
    if timeout is not None:
        validate_seconds("timeout", timeout)
    if update is not None:
        validate_target(update, called)
    if not (against is None or isinstance(against, Path)) and not is_baseline(str(against)):
        validate_largest(_reference(against, estimated), settings.sizes)
    findings: list[Finding] = []
    exact, keeps, gains = pl.DataFrame(), "", None
    evaluations: list[Evaluation] = []
    tails: list[LimitTails] = []
    limited = nullcontext() if timeout is None else watching(seconds=timeout)
    with _open_subject(called, settings) as subject, limited:
        promised = settings.contract or subject.contract or called.contract or NOMINAL
        is_whole = False
        try:
            by_default = settings.sizes_by_default and not thorough
            if by_default and not answers_arrays(subject, settings.restriction):
                settings = replace(settings, sizes=sizes_of_numbers(settings.sizes))
            with stage(0.2):
                evaluate_widely(subject, settings.restriction, seed, thorough, evaluations)
                findings += check_conformance(subject, settings.restriction, evaluations)
                if subject.deterministic:
                    uneven = subject.has_uneven_tails
                    complete = evaluations
                    if called.table is not None:
                        # Means over outcomes are compared, which gaps would make those of others.
                        whole = Restriction(settings.sizes, settings.alphas)
                        complete = evaluate_widely(subject, whole, seed, thorough)
                    tails = tails_of(complete)
                    findings += check_tails(tails, promised, uneven)
            deterministic_alphas = settings.alphas if subject.deterministic else ()
            with stage(0.8 if against is None else 0.4):
                exact = behaviour(subject, settings.sizes, deterministic_alphas)
            with stage(1.0 if against is None else 0.3):
                kept, keeps = _check_contract(subject, promised, exact, settings)
                findings += kept
            if against is not None:
                compared = _compare(subject, against, settings)
                findings += compared.findings
                gains = compared.gains
            if same is not None:
                findings.append(_check_same(subject, same, settings))
            is_whole = settings.restriction == ANYWHERE
        except TimeUpError as fault:
            reached = {each.kind for each in findings}
            if CONFORMANCE not in reached:
                findings += broken_properties(subject, evaluations)
            asked = [CONFORMANCE, TAILS, BEHAVIOUR, CONTRACT, CROSS_CHECK]
            asked += [AGAINST] * (against is not None or same is not None)
            left = ", ".join(each for each in asked if each not in reached)
            text = f"{fault}; not reached or not all of it: {left or 'the last part'}"
            findings.append(Finding(FINISHES, CONFORMANCE, INCONCLUSIVE, text, {}))
        if called.table is not None:
            findings.append(points_finding(called.table, settings.sizes, settings.alphas))
        findings = apply_expected_failures(
            findings, subject, settings.expected, was_checked(subject, exact, is_whole)
        )
        if counter_examples:
            computed = Computed(subject, promised, evaluations, tails, exact)
            findings = computed.with_counter_examples(findings)
        report = CheckReport(
            called.label,
            estimated.name,
            promised,
            tuple(findings),
            exact,
            side_of(subject),
            settings.seed,
            keeps,
            gains,
            estimated=estimated,
        )
        if update is None or settings.points is None:
            return report
        points, allowed = settings.points, settings.tolerance
        return store_as_baseline(report, called, subject, update, points, allowed, force=force)


def option_names() -> tuple[str, ...]:
    """Return the names of the options of ``check``, as commands and tests take them."""
    return tuple(inspect.signature(check).parameters)[1:]


def _open_subject(called: Named, settings: Settings) -> closing[Subject]:
    """The method with its process, which ends with the block."""
    return closing(Subject(called.source(settings.call_timeout, settings.seed), called.family))


def _check_contract(
    subject: Subject, contract: Contract, exact: pl.DataFrame, settings: Settings
) -> tuple[list[Finding], str]:
    """Check the contract by exact numbers, or by trials for a stochastic method.

    Returns:
        The findings, and which contracts the method would keep.
    """
    margin, family = settings.margin, subject.family
    options = (settings.alphas, settings.trials, margin, settings.seed)
    if not family.has_outcomes:
        return check_by_trials(contract, ListSimulation(subject, *options))
    if not subject.deterministic:
        return check_by_trials(contract, Simulation(subject, settings.trial_sizes, *options))
    if not settings.sizes:
        return [no_exact_numbers(kind) for kind in (BEHAVIOUR, CONTRACT)], ""
    one_sided = TWO_SIDED not in subject.sides
    findings = [
        check_exact_numbers(exact, family),
        *check_contract(contract, exact, family, margin, one_sided),
        *check_length(contract, subject, exact),
        *check_shrinking(contract, subject, settings.alphas, settings.restriction),
        cross_check(subject, settings.sizes, settings.alphas, settings.seed),
    ]
    return findings, contracts_kept(exact, family, margin, one_sided)


def _compare(subject: Subject, against: AnyMethod | Path, settings: Settings) -> Compared:
    """Compare a method with another method or with its baseline."""
    tolerance = settings.tolerance
    if isinstance(against, Path) or (isinstance(against, str) and is_baseline(against)):
        return compare_with_baseline(subject, against, tolerance, settings.restriction)
    reference = _reference(against, subject.family)
    sizes, alphas = settings.sizes, settings.alphas
    if reference.table is not None:
        sizes, alphas = complete_grid(reference.table.points, sizes, alphas)
        if not sizes:
            return Compared([no_exact_numbers(AGAINST, f"against {reference.label}")])
    with _open_subject(reference, settings) as other:
        one, another = _at_common_side(subject, other)
        if one.deterministic and another.deterministic:
            return compare_with_method(one, another, sizes, alphas, tolerance)
        options = {name: getattr(settings, name) for name in ("margin", "trials", "seed")}
        tested = paired_test(one, another, settings.trial_sizes, settings.alphas, **options)
        return Compared(tested)


def _check_same(subject: Subject, same: AnyMethod, settings: Settings) -> Finding:
    """Hold a method to the limits of another one.

    Raises:
        InputError: there is no such method, it has other sides, or one of the two draws.
    """
    if isinstance(same, str | Path) and is_baseline(same):
        raise InputError(f"{same} is a baseline, and no method to be the same as; --against {same}")
    reference, restriction = method_for(subject.family, same), settings.restriction
    if reference.table is not None:
        restriction = restriction_of(reference.table.points, restriction)
    with _open_subject(reference, settings) as other:
        for each in (subject, other):
            if not each.deterministic:
                raise InputError(f"{each.label} draws its limits, which are never quite the same")
        one, another = _at_common_side(subject, other)
        return check_same(one, another, settings.tolerance.limits, restriction)


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
    return subject.at_side(side), reference.at_side(side)


def _reference(against: AnyMethod, family: Family) -> Named:
    """The method to compare with.

    Raises:
        InputError: there is no such method; for the path of a folder, that it has no baseline.
    """
    try:
        return method_for(family, against)
    except InputError:
        if isinstance(against, str) and is_folder_path(against):
            raise InputError(
                f"{against} holds no baseline; --update {against} writes one"
            ) from None
        raise
