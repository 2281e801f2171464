"""Interval methods for one Poisson rate."""
