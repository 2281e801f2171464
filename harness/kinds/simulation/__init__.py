"""Simulation studies, with a model and methods of the user."""
