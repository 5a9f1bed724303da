"""Texts that models read before they use the tools (seed vine, resources)."""

from __future__ import annotations

from mcp.server.mcpserver.resources import TextResource

from chant_mcp.resources import text


def resources() -> list[TextResource]:
    """Give all texts; the scheme of a text's URI says which toolset it belongs to."""
    return [
        TextResource(
            uri="vine://spec/brief",
            name="vine-spec-brief",
            title="VINE Specification (Brief)",
            description="The .vine format, how to work through one, and the tools. Read this first.",
            mime_type="text/markdown",
            text=text("vine/brief.md"),
        ),
        TextResource(
            uri="vine://spec/full",
            name="vine-spec-full",
            title="VINE Specification (Full)",
            description="The whole .vine format: grammar, rules, expansion, writing, all operations.",
            mime_type="text/markdown",
            text=text("vine/full.md"),
        ),
        TextResource(
            uri="skill://chant/SKILL.md",
            name="chant-skill",
            title="Working with chant specs (skill)",
            description="How to pick up, carry out and complete work that is kept as specs.",
            mime_type="text/markdown",
            text=text("host/SKILL.md"),
        ),
    ]
