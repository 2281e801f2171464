"""Experiment to results: rounds of tasks, run in parallel and merged. No statistics here."""
