import sys, json
from pathlib import Path
import pytest
from work import caller
from work.kit import *
from writing import git

def test_it(shop):
    shop.configure(f"agents:\n  caller:\n    command: {caller.agent()}\n", provider="caller")
    shop.spec(ID, criteria=["Works"])
    shop.spec(OTHER)
    (shop.root/"plan.vine").write_text("vine 1.0.0\n---\n")
    shop.commit()
    caller.plan(
        {"tool":"chant_spec_get","arguments":{"id":ID}},
        {"tools":1},
        {"tool":"chant_spec_update","arguments":{"id":ID,"check":["Works"]}},
        {"tool":"chant_spec_update","arguments":{"id":OTHER,"output":"hm"}},
        {"tool":"chant_spec_update","arguments":{"id":OTHER,"status":"completed"}},
        {"tool":"chant_add","arguments":{"description":"More to do"}},
        {"tool":"chant_finalize","arguments":{"id":OTHER}},
        {"tool":"chant_status", "on":"second"},
        {"do":"git add -A && git commit -qm work && git status --short; cat $CHANT_MCP_CONFIG; ls $CHANT_WORKTREE.connect"},
        {"do":"ps axf | tail -30"},
        {"end":1,"on":"second"},
    )
    h = shop.handle()
    try:
        r = json.loads(h.work_start(ID).text)
    finally: pass
    rec = shop.ended(ID)
    print(rec["end_state"], rec.get("reason"), rec)
    for a in caller.answers(): print("----", a)
    print(list(shop.root.glob(".chant/specs/*")), [p.read_text() for p in shop.root.glob(".chant/specs/*")])
    print(list(Path(rec["worktree"]).parent.glob("*")) )
    assert 0
