"""What `init` writes: the project's folders and settings, and the files of agents and hosts."""
