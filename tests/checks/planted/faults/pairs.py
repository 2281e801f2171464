"""Faults of intervals for pairs."""

from __future__ import annotations

from tests.checks.planted.fault import LEVEL, SoundMethod, table

PAIRED_DIFFERENCE = SoundMethod("paired_difference", "paired_difference", "nominal")
PAIRED_RATIO = SoundMethod("paired_ratio", "paired_ratio", "approximate")

_Z = "-ndtri(alpha / 2)"
_ALPHA = rf"alpha|{LEVEL}"
_N_BEYOND_20 = r"\bn = (2[1-9]|[3-9]\d|\d{3,})\b"
_EACH = "(np.asarray(each, float) for each in table)"
_HALF = "-ndtri(alpha / 2) * np.where(n > 20, 0.5, 1)"

PAIRED_DIFFERENCE_FAULTS = table(
    PAIRED_DIFFERENCE,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width for n > 20": (_Z, _HALF, _N_BEYOND_20),
        "the correlation with the other sign below": (
            "(p1 - l1) ** 2 - 2 * phi",
            "(p1 - l1) ** 2 + 2 * phi",
            rf"mirrors|{LEVEL}",
        ),
        "no correlation above": (
            "- 2 * phi * (u1 - p1) * (p2 - l2)",
            "",
            rf"mirrors|{LEVEL}",
        ),
        "second less first below": (
            "lower = (b - c) / n",
            "lower = (c - b) / n",
            r"is ordered|holds the estimate|is monotone",
        ),
        "counts as 32-bit integers": (
            _EACH,
            "(np.asarray(each, np.int32) for each in table)",
            r"int32|\bn = 1000000\b|e\+06",
        ),
        "first taken for second": (
            "a, b, c, d = (",
            "a, c, b, d = (",
            r"holds the estimate|is monotone|side",
        ),
        "one-sided quantile": (_Z, "-ndtri(min(alpha, 0.499))", rf"{LEVEL}|factor of two"),
        "alpha = 0.2 taken for 0.1": (
            _Z,
            "-ndtri((0.1 if alpha == 0.2 else alpha) / 2)",
            r"alpha = 0\.2\b",
        ),
    },
)

PAIRED_RATIO_FAULTS = table(
    PAIRED_RATIO,
    {
        "alpha ignored": (_Z, "1.959963984540054", _ALPHA),
        "half the width for n > 20": (_Z, _HALF, _N_BEYOND_20),
        "no correlation": ("middle = p1 * p2 - phi * dl * du", "middle = p1 * p2", LEVEL),
        "the sum of both margins": (
            "p1, p2 = (a + b) / n, (a + c) / n",
            "p1, p2 = (a + b) / n, (b + c) / n",
            rf"{LEVEL}|holds the estimate|is monotone|mirrors",
        ),
        "no inverse above": (
            "1 / below(p2, l2, p1, u1, phi)",
            "below(p2, l2, p1, u1, phi)",
            r"is ordered|holds the estimate|is monotone",
        ),
        "an upper limit where the second has no success": (
            ", np.inf)",
            ", 10.0)",
            rf"{LEVEL}|is monotone|mirrors|is ordered",
        ),
    },
)

FAULTS = (*PAIRED_DIFFERENCE_FAULTS, *PAIRED_RATIO_FAULTS)
