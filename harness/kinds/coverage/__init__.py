"""Coverage: how often intervals miss."""
