"""The journal: a database of finished tasks, from which a run goes on where it was."""
