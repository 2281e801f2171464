"""``report``: one page of HTML over results, a summary in Markdown, or the page for teaching."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.base.errors import InputError

if TYPE_CHECKING:
    from harness.tables.results import Results

_EXPLORER = "explorer"
"""The shipped config of the page for teaching, and the beginning of the page's name."""


def report(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of results, or folders that hold such at any depth; with --explorer a "
            "config, by default the one that comes with the package.",
            metavar="DIR...",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write, instead of report.html in DIR, or of several in the folder that "
            "holds them all; with --explorer instead of explorer.html."
        ),
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown",
            help="Write a short summary in Markdown instead, to standard output or to --out.",
        ),
    ] = False,
    explorer: Annotated[
        bool,
        typer.Option(
            "--explorer",
            help="Write a page for teaching instead: coverage over p, the outcomes that miss, and "
            "a hundred drawn intervals.",
        ),
    ] = False,
) -> int:
    """Write a page about results, or the interactive explorer (--explorer).

    It is one file of HTML, which needs no other file and no network.

    As in: report results/quickstart, which writes results/quickstart/report.html.
    """
    if explorer:
        if markdown:
            raise InputError("--explorer writes a page, found --markdown as well")
        return _write_explorer(folders or [], out)
    if not folders:
        raise InputError("report: name a folder of results, or --explorer for a page for teaching")
    from harness.commands.output import say_or_write, validate_output_files
    from harness.kinds.stored import load
    from harness.runner.storage import REPORT_FILE, written_files_if_any

    paths = _result_folders(folders)
    target = out
    if out is None and not markdown:
        folder = folders[0]
        if len(folders) > 1:
            # The first folder that holds them all.
            as_given = not any(path.is_absolute() or ".." in path.parts for path in folders)
            named = folders if as_given else [path.absolute() for path in folders]
            folder = Path(os.path.commonpath(named))
        target = folder / REPORT_FILE
        _refuse_foreign(target)
    if target is not None:
        option = "the page" if out is None else "--out"
        read = [path / name for path in paths for name in written_files_if_any(path) or ()]
        validate_output_files({option: target}, read)
    results = [load(path, with_cells=False) for path in paths]
    if markdown:
        from harness.pages.results_page import markdown as results_in_markdown

        text = results_in_markdown(results)
    else:
        assert target is not None
        text = _page(results, _command(folders, out), target.parent)
    say_or_write(text, target)
    return 0


def write_report(folder: Path, shown: Path) -> Path:
    """Write the page of one result into its folder, as the command does; return its path.

    Args:
        folder: the folder of the result.
        shown: the folder as it is to be shown.

    Raises:
        InputError: a file that is no page of results has its name.
        WriteError: it cannot be written.
    """
    from harness.commands.output import write_output_file
    from harness.kinds.stored import load
    from harness.runner.storage import REPORT_FILE

    target = folder / REPORT_FILE
    _refuse_foreign(target)
    write_output_file(
        target, _page([load(folder, with_cells=False)], _command([shown], None), folder)
    )
    return shown / REPORT_FILE


def _write_explorer(configs: Sequence[Path], out: Path | None) -> int:
    """Write the page for teaching of a config, by default of the one that is shipped."""
    from harness.commands.output import say_or_write, validate_output_files
    from harness.config.files import find_configs, shipped_configs
    from harness.kinds.load import load_experiment
    from harness.runner.storage import EXPLORER_PAGE

    # Without a name it is the shipped one, whatever files of its name the current folder holds.
    files = find_configs(configs or [shipped_configs().get(_EXPLORER, _EXPLORER)])
    if len(files) > 1:
        raise InputError(f"--explorer takes one config, found {len(files)}")
    target = Path(f"{_EXPLORER}.html") if out is None else out
    if out is None:
        _refuse_foreign(target, EXPLORER_PAGE)
    validate_output_files({"the page" if out is None else "--out": target}, files)
    experiment = load_experiment(files[0])
    # What is wrong with a config is said before the engines are loaded, which takes longer.
    from harness.pages.explorer import explorer
    from harness.report.page import render

    command = _command(["--explorer", *configs], out)
    say_or_write(render(explorer(experiment, command)), target)
    return 0


def _page(results: Sequence[Results], command: str, folder: Path) -> str:
    """The text of the page, which stands in a folder."""
    from harness.pages.results_page import results_page
    from harness.report.page import render

    return render(results_page(results, command, folder))


def _result_folders(folders: Sequence[Path]) -> list[Path]:
    """The folders of results that are named, or lie below those that are, each once.

    Raises:
        InputError: a folder holds no results.
    """
    from harness.kinds.stored import load
    from harness.runner.storage import MANIFEST_FILE, is_result

    results: dict[Path, Path] = {}
    for folder in folders:
        below = [folder] if is_result(folder) else []
        if not below and folder.is_dir():
            places = sorted(manifest.parent for manifest in folder.rglob(MANIFEST_FILE))
            inner = {place: place.relative_to(folder).parts for place in places}
            is_hidden = {place: any(p.startswith(".") for p in inner[place]) for place in places}
            below = [place for place in places if not is_hidden[place] and is_result(place)]
        if not below:
            # It says what is missing, and whether a run has not finished.
            load(folder, with_cells=False)
        for result in below:
            results.setdefault(result.resolve(), result)
    return list(results.values())


def _refuse_foreign(target: Path, kind: str | None = None) -> None:
    """Refuse to replace a file that no report of its kind wrote, where nobody named it.

    Args:
        target: the page.
        kind: what the page is of; left out, of results.

    Raises:
        InputError: there is such a file.
    """
    from harness.runner.storage import RESULTS_PAGE, is_page

    if os.path.lexists(target) and not is_page(target, kind or RESULTS_PAGE):
        raise InputError(f"{target} was written by no report; move it, or name a file by --out")


def _command(folders: Sequence[Path | str], out: Path | None) -> str:
    """The command that makes the page again, with paths from the current folder."""
    named = [shlex.quote(_from_here(folder)) for folder in folders]
    to = [] if out is None else ["--out", shlex.quote(_from_here(out))]
    return " ".join(["python -m harness report", *named, *to])


def _from_here(path: Path | str) -> str:
    """A path from the current folder, the same however it was typed; an option as it is."""
    if isinstance(path, str):
        return path
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:
        # Another drive has no path from here.
        return str(path)
