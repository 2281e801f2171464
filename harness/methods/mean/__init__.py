"""Interval methods for the mean of repeated runs."""
