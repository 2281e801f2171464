"""From what was read to an experiment, or to all of its faults in the order of their lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.config.document import Document
from harness.config.draft import draft
from harness.config.experiment import AnyExperiment
from harness.config.faults import Complaint, found_instead, show_path
from harness.config.figure_rules import figure_relations
from harness.config.overrides import Places, apply, place_of
from harness.config.resolve import resolve
from harness.config.rules import relations
from harness.config.schema import form_of
from harness.errors import Fault


@dataclass(frozen=True)
class Judgement:
    """One of the two is there."""

    experiment: AnyExperiment | None
    faults: tuple[Fault, ...]
    name_place: str = ""
    """Where the experiment is given its name."""


def judge(read: Document, overrides: Sequence[str], where: str, folder: Path) -> Judgement:
    """Reads a config as its author meant it.

    Args:
        read: the config's data, with the lines of a file if it is one.
        overrides: ``key=value``.
        where: the file's name.
        folder: what paths in the config are relative to.
    """
    marks = [_on_line(mark.line, where, Complaint(mark.path, mark.message)) for mark in read.faults]
    hidden = [mark.path for mark in read.faults if mark.hides]
    if () in hidden:
        return Judgement(None, tuple(mark.fault() for mark in marks))
    # There is nothing to set in what is no mapping; that fault is told first.
    asked = overrides if isinstance(read.data, dict) else ()
    data, places, refused = apply(read.data, asked)
    if not isinstance(data, Mapping):
        complaint = Complaint((), found_instead("a mapping of keys", data))
        return Judgement(None, (_placed(complaint, read, places, where).fault(),))
    form = form_of(data)
    parts, complaints = draft(form, data, {"folder": folder})
    complaints += [*relations(form, data, parts), *figure_relations(form, parts)]
    found = marks + [
        _placed(complaint, read, places, where)
        for complaint in complaints
        if not any(complaint.path[: len(path)] == path for path in hidden)
    ]
    if found or refused:
        found.sort(key=lambda one: one.line)
        return Judgement(None, (*(one.fault() for one in found), *refused))
    name = _placed(Complaint(("name",), ""), read, places, where)
    return Judgement(resolve(form, parts, folder), (), name.fault().where)


@dataclass(frozen=True)
class _Placed:
    line: float
    """Infinite where there is none."""
    where: str
    complaint: Complaint

    def fault(self) -> Fault:
        where = self.where if math.isinf(self.line) else f"{self.where}:{self.line:.0f}"
        return Fault(where, show_path(self.complaint.path), self.complaint.message)


def _placed(complaint: Complaint, read: Document, places: Places, where: str) -> _Placed:
    override = place_of(complaint.path, places)
    if override is not None:
        return _Placed(math.inf, override, complaint)
    return _on_line(read.line(complaint.path), where, complaint)


def _on_line(line: int | None, where: str, complaint: Complaint) -> _Placed:
    return _Placed(math.inf if line is None else line, where, complaint)
