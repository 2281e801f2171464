"""From results and figure specs to files on disk."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from harness.errors import InputError, NothingToDrawError
from harness.figures import style
from harness.figures.catalogue import FIGURES, FigureKind, FigureOptions
from harness.figures.drawing import Drawing
from harness.figures.selection import Tables

# Everything in a file that would tell when or by what version it was written.
METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
FORMATS = tuple(METADATA)


class Spec(Protocol):
    """A figure asked for in a config."""

    @property
    def kind(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]: ...


def draw_figures(
    results: Tables, specs: Iterable[Spec], directory: Path, formats: Sequence[str] = ("png",)
) -> list[Path]:
    """Draw all figures asked for and write each as ``<stem>.<format>`` into `directory`.

    All are drawn before the first is written. The same results give the same bytes.
    Raises `InputError` for data that are absent, options that do not hold and unknown formats.
    """
    for ending in formats:
        if ending not in METADATA:
            raise InputError(f"figures are written as {', '.join(FORMATS)}, not as {ending!r}")
    drawn = drawings(results, specs)
    directory.mkdir(parents=True, exist_ok=True)
    with style.looks():
        return [_write(drawing, directory, ending) for drawing in drawn for ending in formats]


def drawings(results: Tables, specs: Iterable[Spec]) -> list[Drawing]:
    """The figures asked for, laid out, each under a stem of its own."""
    drawn: list[Drawing] = []
    with style.looks():
        for spec in specs:
            kind, options = _checked(spec)
            _fits(kind, results)
            draw: Callable[[Tables, FigureOptions], list[Drawing]] = _load(kind.draw)
            try:
                drawn += draw(results, options)
            except NothingToDrawError:
                # What a method that failed leaves to be seen is told elsewhere.
                if not _failed_somewhere(results):
                    raise
        for drawing in drawn:
            style.settle(drawing.figure)
    return _renamed(drawn)


def _failed_somewhere(results: Tables) -> bool:
    cells = results.cells
    return "failed" in cells.columns and bool((cells["failed"] > 0).any())


def _checked(spec: Spec) -> tuple[FigureKind, FigureOptions]:
    if spec.kind not in FIGURES:
        raise InputError(f"no figure is called {spec.kind!r}; there are {', '.join(FIGURES)}")
    kind = FIGURES[spec.kind]
    try:
        return kind, kind.options.model_validate(dict(spec.options))
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f" option {first['loc'][0]}:" for _ in first["loc"][:1])
        raise InputError(f"{spec.kind}:{where} {first['msg']}") from None


def _fits(kind: FigureKind, results: Tables) -> None:
    """Refuse results of another family, or of the other kind of experiment."""
    if kind.over == "nothing":
        return
    found = "calibration" if "bin" in results.cells.columns else "coverage"
    if found != kind.experiment:
        raise InputError(f"{kind.name} is drawn from a {kind.experiment} experiment, not {found}")
    for family in results.cells["family"].head(1):
        if family not in kind.families:
            raise InputError(f"{kind.name} is drawn for {', '.join(kind.families)}, not {family}")


def _load(path: str) -> Any:
    module, _, function = path.partition(":")
    return getattr(importlib.import_module(module), function)


def _renamed(drawn: list[Drawing]) -> list[Drawing]:
    """Number the stems that would overwrite an earlier one, also where case does not count."""
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


def _write(drawing: Drawing, directory: Path, ending: str) -> Path:
    path = directory / f"{drawing.stem}.{ending}"
    drawing.figure.savefig(path, format=ending, metadata=METADATA[ending])
    return path
