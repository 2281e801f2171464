"""One interval now: its computation, its record, and the posterior mass outside of it."""

from harness.one.compute import compute, default_method, method_of, tails
from harness.one.result import Interval, Value
from harness.one.typed import interval

__all__ = ["Interval", "Value", "compute", "default_method", "interval", "method_of", "tails"]
