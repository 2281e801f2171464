"""What can be checked, and the names it goes by."""
