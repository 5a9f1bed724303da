"""Commands for people, on the same core calls as the tools."""
