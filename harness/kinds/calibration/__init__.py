"""Calibration: whether events happen as often as their computed probability says."""
