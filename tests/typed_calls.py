"""Calls that a type checker takes, and calls that it refuses: mypy reads this file in every check.

An ignored error that is none is an error of mypy, so each comment here says that it finds one.
"""

import numpy as np
import polars as pl

import harness
from harness.names import ProportionMethod


def accepted() -> pl.DataFrame:
    """Calls without an error."""
    mine: list[ProportionMethod] = ["wilson", "exact_tail"]
    for method in mine:
        harness.interval("proportion", method, x=3, n=10)
    harness.interval("proportion", x=[1, 2], n=np.array([3, 4]), side="lower", alpha=[0.1, 0.2])
    harness.interval("proportion", "hypergeometric_exact", x=3, n=20, population=100)
    harness.interval("rate", "garwood", x=3, exposure=2.5, prior=(1, 0))
    harness.interval("mean", values=[1.0, 2.0], seed=1)
    harness.interval("mean", "student_t", mean=75, sd=2.5, k=5)
    frame = pl.DataFrame({"doc": [1, 1, 2], "ok": [1, 0, 1]})
    harness.interval("clustered_proportion", rows=frame, cluster="doc", correct="ok")
    harness.interval("proportion", "wilson", rows="r.csv", x="right", n=100, missing="drop")
    harness.leaderboard(frame, "ok", key="item", by="model", missing="wrong")
    harness.coverage("proportion", "wilson", n=50, p=[0.1, 0.3])
    harness.coverage("proportion", lambda x, n, alpha: (x / n, x / n), n=50, p=0.1)
    harness.size("proportion", "wilson", p=0.9, half_width=0.02)
    harness.significance("risk_ratio", x1=5, n1=12, x2=36, n2=112)
    return harness.interval(
        "paired_ratio", both=5, first_only=1, second_only=2, neither=3
    ).to_frame()


def refused() -> None:
    """Calls with a typo each."""
    harness.interval("proporton", x=3, n=10)  # type: ignore[call-overload]
    harness.interval("proportion", "wilsn", x=3, n=10)  # type: ignore[call-overload]
    harness.interval("rate", "wilson", x=3, exposure=1)  # type: ignore[call-overload]
    harness.interval("proportion", x=3, m=10)  # type: ignore[call-overload]
    harness.interval("proportion", x=3)  # type: ignore[call-overload]
    harness.interval("proportion", x=3, n=10, side="left")  # type: ignore[call-overload]
    harness.interval("proportion", rows="r.csv", corect="ok")  # type: ignore[call-overload]
    harness.coverage("median", "student_t", k=5)  # type: ignore[call-overload]
    harness.coverage("proportion", "wilsn", n=50, p=0.1)  # type: ignore[call-overload]
    harness.coverage("proportion", "wilson", side="left", n=50, p=0.1)  # type: ignore[call-overload]
    harness.size("proportion", "wilsn", p=0.9, half_width=0.02)  # type: ignore[arg-type]
    harness.significance("proportion", x=3, n=10)  # type: ignore[arg-type]
    harness.interval("rate", x=3, exposure=1).to_frame("duckdb")  # type: ignore[call-overload]
