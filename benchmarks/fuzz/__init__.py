"""Fuzzing of the command line: changed configs, random command lines, damaged folders of results.

``python -m benchmarks.fuzz`` runs all of it and prints what it found with the seed of each finding;
``test_fuzz.py`` runs a small part in every run of the tests.
"""
