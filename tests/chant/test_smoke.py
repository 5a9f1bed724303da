import pytest
pytestmark = pytest.mark.anyio
async def test_list(call):
    call.project.spec("2026-01-22-001-x7m")
    assert (await call.data("chant_spec_list"))["total"] == 1
