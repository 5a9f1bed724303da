"""The small project of trials: its configuration, and a spec."""

from __future__ import annotations

CONFIG = "---\nproject:\n  name: ferry\ndefaults:\n  provider: demo\n  main_branch: main\n---\n"

SPEC = """---
type: code
status: pending
target_files:
- work/{0}.txt
---

# Spec {0}

## Acceptance Criteria

- [ ] Works
"""
"""A spec by its ID; agents write `work/ID.txt`."""
