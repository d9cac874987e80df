"""`.env.example` names every variable that the settings read, and no other."""

import ast
import re

from config.processes import ROOT


def test_env_example_lists_what_settings_read() -> None:
    calls = [
        node
        for node in ast.walk(ast.parse((ROOT / "config" / "settings.py").read_text()))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    ]
    reading = re.compile(r"env\.\w+|_seconds|_whole")
    read = {call.args[0].value for call in calls if reading.fullmatch(ast.unparse(call.func))}
    listed = re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M)
    assert sorted(listed) == sorted(read)
