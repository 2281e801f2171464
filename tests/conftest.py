"""Settings of every test: hypothesis draws the same examples each time and has no deadline."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
