"""Issues of a forge: brought in as specs that wait for a person, and told how far these are."""
