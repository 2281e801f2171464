"""One interval now: its computation, its record, and the posterior mass outside of it."""

from harness.intervals.compute import compute, default_method, method_of, tails
from harness.intervals.result import Interval, Value
from harness.intervals.typed import interval

__all__ = ["Interval", "Value", "compute", "default_method", "interval", "method_of", "tails"]
