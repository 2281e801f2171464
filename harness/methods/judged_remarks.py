"""What to know of a judge's data that contradict what is known of its errors."""

from __future__ import annotations

from harness.families.family import Data
from harness.methods.judged import CONTRADICTION_TAIL, contradicts_labels
from harness.methods.method import TWO_SIDED, Method

_SAYS = (
    "the judge says yes to fewer cases than its false positives alone would be, or to more than "
    "its sensitivity allows"
)
_CONTRADICTS = f"the data contradict the labels: {_SAYS}; cases and labels are hardly alike"
_HAS_POSTERIOR = ", and the limits are those of the posterior"
_OTHER_METHOD = "; lang_reiczigel_modified has the limits of the posterior"


def remark_on_labels(name: str, data: Data, alpha: float, side: str) -> str:
    """Return what to know of the limits of one method with labels; empty where it is nothing.

    Args:
        name: of the method.
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        alpha, side: of the limits.
    """
    is_likelihood = name == "profile_likelihood"
    tail = CONTRADICTION_TAIL if is_likelihood else alpha / 2 if side == TWO_SIDED else alpha
    if contradicts_labels(data, tail).any():
        if name == "posterior":
            return _CONTRADICTS
        has_posterior = is_likelihood or name == "lang_reiczigel_modified"
        return _CONTRADICTS + (_HAS_POSTERIOR if has_posterior else _OTHER_METHOD)
    _, _, positives_right, positives, negatives_right, negatives = data
    without_error = (positives_right == positives) & (negatives_right == negatives)
    if not is_likelihood or not without_error.any():
        return ""
    return (
        "the judge is right on all labels: if its error rates are near 0, profile_likelihood "
        "misses more often than alpha (14 % at 20 cases, 20 labels of each kind and a share of "
        "0.905, exact, for 5 %); lang_reiczigel_modified does not, and is 17 % longer there"
    )


def remark_on_known_rates(
    method: Method, se: float, sp: float, data: Data, alpha: float, side: str
) -> str:
    """Return what to know where both limits are at one end, as the error rates allow no others.

    Args:
        method: of a proportion, for the limits of the judge's share of yes.
        se, sp: the sensitivity and the specificity.
        data: x and n, shape (m,) each.
        alpha, side: of the limits.
    """
    lower, upper = method.limits(data, alpha, side)
    if not ((upper < 1.0 - sp) | (lower > se)).any():
        return ""
    return (
        f"the data contradict the error rates: {_SAYS}; cases are hardly like those that the rates "
        "are known of, and both limits are at an end of the range"
    )
