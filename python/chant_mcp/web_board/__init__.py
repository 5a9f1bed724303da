"""The board in the browser: one page, which is also an MCP App, and what only a person may do from it."""
