"""Rounds of recorded tasks, and the folder of what they made; it knows no kind of experiment."""
