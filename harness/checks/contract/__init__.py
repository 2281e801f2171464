"""The contract of a method, checked by exact numbers or by trials."""
