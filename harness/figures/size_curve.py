"""What an interval reaches over the size: its expected width, or the probability of a goal.

This figure is drawn from the answer of ``size``, and not from the results of a run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from harness.base.errors import InputError, WriteError
from harness.base.numerics.arrays import Floats
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.figures.look import labels, style

_FORMATS = (".png", ".svg", ".pdf")


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
        goal: ``half_width``, ``length`` or ``probability``, and its target.
        answer: the size of the first sample from which on every size reaches the goal.
        curve: the sizes of the first sample, and what each of them reaches.

    Raises:
        InputError: the name of the file has another ending.
        WriteError: the file cannot be written.
    """
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"figure should end in one of {', '.join(_FORMATS)}, found {path}")
    known, (name, target) = family_of(family), goal
    sizes, reached = curve
    with style.drawing_settings():
        legend_names = [_goal_label(known, name), f"goal {target:.6g}", f"answer {answer:.15g}"]
        heading = style.wrap(setting, style.COLUMN)
        figure, axes, legend = style.curve_figure(legend_names, heading, 58)
        axes.plot(sizes, reached, **style.curve_style(0), gid="reached")
        axes.axhline(target, color=style.VERMILION, linewidth=0.8, gid="goal")
        axes.axvline(answer, color=style.BLACK, linewidth=0.8, linestyle=":", gid="answer")
        axes.set_xlim(0, float(sizes[-1]))
        if name == "probability":
            axes.set_ylim(0, 1)
        else:
            # Next to size 0 the widths are many times the goal.
            known_widths = reached[np.isfinite(reached)]
            axes.set_ylim(0, min(4.0 * target, 1.05 * float(known_widths.max())))
        axes.set_xlabel(labels.size_label(known))
        axes.set_ylabel(_goal_label(known, name))
        figure.legend(axes.get_lines(), legend_names, **legend)
        try:
            figure.savefig(path, dpi=style.DPI)
        except OSError as error:
            raise WriteError(f"{path} cannot be written: {error.strerror or error}") from None


def _goal_label(family: Family, name: str) -> str:
    """The name of the axis of what is reached."""
    if name == "probability":
        return "probability of reaching the goal"
    of_what = f"ln({labels.parameter_label(family)})" if family.is_ratio else ""
    words = f"expected {name.replace('_', '-')}"
    unit = f" of {of_what or labels.parameter_label(family)}"
    return words + unit
