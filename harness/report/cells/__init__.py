"""The cells of a run, chosen, filtered and sorted in its page."""
