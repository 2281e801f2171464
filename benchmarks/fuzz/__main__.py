"""All of the fuzzing: ``python -m benchmarks.fuzz``."""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.fuzz.campaign import KINDS, fuzz

SEED = 12
NUMBERS = {"configs": 10_000, "commands": 2_000, "folders": 500}


def main() -> int:
    """Run the cases asked for, print each finding and the counts; return 1 if there is any."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    for kind, number in NUMBERS.items():
        parser.add_argument(f"--{kind}", type=int, default=number, metavar="N")
    parser.add_argument("--seed", type=int, default=SEED, metavar="S")
    parser.add_argument("--only", metavar="KIND:NUMBER", help="repeat one case")
    options = parser.parse_args()
    numbers = {kind: list(range(getattr(options, kind))) for kind in KINDS}
    if options.only is not None:
        kind, _, number = options.only.partition(":")
        numbers = {kind: [int(number)]}
    print(f"seed {options.seed}", flush=True)
    wrong = 0
    for kind, chosen in numbers.items():
        start = time.monotonic()
        if not chosen:
            continue
        found = fuzz(kind, chosen, options.seed, lambda text: print(f"FOUND {text}\n", flush=True))
        wrong += len(found.findings)
        codes = ", ".join(f"{count:,} × {code}" for code, count in sorted(found.codes.items()))
        print(
            f"{kind}: {found.cases:,} cases in {time.monotonic() - start:.0f} s; exit codes "
            f"{codes}; refused within {found.slowest:.2f} s of the processor; "
            f"{len(found.findings)} findings",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
