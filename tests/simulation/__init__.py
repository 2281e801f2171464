"""Simulation studies and their performance measures."""
