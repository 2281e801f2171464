"""``run``: experiments from their configs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.commands.exit_codes import complain, end_in_order_when_terminated
from harness.errors import HarnessError, MethodError

if TYPE_CHECKING:
    from harness.config.experiment import AnyExperiment
    from harness.study.parallel import Progress


def run(
    configs: Annotated[list[Path], typer.Argument(help="YAML files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder to write results under.")] = Path("results"),
    jobs: Annotated[int | None, typer.Option(help="Tasks at once; -1 for every core.")] = None,
    backend: Annotated[str | None, typer.Option(help="threading or loky.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a key.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for each call of a method of your own.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> int:
    """Run experiments and write results/<name>/.

    All configs are checked before the first one starts.
    """
    changes = [*(overrides or [])]
    if jobs is not None:
        changes.append(f"execution.jobs={jobs}")
    if backend is not None:
        changes.append(f"execution.backend={backend}")
    if timeout is not None:
        changes.append(f"execution.timeout={timeout}")
    experiments = _checked(configs, changes, out)
    end_in_order_when_terminated()
    codes = [_run_one(experiment, out, quiet) for experiment in experiments]
    # That the engines disagree weighs more than that a method failed, and has the smaller code.
    return min((code for code in codes if code), default=0)


def _checked(configs: Sequence[Path], changes: Sequence[str], out: Path) -> list[AnyExperiment]:
    """Experiments that can be planned and written, every one."""
    from harness.config.experiment import Experiment
    from harness.config.load import load_all
    from harness.study.plan import plan_scenarios
    from harness.study.write_results import refuse_unwritable

    experiments = load_all(configs, changes)
    for experiment in experiments:
        if isinstance(experiment, Experiment):
            plan_scenarios(experiment, {})
        refuse_unwritable(experiment, out)
    return experiments


def _run_one(experiment: AnyExperiment, out: Path, quiet: bool) -> int:
    """The exit code of one: a disagreement of the engines before a method that failed."""
    from harness.api import run_experiment
    from harness.commands.output import show_uncut
    from harness.config.experiment import Experiment
    from harness.screen.calibration import calibration_screen
    from harness.screen.results import results_screen
    from harness.tables.manifest import agrees, failed_methods

    with _progress(experiment.name, quiet) as progress:
        results = run_experiment(experiment, out, progress)
    screen = results_screen if isinstance(experiment, Experiment) else calibration_screen
    if not quiet:
        show_uncut(*screen(results))
    failed = list(failed_methods(results.manifest))
    for sentence in failed:
        complain(f"{experiment.name}: {sentence}")
    if not agrees(results.manifest):
        complain(f"{experiment.name}: the engines disagree")
        return HarnessError.exit_code
    return MethodError.exit_code if failed else 0


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Progress]:
    """A bar of trials done, rate and time left on standard error; nothing off a terminal."""
    from rich.console import Console

    from harness.study.parallel import NoProgress

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield NoProgress()
        return
    from harness.screen.progress import bar

    with bar(console, name) as progress:
        yield progress
