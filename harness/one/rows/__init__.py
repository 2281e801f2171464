"""Intervals of many rows of data, from options or a CSV file, by one method or several."""
