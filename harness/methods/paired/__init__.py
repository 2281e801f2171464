"""Interval methods for two proportions of the same cases."""
