"""Faults planted in sound methods, and sound methods as they are written elsewhere.

``methods/`` holds the sound methods that faults are planted in, ``faults.yaml`` the faults, and
``sound.py`` the sound methods that a check should not accuse. The rates of detection and of false
alarms are measured by ``python -m benchmarks.detection``.
"""
