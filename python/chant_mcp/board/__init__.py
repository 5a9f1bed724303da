"""The board in the terminal: what a project holds, who works on it, and what agents ask."""
