"""The same results as the study's tests look at."""

from tests.study.conftest import drawn, here, listed

__all__ = ["drawn", "here", "listed"]
