"""Simulation studies: trials of a model and of methods of the user's own, and their measures."""

SIMULATION = "simulation"
"""The kind of experiment."""
