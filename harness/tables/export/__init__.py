"""Tables of a result for papers: chosen rows and columns, as LaTeX, Markdown, CSV or HTML."""
