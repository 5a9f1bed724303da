"""Skills over the protocol: entries with the hashes of what is read."""

from __future__ import annotations

import hashlib
from typing import Any

from chant_mcp.server.skills import EXTENSION_ID
from server.pipes import Message, Pipes, initialize, modern, request

NAMES = ["chant", "work", "plan", "review", "verify"]


def _ask(pipes: Pipes, method: str, **params: Any) -> Message:
    return pipes.ask(modern(request(method, method, params)))


def test_skills_are_listed_with_digests_of_what_is_read(pipes: Pipes) -> None:
    discovered = _ask(pipes, "server/discover")["result"]
    assert discovered["capabilities"]["extensions"][EXTENSION_ID] == {"directoryRead": True}
    listed = _ask(pipes, "skills/list")["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
    assert listed["ttlMs"] > 0
    assert [skill["frontmatter"]["name"] for skill in listed["skills"]] == NAMES
    for skill in listed["skills"]:
        uri = skill["uri"]
        assert uri.split("/")[-2:] == [skill["frontmatter"]["name"], "SKILL.md"]
        [file] = skill["resources"]
        [contents] = _ask(pipes, "resources/read", uri=uri)["result"]["contents"]
        raw = contents["text"].encode()
        digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
        assert file == {"uri": uri, "digest": digest, "size": len(raw)}
        head = contents["text"].split("---\n")[1]
        assert head == "".join(f"{key}: {value}\n" for key, value in skill["frontmatter"].items())
        got = _ask(pipes, "skills/get", uri=uri)["result"]
        assert (got["resultType"], got["skill"]) == ("complete", skill)
        [child] = _ask(pipes, "resources/directory/read", uri=uri.removesuffix("/SKILL.md"))["result"][
            "resources"
        ]
        assert (child["uri"], child["mimeType"]) == (uri, "text/markdown")
    folders = _ask(pipes, "resources/directory/read", uri="skill://chant-mcp")["result"]["resources"]
    assert [(one["name"], one["mimeType"]) for one in folders] == [
        (name, "inode/directory") for name in NAMES[1:]
    ]


def test_what_is_no_skill_or_folder_is_refused(pipes: Pipes) -> None:
    for method, uri in (
        ("skills/get", "skill://chant-mcp/dance/SKILL.md"),
        ("skills/get", "vine://spec/brief"),
        ("resources/directory/read", "skill://chant-mcp/work/SKILL.md"),
        ("resources/directory/read", "skill://nothing"),
    ):
        assert _ask(pipes, method, uri=uri)["error"]["code"] == -32602
    assert _ask(pipes, "skills/list", cursor="x")["error"]["code"] == -32602


def test_an_older_host_reads_the_resource_as_before(pipes: Pipes) -> None:
    pipes.ask(initialize(1))
    listed = pipes.ask(request(2, "resources/list"))["result"]["resources"]
    skills = [one["uri"] for one in listed if one["uri"].startswith("skill:")]
    assert skills == ["skill://chant/SKILL.md"]
    read = pipes.ask(request(3, "resources/read", {"uri": skills[0]}))["result"]
    assert "chant_ready" in read["contents"][0]["text"]
    assert pipes.ask(request(4, "skills/list"))["error"]["code"] == -32601


def test_prime_is_a_prompt_and_a_resource(pipes: Pipes) -> None:
    [contents] = _ask(pipes, "resources/read", uri="chant://prime")["result"]["contents"]
    assert "Ready (" in contents["text"]
    [message] = _ask(pipes, "prompts/get", name="prime")["result"]["messages"]
    assert message["content"]["text"] == contents["text"]
