"""Exact unconditional limits for the difference of two proportions."""
