"""Task lists in many forms and mixtures, and a reader of its own that counts what looks like a task."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import count, product

BULLETS = ("-", "*", "+", "1.", "  -", "\t*", "### -", "####", "## 2)")
BOXES = ("[ ]", "[x]", "[X]", "[~]", "[-]", "［ ］", "［x］", "[]", "[✓]", "[o]", "☐", "✅", "(x)", "")
IDS = ("T{}", "T-{}", "T2-{}", "TASK-{}", "**T{}**", "**T{}:**", "[T{}]", "`T{}`", "T{}a", "~~T{}~~")
READ = ("[ ]", "[x]", "[X]", "[~]", "[-]", "［ ］", "［x］")

PHASES = (
    "## Phase 1: Setup",
    "## Phase 3: User Story 1 - Go (Priority: P1) 🎯 MVP",
    "## 3단계: 사용자 스토리 1 - 보기",
    "## 阶段 4：使用者故事 2 (优先级：P2)",
    "## フェーズ5",
    "### Backend",
)
SIDES = ("## Summary", "## Validation checklist", "## 总结", "## Progress")

_BOX = r"[\[［【(][ \t\u3000xX~✓o-]{0,3}[\]］】)]"
_LIST = re.compile(rf"^[\s>]*(?:#+\s+)?(?:[-*+•]|\d+[.)])?\s*(?:{_BOX}|[☐☑✅⬜])\s*(?P<rest>.*)$")
_ID = re.compile(r"^[*_`~\[]*(?:TASK[-_]?\d|T\d?[-_]\d|T\d\d)[\w.-]*")
_ROW = re.compile(r"^\s*\|.*\|\s*(?:\[[ xX~-]\]|☐|☑|✅|⬜)\s*(?:\||$)")


def lines() -> Iterator[tuple[str, bool]]:
    """Every bullet with every box and every ID, and whether that is a task as it stands."""
    number = count(100)
    for bullet, box, form in product(BULLETS, BOXES, IDS):
        parts = (bullet, box, form.format(next(number)), "Do it in `src/a.py`")
        yield " ".join(part for part in parts if part), box in READ


def looks_like(text: str) -> list[int]:
    """Number the lines of a list that look like tasks, outside of fences and comments."""
    found: list[int] = []
    bare: list[tuple[int, str]] = []
    boxed: set[str] = set()
    hidden = ""
    for number, line in enumerate(text.splitlines(), 1):
        if hidden:
            hidden = "" if hidden in line else hidden
            continue
        if line.startswith("```"):
            hidden = "```"
        elif line.startswith("<!--"):
            hidden = "" if "-->" in line else "-->"
        elif boxes := _LIST.match(line):
            found.append(number)
            if name := _ID.match(boxes["rest"]):
                boxed.add(name[0].strip("*_`~[").rstrip(".-").upper())
        elif _ROW.match(line):
            found.append(number)
        elif name := _ID.match(re.sub(r"^\s*(?:#+\s+|[-*+]\s+|\d+[.)]\s+)*", "", line)):
            bare.append((number, name[0].strip("*_`~[").rstrip(".-").upper()))
    return sorted(found + [number for number, name in bare if name not in boxed])


class _Maker:
    """Makes parts of lists, each task under the next number."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._numbers = count(1)

    def _name(self) -> str:
        forms = ("T{:03}", "T{:03}", "T-{:03}", "**T{:03}**", "TASK-{}")
        return self._chance.choice(forms).format(next(self._numbers))

    def _sign(self) -> str:
        return self._chance.choice((" ", "x", "X", "~", "-"))

    def _tasks(self) -> str:
        bullet = self._chance.choice(("-", "*", "+", "1."))
        made: list[str] = []
        for _ in range(self._chance.randint(1, 4)):
            made.append(f"{bullet} [{self._sign()}] {self._name()} [P] [US1-US3] Do it")
            parts = range(self._chance.randint(0, 2))
            made.extend(f"   {bullet} [{self._sign()}] part {part} of it" for part in parts)
        return "\n".join(made)

    def _headings(self) -> str:
        level = self._chance.choice(("###", "####"))
        box = self._chance.choice(("", f"- [{self._sign()}] ", f"[{self._sign()}] "))
        steps = range(self._chance.randint(1, 3))
        boxes = "\n".join(f"- [{self._sign()}] step {step}" for step in steps)
        return f"{level} {box}{self._name()}: Do it\n\n**Files**: `src/a.py`\n\n{boxes}\n"

    def _plain(self) -> str:
        lines = range(self._chance.randint(1, 5))
        return "\n".join(f"- [{self._sign()}] Do something {line}" for line in lines)

    def _odd(self) -> str:
        forms = (
            "- [] {}",
            "[x] {}",
            "• [ ] {}",
            "> - [ ] {}",
            "- {}: Do",
            "| {} | Do | [x] |",
            "- [✓] {} Do",
        )
        without_id = ("### [ ] Do", "#### - [x] Do")
        return self._chance.choice((*forms, *without_id)).format(self._name())

    def _hidden(self) -> str:
        return self._chance.choice(("```text\n- [ ] T990 no\n```", "<!-- - [ ] T991 no -->", "Words only."))

    def parts(self) -> Iterator[str]:
        """Make sections in any order, with parts of any form in each."""
        forms = (self._tasks, self._headings, self._plain, self._odd, self._hidden)
        for _ in range(self._chance.randint(3, 8)):
            yield self._chance.choice(PHASES + SIDES)
            for _ in range(self._chance.randint(0, 3)):
                yield self._chance.choice(forms)()


def mixture(seed: int) -> str:
    """Make a list of some sections in any order, with tasks of several forms in each."""
    parts = ["# Tasks: something", "- [ ] T900 One that is certain", *_Maker(seed).parts()]
    return "\n\n".join(parts) + "\n"
