"""The commands of the command line; only they and ``cli`` print and exit.

A command imports what it needs when it runs, since ``--help`` loads all of these files.
"""
