"""Measurements of the speed and memory that the project promises; see README.md."""
