"""Faults of intervals for differences and means of two samples."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

NEWCOMBE = SoundMethod("newcombe", "proportion_difference", "nominal")
RATE_DIFFERENCE = SoundMethod("rate_difference", "rate_difference", "approximate")
BALANCED_ACCURACY = SoundMethod("balanced_accuracy", "balanced_accuracy", "nominal")

_Z = "-ndtri(alpha / 2)"
_ALPHA = rf"alpha|{LEVEL}"
_BEYOND_20 = r"n[12] = (2[1-9]|[3-9]\d|\d{3,})\b"
_RETURN = "return np.clip(lower, -1, 1), np.clip(upper, -1, 1)"
_EACH = "(np.asarray(each, float) for each in (x1, n1, x2, n2))"
_SECOND = "l2, u2 = wilson(x2, n2, z)"
_BELOW = "np.sqrt((p1 - l1) ** 2 + (u2 - p2) ** 2)"

NEWCOMBE_FAULTS = table(
    NEWCOMBE,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width where an n exceeds 20": (
            _Z,
            "-ndtri(alpha / 2) * np.where(np.maximum(n1, n2) > 20, 0.5, 1)",
            _BEYOND_20,
        ),
        "second less first above": (
            "upper = p1 - p2",
            "upper = p2 - p1",
            r"is ordered|is monotone|holds the estimate",
        ),
        "n1 in place of n2": (_SECOND, "l2, u2 = wilson(x2, n1, z)", r"n2 = |holds the estimate"),
        "alpha = 0.2 taken for 0.1": (
            _Z,
            "-ndtri((0.1 if alpha == 0.2 else alpha) / 2)",
            r"alpha = 0\.2\b",
        ),
        "alpha = 0.001 taken for 0.003": (
            _Z,
            "-ndtri((0.003 if alpha == 0.001 else alpha) / 2)",
            r"alpha = 0\.001\b",
        ),
        "no alpha below 0.01": (_Z, "-ndtri(max(alpha, 0.01) / 2)", r"alpha = (0\.00\d+|1e-\d+)"),
        "the same side of both samples": (
            _BELOW,
            "np.sqrt((p1 - l1) ** 2 + (p2 - l2) ** 2)",
            rf"mirrors|{LEVEL}",
        ),
        "a sum for a root of squares": (_BELOW, "(p1 - l1 + u2 - p2)", rf"mirrors|{LEVEL}"),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "counts as 32-bit integers": (
            _EACH,
            "(np.asarray(each, np.int32) for each in (x1, n1, x2, n2))",
            r"int32|\b1000000?\b|e\+06",
        ),
        "x1 of the caller divided in place": (
            _RETURN,
            "x1 /= n1; " + _RETURN,
            r"leaves its arguments alone|takes every type",
        ),
        "0.7 of the width where n1 = n2": (
            _Z,
            "-ndtri(alpha / 2) * np.where(n1 == n2, 0.7, 1)",
            rf"{LEVEL}|n1 = (\d+), n2 = \1\b",
        ),
        "0.7 of the width where n1 > n2": (
            _Z,
            "-ndtri(alpha / 2) * np.where(n1 > n2, 0.7, 1)",
            rf"mirrors|{LEVEL}|n1 = ",
        ),
        "no width where nothing is observed": (
            _RETURN,
            "return np.clip(lower, -1, 1) * (x1 + x2 > 0), np.clip(upper, -1, 1) * (x1 + x2 > 0)",
            r"has width|x1 = 0, .*x2 = 0|mirrors",
        ),
        "limits in single precision": (
            _RETURN,
            "return np.float32(np.clip(lower, -1, 1)), np.float32(np.clip(upper, -1, 1))",
            r"precision",
        ),
        "only the first of several n1": (
            "p1, p2 = x1 / n1, x2 / n2",
            "n1 = n1.flat[0]; p1, p2 = x1 / n1, x2 / n2",
            r"n1 as|n1 is|array|takes every type",
        ),
        "limits sorted": (
            _RETURN,
            "return np.sort(lower, None).reshape(x1.shape), np.sort(upper, None).reshape(x1.shape)",
            r"any order|order of|is monotone|arrays equal scalars",
        ),
        "x1 of at most 100": (
            "l1, u1 = wilson(x1,",
            "l1, u1 = wilson(np.minimum(x1, 100),",
            r"x1 = \d{3,}",
        ),
    },
)

_R1 = "l1, u1 = score(x1, exposure1, z)"

RATE_DIFFERENCE_FAULTS = table(
    RATE_DIFFERENCE,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "the exposure of the other sample": (
            _R1,
            "l1, u1 = score(x1, exposure2, z)",
            rf"exposure|holds the estimate|{LEVEL}",
        ),
        "the same side of both samples": (
            "np.hypot(r1 - l1, u2 - r2)",
            "np.hypot(r1 - l1, r2 - l2)",
            rf"mirrors|{LEVEL}|has width|x[12] = ",
        ),
        "no x1 above 170": (
            _R1,
            "l1, u1 = score(np.minimum(x1, 170), exposure1, z)",
            r"x1 = \d{3,}",
        ),
        "the second exposure left out": ("x2 / exposure2", "x2", r"exposure|holds the estimate"),
        "half the width for exposures above 7": (
            _Z,
            "-ndtri(alpha / 2) * np.where(exposure1 > 7, 0.5, 1)",
            r"exposure1 = ([89]|\d\d|1e|7\.)",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "the sum above": ("upper = r1 - r2", "upper = r1 + r2", rf"is monotone|mirrors|{LEVEL}"),
        "no alpha below 0.01": (_Z, "-ndtri(max(alpha, 0.01) / 2)", r"alpha = (0\.00\d+|1e-\d+)"),
    },
)

_MEAN = "lower, upper = (p1 + p2 - below) / 2, (p1 + p2 + above) / 2"

BALANCED_ACCURACY_FAULTS = table(
    BALANCED_ACCURACY,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width where an n exceeds 20": (
            _Z,
            "-ndtri(alpha / 2) * np.where(np.maximum(n1, n2) > 20, 0.5, 1)",
            _BEYOND_20,
        ),
        "a half left out below": (
            _MEAN,
            "lower, upper = (p1 + p2) / 2 - below, (p1 + p2 + above) / 2",
            rf"mirrors|{LEVEL}",
        ),
        "the other side of the second sample": (
            "np.hypot(p1 - l1, p2 - l2)",
            "np.hypot(p1 - l1, u2 - p2)",
            rf"mirrors|{LEVEL}",
        ),
        "the pooled proportion": (
            _MEAN,
            "lower, upper = (x1 + x2) / (n1 + n2) - below / 2, (x1 + x2) / (n1 + n2) + above / 2",
            r"n[12] = |holds the estimate",
        ),
        "alpha = 0.2 taken for 0.1": (
            _Z,
            "-ndtri((0.1 if alpha == 0.2 else alpha) / 2)",
            r"alpha = 0\.2\b",
        ),
    },
)

FAULTS = (*NEWCOMBE_FAULTS, *RATE_DIFFERENCE_FAULTS, *BALANCED_ACCURACY_FAULTS)
