"""A sample project, and an agent's session on it with the real server."""
