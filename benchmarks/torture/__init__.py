"""Torture: functions, signals, disks and files that misbehave while the harness runs.

``python -m benchmarks.torture`` tries them for ten minutes, and prints how many were tried and how
many survived; every failure can be repeated alone. ``test_torture.py`` runs a few of each kind.
"""
