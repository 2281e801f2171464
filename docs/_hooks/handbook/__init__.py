"""The pages of the site that are generated, and the links between pages and the repository."""
