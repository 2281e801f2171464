"""Draw the figures that a config asks for, and write them to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from harness.errors import FigureError, HarnessError, InputError, NothingToDrawError
from harness.figures import style
from harness.figures.catalogue import FIGURES
from harness.figures.kind import Drawing, FigureKind
from harness.figures.options import FigureOptions
from harness.figures.selection import Tables

# The entries of a file that would say when or by what version it was written.
METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
FORMATS = tuple(METADATA)


class Spec(Protocol):
    """A figure that a config asks for."""

    @property
    def kind(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]: ...


def draw_figures(
    results: Tables, specs: Iterable[Spec], directory: Path, formats: Sequence[str] = ("png",)
) -> list[Path]:
    """Draw figures and write each as ``<stem>.<format>`` into ``directory``.

    All are drawn before the first is written. The same results give the same bytes.

    Args:
        results: the tables to draw from.
        specs: the figures, each with its kind and its options.
        directory: the folder to write into, which is made if it is missing.
        formats: "png", "svg" or "pdf".

    Returns:
        The paths of the files.

    Raises:
        InputError: a kind or a format is unknown, an option is invalid, or data are absent.
        FigureError: a figure failed while it was drawn, for want of memory for example.
    """
    for extension in formats:
        if extension not in METADATA:
            raise InputError(f"figures are written as {', '.join(FORMATS)}, not as {extension!r}")
    drawn = drawings(results, specs)
    directory.mkdir(parents=True, exist_ok=True)
    with style.drawing_settings():
        return [_write(drawing, directory, each) for drawing in drawn for each in formats]


def drawings(results: Tables, specs: Iterable[Spec]) -> list[Drawing]:
    """The figures, laid out, each with a file name that no other has."""
    drawn: list[Drawing] = []
    with style.drawing_settings():
        for spec in specs:
            kind, options = _validate(spec)
            _refuse_other_results(kind, results)
            try:
                with _reported(spec.kind):
                    drawn += kind.draw(results, options)
            except NothingToDrawError:
                # The failure of a method, which leaves nothing to draw, is reported elsewhere.
                if not _failed_somewhere(results):
                    raise
        for drawing in drawn:
            with _reported(drawing.stem):
                style.fix_layout(drawing.figure)
    return _with_unique_stems(drawn)


@contextmanager
def _reported(figure: str) -> Iterator[None]:
    """Turn what fails while a figure is drawn into FigureError, which names the figure.

    An OSError is left as it is: it is the disk that failed.
    """
    try:
        yield
    except (HarnessError, OSError):
        raise
    except MemoryError as fault:
        detail = f": {fault}" if str(fault) else ""
        raise FigureError(f"{figure} needs more memory than there is{detail}") from None
    except Exception as fault:
        before = fault.__context__
        while before is not None:
            if isinstance(before, OSError):
                # A writer that closes what it could not write fails in turn, and otherwise.
                raise before from None
            before = before.__context__
        raise FigureError(f"{figure} cannot be drawn: {type(fault).__name__}: {fault}") from fault


def _failed_somewhere(results: Tables) -> bool:
    cells = results.cells
    return "failed" in cells.columns and bool((cells["failed"] > 0).any())


def _validate(spec: Spec) -> tuple[FigureKind, FigureOptions]:
    if spec.kind not in FIGURES:
        raise InputError(f"no figure is called {spec.kind!r}; there are {', '.join(FIGURES)}")
    kind = FIGURES[spec.kind]
    try:
        return kind, kind.options.model_validate(dict(spec.options))
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f" option {first['loc'][0]}:" for _ in first["loc"][:1])
        raise InputError(f"{spec.kind}:{where} {first['msg']}") from None


def _refuse_other_results(kind: FigureKind, results: Tables) -> None:
    """Raise InputError if the results are of another family or kind of experiment."""
    if kind.over == "nothing":
        return
    found = "calibration" if "bin" in results.cells.columns else "coverage"
    if found != kind.experiment:
        raise InputError(f"{kind.name} is drawn from a {kind.experiment} experiment, not {found}")
    for family in results.cells["family"].head(1):
        if family not in kind.families:
            raise InputError(f"{kind.name} is drawn for {', '.join(kind.families)}, not {family}")


def _with_unique_stems(drawn: list[Drawing]) -> list[Drawing]:
    """Number the stems that would overwrite an earlier one, as on disks that ignore case."""
    taken: set[str] = set()
    unique = []
    for drawing in drawn:
        stem, number = drawing.stem, 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{drawing.stem}-{number}"
        taken.add(stem.casefold())
        unique.append(Drawing(stem, drawing.figure))
    return unique


def _write(drawing: Drawing, directory: Path, extension: str) -> Path:
    path = directory / f"{drawing.stem}.{extension}"
    with _reported(path.name):
        drawing.figure.savefig(path, format=extension, metadata=METADATA[extension])
    return path
