"""The results that the tests of the study read."""

from tests.study.conftest import drawn, here, listed

__all__ = ["drawn", "here", "listed"]
