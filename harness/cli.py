"""The command line. The only place that prints, exits and picks paths.

Everything but the command line's own library is imported inside the commands, so that ``--help``
answers at once.
"""

from __future__ import annotations

import functools
import io
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from harness.errors import HarnessError

if TYPE_CHECKING:
    from rich.console import Console

    from harness.study.run import Progress

INTERRUPTED = 130

_WIDER_THAN_ANY_TABLE = 10_000
# A table of records folds its texts, but not to a width that leaves no room for its numbers.
_NARROWEST = 80

app = typer.Typer(
    name="harness",
    help="Monte Carlo coverage validation of interval methods, held against exact computation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def command(function: Callable[..., int]) -> Callable[..., None]:
    """A command that ends with an exit code, and with one sentence where something is wrong."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = function(*args, **kwargs)
        except HarnessError as fault:
            typer.echo(f"harness: {fault}", err=True)
            code = fault.exit_code
        except KeyboardInterrupt:
            typer.echo("harness: interrupted; no incomplete result was written", err=True)
            code = INTERRUPTED
        except Exception as fault:
            if os.environ.get("HARNESS_DEBUG"):
                raise
            text = f"{type(fault).__name__}: {fault}"
            typer.echo(
                f"harness: a fault of the harness itself: {text} (HARNESS_DEBUG=1 shows where)",
                err=True,
            )
            code = HarnessError.exit_code
        raise typer.Exit(code)

    return run


@app.command()
@command
def run(
    configs: Annotated[list[Path], typer.Argument(help="YAML files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder to write results under.")] = Path("results"),
    jobs: Annotated[int | None, typer.Option(help="Tasks at once; -1 for every core.")] = None,
    backend: Annotated[str | None, typer.Option(help="threading or loky.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a key.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> int:
    """Run experiments and write results/<name>/.

    All configs are checked before the first one starts.
    """
    from harness.api import run_experiment
    from harness.config.experiment import Experiment
    from harness.config.load import load_all
    from harness.screen.calibration import calibration_screen
    from harness.screen.results import results_screen
    from harness.study.deliver import refuse_unwritable
    from harness.study.plan import plan
    from harness.tables.manifest import agrees

    changes = [*(overrides or [])]
    if jobs is not None:
        changes.append(f"execution.jobs={jobs}")
    if backend is not None:
        changes.append(f"execution.backend={backend}")
    experiments = load_all(configs, changes)
    for experiment in experiments:
        if isinstance(experiment, Experiment):
            plan(experiment)
        refuse_unwritable(experiment, out)
    _end_in_order_when_terminated()
    console = _wide_console()
    agreed = True
    for experiment in experiments:
        with _progress(experiment.name, quiet) as progress:
            results = run_experiment(experiment, out, progress)
        screen = results_screen if isinstance(experiment, Experiment) else calibration_screen
        if not quiet:
            console.print(*screen(results), sep="\n")
        if not agrees(results.manifest):
            agreed = False
            typer.echo(f"harness: {experiment.name}: the engines disagree", err=True)
    return 0 if agreed else HarnessError.exit_code


@app.command()
@command
def plot(
    folder: Annotated[Path, typer.Argument(help="Folder of a result.", metavar="DIR")],
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="png, svg or pdf; may be repeated.")
    ] = None,
) -> int:
    """Draw the figures of a result again, from its tables."""
    from harness.config.experiment import FigureSpec
    from harness.errors import InputError
    from harness.figures.draw import draw_figures
    from harness.tables.storage import load

    results = load(folder)
    asked = results.manifest["experiment"]["figures"]
    if not asked:
        raise InputError(f"{folder}: its config asks for no figures")
    specs = [
        FigureSpec(figure["kind"], {k: v for k, v in figure.items() if k != "kind"})
        for figure in asked
    ]
    try:
        paths = draw_figures(results, specs, folder / "figures", formats or ["png"])
    except OSError as fault:
        raise InputError(f"{folder}/figures cannot be written: {fault.strerror}") from None
    for path in paths:
        typer.echo(str(path))
    return 0


# The data of a family, each under its own name. A count is read as a number: that it is a whole
# one is for the family to say.
Datum = float | None
X = Annotated[Datum, typer.Option("--x", help="Count: successes, or events.")]
N = Annotated[Datum, typer.Option("--n", help="Trials.")]
Exposure = Annotated[Datum, typer.Option("--exposure", help="Area, time or other amount.")]
X1 = Annotated[Datum, typer.Option("--x1", help="Count of the first sample.")]
N1 = Annotated[Datum, typer.Option("--n1", help="Trials of the first sample.")]
X2 = Annotated[Datum, typer.Option("--x2", help="Count of the second sample.")]
N2 = Annotated[Datum, typer.Option("--n2", help="Trials of the second sample.")]
Exposure1 = Annotated[Datum, typer.Option("--exposure1", help="Exposure of the first sample.")]
Exposure2 = Annotated[Datum, typer.Option("--exposure2", help="Exposure of the second sample.")]
Prior = Annotated[
    tuple[float, float] | None,
    typer.Option(help="Prior a b: Beta of a proportion, Gamma of a rate.", metavar="A B"),
]
Form = Annotated[Literal["table", "json", "csv"], typer.Option("--format", help="Output's form.")]


def _given(**data: float | None) -> dict[str, float]:
    """The data that were given; whole numbers as such."""
    return {
        name: int(value) if value.is_integer() and name[0] in "xn" else value
        for name, value in data.items()
        if value is not None
    }


@app.command()
@command
def interval(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion, rate, proportion_difference, rate_difference or balanced_accuracy",
            metavar="FAMILY",
        ),
    ],
    x: X = None,
    n: N = None,
    exposure: Exposure = None,
    x1: X1 = None,
    n1: N1 = None,
    exposure1: Exposure1 = None,
    x2: X2 = None,
    n2: N2 = None,
    exposure2: Exposure2 = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="A method of the catalogue; left out, minimal_length, or one_sided for one side."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability left outside.")] = 0.05,
    side: Annotated[str, typer.Option(help="two-sided, lower or upper.")] = "two-sided",
    prior: Prior = None,
    seed: Annotated[int | None, typer.Option(help="Of a method that draws.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Add length, tails, actual alpha and seconds.")
    ] = False,
    output: Form = "table",
) -> int:
    """One interval now, as in: interval proportion --x 90 --n 100."""
    from harness.one_interval import interval_record

    record = interval_record(
        family,
        method or ("minimal_length" if side == "two-sided" else "one_sided"),
        alpha=alpha,
        side=side,
        prior=prior,
        seed=seed,
        verbose=verbose,
        data=_given(
            x=x,
            n=n,
            exposure=exposure,
            x1=x1,
            n1=n1,
            exposure1=exposure1,
            x2=x2,
            n2=n2,
            exposure2=exposure2,
        ),
    )
    _show([record], output, in_full=verbose)
    return 0


@app.command()
@command
def significance(
    family: Annotated[
        str,
        typer.Argument(
            help="proportion_difference, rate_difference or balanced_accuracy", metavar="FAMILY"
        ),
    ],
    x1: X1 = None,
    n1: N1 = None,
    exposure1: Exposure1 = None,
    x2: X2 = None,
    n2: N2 = None,
    exposure2: Exposure2 = None,
    delta: Annotated[float, typer.Option(help="The difference to be reached.")] = 0.0,
    prior: Prior = None,
    output: Form = "table",
) -> int:
    """Pr(first − second ≥ delta) given the data; of a balanced accuracy, that it is at least delta.

    As in: significance proportion_difference --x1 5 --n1 12 --x2 36 --n2 112.
    """
    from harness.significances import significance as probability

    data = _given(x1=x1, n1=n1, exposure1=exposure1, x2=x2, n2=n2, exposure2=exposure2)
    found = probability(family, delta=delta, prior=prior, **data)
    _show([{"family": family, **data, "delta": delta, "probability": found}], output)
    return 0


@app.command()
@command
def methods(
    name: Annotated[str | None, typer.Argument(help="One method, in full.")] = None,
    family: Annotated[str | None, typer.Option(help="Only this family.")] = None,
    output: Form = "table",
) -> int:
    """The catalogue of interval methods."""
    from harness.methods.listing import listing

    _show(listing(family, name), output, in_full=name is not None)
    return 0


@app.command()
@command
def check(
    method: Annotated[
        str,
        typer.Argument(
            help="A method of the catalogue, file.py:function, package.module:function, a peer's "
            "as statsmodels:wilson, or an entry point of the group harness.methods.",
            metavar="METHOD",
        ),
    ],
    family: Annotated[str, typer.Option(help="What it estimates.")] = "proportion",
    against: Annotated[
        str | None, typer.Option(help="Another method, or the folder of a baseline.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="An experiment whose sizes and alphas are taken.")
    ] = None,
    contract: Annotated[
        str | None, typer.Option(help="nominal, at-least or none; default what is declared.")
    ] = None,
    margin: Annotated[float | None, typer.Option(help="Of the mean alpha error.")] = None,
    update: Annotated[
        Path | None, typer.Option(help="Folder to keep the numbers in as a baseline.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds for each call of a user's method.")] = 10,
    output: Annotated[
        Literal["table", "json", "junit"], typer.Option("--format", help="Output's form.")
    ] = "table",
) -> int:
    """Is an interval method sound, does it keep its promise, and has it become worse?

    Exit codes: 0 all pass; 3 something fails; 4 something could not be concluded; 2 the method
    cannot be loaded or called as asked.
    """
    from harness.checks.baseline import update as keep
    from harness.checks.check import check as checked
    from harness.checks.formats import FORMATS
    from harness.checks.naming import named

    report = checked(
        method,
        family=family,
        against=against,
        config=config,
        contract=contract,
        margin=margin,
        timeout=timeout,
    )
    typer.echo(FORMATS[output](report))
    if update is not None:
        keep(update, named(method, family), report.behaviour)
    return report.exit_code


@app.command()
@command
def schema() -> int:
    """The JSON Schema of a config, for editors."""
    import json

    from harness.config.load import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return 0


def _end_in_order_when_terminated() -> None:
    """A termination unwinds the run like an interrupt does, so that nothing half-written stays."""

    def terminate(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, terminate)


def _wide_console() -> Console:
    """Standard output for tables that are not to be cut or folded, however wide they are."""
    from rich.console import Console

    return Console(highlight=False, width=_WIDER_THAN_ANY_TABLE)


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Progress]:
    """A bar of trials done, rate and time left on standard error; nothing off a terminal."""
    from rich.console import Console

    from harness.study.run import Silent

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield Silent()
        return
    from harness.screen.progress import bar

    with bar(console, name) as progress:
        yield progress


def _show(records: list[dict[str, Any]], output: str, in_full: bool = False) -> None:
    """Records as a table, as JSON (one alone is an object) or as CSV."""
    if output == "json":
        import json

        told = [{name: _finite(value) for name, value in record.items()} for record in records]
        content = told[0] if len(told) == 1 else told
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))
    elif output == "csv":
        import csv

        writer = csv.DictWriter(sys.stdout, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    elif in_full:
        from harness.screen.records import record_lines

        typer.echo("\n".join(record_lines(record) for record in records))
    else:
        from rich.console import Console

        from harness.screen.records import records_table

        console = Console(highlight=False)
        width = max(console.width, _NARROWEST) if console.is_terminal else _WIDER_THAN_ANY_TABLE
        Console(highlight=False, width=width).print(records_table(records))


def _finite(value: Any) -> Any:
    """JSON has no infinite numbers: an open end is null."""
    return None if isinstance(value, float) and math.isinf(value) else value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``argv`` (default: that of the process); returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no Greek still shows the rest.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(args=None if argv is None else list(argv), prog_name="harness")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def entry() -> None:
    """The installed command."""
    sys.exit(main())
