"""What agents read: the server's instructions and one text per tool.

Each text says first what the tool does, then when to call it, when not and
what instead, what is written and whether a repeat is safe, what a refusal
looks like, and how the answer is read (mcp.md T-3). A snapshot test shows
every change.
"""
