"""Check a method on a model of the user's own, by trials of some scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import ConfigError, InputError
from harness.callers.location import name_of
from harness.callers.naming import AnyMethod, Named, named
from harness.callers.simulation.process import close_trial_processes
from harness.checks.baseline.folder import validate_place
from harness.checks.findings import CONFORMANCE, FINISHES, INCONCLUSIVE, Finding
from harness.checks.options import Tolerance, validate_options, validate_seconds
from harness.checks.simulation.baseline import ModelBaseline
from harness.checks.simulation.report import ModelReport
from harness.checks.simulation.scenario import ERROR, Trials
from harness.checks.sizes import validate_alphas
from harness.checks.watch import TimeUpError, steps, watching
from harness.config import yaml12
from harness.kinds.simulation.experiment import SIMULATION, Simulation
from harness.kinds.simulation.functions import truths
from harness.kinds.simulation.keys import simulation_of
from harness.kinds.simulation.trials import TrialShard
from harness.methods.method import NOMINAL, validate_contract

TRIALS = 4_000
"""The default number of trials of each scenario."""
_NOT_TAKEN = {
    **dict.fromkeys(("same", "config", "sizes", "grid", "margin", "expected_failures")),
    "family": "proportion",
    "thorough": False,
}
"""Options of other checks, with their defaults."""
_FUNCTION = "file.py:function or package.module:function"


def check_on_model(method: AnyMethod, given: Mapping[str, Any]) -> ModelReport:
    """Check a method on a model.

    Args:
        method: a function, or the name of one of a file or a module.
        given: the arguments of ``harness.check`` by name.

    Raises:
        InputError: a function cannot be loaded, or an option is wrong or is not one of models.
    """
    for name, default in _NOT_TAKEN.items():
        if repr(given[name]) != repr(default):
            raise InputError(f"{name} is no option of a check on a model; leave it out")
    given = {**given, "trials": TRIALS if given["trials"] is None else given["trials"]}
    validate_options(given)
    if given["timeout"] is not None:
        validate_seconds("timeout", given["timeout"])
    called = _function(method)
    alphas = (0.05,) if given["alphas"] is None else validate_alphas(given["alphas"])
    study = _simulation(called, given, alphas[0])
    contract = NOMINAL if given["contract"] is None else validate_contract(given["contract"])
    tolerance = Tolerance.of(given["tolerance"]).limits
    baseline = ModelBaseline(called, study)
    against, update = given["against"], given["update"]
    old = None if against is None else baseline.read(against)
    if update is not None:
        validate_place(update, baseline.named)
    places = [(alpha, number) for alpha in alphas for number in range(len(study.scenarios))]
    level = ERROR / len(places)
    findings: list[Finding] = []
    checked: list[Trials] = []
    limited = nullcontext() if given["timeout"] is None else watching(seconds=given["timeout"])
    try:
        true = truths(study)
        with limited:
            for alpha, number in steps(places):
                program, factors = replace(study, alpha=alpha).program, study.scenarios[number]
                shard = TrialShard(number + 1, factors, study.seed, 1, study.trials.count, (1,))
                scenario = Trials(program, shard, true[number], contract, tolerance, level)
                findings += scenario.findings()
                checked.append(scenario)
                if old is not None:
                    findings += baseline.compare(old, scenario)
    except TimeUpError as fault:
        findings.append(Finding(FINISHES, CONFORMANCE, INCONCLUSIVE, str(fault), {}))
    finally:
        close_trial_processes()
    report = ModelReport(
        method=called.label,
        family=SIMULATION,
        contract=contract,
        findings=tuple(findings),
        behaviour=pl.DataFrame(
            [each.row for each in checked if each.row], infer_schema_length=None, strict=False
        ),
        seed=study.seed,
        model=_words(given["model"]),
        estimand=_words(given["estimand"]),
        factors=tuple(study.scenarios[0]),
    )
    if update is None:
        return report
    return replace(report, stored=baseline.store(update, report, checked, given["force"]))


def _function(method: AnyMethod) -> Named:
    """The method, which runs in the process of the trials.

    Raises:
        InputError: it is no function of Python.
    """
    called = named(method)
    if called.function is None and called.location is None:
        raise InputError(f"a method on a model should be {_FUNCTION}, found {quoted(method)}")
    return called


def _simulation(called: Named, given: Mapping[str, Any], alpha: float) -> Simulation:
    """The study whose trials are made.

    Raises:
        InputError: the model, its factors or the estimand is wrong.
    """
    estimand, place = given["estimand"], called.location
    if isinstance(estimand, str):
        is_function = ":" in estimand
        estimand = _place("estimand", estimand) if is_function else yaml12.read(estimand).data
    if estimand is None:
        raise InputError(f"estimand should be a factor, a number or {_FUNCTION}, found none")
    raw = {
        "kind": SIMULATION,
        "name": "check",
        "model": _place("model", given["model"]),
        "factors": _factors(given["factors"]),
        "estimand": estimand,
        "methods": [
            {"function": called.function}
            if place is None
            else {"path" if place.path else "module": place.path or place.module}
            | {"function": place.function}
        ],
        "alpha": alpha,
        "trials": {"per_scenario": given["trials"]},
        "seed": given["seed"],
        "execution": {"timeout": given["call_timeout"]},
        "figures": [],
    }
    study, issues = simulation_of(raw, Path())
    if study is None:
        raise ConfigError(issues)
    if "alpha" in study.scenarios[0]:
        raise InputError("expected another name of a factor than alpha, a column of the report")
    return study


def _words(given: object) -> str:
    """What was given, a function by its name."""
    return name_of(given) if callable(given) else str(given)


def _place(name: str, text: object) -> Any:
    """The keys of a config for a function, or the function that was given itself.

    Raises:
        InputError: it is no name of a function.
    """
    if callable(text):
        return text
    place, colon, function = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not colon:
        raise InputError(f"{name} should be {_FUNCTION}, found {quoted(text)}")
    return {"path" if place.endswith(".py") else "module": place, "function": function}


def _factors(given: Mapping[str, Any] | Sequence[Any] | None) -> Any:
    """The levels of factors, or rows of them, as a config has them; of a text one factor.

    Raises:
        InputError: a text is not NAME=LEVEL,LEVEL, or a factor is there twice.
    """
    if isinstance(given, Mapping):
        return {
            name: list(each) if isinstance(each, tuple) else each for name, each in given.items()
        }
    texts = [given] if isinstance(given, str) else list(given or ())
    if not all(isinstance(each, str) for each in texts):
        return texts
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, _, levels = (part.strip() for part in text.partition("="))
        if not (name and levels) or name in found:
            form = "NAME=LEVEL,LEVEL, each name once"
            raise InputError(f"a factor should be {form}, found {quoted(text)}")
        found[name] = [yaml12.read(level).data for level in levels.split(",")]
    return found
