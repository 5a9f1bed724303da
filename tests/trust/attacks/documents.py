"""Attacks by documents that lead out."""

from __future__ import annotations

import json

from trust.attacks.table import attack
from trust.clones import NEXT, Clone


@attack(dangerous=True)
def specs_that_lead_out(clone: Clone) -> None:
    """The folder of specs is a link to the user's documents."""
    clone.link(".chant/specs", "../../Documents")
    clone.commit()


@attack()
def an_archive_that_leads_out(clone: Clone) -> None:
    """The archive is a link to the user's documents."""
    clone.link(".chant/archive", "../../Documents")
    clone.commit()


@attack()
def a_project_that_leads_out(clone: Clone) -> None:
    """All of the project's own folder is a link to the user's documents."""
    clone.link(".chant", "../Documents/.chant")
    clone.commit()


@attack(dangerous=True)
def documents_that_lead_out(clone: Clone) -> None:
    """A spec, a plan, a ticket, tasks and a configuration are links to files of the user."""
    clone.link(f".chant/specs/{NEXT}.md", f"../../../Documents/{NEXT}.md")
    clone.link("plan.vine", "../Documents/plan.vine")
    clone.link("docs/CRs/FER-009-x.md", "../../../Documents/FER-009-x.md")
    for name in ("tasks", "spec"):
        clone.link(f"specs/060-login/{name}.md", f"../../../Documents/{name}.md")
    clone.link(".chant/config.md", "../../Documents/letter.txt")
    clone.commit()


@attack()
def a_feature_outside(clone: Clone) -> None:
    """The current feature is the folder of the user's documents."""
    clone.write(".specify/feature.json", '{"feature_directory": "../Documents"}')
    clone.commit()


@attack()
def a_feature_by_its_whole_path(clone: Clone) -> None:
    """The current feature is the folder of the user's documents, by its absolute path."""
    clone.write(".specify/feature.json", json.dumps({"feature_directory": str(clone.documents)}))
    clone.commit()


@attack()
def a_feature_behind_a_link(clone: Clone) -> None:
    """The folder of features is a link to the user's documents."""
    clone.link("specs", "../Documents")
    clone.write(".specify/feature.json", '{"feature_directory": "specs"}')
    clone.commit()


@attack(dangerous=True)
def tickets_outside(clone: Clone) -> None:
    """Tickets lie in the user's documents, says the configuration."""
    for key in ("path", "ticketsPath"):
        clone.write(".mdt-config.toml", f'[project]\nname = "Ferry"\ncode = "FER"\n{key} = "../Documents"\n')
    clone.commit()


@attack()
def tickets_by_a_whole_path(clone: Clone) -> None:
    """Tickets lie in the user's documents, by an absolute path and a link."""
    clone.write(
        ".mdt-config.toml",
        f'[project]\nname = "Ferry"\ncode = "FER"\npath = "{clone.documents}"\n'
        f'ticketsPath = "{clone.documents}"\n[project.document]\npaths = ["{clone.documents}"]\n',
    )
    clone.link("docs", "../Documents")
    clone.commit()


@attack()
def references_of_a_plan_outside(clone: Clone) -> None:
    """A plan refers to a plan among the user's documents."""
    clone.write("plan.vine", "vine 1.0.0\n---\nref [b] B (../Documents/plan.vine)\n---\n[a] A (notstarted)\n")
    clone.commit()


@attack()
def names_that_are_switches(clone: Clone) -> None:
    """Specs whose names and branches are switches of git and paths."""
    for id in ("--output=x", "-x", "..", "a@{b", "a.lock"):
        clone.project.write(id, "---\nstatus: in_progress\nbranch: --upload-pack=touch\n---\n\n# X\n")
    clone.project.spec(NEXT, status="in_progress", branch=f"--output={clone.mark}", depends_on=["../../x"])
    clone.commit()
