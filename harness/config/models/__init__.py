"""The keys of a config as pydantic models, whose validators yield the objects of the domain."""
