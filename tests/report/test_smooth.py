"""Numbers that change smoothly are stored to their last bit."""

import numpy as np
import pytest

from harness.report.packing import packed, packed_smooth
from tests.report.smooth_rows import restored

X = np.linspace(0, 1, 400)
ROWS = {
    "smooth": np.stack([np.sin(3 * X), 1 / (1 + X)]),
    "jumping": np.where(X < 0.3, np.exp(X), -np.exp(-X))[np.newaxis],
    "missing": np.where(X < 0.5, np.nan, X)[np.newaxis],
    "infinite": np.where(X < 0.1, np.inf, X**2)[np.newaxis],
    "random": np.random.default_rng(1).normal(size=(3, 50)),
    "short": np.array([[0.1, 0.2]]),
    "one": np.array([[0.3], [-0.0]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_numbers_come_back_to_their_last_bit(name: str) -> None:
    found = restored(packed_smooth(ROWS[name]))
    same = found.view(np.uint64) == ROWS[name].view(np.uint64)
    assert (same | np.isnan(ROWS[name]) & np.isnan(found)).all()


def test_smooth_rows_need_far_fewer_bytes() -> None:
    usual = packed(ROWS["smooth"])["packed"]
    assert len(packed_smooth(ROWS["smooth"])["bits"]["packed"]) < 0.6 * len(usual)


def test_no_numbers_need_more_bytes_than_before() -> None:
    for rows in ROWS.values():
        assert len(packed_smooth(rows)["bits"]["packed"]) <= len(packed(rows)["packed"])
