"""``replay``: one trial of a simulation study drawn again."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.base.errors import MethodError
from harness.commands.ending import cleaning_up, print_error
from harness.commands.options import ResultFolder


def replay(
    folder: ResultFolder,
    scenario: Annotated[int, typer.Option(help="Number of the scenario, from 1 on.")],
    trial: Annotated[int, typer.Option(help="Number of the trial, from 1 on.")],
) -> int:
    """Draw one trial of a simulation study again, and show what each method answers.

    As in: replay results/slope --scenario 3 --trial 41. Where a function fails, its exception is
    shown with the lines of its file. In Python, harness.load("results/slope").data(scenario=3,
    trial=41) returns the data.
    """
    from harness.commands.output import say
    from harness.kinds.simulation.measures import Replicates
    from harness.kinds.simulation.replay import replay as replayed
    from harness.kinds.stored import load
    from harness.screen.records import format_record

    with cleaning_up():
        found = replayed(load(folder), scenario, trial)
    for name in found.changed:
        print_error(f"the file of {name} has changed since the run, so that numbers may differ")
    levels = ", ".join(f"{name} = {value}" for name, value in found.factors.items())
    where = f"scenario {scenario}: {levels}" if levels else f"scenario {scenario}"
    say(f"{where}; trial {trial}; truth {found.truth:g}")
    failed = False
    for label, answers in found.answers.items():
        say(f"\n{label}")
        if answers.answered[0]:
            fields = answers.fields()
            made = Replicates(answered=answers.answered.astype(bool), **fields)
            made = made.with_limits(found.alpha)
            numbers = {name: float(getattr(made, name)[0]) for name in fields}
            say(format_record({name: value for name, value in numbers.items() if value == value}))
            lower, upper = numbers["lower"], numbers["upper"]
            if lower == lower:
                say(f"covers the truth: {'yes' if lower <= found.truth <= upper else 'no'}")
        elif answers.failed:
            failed = True
            first, why = answers.failed
            say(why if first == trial else f"no answer; first in trial {first} of its batch: {why}")
        if answers.changed:
            failed = True
            say(answers.changed[1])
    return MethodError.exit_code if failed else 0
