"""How data arise, and the engines, which compute how often intervals miss the truth."""
