"""Results as JSON-ready values: one function per type, shared by every front end.

Member names and values are the reference client's (cli.md). Members of our
own are added only where they say what the reference client does not know.
"""
