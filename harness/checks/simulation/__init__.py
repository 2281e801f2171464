"""Checks of a method on a model of the user's own."""
