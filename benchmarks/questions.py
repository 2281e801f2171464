"""Questions about sizes and powers from the shell, each with its answer and the seconds it takes.

``python -m benchmarks.questions`` prints a line for each: user seconds with start-up, the exact
answer, and for each peer its answer, by how many cases it is off, and its seconds. Peers are
statsmodels and R where they are installed, and otherwise a normal approximation.
"""

from __future__ import annotations

import json
import math
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence

from scipy.special import ndtri

_PAIRS = "size paired_difference --p11 0.86 --p10 0.04 --p01 0.02 --above 0 --probability 0.8"
_TWO = "size proportion_difference --p1 {} --p2 {} --above 0 --probability 0.8 --alpha 0.025"
_LARGE, _SMALL = _TWO.format(0.9, 0.85), _TWO.format(0.03, 0.02)
_ONE = "size proportion --p 0.8 --above 0.75 --probability 0.9"


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


def by_python(imported: str, expression: str) -> list[str]:
    """The command that prints a size by statsmodels."""
    return [sys.executable, "-c", f"from statsmodels.stats.{imported}; print({expression})"]


def peers_of_two(p1: float, p2: float) -> dict[str, Sequence[str] | float]:
    """The sizes of two samples at a one-sided alpha of 0.025 and a power of 0.8."""
    arcsine = f"NormalIndPower().solve_power(2*(asin({p1}**.5)-asin({p2}**.5)), alpha=.025,"
    score = f"samplesize_proportions_2indep_onetail({p1}-{p2}, {p2}, .8, alpha=.025,"
    by_r = f"power.prop.test(p1={p1}, p2={p2}, power=.8, sig.level=.025, alternative='one.sided')"
    return {
        "NormalIndPower": by_python(
            "power import NormalIndPower; from math import asin",
            f"{arcsine} power=.8, alternative='larger')",
        ),
        "power_proportions_2indep": by_python(
            "proportion import samplesize_proportions_2indep_onetail",
            f"{score} alternative='larger')",
        ),
        "power.prop.test": ["Rscript", "-e", f"cat({by_r}$n)"],
    }


def peer_of_width(p: float, half_width: float) -> dict[str, Sequence[str] | float]:
    """The size of one sample with this half-width of Wald's interval at p."""
    imported = "proportion import samplesize_confint_proportion as size"
    return {
        "samplesize_confint_proportion": by_python(imported, f"size({p}, {half_width}, alpha=.05)")
    }


_WIDTH = "size proportion --p {} --half-width {}"
_TWO_WIDTHS = "size proportion_difference --p1 0.9 --p2 0.88 --half-width 0.02"
_ASSURED = "--p1 0.8 --p2 0.7 --half-width {} --assurance 0.9 --method minimal_length"

QUESTIONS: list[tuple[str, Mapping[str, Sequence[str] | float]]] = [
    *(
        (f"{_PAIRS}{method}", {"McNemar, normal": of_pairs(0.04, 0.02, 0.05, 0.8)})
        for method in ("", " --method one_sided", " --method tango", " --method scas")
    ),
    (
        f"{_PAIRS} --alpha 0.025 --method tango",
        {"McNemar, normal": of_pairs(0.04, 0.02, 0.025, 0.8)},
    ),
    *(
        (f"{_LARGE}{method}", peers_of_two(0.9, 0.85) if method.endswith("mee") else {})
        for method in ("", " --method one_sided", " --method mee", " --method scas")
    ),
    (f"{_SMALL} --method mee", peers_of_two(0.03, 0.02)),
    (f"{_ONE} --method wilson", {"score, normal": of_one(0.8, 0.75, 0.05, 0.9)}),
    (
        "size proportion_difference --method mee --n1 200 --n2 200 --p2 0.85 --above 0 "
        "--probability 0.8 --alpha 0.025",
        {},
    ),
    (
        "size proportion_difference --method chan_zhang --p1 0.9 --p2 0.85 --above 0 "
        "--probability 0.8",
        {},
    ),
    (_WIDTH.format(0.99, 0.002), peer_of_width(0.99, 0.002)),
    ("size proportion --p 0.9 --length 0.02", peer_of_width(0.9, 0.01)),
    *(
        (f"{_WIDTH.format(0.9, 0.02)} --method {method}", peer_of_width(0.9, 0.02))
        for method in ("wald", "wilson", "clopper_pearson")
    ),
    *((f"{_TWO_WIDTHS}{method}", {}) for method in ("", " --method minimal_length")),
    *(
        (f"size {family} {_ASSURED.format(width)}", {})
        for family, width in (
            ("proportion_difference", 0.084),
            ("risk_ratio", 0.116),
            ("odds_ratio", 0.46),
        )
    ),
    (
        "size paired_difference --p11 0.8 --p10 0.1 --p01 0.05 --half-width 0.08 "
        "--method balanced_width",
        {},
    ),
    ("size kappa --p-tp 0.3 --p-fp 0.1 --p-fn 0.1 --half-width 0.115", {}),
]
"""Arguments of the command, and for each peer its command or its size."""


def timed(command: Sequence[str]) -> tuple[str | None, float]:
    """Return what a command prints, None where it fails or is not installed, and user seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None, 0.0
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return ended.stdout if ended.returncode == 0 else None, seconds


def main() -> None:
    """Print a line for each question."""
    print("seconds   exact   question; peer: size (cases off, seconds)")
    for question, peers in QUESTIONS:
        command = [sys.executable, "-m", "harness", *shlex.split(question), "--format", "json"]
        printed, seconds = timed(command)
        exact, answer = math.nan, "refused"
        if printed is not None:
            found = json.loads(printed)
            exact = found.get("detectable", found.get("n", found.get("n1")))
            answer = f"{exact:.5g}"
        line = f"{seconds:7.2f} {answer:>7}   {question}"
        for name, peer in peers.items():
            size, spent = (str(peer), 0.0) if isinstance(peer, float) else timed(peer)
            found_there = "absent"
            if size is not None:
                number = math.ceil(float(size))
                found_there = f"{number} ({number - exact:+.0f}, {spent:.2f} s)"
            line += f"; {name}: {found_there}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
