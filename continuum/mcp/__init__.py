"""The agents' door: an MCP server over the services.

`main` is the console script, `serving` what needs the SDK. Everything between
a request and its answer is in `door`, which knows neither SDK nor transport.
Tools are in `tools`, one module per group; their prose is in `descriptions`.
"""
