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


def mixture(seed: int) -> str:
    """Make a list of some sections in any order, with tasks of several forms in each."""
    chance = random.Random(seed)
    number = count(1)

    def name() -> str:
        return chance.choice(("T{:03}", "T{:03}", "T-{:03}", "**T{:03}**", "TASK-{}")).format(next(number))

    def sign() -> str:
        return chance.choice((" ", "x", "X", "~", "-"))

    def tasks() -> str:
        bullet = chance.choice(("-", "*", "+", "1."))
        made: list[str] = []
        for _ in range(chance.randint(1, 4)):
            made.append(f"{bullet} [{sign()}] {name()} [P] [US1-US3] Do it")
            made.extend(f"   {bullet} [{sign()}] part of it" for _ in range(chance.randint(0, 2)))
        return "\n".join(made)

    def headings() -> str:
        level = chance.choice(("###", "####"))
        box = chance.choice(("", f"- [{sign()}] ", f"[{sign()}] "))
        boxes = "\n".join(f"- [{sign()}] step {step}" for step in range(chance.randint(1, 3)))
        return f"{level} {box}{name()}: Do it\n\n**Files**: `src/a.py`\n\n{boxes}\n"

    def plain() -> str:
        return "\n".join(f"- [{sign()}] Do something" for _ in range(chance.randint(1, 5)))

    def odd() -> str:
        forms = (
            "- [] {}",
            "[x] {}",
            "• [ ] {}",
            "> - [ ] {}",
            "- {}: Do",
            "| {} | Do | [x] |",
            "- [✓] {} Do",
        )
        if chance.random() < 0.2:
            return chance.choice(("### [ ] Do", "#### - [x] Do"))
        return chance.choice(forms).format(name())

    def hidden() -> str:
        return chance.choice(("```text\n- [ ] T990 no\n```", "<!-- - [ ] T991 no -->", "Words only."))

    parts = ["# Tasks: something", "- [ ] T900 One that is certain"]
    for _ in range(chance.randint(3, 8)):
        parts.append(chance.choice(PHASES + SIDES))
        parts.extend(
            chance.choice((tasks, headings, plain, odd, hidden))() for _ in range(chance.randint(0, 3))
        )
    return "\n\n".join(parts) + "\n"
