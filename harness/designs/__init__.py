"""The engines, which compute how often intervals miss the truth, and what they share."""
