"""Interval methods for two samples."""
