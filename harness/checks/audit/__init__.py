"""The audit: every interval function of installed packages, checked."""
