"""Check an interval method: its properties, its exact behaviour, its contract, and comparisons."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np
import polars as pl

from harness.base.errors import InputError
from harness.callers.naming import AnyMethod, Named, method_for
from harness.checks.baseline.changes import compare_with_baseline, store_as_baseline
from harness.checks.baseline.folder import is_baseline
from harness.checks.behaviour import (
    EXACT_NUMBERS,
    behaviour,
    check_exact_numbers,
    cross_check,
    refuse_too_many,
)
from harness.checks.compare import Compared, check_same, compare_with_method, paired_test
from harness.checks.conformance.properties import Evaluation
from harness.checks.conformance.runner import (
    answers_arrays,
    broken_properties,
    check_conformance,
    evaluate_widely,
)
from harness.checks.contract.exact import check_contract, contracts_kept
from harness.checks.contract.length import check_length, check_shrinking
from harness.checks.contract.simulated import ListTrials, OutcomeTrials, check_by_trials
from harness.checks.counter_examples.collect import Computed
from harness.checks.expected_failures import apply_expected_failures, was_checked
from harness.checks.findings import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    FINISHES,
    INCONCLUSIVE,
    PASS,
    TAILS,
    Finding,
)
from harness.checks.options import (
    OPTION_NAMES,
    CheckOptions,
    Settings,
    complete_grid,
    read_options,
    restriction_of,
)
from harness.checks.report import CheckReport, Gains
from harness.checks.sizes import ANYWHERE, Restriction
from harness.checks.subject import Subject, side_of
from harness.checks.tails.levels import check_tails, tails_of
from harness.checks.tails.tails import LimitTails
from harness.checks.watch import TimeUpError, stage, watching
from harness.methods.method import NOMINAL, TWO_SIDED

LARGEST_OF_NUMBERS = 200
"""The largest size with exact numbers of a method that answers one outcome at a time: all outcomes
of a larger n would take it longer than the rest of the check."""

POINTS = "points of the table"
_NO_COMPLETE_GRID = "does not apply: the table has all outcomes of no size and alpha"
"""What stands in place of exact numbers where a table suffices for none."""


def check(method: AnyMethod, **options: Unpack[CheckOptions]) -> CheckReport:
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
        sensitivity, specificity: of "judged_share", the error rates of a judge that are known, for
            functions f(x, n, alpha); without them its functions take the labels too.
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
    for name in options:
        if name not in OPTION_NAMES:
            raise TypeError(f"check() got an unexpected keyword argument {name!r}")
    if options.get("model") is not None:
        # It loads the schema of configs, which no other check needs.
        from harness.checks.simulation.check import check_on_model

        return check_on_model(method, options)
    if options.get("estimand") is not None or options.get("factors") is not None:
        raise InputError("estimand and factors are of a model; give the model as well")
    settings = read_options(method, options)
    # Without a time of its own a check has the time of the checks that it is one of.
    limited = nullcontext() if settings.timeout is None else watching(seconds=settings.timeout)
    with open_subject(settings.method, settings) as subject, limited:
        return CheckRun(subject, settings).report()


def open_subject(method: Named, settings: Settings) -> closing[Subject]:
    """The method with its process, which ends with the block."""
    return closing(Subject(method.source(settings.call_timeout, settings.seed), method.family))


class CheckRun:
    """A check while it runs; what it has computed is kept where its time is over."""

    def __init__(self, subject: Subject, settings: Settings) -> None:
        self.subject = subject
        self.settings = settings
        promised = settings.contract or subject.contract or settings.method.contract
        self.contract = promised or NOMINAL
        self.findings: list[Finding] = []
        self.evaluations: list[Evaluation] = []
        self.tails: list[LimitTails] = []
        self.exact = pl.DataFrame()
        self.keeps = ""
        self.gains: Gains | None = None

    def report(self) -> CheckReport:
        """Make the check and return its report, with what is stored as a baseline."""
        subject, is_whole = self.subject, False
        try:
            self._run()
            is_whole = self.settings.restriction == ANYWHERE
        except TimeUpError as fault:
            self._end_early(fault)
        settings, table = self.settings, self.settings.method.table
        if table is not None:
            points, sizes, alphas = table.points, settings.sizes, settings.alphas
            numbers = "exact numbers do not apply: it has all outcomes of no size and alpha"
            if sizes:
                numbers = (
                    f"exact numbers are computed at {len(sizes)} of {len(points.sizes)} sizes and "
                    f"{len(alphas)} of {len(points.alphas)} alphas, where it has all outcomes"
                )
            checked = f"{len(table.asked)} of {points.count} points of the table were checked"
            self.findings.append(Finding(POINTS, CONFORMANCE, PASS, f"{checked}; {numbers}", {}))
        was = was_checked(subject, self.exact, is_whole)
        findings = apply_expected_failures(self.findings, subject, settings.expected, was)
        if settings.counter_examples:
            computed = Computed(subject, self.contract, self.evaluations, self.tails, self.exact)
            findings = computed.with_counter_examples(findings)
        report = CheckReport(
            method=settings.method.label,
            family=subject.family.name,
            contract=self.contract,
            findings=tuple(findings),
            behaviour=self.exact,
            side=side_of(subject),
            seed=settings.seed,
            keeps=self.keeps,
            gains=self.gains,
            estimated=subject.family,
        )
        return store_as_baseline(report, subject, settings)

    def _run(self) -> None:
        subject, settings = self.subject, self.settings
        by_default = settings.sizes_by_default and not settings.thorough
        if by_default and not answers_arrays(subject, settings.restriction):
            some = tuple(size for size in settings.sizes if np.max(size) <= LARGEST_OF_NUMBERS)
            settings = self.settings = replace(settings, sizes=some)
        if subject.has_limits_by_outcome:
            refuse_too_many(subject.family, settings.sizes, settings.alphas)
        with stage(0.2):
            self._check_limits()
        with stage(0.4 if settings.is_compared else 0.8):
            alphas = settings.alphas if subject.deterministic else ()
            self.exact = behaviour(subject, settings.sizes, alphas)
        with stage(0.3 if settings.is_compared else 1.0):
            self._check_contract()
        if settings.is_compared:
            compared = self._compare()
            self.findings += compared.findings
            self.gains = compared.gains
        if settings.same is not None:
            self.findings.append(self._check_same(settings.same))

    def _check_limits(self) -> None:
        """Check the properties of limits and the tails that they leave."""
        subject, settings = self.subject, self.settings
        seed, thorough = settings.seed, settings.thorough
        evaluate_widely(subject, settings.restriction, seed, thorough, self.evaluations)
        self.findings += check_conformance(subject, settings.restriction, self.evaluations)
        if subject.deterministic:
            complete = self.evaluations
            if settings.method.table is not None:
                # Means over outcomes are compared, which gaps would make those of others.
                whole = Restriction(settings.sizes, settings.alphas)
                complete = evaluate_widely(subject, whole, seed, thorough)
            self.tails = tails_of(complete)
            self.findings += check_tails(self.tails, self.contract, subject.has_uneven_tails)

    def _check_contract(self) -> None:
        """Check the contract by exact numbers; by trials for lists and for a stochastic method."""
        subject, settings, contract = self.subject, self.settings, self.contract
        alphas, seed, margin = settings.alphas, settings.seed, settings.margin
        if not subject.has_limits_by_outcome:
            simulation: OutcomeTrials | ListTrials
            if subject.family.has_outcomes:
                sizes = settings.trial_sizes
                simulation = OutcomeTrials(subject, sizes, alphas, settings.trials, margin, seed)
            else:
                simulation = ListTrials(subject, alphas, settings.trials, margin, seed)
            findings, self.keeps = check_by_trials(contract, simulation)
            self.findings += findings
        elif not settings.sizes:
            self.findings += [
                Finding(EXACT_NUMBERS, kind, PASS, _NO_COMPLETE_GRID, {})
                for kind in (BEHAVIOUR, CONTRACT)
            ]
        else:
            one_sided = TWO_SIDED not in subject.sides
            self.findings += [
                check_exact_numbers(self.exact, subject.family),
                *check_contract(contract, self.exact, subject.family, margin, one_sided),
                *check_length(contract, subject, self.exact),
                *check_shrinking(contract, subject, alphas, settings.restriction),
                cross_check(subject, settings.sizes, alphas, seed),
            ]
            self.keeps = contracts_kept(self.exact, subject.family, margin, one_sided)

    def _compare(self) -> Compared:
        """Compare the method with its baseline or with another method."""
        subject, settings, reference = self.subject, self.settings, self.settings.reference
        if settings.baseline is not None:
            return compare_with_baseline(
                subject, settings.baseline, settings.tolerance, settings.restriction
            )
        assert reference is not None
        sizes, alphas = settings.sizes, settings.alphas
        if reference.table is not None:
            sizes, alphas = complete_grid(reference.table.points, sizes, alphas)
            if not sizes:
                name = f"against {reference.label}"
                return Compared([Finding(name, AGAINST, PASS, _NO_COMPLETE_GRID, {})])
        with open_subject(reference, settings) as opened:
            one, other = _at_common_side(subject, opened)
            if one.deterministic and other.deterministic:
                return compare_with_method(one, other, sizes, alphas, settings.tolerance)
            findings = paired_test(
                one,
                other,
                settings.trial_sizes,
                settings.alphas,
                margin=settings.margin,
                trials=settings.trials,
                seed=settings.seed,
            )
            return Compared(findings)

    def _check_same(self, same: AnyMethod) -> Finding:
        """Hold the method to the limits of another one.

        Raises:
            InputError: there is no such method, it has other sides, or one of the two draws.
        """
        subject, settings, restriction = self.subject, self.settings, self.settings.restriction
        if isinstance(same, str | Path) and is_baseline(same):
            raise InputError(
                f"{same} is a baseline, and no method to be the same as; --against {same}"
            )
        reference = method_for(subject.family, same)
        if reference.table is not None:
            restriction = restriction_of(reference.table.points, restriction)
        with open_subject(reference, settings) as opened:
            for method in (subject, opened):
                if not method.deterministic:
                    raise InputError(
                        f"{method.label} draws its limits, which are never quite the same"
                    )
            one, other = _at_common_side(subject, opened)
            return check_same(one, other, settings.tolerance.limits, restriction)

    def _end_early(self, fault: TimeUpError) -> None:
        """Keep what was found before the time was over, and say what was not reached."""
        kinds = {finding.kind for finding in self.findings}
        if CONFORMANCE not in kinds:
            self.findings += broken_properties(self.subject, self.evaluations)
        asked = [CONFORMANCE, TAILS, BEHAVIOUR, CONTRACT, CROSS_CHECK]
        if self.settings.is_compared or self.settings.same is not None:
            asked.append(AGAINST)
        left = ", ".join(kind for kind in asked if kind not in kinds)
        text = f"{fault}; not reached or not all of it: {left or 'the last part'}"
        self.findings.append(Finding(FINISHES, CONFORMANCE, INCONCLUSIVE, text, {}))


def _at_common_side(subject: Subject, reference: Subject) -> tuple[Subject, Subject]:
    """Both methods at a side that both have; two-sided where both have two-sided intervals.

    Raises:
        InputError: the methods have no side in common.
    """
    shared = [side for side in subject.sides if side in reference.sides]
    if not shared:
        one, other = (
            f"{method.label} ({', '.join(method.sides)})" for method in (subject, reference)
        )
        raise InputError(f"{one} and {other} have no side in common to be compared at")
    side = TWO_SIDED if TWO_SIDED in shared else shared[-1]
    return subject.at_side(side), reference.at_side(side)
