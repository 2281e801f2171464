"""Checks of a method of a proportion where trials end by a stopping rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.base.errors import InputError
from harness.catalogue import with_settings
from harness.designs.stopping.family import rule_of
from harness.families.family import STOPPING, Family

_ALPHAS = (0.05,)


def under_rule(family: str, given: Mapping[str, Any]) -> tuple[Family, dict[str, Any]]:
    """Return the family with the rule, and the options of a check at the most trials of it alone.

    Args:
        family: the name of the family.
        given: the arguments of ``check`` by name.

    Raises:
        InputError: another family, no rule, or neither sizes nor the most trials.
    """
    alphas = given["alphas"] or _ALPHAS
    known = with_settings(family, {STOPPING: given[STOPPING], "alpha": alphas})
    most = rule_of(known).most
    sizes = given["sizes"] or (None if most is None else [most])
    if given["grid"] is not None or given["config"] is not None or sizes is None:
        raise InputError(
            "a check with stopping takes its sizes from sizes, or from most of the rule, and no "
            "grid or config"
        )
    at = {"n": [*sizes], "alpha": [*alphas]}
    return known, {**given, "grid": at, "sizes": None, "alphas": None}
