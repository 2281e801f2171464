"""Interval methods for one proportion."""
