"""Runs of agents under torture: everything dies at random moments, then nothing may be lost."""
