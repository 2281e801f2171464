"""Interval methods for a proportion whose cases come in clusters."""
