"""Interval methods for the difference of two proportions over strata."""
