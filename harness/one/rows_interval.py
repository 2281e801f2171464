"""Intervals of the rows of a file or a data frame, as one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from harness.base.arguments import names_arguments
from harness.base.errors import InputError, IntervalNotFoundError, did_you_mean
from harness.catalogue import with_settings
from harness.distributions.truths import Prior
from harness.families.samples import POPULATION
from harness.one.file_question import FileQuestion, sources, texts
from harness.one.file_rows import rows_of_file
from harness.one.result import Interval
from harness.one.rows import IntervalSetting, located, row_lists, validate_rows

_LISTS = ("correct", "by", "key", "where", "score")
_SINGLE = ("cluster", "missing", "truth", "positive", "decimal")


@names_arguments
def interval_of_rows(
    name: str,
    method: str | None,
    rows: Any,
    given: Mapping[str, Any],
    *,
    alpha: Any,
    side: str,
    prior: Prior | None,
    seed: int | None,
) -> Interval:
    """Compute the intervals of rows as ``interval`` does.

    Args:
        name: of the family.
        method: a name of the catalogue; None for the default.
        rows: a data frame, a mapping of columns, or the path of a file, or a list of these.
        given: what names columns, by the options of the command ``interval``; and settings.
        alpha, side, prior, seed: as for ``interval``.

    Raises:
        InputError: as of ``interval``; or rows cannot be read, or lack a number.
    """
    settings = dict(given)
    family = with_settings(name, settings)
    lists: dict[str, Any] = {k: texts(settings.pop(k, ())) for k in _LISTS}
    single: dict[str, Any] = {k: settings.pop(k) for k in _SINGLE if k in settings}
    options = (*family.options, POPULATION)
    if unknown := next((option for option in settings if option not in options), ""):
        hint = did_you_mean(unknown, (*options, *_LISTS, *_SINGLE))
        raise InputError(f"unknown beside rows: {unknown}{hint}")
    if np.ndim(alpha):
        raise InputError("alpha should be a number beside rows, found an array")
    asked = FileQuestion(
        sources("rows", rows),
        {name: str(column) for name, column in settings.items()},
        **lists,
        **single,
    )
    answer = rows_of_file(family, asked, lambda _, v: int(v) if v.is_integer() else v)
    data_rows = answer.rows
    if lacking := next((row for row in data_rows if row.missing), None):
        raise InputError(f"{lacking.place}: no number for {' or '.join(lacking.missing)}")
    validate_rows(family, data_rows)
    setting, every = IntervalSetting(family, alpha, side, prior, seed), []
    together = [[row] for row in data_rows] if row_lists(family, data_rows[0].data) else [data_rows]
    for part in together:
        try:
            every.append(setting.interval(method, part))
        except (InputError, IntervalNotFoundError) as fault:
            where = part[0].place if len(part) == 1 else ""
            raise type(fault)(located(where, str(fault), ())) from None
    first = every[0]
    estimate, lower, upper = (
        np.ravel([getattr(interval, name) for interval in every])
        for name in ("estimate", "lower", "upper")
    )
    named = {*first.data, *asked.columns.values()}
    beside = [{k: v for k, v in row.shown.items() if k not in named} for row in data_rows]
    groups = {k: [record.get(k) for record in beside] for k in beside[0]}
    remarks = dict.fromkeys(remark for interval in every for remark in interval.remarks)
    of_file = answer.remarks_on((upper - lower).tolist(), float(alpha), side)
    whole = replace(first, groups=groups, remarks=(*of_file, *remarks))
    if len(data_rows) == 1 and not data_rows[0].place:
        return whole
    # Lists of several groups differ in length, and are no data of one array.
    one = len(every) == 1
    data_of_all = {k: np.atleast_1d(values) for k, values in first.data.items()} if one else {}
    return replace(whole, estimate=estimate, lower=lower, upper=upper, data=data_of_all)
