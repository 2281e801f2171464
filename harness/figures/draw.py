"""Draw the figures that a config asks for, and the curve of ``size``, and write them to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from harness.base.errors import (
    FigureError,
    HarnessError,
    InputError,
    NothingToDrawError,
    WriteError,
)
from harness.base.files import read_regular
from harness.base.numerics.arrays import Floats
from harness.base.text import numbered
from harness.catalogue import family_in
from harness.families.catalogue import family_of
from harness.figures.catalogue import FIGURES
from harness.figures.kind import Drawing, FigureKind, FigureSpec
from harness.figures.look import labels, layout, style
from harness.figures.options import FORMATS, FigureOptions
from harness.tables.wording import title_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from harness.tables.results import Results

# The entries of a file that would say when or by what version it was written.
METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def draw_figures(
    results: Results,
    specs: Iterable[FigureSpec],
    directory: Path,
    formats: Sequence[str] | None = None,
    *,
    skip_undrawable: bool = False,
    kept: Path | None = None,
) -> list[Path]:
    """Draw figures and write each as ``<stem>.<format>`` into ``directory``.

    All are drawn before the first is written. The same results give the same bytes.

    Args:
        results: the tables to draw from.
        specs: the figures, each with its kind and its options.
        directory: the folder to write into, which is made if it is missing.
        formats: "png", "svg" or "pdf"; left out, those of each figure, or png.
        skip_undrawable: whether to leave out the figures for which the results hold no data.
        kept: the folder of earlier figures; one with ``apart`` gets another name than these have,
            unless it is the same.

    Returns:
        The paths of the files.

    Raises:
        InputError: a kind or a format is unknown, an option is invalid, or data are absent.
        FigureError: a figure failed while it was drawn, for want of memory for example.
    """
    for extension in formats or ():
        if extension not in FORMATS:
            raise InputError(f"figures are written as {', '.join(FORMATS)}, not as {extension!r}")
    drawn = _drawn(results, specs, skip_undrawable)
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for drawing, options in drawn:
        for extension in formats or options.format or ("png",):
            path = directory / f"{drawing.stem}.{extension}"
            with _settings(options), _reported(path.name):
                drawing.figure.savefig(path, format=extension, metadata=METADATA[extension])
            # It has another name where an earlier figure would be lost.
            if drawing.apart and kept is not None:
                earlier = kept / path.name
                if earlier.is_file() and read_regular(earlier) != path.read_bytes():
                    path = path.rename(directory / f"{drawing.stem}-{drawing.apart}.{extension}")
            paths.append(path)
    return paths


def drawings(
    results: Results, specs: Iterable[FigureSpec], skip_undrawable: bool = False
) -> list[Drawing]:
    """The figures, laid out, each with a file name that no other has."""
    return [drawing for drawing, _ in _drawn(results, specs, skip_undrawable)]


_Drawn = tuple[Drawing, FigureOptions]
"""A drawing with the options of its figure."""


def _settings(options: FigureOptions) -> AbstractContextManager[None]:
    """The rc settings with those that a figure asks for."""
    return style.drawing_settings(options.style, options.font_size, options.dpi)


def _drawn(results: Results, specs: Iterable[FigureSpec], skip_undrawable: bool) -> list[_Drawn]:
    drawn: list[_Drawn] = []
    titled = None
    for spec in specs:
        kind, options = _validate(spec, results)
        titled = titled or _with_titles(results)
        with _settings(options):
            try:
                with _reported(spec.kind):
                    made = _of_size(kind, titled, options)
            except InputError as lack:
                # The failure of a method, which leaves nothing to draw, is reported elsewhere.
                cells = results.cells
                failed = "failed" in cells.columns and bool((cells["failed"] > 0).any())
                excused = failed and isinstance(lack, NothingToDrawError)
                if not (excused or skip_undrawable):
                    raise
                continue
            for drawing in made:
                with _reported(drawing.stem):
                    if options.title is not None:
                        layout.add_title(drawing.figure, options.title, grow=options.height is None)
                    layout.fix_layout(drawing.figure)
        drawn += [(replace(drawing, apart=spec.apart), options) for drawing in made]
    # Some disks ignore case.
    stems = numbered((drawing.stem for drawing, _ in drawn), "-")
    return [
        (replace(drawing, stem=stem), options)
        for stem, (drawing, options) in zip(stems, drawn, strict=True)
    ]


def _with_titles(results: Results) -> Results:
    """The results, with the title of each method in the column ``title`` of the cells."""
    import polars as pl

    cells = results.cells
    if _experiment_of(results) != "coverage" or cells.is_empty():
        return results
    family = family_in(cells)
    listed = results.manifest.get("experiment", {}).get("methods") or []
    methods = {entry["label"]: entry for entry in listed}
    titles = {
        label: title_of(methods.get(label, {"label": label, "name": label}), family)
        for label in cells["method"].unique()
    }
    return replace(results, cells=cells.with_columns(title=pl.col("method").replace(titles)))


def _of_size(kind: FigureKind, results: Results, options: FigureOptions) -> list[Drawing]:
    """The drawings of a kind in the size that is asked for.

    How wide a drawing usually is decides how its texts are broken: it is drawn once to see that.
    """
    asked = options.font_size or style.number_of(options.style or {}, "font.size") or style.TEXT
    font = asked / style.TEXT
    colours = options.colours or {}
    usual = style.PageSettings(height=options.height, font_factor=font, colours=colours)
    with style.page_settings(usual):
        drawings = list(kind.draw(results, options))
    if options.width is None:
        return drawings
    factors = [options.width / (drawing.figure.get_figwidth() * 25.4) for drawing in drawings]
    by_factor = {}
    for factor in dict.fromkeys(factors):
        with style.page_settings(replace(usual, width_factor=factor)):
            by_factor[factor] = list(kind.draw(results, options))
    return [by_factor[factor][place] for place, factor in enumerate(factors)]


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


def _validate(spec: FigureSpec, results: Results) -> tuple[FigureKind, FigureOptions]:
    """Return the kind and the options of a figure that can be drawn from such results.

    Raises:
        InputError: the kind or an option is wrong, or the results are of another family or kind
            of experiment.
    """
    if spec.kind not in FIGURES:
        raise InputError(f"no figure is called {spec.kind!r}; there are {', '.join(FIGURES)}")
    kind = FIGURES[spec.kind]
    try:
        options = kind.options.model_validate(dict(spec.options))
    except ValidationError as error:
        first = error.errors()[0]
        where = f" option {first['loc'][0]}:" if first["loc"] else ""
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{spec.kind}:{where} {message}") from None
    if kind.over == "nothing":
        return kind, options
    experiment = _experiment_of(results)
    if experiment != kind.experiment:
        raise InputError(
            f"{kind.name} is drawn from a {kind.experiment} experiment, not {experiment}"
        )
    if experiment != "simulation" and not results.cells.is_empty():
        family = family_in(results.cells)
        if not kind.drawn_for(family):
            fitting = ", ".join(kind.families)
            raise InputError(f"{kind.name} is drawn for {fitting}, not {family.public_name}")
    return kind, options


def _experiment_of(results: Results) -> str:
    """The kind of experiment."""
    return str(results.manifest.get("experiment", {}).get("kind", "coverage"))


def write_size_curve(
    path: Path,
    family: str,
    setting: str,
    goal: tuple[str, float],
    answer: float,
    curve: tuple[Floats, Floats],
) -> None:
    """Draw what each size reaches, with the goal and the answer, into a file.

    Args:
        path: a file name that ends in .png, .svg or .pdf.
        family: the name of the family.
        setting: the method and what else the heading names.
        goal: ``half_width``, ``length``, ``probability`` or ``power``, and its target.
        answer: the size of the first sample from which on every size reaches the goal.
        curve: the sizes of the first sample, and what each of them reaches.

    Raises:
        InputError: the name of the file has another ending.
        WriteError: the file cannot be written.
    """
    refuse_other_ending(path)
    of_family, (name, target) = family_of(family), goal
    sizes, reached = curve
    if name == "probability":
        label = "probability of reaching the goal"
    elif name == "power":
        label = name
    else:
        of = of_family.scale.text.format(labels.parameter_label(of_family))
        label = f"expected {name.replace('_', '-')} of {of}"
    with style.drawing_settings():
        legend_names = [label, f"goal {target:.6g}", f"answer {answer:.15g}"]
        heading = style.wrap(setting, style.COLUMN)
        figure, legend = style.curve_figure(legend_names, heading, 58)
        axes = figure.add_subplot()
        axes.plot(sizes, reached, **style.curve_style(0), gid="reached")
        axes.axhline(target, color=style.VERMILION, linewidth=0.8, gid="goal")
        axes.axvline(answer, color=style.BLACK, linewidth=0.8, linestyle=":", gid="answer")
        axes.set_xlim(0, float(sizes[-1]))
        if name in ("probability", "power"):
            axes.set_ylim(0, 1)
        else:
            # Next to size 0 the widths are many times the goal.
            widths = reached[np.isfinite(reached)]
            axes.set_ylim(0, min(4.0 * target, 1.05 * float(widths.max())))
        axes.set_xlabel(labels.size_label(of_family))
        axes.set_ylabel(style.wrap(label, 52))
        figure.legend(axes.get_lines(), legend_names, **legend)
        _save(figure, path)


def write_systems(
    path: Path, systems: Sequence[tuple[str, float, float, float]], heading: str
) -> None:
    """Draw systems from the top down, each with its estimate and its interval, into a file.

    Args:
        path: a file name that ends in .png, .svg or .pdf.
        systems: the name, the estimate and both limits of each.
        heading: what the intervals are.

    Raises:
        InputError: the name of the file has another ending.
        WriteError: the file cannot be written.
    """
    refuse_other_ending(path)
    names = [style.shorten(name) for name, *_ in systems]
    estimate, lower, upper = np.transpose([numbers for _, *numbers in systems])
    with style.drawing_settings():
        figure = style.new_figure(style.COLUMN, 22 + 5 * len(systems))
        axes = figure.add_subplot()
        places = np.arange(len(systems))
        axes.hlines(places, lower, upper, color=style.BLUE, linewidth=1.2, gid="intervals")
        axes.plot(estimate, places, "o", color=style.BLUE, markersize=3.5, gid="estimates")
        axes.set_yticks(places, names)
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.set_xlabel("proportion of cases that are right")
        axes.set_title(style.wrap(heading, style.COLUMN), loc="left")
        _save(figure, path)


def refuse_other_ending(path: Path) -> None:
    """Refuse the name of a figure that ends in none of the formats.

    Raises:
        InputError: the name has another ending.
    """
    endings = [f".{extension}" for extension in FORMATS]
    if path.suffix.lower() not in endings:
        raise InputError(f"figure should end in one of {', '.join(endings)}, found {path}")


def _save(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=style.DPI, metadata=METADATA[path.suffix[1:].lower()])
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror or error}") from None
