"""The commands of the command line, one in each file; only they and ``cli`` print and pick paths.

What a command needs is imported when it runs: all of these files are loaded for every ``--help``.
"""
