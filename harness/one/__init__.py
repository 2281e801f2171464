"""One interval now: its computation, its record, and the posterior mass outside of it."""

from harness.one.result import Interval, Value, compute, tails
from harness.one.typed import interval

__all__ = ["Interval", "Value", "compute", "interval", "tails"]
