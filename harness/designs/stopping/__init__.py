"""Trials of one sample that are looked at while they are made, and may stop."""
