"""A run in parts: what a part is, its file, and whether several make a whole run.

The tasks of all scenarios stand in one row, which is cut into parts of equal numbers. What a part
finds is its journal, one file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.runner.journal.database import facts_of
from harness.runner.journal.records import environment, environment_text
from harness.runner.storage import part_file

TaskSpan = tuple[int, int]
"""The number of a first task, and one more than that of the last."""

FACT = "part"
"""Under which a journal of a part says what it is."""
_FACTS = {"content_hash": str, "files": dict, "environment": dict, "finished": bool}
"""What else is known of a part beside its number and the experiment, with the types."""


@dataclass(frozen=True)
class Part:
    """One of several parts of a run."""

    number: int
    """The number of the part, from 1 to ``count``."""
    count: int

    @classmethod
    def read(cls, text: str) -> Part:
        """Return the part that a text like "3/8" means.

        Raises:
            InputError: the text is no such part.
        """
        match = re.fullmatch(r"([1-9]\d{0,6})/([1-9]\d{0,6})", text)
        if match is None or int(match[1]) > int(match[2]):
            raise InputError(f"--shard should be i/m with 1 ≤ i ≤ m, as in 3/8; found {text!r}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def share(self, total: int) -> TaskSpan:
        """Return the first of this part's tasks, and one more than the last, out of ``total``."""
        return total * (self.number - 1) // self.count, total * self.number // self.count


@dataclass(frozen=True)
class PartFile:
    """The file of one part, and what it says of itself."""

    path: Path
    facts: Mapping[str, Any]

    @property
    def part(self) -> Part:
        number, count = self.facts["part"]
        return Part(int(number), int(count))

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return str(self.facts["experiment"]["name"])


def find_parts(paths: Sequence[Path]) -> dict[str, list[PartFile]]:
    """Return the parts in some folders, by the names of their experiments.

    Args:
        paths: files of parts, and folders that hold some, at any depth.

    Raises:
        InputError: a path leads to no part, or a file is damaged.
    """
    parts_by_name: dict[str, list[PartFile]] = {}
    seen: set[str] = set()
    for path in paths:
        if not os.path.lexists(path):
            raise InputError(f"{path} cannot be read: it is no file and no folder")
        files = sorted(path.rglob(part_file("*", "*"))) if path.is_dir() else [path]
        if not files:
            raise InputError(f"{path} holds no part of a run, as `run --shard i/m` writes it")
        for file in files:
            if file.is_file() and file.suffix != ".sqlite":
                raise InputError(f"{file} is no part of a run, as `run --shard i/m` writes it")
            # Unlike ``resolve``, it raises nothing for a loop of links.
            place = os.path.realpath(file)
            if place in seen:
                continue
            seen.add(place)
            facts = facts_of(file).get(FACT)
            if facts is None or not _is_part(facts):
                raise InputError(f"{file} is no part of a run, as `run --shard i/m` writes it")
            part = PartFile(file, facts)
            parts_by_name.setdefault(part.name, []).append(part)
    return parts_by_name


def _is_part(facts: Any) -> bool:
    if not isinstance(facts, dict):
        return False
    number, experiment = facts.get("part"), facts.get("experiment")
    return (
        isinstance(number, list)
        and len(number) == 2
        and all(isinstance(value, int) for value in number)
        and 1 <= number[0] <= number[1]
        and isinstance(experiment, dict)
        and isinstance(experiment.get("name"), str)
        and all(isinstance(facts.get(key), kind) for key, kind in _FACTS.items())
    )


def refuse_unmergeable(parts: Sequence[PartFile]) -> None:
    """Check that parts are all parts of one run, each once and finished.

    Raises:
        InputError: they are not; the message names the files or the parts that are missing.
    """
    first, name = parts[0], parts[0].name
    by_number: dict[int, PartFile] = {}
    count = first.part.count
    for part in parts:
        if part.facts["content_hash"] != first.facts["content_hash"]:
            # The functions whose files alone differ.
            then, now = first.facts.get("sources", {}), part.facts.get("sources", {})
            edited = [name for name in {**then, **now} if then.get(name) != now.get(name)]
            if edited and first.facts["experiment"] == part.facts["experiment"]:
                raise InputError(
                    f"{name}: {first.path} and {part.path} were computed with other files of "
                    f"{enumerated(edited)}; run all parts with the same files"
                )
            raise InputError(
                f"{name}: {first.path} and {part.path} are parts of different experiments"
            )
        if part.part.count != count:
            raise InputError(
                f"{name}: {first.path} is one of {count} parts and {part.path} one of "
                f"{part.part.count}; merge those of one division"
            )
        other = by_number.setdefault(part.part.number, part)
        if other is not part:
            raise InputError(
                f"{name}: {other.path} and {part.path} are both part {part.part}; give one of them"
            )
    missing = [number for number in range(1, count + 1) if number not in by_number]
    if missing:
        listed = ", ".join(f"{number}/{count}" for number in missing[:20])
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise InputError(f"{name}: missing parts {listed}{more}; run them with --shard")
    for number, part in sorted(by_number.items()):
        if not part.facts["finished"]:
            raise InputError(
                f"{part.path} has not finished; run the config with --shard {number}/{count} again"
            )
    here = environment()
    for part in parts:
        there = part.facts["environment"]
        if there.get("program") != here["program"]:
            raise InputError(
                f"{part.path} was computed by another program: there {environment_text(there)}; "
                f"here {environment_text(here)}. Merge with that program, or run all parts again"
            )
