"""The page's sources without what only people need."""

from __future__ import annotations

import pytest
from chant_mcp.web_board.squeeze import squeeze_script, squeeze_style


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("// Why.\nlet a = 1;\n", "let a=1;"),
        (
            "/** Why: `a`, \"b\n * c. */\nconst b = () => {\n  // Why?\n  return a / 2 / b;\n};\n",
            "const b=()=>{return a/2/b;};",
        ),
        ('const c = "a  //  b" + `x  ${ d }  /* y */`;', 'const c="a  //  b"+`x  ${ d }  /* y */`;'),
        ('e(/[/ ] +\\/ x/g, "  ");', 'e(/[/ ] +\\/ x/g,"  ");'),
        ("const f = / a  b/.test(g) ? / c/i : [ / d  e/ ];", "const f=/ a  b/.test(g)?/ c/i:[/ d  e/];"),
        ("h + +i - -j; k ++ ; typeof l in m;", "h+ +i- -j;k++;typeof l in m;"),
        ("return [n, ...o];\nasync function p() {}\n", "return[n,...o];async function p(){}"),
    ],
)  # fmt: skip
def test_a_script_keeps_what_it_says(source: str, short: str) -> None:
    assert squeeze_script(source) == short


def test_a_style_keeps_what_it_says() -> None:
    source = """
/* Why. */
a :is(b, c) > d { margin: 0 auto; width: min(4px, 100% - 2px); }
@media (max-width: 9px) {
  e { color: red; }
}
"""
    short = "a :is(b,c)>d{margin:0 auto;width:min(4px,100% - 2px)}@media (max-width:9px){e{color:red}}"
    assert squeeze_style(source) == short
