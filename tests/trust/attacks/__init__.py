"""Attacks: each turns a clone into a hostile one, as the author of a repository or of an archive can.

What a program of the user does with such a clone has to leave the world as it was (`test_attacks.py`).
"""

from trust.attacks import configuration, documents, misplaced_trust, records, repository, state
from trust.attacks.table import ATTACKS, Attack

__all__ = [
    "ATTACKS",
    "Attack",
    "configuration",
    "documents",
    "misplaced_trust",
    "records",
    "repository",
    "state",
]
