"""Coverage and sizes before data are collected."""
