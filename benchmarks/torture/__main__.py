"""All of the torture: ``python -m benchmarks.torture``."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.torture.campaign import KINDS, torture
from benchmarks.torture.victims import Prepared

SEED, MINUTES, EXAMPLES = 43, 10.0, 3


def main() -> int:
    """Run cases of the kinds asked for, print failures and a table; return 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="M")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S")
    parser.add_argument("--only", default=",".join(KINDS), metavar="KIND[:NUMBER],…")
    options = parser.parse_args()
    chosen: dict[str, Iterable[int]] = {}
    for word in options.only.split(","):
        kind, _, number = word.partition(":")
        if kind not in KINDS:
            parser.error(f"--only should be of {', '.join(KINDS)}, found {kind!r}")
        chosen[kind] = [int(number)] if number else itertools.count()
    shares = {kind: KINDS[kind][1] for kind in chosen}
    counts = {}
    with tempfile.TemporaryDirectory(prefix="harness-torture-") as folder:
        prepared = Prepared(Path(folder))
        prepared.make()
        for kind, numbers in chosen.items():
            seconds = 60.0 * options.minutes * shares[kind] / sum(shares.values())
            counts[kind] = torture(
                kind, numbers, options.seed, seconds, prepared, lambda text: print(text, flush=True)
            )
    print(f"seed {options.seed}\n{'kind':<12}{'tried':>8}{'survived':>10}{'seconds':>9}")
    for kind, count in counts.items():
        survived = count.tried - count.failed
        print(f"{kind:<12}{count.tried:>8,}{survived:>10,}{count.seconds:>9.0f}")
    return 1 if any(count.failed for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
