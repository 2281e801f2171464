"""Questions about sizes and powers from the shell, each with its answer and the seconds it takes.

``python -m benchmarks.questions`` prints a line for each: user seconds, start-up included, and the
size beside that of the normal approximation.
"""

from __future__ import annotations

import json
import math
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable

from scipy.special import ndtri

_PAIRS = "size paired_difference --p11 0.86 --p10 0.04 --p01 0.02 --above 0 --probability 0.8"
_TWO = "size proportion_difference --p1 {} --p2 {} --above 0 --probability 0.8 --alpha 0.025"
_LARGE, _SMALL = _TWO.format(0.9, 0.85), _TWO.format(0.03, 0.02)
_ONE = "size proportion --p 0.8 --above 0.75 --probability 0.9"


def of_two(p1: float, p2: float, alpha: float, power: float) -> float:
    """The size of each sample by the usual normal approximation, that of R's power.prop.test."""
    mean = 0.5 * (p1 + p2)
    null = -float(ndtri(alpha)) * math.sqrt(2.0 * mean * (1.0 - mean))
    other = float(ndtri(power)) * math.sqrt(p1 * (1.0 - p1) + p2 * (1.0 - p2))
    return ((null + other) / (p1 - p2)) ** 2


def of_one(p: float, value: float, alpha: float, power: float) -> float:
    """The size of one sample by the normal approximation of the score test."""
    null = -float(ndtri(alpha)) * math.sqrt(value * (1.0 - value))
    return ((null + float(ndtri(power)) * math.sqrt(p * (1.0 - p))) / (p - value)) ** 2


def of_pairs(p10: float, p01: float, alpha: float, power: float) -> float:
    """The number of pairs by the normal approximation of McNemar's test."""
    both, difference = p10 + p01, p10 - p01
    null = -float(ndtri(alpha)) * math.sqrt(both)
    other = float(ndtri(power)) * math.sqrt(both - difference**2)
    return ((null + other) / difference) ** 2


QUESTIONS: list[tuple[str, Callable[[], float] | None]] = [
    *(
        (f"{_PAIRS}{method}", lambda: of_pairs(0.04, 0.02, 0.05, 0.8))
        for method in ("", " --method one_sided", " --method tango", " --method scas")
    ),
    (f"{_PAIRS} --alpha 0.025 --method tango", lambda: of_pairs(0.04, 0.02, 0.025, 0.8)),
    *(
        (f"{_LARGE}{method}", lambda: of_two(0.9, 0.85, 0.025, 0.8))
        for method in ("", " --method one_sided", " --method mee", " --method scas")
    ),
    (f"{_SMALL} --method mee", lambda: of_two(0.03, 0.02, 0.025, 0.8)),
    (f"{_ONE} --method wilson", lambda: of_one(0.8, 0.75, 0.05, 0.9)),
    (
        "size proportion_difference --method mee --n1 200 --n2 200 --p2 0.85 --above 0 "
        "--probability 0.8 --alpha 0.025",
        None,
    ),
    (
        "size proportion_difference --method chan_zhang --p1 0.9 --p2 0.85 --above 0 "
        "--probability 0.8",
        None,
    ),
]
"""Arguments of the command, and the approximate size where there is one."""


def main() -> None:
    """Print a line for each question."""
    print("seconds   exact   normal   question")
    for question, approximate in QUESTIONS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [sys.executable, "-m", "harness", *shlex.split(question), "--format", "json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        answer = "refused"
        if ended.returncode == 0:
            found = json.loads(ended.stdout)
            number = found.get("detectable", found.get("n", found.get("n1")))
            answer = f"{number:.5g}"
        normal = "" if approximate is None else str(math.ceil(approximate()))
        print(f"{seconds:7.2f} {answer:>7}  {normal:>7}   {question}", flush=True)


if __name__ == "__main__":
    main()
