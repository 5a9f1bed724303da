"""What tests of the environment share: a project with one recipe, and an agent with a script."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from work.kit import ID, OTHER, Record, Workshop, worktree_root

RECIPE = """\
environment:
  recipes:
    deps:
      inputs: [deps.txt]
      steps: [[sh, {step}]]
      outputs: [node_modules]
      tools: [[sh, -c, 'echo tool 1']]
"""

STEP = """\
echo built >> "{marks}"
test -e done.txt && exit 9
mkdir -p node_modules/.bin
cp deps.txt node_modules/list.txt
printf '#!%s/node_modules/interpreter\\n' "$PWD" > node_modules/.bin/tool
chmod +x node_modules/.bin/tool
ln -s list.txt node_modules/link.txt
ln node_modules/list.txt node_modules/second.txt
"""


class Recipes:
    """A project with one recipe, whose builds are counted, and an agent with a script."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.beside = shop.root.parent
        self.marks = self.beside / "private" / "marks"
        self.step = self.beside / "step.sh"
        self.agent = self.beside / "agent.sh"
        self.marks.parent.mkdir()

    def begin(self, *, more: str = "", check: str = "grep -q one node_modules/list.txt") -> None:
        """Write and commit everything."""
        self.step.write_text(STEP.format(marks=self.marks), encoding="utf-8")
        recipe = RECIPE.format(step=self.step)
        agents = f"agents:\n  script:\n    command: [sh, {self.agent}]\n"
        checks = f"checks:\n  deps: [sh, -c, {json.dumps(check)}]\n"
        self.shop.configure(agents + checks + recipe + more, provider="script")
        (self.shop.root / "deps.txt").write_text("one\n", encoding="utf-8")
        (self.shop.root / ".gitignore").write_text("node_modules/\n", encoding="utf-8")
        for id in (ID, OTHER):
            self.shop.spec(id, criteria=["Works <!-- check: deps -->"])
        self.shop.commit()

    def run(self, script: str, id: str = ID, *, bare: bool = False) -> Record:
        """Let the agent do something, commit and tick."""
        self.script(script)
        self.shop.handle().work_start(id, bare=bare)
        return self.shop.ended(id)

    def script(self, script: str) -> None:
        """Write what the agent does; it commits and ticks at the end."""
        tick = 'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; echo x > "$CHANT_SPEC_ID.txt"'
        end = f"{tick}; git add -A; git commit -qm Work"
        self.agent.write_text(f"set -e\n{script}\n{end}\n", encoding="utf-8")

    def layers(self) -> list[Path]:
        """Find the sealed layers."""
        return sorted(path.parent for path in worktree_root().glob("*/.layers/*/layer.json"))


#: Steps that make so many files that they are mounted.
LARGE = """\
mkdir -p node_modules/.bin node_modules/lib/old
i=0; while [ $i -lt 2100 ]; do echo $i > node_modules/lib/$i.txt; i=$((i+1)); done
cp deps.txt node_modules/list.txt
echo old > node_modules/lib/old/file
printf '#!%s/node_modules/interpreter\\n' "$PWD" > node_modules/.bin/tool
ln -s "$PWD/node_modules/list.txt" node_modules/absolute
"""


def has_namespaces() -> bool:
    """Say whether a user may enter namespaces here and mount in them."""
    tried = ["unshare", "--user", "--map-root-user", "--mount", "true"]
    return shutil.which("unshare") is not None and subprocess.run(tried, check=False).returncode == 0


mounts = pytest.mark.skipif(not has_namespaces(), reason="this system mounts nothing for a user")
