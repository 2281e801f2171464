"""Signals at random moments of a run, and replacements of files that are broken off.

The next run gives the bytes of an undisturbed one, and between them the folder holds the former
result or the new one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.torture.command import DONE, FAILED, REFUSED, differing, members
from benchmarks.torture.victims import RUN, VICTIMS, Prepared, Tried

_ENDINGS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
_SLEEP = {"coverage": 0.01, "study": 0.0004}
"""Seconds that a call of the method takes, so that signals meet the computation."""

BROKEN_OFF = """
import os, sys
STEPS = ("rename", "replace", "unlink", "rmdir", "mkdir", "fsync")
number, how = int(sys.argv[1]), int(sys.argv[2])

def counted(right):
    def step(*arguments, **options):
        global number
        if ".new-" in str(arguments) or ".ready" in str(arguments) or right is os.fsync:
            number -= 1
            if number == 0:
                os.kill(os.getpid(), how)
        return right(*arguments, **options)
    return step

from harness.cli import main
for name in STEPS:
    setattr(os, name, counted(getattr(os, name)))
sys.exit(main(sys.argv[3:]))
"""


def case(rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Disturb a run; then run it again."""
    if number % 3 == 2:
        return _broken_off(rng, place, prepared)
    name = rng.choice(list(VICTIMS))
    config = dict(VICTIMS[name])
    jobs, backend = rng.choice([1, 2]), rng.choice(["threading", "loky"])
    config["execution"] = {**config["execution"], "jobs": jobs}
    if name == "coverage":
        config["execution"]["backend"] = backend
    machine = prepared.machine(place, config)
    sent, moment = _signal(rng), rng.uniform(0.0, prepared.seconds[name] + 2.5)
    target = rng.choice(["command", "command", "worker", "group"])
    pause = rng.uniform(0.1, 3.0)

    def disturb(process: subprocess.Popen[bytes]) -> None:
        # While Python loads modules it handles no SIGTERM.
        while process.poll() is None and not _handles(process.pid, signal.SIGTERM):
            time.sleep(0.02)
        time.sleep(moment)
        workers = members(process.pid)
        chosen = rng.choice(workers) if target == "worker" and workers else process.pid
        send = os.killpg if target == "group" else os.kill
        with suppress(ProcessLookupError):
            send(chosen, sent)
            if sent == signal.SIGSTOP:
                time.sleep(pause)
                send(chosen, signal.SIGCONT)

    slow = type(machine)(place, prepared.top, {"TORTURE_SLEEP": str(_SLEEP[name])})
    first = slow.run(*RUN, disturb=disturb)
    what = f"{name}, {jobs} jobs, {sent.name} to {target} after {moment:.2f} s"
    allowed = [DONE, *([_ENDINGS[sent]] if sent in _ENDINGS else [])]
    if sent == signal.SIGKILL:
        allowed.append(-signal.SIGKILL)
    if target == "worker":
        allowed += [REFUSED, FAILED]
    # After the command they end the process as any other.
    allowed.append(-sent)
    faults = first.faults(allowed)
    second = machine.run(*RUN)
    faults += second.faults((DONE,))
    if not faults:
        faults = differing(place / "results" / "one", prepared.expected[name])
    return Tried(what, faults)


def _handles(process: int, number: int) -> bool:
    """Whether a process catches a signal."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def _signal(rng: random.Random) -> signal.Signals:
    return rng.choice(
        [
            signal.SIGINT,
            signal.SIGTERM,
            signal.SIGKILL,
            signal.SIGKILL,
            signal.SIGSTOP,
            signal.SIGHUP,
        ]
    )


def _broken_off(rng: random.Random, place: Path, prepared: Prepared) -> Tried:
    """Break a replacement off at one of its steps."""
    name = rng.choice(list(VICTIMS))
    former: dict[str, Any] = {**VICTIMS[name], "title": "Former"}
    machine = prepared.machine(place, former)
    prepared.copy(name, place)
    faults = machine.run(*RUN).faults((DONE,))
    folder = place / "results" / "one"
    before = json.loads((folder / "manifest.json").read_text())
    (place / "config.yaml").write_text(json.dumps(VICTIMS[name]))
    sent, step = rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]), rng.randint(1, 60)
    first = machine.run("-c", BROKEN_OFF, str(step), str(int(sent)), *RUN)
    allowed = (DONE, -signal.SIGKILL) if sent == signal.SIGKILL else (DONE, _ENDINGS[sent])
    faults += first.faults(allowed)
    read = (
        "import harness; r = harness.load('results/one'); "
        "print(len(r.summary), r.manifest['title'])"
    )
    faults += machine.run("-c", read).faults((DONE,))
    if not faults and before != json.loads((folder / "manifest.json").read_text()):
        # Figures are drawn once the tables are in place.
        there = {
            path: content
            for path, content in prepared.expected[name].items()
            if not path.startswith("figures") or (folder / path).exists()
        }
        faults = differing(folder, there)
    faults += machine.run(*RUN).faults((DONE,))
    faults = faults or differing(folder, prepared.expected[name])
    return Tried(f"{name}, {sent.name} at step {step} of a replacement", faults)
