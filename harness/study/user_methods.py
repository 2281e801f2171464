"""The user's own methods of an experiment: each answers from a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.monte_carlo import Shard, Trials
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.method import LimitPair
from harness.methods.user.function import Answers, Failures, arguments_of, failures_of, sound
from harness.methods.user.process import Source, UserFunction
from harness.numerics.arrays import Integers
from harness.scenario import Column, Scenario, keyed_stream

_TRIALS_AT_ONCE = 1 << 12
"""A function may well need memory for thousands of draws for each of them."""


@contextmanager
def user_functions(experiment: Experiment) -> Iterator[dict[str, UserFunction]]:
    """They by their labels, until the block ends.

    Raises:
        InputError: one of them cannot be loaded, or is of another side than its entry says.
    """
    timeout = experiment.execution.timeout
    with ExitStack() as opened:
        own = {}
        for spec in experiment.methods:
            if spec.function is not None:
                source = Source(spec.function, spec.path, spec.module)
                own[spec.label] = UserFunction(spec.label, source, timeout)
                opened.callback(own[spec.label].close)
                _refuse_other_side(spec, own[spec.label].declared.side)
        yield own


def _refuse_other_side(spec: MethodSpec, side: str) -> None:
    if side != spec.side:
        raise InputError(
            f"{spec.label}: the config's side is {spec.side!r} and the function's attribute side "
            f"is {side!r}, which should be the same"
        )


def answered(
    function: UserFunction,
    scenario: Scenario,
    outcomes: Integers,
    alpha: float,
    seed: Sequence[int] | None = None,
) -> Answers:
    """Sound limits at the outcomes, or why there are none; ``seed`` of a stochastic function."""
    names = family_of(scenario.family).data
    counts = tuple(each.astype(float) for each in scenario.counts(outcomes))
    arguments = arguments_of(names, counts, scenario.sizes)
    found = function.answers(arguments, alpha, seed)
    return sound(found, arguments, alpha, function.declared.side)


@dataclass(frozen=True)
class UserColumn:
    """A stochastic method of the user's own at one alpha."""

    column: Column
    function: UserFunction
    _failures: dict[tuple[tuple[float, ...], int], Failures] = field(default_factory=dict)

    def limits(self, shard: Shard, trials: Trials) -> LimitPair:
        """The limits of each trial, drawn from a stream keyed by scenario, shard and method."""
        content = {
            **shard.scenario.content(),
            "function": self.function.name,
            "side": self.column.side,
            "alpha": self.column.alpha,
        }
        first, second = keyed_stream(content, shard.seed, shard.number).integers(2**63, size=2)
        lower, upper = np.empty((2, trials.outcomes.size))
        for start in range(0, lower.size, _TRIALS_AT_ONCE):
            part = slice(start, start + _TRIALS_AT_ONCE)
            found = answered(
                self.function,
                shard.scenario,
                trials.outcomes[part],
                self.column.alpha,
                (int(first), int(second), start),
            )
            lower[part], upper[part] = found.lower, found.upper
            failures, key = failures_of(found), (shard.scenario.sizes, shard.number)
            if failures is not None:
                before = self._failures.get(key)
                self._failures[key] = failures if before is None else before.plus(failures)
        return lower, upper

    def failures(self, scenario: Scenario) -> Failures | None:
        """What is told of the scenario's trials without limits."""
        by_shard = {
            n: found for (sizes, n), found in self._failures.items() if sizes == scenario.sizes
        }
        ordered = [by_shard[number] for number in sorted(by_shard)]
        return reduce(Failures.plus, ordered) if ordered else None
