"""The page for teaching: coverage, outcomes and drawn intervals of one config."""
