"""Every interval method for a balanced accuracy. This file is the list."""

from __future__ import annotations

from harness.methods.bayes import four_criteria
from harness.methods.catalogue import category
from harness.methods.catalogue import references as by
from harness.methods.comparison.balanced_accuracy import (
    exact_union,
    mover_clopper_pearson,
    mover_wilson,
    wald,
)
from harness.methods.method import Method, by_tail

METHODS: dict[str, Method] = {
    **four_criteria("balanced_accuracy"),
    "exact_union": category.exact(
        "Union bound of Clopper-Pearson limits", by.LANGFORD, by_tail(exact_union)
    ),
    "wald": category.wald("Wald, clipped to [0, 1]", by.BRODERSEN, by_tail(wald)),
    "mover_wilson": category.mover(
        "MOVER with Wilson limits", by.ZOU_DONNER, by_tail(mover_wilson)
    ),
    "mover_clopper_pearson": category.mover(
        "MOVER with Clopper-Pearson limits", by.ZOU_DONNER, by_tail(mover_clopper_pearson)
    ),
}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "wald": {
        "has width": "of no width where each x is 0 or n",
        "is monotone": "a first success widens it by more than it moves it",
    },
    "mover_clopper_pearson": {
        "is monotone": "at alpha near 1 a one-sided limit crosses the estimate steeply"
    },
}

ALIASES: dict[str, str] = {}
