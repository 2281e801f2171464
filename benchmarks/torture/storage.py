"""Disks that are full, limits of a process, damaged journals, and tamperings with a result."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.torture.command import DONE, FAILED, REFUSED, Ending, differing
from benchmarks.torture.victims import RUN, VICTIMS, Prepared, Tried

_WORDS_OF_DISKS = ("space", "full", "disk", "large", "written", "room", "memory", "open files")


def disk(rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Run on a disk that is too small or within limits; then with room."""
    name = rng.choice(list(VICTIMS))
    machine = prepared.machine(place, VICTIMS[name])
    out = place / "results"
    out.mkdir()
    how = ("disk", "temporary", "files", "descriptors", "memory", "disk")[number % 6]
    amount = int(2 ** rng.uniform(12, 19))
    if how in ("disk", "temporary") and not _mount(place / how, amount):
        how = "files"
    if how == "disk":
        out.rmdir()
        out.symlink_to(place / how, target_is_directory=True)
        out = place / how
    limits, limited = {}, machine
    if how == "temporary":
        limited = replace(machine, tmp=place / how)
    elif how == "files":
        limits = {resource.RLIMIT_FSIZE: (amount, amount)}
    elif how == "descriptors":
        amount = rng.randint(8, 80)
        limits = {resource.RLIMIT_NOFILE: (amount, amount)}
    elif how == "memory":
        amount = int(2 ** rng.uniform(28, 34))
        limits = {resource.RLIMIT_AS: (amount, amount)}
    try:
        first = limited.run(*RUN, "--out", str(out), limits=limits)
        faults = _faults_of_limits(first, how)
        if how == "disk":
            subprocess.run(["mount", "-o", "remount,size=64m", str(place / how)], check=False)
        second = machine.run(*RUN, "--out", str(out))
        faults += second.faults((DONE,))
        faults = faults or differing(out / "one", prepared.expected[name])
    finally:
        if how in ("disk", "temporary"):
            subprocess.run(["umount", "-l", str(place / how)], check=False)
    return Tried(f"{name}, {how} of {amount:,}", faults)


def _faults_of_limits(ending: Ending, how: str) -> list[str]:
    allowed = [DONE, REFUSED, FAILED]
    if how in ("memory", "descriptors") and "harness:" not in ending.err:
        # Python or NumPy itself does not start.
        return [] if ending.code else ending.faults(allowed)
    faults = ending.faults(allowed)
    if ending.code == REFUSED and "damaged" in ending.err:
        faults.append(f"a full disk is called damage: {ending.err.strip()[-300:]}")
    elif ending.code == REFUSED and not any(word in ending.err for word in _WORDS_OF_DISKS):
        faults.append(f"the sentence has no cause: {ending.err.strip()[-300:]}")
    return faults


def _mount(place: Path, amount: int) -> bool:
    """Mount a small file system; whether that is allowed."""
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={amount}", "none", str(place)]
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def _changed(content: bytes, rng: random.Random) -> tuple[str, bytes]:
    """The bytes with some of them flipped, cut, cleared, doubled or added."""
    data, at = bytearray(content), rng.randrange(max(len(content), 1))
    how = rng.choice(["flips", "flips", "cut", "cleared", "doubled", "added", "emptied"])
    if how == "flips":
        for _ in range(rng.choice([1, 1, 5, 100])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "cut":
        del data[at:]
    elif how == "cleared":
        data[at : at + 4096] = bytes(len(data[at : at + 4096]))
    elif how == "doubled":
        data[at:at] = data[at : at + 4096]
    elif how == "added":
        data += os.urandom(1) * rng.randint(1, 10_000)
    else:
        data.clear()
    return how, bytes(data)


def journal(rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Damage the journal of a run whose tables are lost, and run again."""
    name = rng.choice(list(VICTIMS))
    machine = prepared.machine(place, VICTIMS[name])
    folder = prepared.copy(name, place, ["journal.sqlite"])
    path = folder / "journal.sqlite"
    how, content = _changed(path.read_bytes(), rng)
    path.write_bytes(content)
    ending = machine.run(*RUN)
    faults = ending.faults((DONE, REFUSED))
    if not faults and ending.code == DONE:
        faults = differing(folder, prepared.expected[name])
    if ending.code == REFUSED and "--fresh" in ending.err:
        faults += machine.run(*RUN, "--fresh").faults((DONE,))
        faults = faults or differing(folder, prepared.expected[name])
    return Tried(f"{name}, journal with bytes {how}", faults)


def _deleted(path: Path, _: random.Random, __: Path) -> None:
    path.unlink()


def _edited(path: Path, rng: random.Random, _: Path) -> None:
    path.write_bytes(_changed(path.read_bytes(), rng)[1])


def _as_folder(path: Path, _: random.Random, __: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "mine.txt").write_text("mine")


def _as_link(path: Path, _: random.Random, outside: Path) -> None:
    path.unlink()
    path.symlink_to(outside / "precious.txt")


def _as_dangling(path: Path, _: random.Random, outside: Path) -> None:
    path.unlink()
    path.symlink_to(outside / "absent.txt")


def _as_pipe(path: Path, _: random.Random, __: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link_of_figures(path: Path, _: random.Random, outside: Path) -> None:
    figures = path.parent / "figures"
    shutil.rmtree(figures, ignore_errors=True)
    figures.symlink_to(outside, target_is_directory=True)


def _link_of_result(path: Path, _: random.Random, outside: Path) -> None:
    folder = path.parent
    shutil.rmtree(folder)
    folder.symlink_to(outside, target_is_directory=True)


TAMPERINGS: tuple[Callable[[Path, random.Random, Path], None], ...] = (
    _deleted,
    _edited,
    _edited,
    _as_folder,
    _as_link,
    _as_dangling,
    _as_pipe,
    _link_of_figures,
    _link_of_result,
)
_USES = (RUN, RUN, (*RUN, "--fresh"), ("plot", "results/one"), ("report", "results/one"),
         ("export", "results/one"), ("run", "config.yaml", "--dry-run"))  # fmt: skip


def tamper(rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Tamper with a result, and use it."""
    name = rng.choice(list(VICTIMS))
    machine = prepared.machine(place, VICTIMS[name])
    folder, outside = prepared.copy(name, place), place / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("ten years")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    path, act, use = rng.choice(files), rng.choice(TAMPERINGS), rng.choice(_USES)
    act(path, rng, outside)
    ending = machine.run(*use)
    faults = ending.faults((DONE, REFUSED))
    kept = {each.name: each.read_bytes() for each in outside.iterdir() if each.is_file()}
    if kept != {"precious.txt": b"ten years"} and act is not _link_of_result:
        faults.append(f"it wrote outside: {sorted(kept)}")
    is_run = use[0] == "run" and "--dry-run" not in use
    if not faults and is_run and ending.code == DONE and not folder.is_symlink():
        faults = differing(folder, {**prepared.expected[name]})
    return Tried(f"{name}, {path.name} {act.__name__.strip('_')}, then {' '.join(use)}", faults)
