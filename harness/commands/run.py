"""``run`` and ``merge``: experiments, whole or in parts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import (
    NOT_CONCLUDED,
    FigureError,
    HarnessError,
    InputError,
    MethodError,
    WriteError,
)
from harness.commands.ending import cleaning_up, print_error, shown, worst_exit_code
from harness.commands.options import Quiet, ResultsFolder, TakeOver

if TYPE_CHECKING:
    from harness.config.form import AnyExperiment
    from harness.runner.folder import RunFolder
    from harness.runner.parts import Part
    from harness.runner.workload import Progress
    from harness.tables.results import Results


def run(
    configs: Annotated[
        list[str] | None,
        typer.Argument(
            help="YAML files, folders of them, or names of configs that come with the package; "
            "none lists those."
        ),
    ] = None,
    out: ResultsFolder = Path("results"),
    jobs: Annotated[
        int | None, typer.Option(help="Number of parallel tasks; -1 for one per core.")
    ] = None,
    backend: Annotated[str | None, typer.Option(help="threading, loky or dask.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a key.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for each call of a user method.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute everything again; replace former results.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write the page report.html beside the tables.")
    ] = False,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print all tables, not only the first two.")
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(metavar="i/m", help="Run part i of m only; `merge` makes the tables."),
    ] = None,
    take_over: TakeOver = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what the runs will cost; run nothing.")
    ] = False,
) -> int:
    """Run experiments and write results/<name>/.

    All configs are checked before the first one starts. What does not fit into memory or would
    take days is refused. What a former run of the same config has finished is not computed
    again.
    """
    if not configs:
        from harness.commands.output import say
        from harness.config.files import shipped_configs

        if any((overrides, shard, fresh, take_over, dry_run, quiet)):
            raise InputError(
                "run: name a config; `run` alone lists those that come with the package"
            )
        say("\n".join(shipped_lines(shipped_configs())))
        return 0
    if "" in configs:
        # As of a variable of the shell that is not set; a path of it is the working folder.
        raise InputError("expected the path of a config or of a folder, found an empty text")
    execution = {"jobs": jobs, "backend": backend, "timeout": timeout}
    given = {key: value for key, value in execution.items() if value is not None}
    changes = [*(overrides or []), *(f"execution.{key}={given[key]}" for key in given)]
    from harness.kinds.load import load_all

    # What is wrong with a config is said before the engines are loaded, which takes longer.
    experiments = load_all([Path(config) for config in configs], changes)
    # Imported before signals raise exceptions, which an import may swallow.
    import harness.api  # noqa: F401
    from harness.runner.parts import Part

    part = None if shard is None else Part.read(shard)
    if report and part is not None:
        raise InputError(
            "--report: a part of a run has no results; `report` shows those of `merge`"
        )
    # A user function may change the working folder between one experiment and the next.
    runs = _Runs(out, out.absolute(), part, quiet, fresh, take_over, report, verbose)
    with cleaning_up():
        return runs.run(experiments, dry_run)


@dataclass(frozen=True)
class _Runs:
    """How the experiments of one command are run."""

    out: Path
    place: Path
    """``out`` as an absolute path."""
    part: Part | None
    quiet: bool
    fresh: bool
    take_over: bool
    report: bool
    verbose: bool

    def run(self, experiments: Sequence[AnyExperiment], dry_run: bool) -> int:
        """Run the experiments one after the other; return the exit code."""
        from harness.commands.output import say
        from harness.kinds.run import refuse_undivided, workload_of
        from harness.screen.console import workload_lines

        part = self.part
        with ExitStack() as held:
            # What cannot be run or written is refused before the first run starts.
            work, folders = [], []
            for experiment in experiments:
                work.append(workload_of(experiment, 1 if part is None else part.count))
                if part is not None:
                    refuse_undivided(experiment)
                else:
                    folders.append(self.open(experiment, held))
            if dry_run:
                for experiment, workload in zip(experiments, work, strict=True):
                    say(workload_lines(experiment.name, workload))
                return 0
            if part is not None:
                for experiment in experiments:
                    self.run_part(experiment, part)
                return 0
            codes = [self.run_one(*opened) for opened in folders]
        return worst_exit_code(codes)

    def open(
        self, experiment: AnyExperiment, held: ExitStack
    ) -> tuple[AnyExperiment, RunFolder, ExitStack]:
        """Open the folder of an experiment, and say whose results it replaces.

        Returns:
            The experiment, its folder, and what releases the folder once results are written.

        Raises:
            InputError: it cannot be written, or holds what the run may not replace.
        """
        from harness.runner.folder import (
            FRESH_REPLACES,
            open_run_folder,
            refuse_other_experiment,
            replaced_results,
        )

        release = held.enter_context(ExitStack())
        folder = release.enter_context(
            open_run_folder(experiment, self.out, self.take_over, self.fresh)
        )
        if not self.fresh:
            refuse_other_experiment(experiment, folder, FRESH_REPLACES)
        replaced = replaced_results(experiment, folder)
        if replaced and not self.quiet:
            print_error(replaced)
        return experiment, folder, release

    def run_one(self, experiment: AnyExperiment, folder: RunFolder, release: ExitStack) -> int:
        """Run one experiment, write its results, and return its exit code."""
        from harness.kinds.run import run_in

        with release, _progress_of(experiment.name, self.quiet) as progress:
            if folder.note is not None:
                print_error(folder.note)
            written = run_in(folder, experiment, progress, fresh=self.fresh)
        written = replace(written, path=self.place / experiment.name)
        shown = self.out / experiment.name
        return _finish(
            written, experiment, shown, self.quiet, report=self.report, verbose=self.verbose
        )

    def run_part(self, experiment: AnyExperiment, part: Part) -> None:
        """Run one part of an experiment, and say where it is."""
        from harness.commands.output import say
        from harness.kinds.run import run_part

        with _progress_of(experiment.name, self.quiet) as progress:
            path = run_part(experiment, part, self.place, progress, fresh=self.fresh)
        if not self.quiet:
            shown = self.out / path.relative_to(self.place)
            say(f"part {part} of {experiment.name} is in {shown}")


def merge(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders with the parts of runs.", metavar="DIR...")
    ],
    out: ResultsFolder = Path("results"),
    quiet: Quiet = False,
    take_over: TakeOver = False,
) -> int:
    """Join the parts that `run --shard i/m` left, and write results/<name>/.

    The results are those of a run in one go, byte for byte.
    """
    # Imported before signals raise exceptions, which an import may swallow.
    from harness.kinds.run import merge_parts
    from harness.runner.parts import find_parts, refuse_unmergeable

    place, codes = out.absolute(), []
    with cleaning_up():
        runs = find_parts(folders)
        for parts in runs.values():
            refuse_unmergeable(parts)
        for name, parts in runs.items():
            with _progress_of(name, quiet) as progress:
                experiment, written = merge_parts(
                    parts, place, progress, take_over=take_over, say=print_error
                )
            codes.append(_finish(written, experiment, out / name, quiet))
    return worst_exit_code(codes)


_WIDTH = 80
_GAP = "  "


def shipped_lines(configs: Mapping[str, Path]) -> Iterator[str]:
    """Yield the lines of a list of configs, none longer than 80 characters.

    Args:
        configs: by the names that ``run`` takes.
    """
    from harness.config import yaml12
    from harness.config.files import read_text

    if not configs:
        yield "No config is installed with this package; `init` writes one."
        return
    yield "Configs that come with the package:"
    column = max(map(len, configs))
    for name, path in configs.items():
        room = _WIDTH - column - 2 * len(_GAP)
        data = yaml12.read(read_text(path), str(path)).data
        title = data.get("title") if isinstance(data, Mapping) else None
        if not isinstance(title, str) or not title.strip():
            title = name
        start, *more = textwrap.wrap(title, room, break_on_hyphens=False)
        yield f"{_GAP}{name:<{column}}{_GAP}{start}"
        yield from (f"{_GAP}{'':<{column}}{_GAP}{line}" for line in more)
    first = "quickstart" if "quickstart" in configs else next(iter(configs))
    yield f"One of them is run by its name: python -m harness run {first}"
    yield "A config of your own is begun by: python -m harness init"


def _finish(
    written: Results,
    experiment: AnyExperiment,
    path: Path,
    quiet: bool,
    report: bool = False,
    verbose: bool = False,
) -> int:
    """Draw the figures of a run, print its results, and return its exit code.

    Args:
        written: the results, in their folder.
        experiment: what was run.
        path: the folder, as it is to be shown.
        quiet: whether to print nothing but errors.
        report: whether to write the page of the results.
        verbose: whether to print all tables.
    """
    from harness.commands.output import show_uncut
    from harness.commands.report import write_report
    from harness.kinds.catalogue import kind_of_experiment
    from harness.runner.write import write_figures_asked_for
    from harness.screen.console import escape_markup

    drawn: list[Path] = []
    figure_fault: FigureError | WriteError | None = None
    try:
        if written.path is not None:
            drawn = write_figures_asked_for(written, experiment, written.path)
    except (FigureError, WriteError) as fault:
        # The tables are good without figures.
        figure_fault = fault
    page = write_report(written.path, path) if report and written.path is not None else None
    results = replace(written, path=path)
    kind = kind_of_experiment(experiment)
    if not quiet:
        lines = [_figures_line(drawn, experiment, path)] if drawn else []
        lines += [] if page is None else [escape_markup(f"The page of the results is {page}")]
        show_uncut(*kind.screen(results, verbose), *lines)
    if figure_fault is not None:
        print_error(f"{experiment.name}: {figure_fault}")
    if not quiet:
        for sentence in kind.remarks(results.manifest):
            print_error(f"{experiment.name}: {sentence}")
    failed = list(kind.failures(results.manifest))
    for sentence in failed:
        print_error(f"{experiment.name}: {sentence}")
    if not kind.agrees(results.manifest):
        print_error(f"{experiment.name}: the engines disagree")
        return HarnessError.exit_code
    if figure_fault is not None:
        return figure_fault.exit_code
    if failed:
        return MethodError.exit_code
    unanswered = list(kind.unanswered(results))
    for sentence in unanswered:
        print_error(f"{experiment.name}: {sentence}")
    return NOT_CONCLUDED if unanswered else 0


def _figures_line(drawn: Sequence[Path], experiment: AnyExperiment, path: Path) -> str:
    """How many figures there are, and how to choose others."""
    from harness.screen.console import escape_markup

    many = "1 figure" if len(drawn) == 1 else f"{len(drawn)} figures"
    chosen = ""
    if experiment.figures_are_suggested:
        chosen = ", chosen since the config has no key figures (`figures: []` draws none)"
        named = [figure.options.get("methods") for figure in experiment.figures]
        if few := next((len(methods) for methods in named if methods), 0):
            chosen += f"; some show the first {few} methods only"
    others = f"others: `python -m harness plot {path} --kind KIND`"
    return escape_markup(f"{many} in {path / 'figures'}{chosen}; {others}")


def _progress_of(name: str, quiet: bool) -> AbstractContextManager[Progress]:
    """Show progress on standard error unless ``quiet``: a bar, or lines if it is no terminal."""
    from harness.runner.workload import Progress
    from harness.screen.console import ProgressLines, progress_bar

    otherwise = Progress() if quiet else ProgressLines(name, print_error)
    return shown(partial(progress_bar, name=name), quiet, otherwise=otherwise)
