"""A release beside its wheels: entries of registries, and a bundle for desktop hosts."""
