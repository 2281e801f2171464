"""A method against another one or a baseline, and Monte Carlo against exact numbers."""
