"""The collected scripts: under hashed names, without comments, and still finding each other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.processes import ROOT

IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']""")
HASHED = re.compile(r"\.[0-9a-f]{12}\.(?:js|css|svg)$")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "-v0"],
        cwd=ROOT,
        env={**os.environ, "STATIC_MANIFEST": "true", "STATIC_ROOT": str(folder)},
        check=True,
    )
    return folder / "taku"


def test_every_import_leads_to_a_hashed_file(collected: Path) -> None:
    scripts = list(collected.rglob("*.js"))
    assert len(scripts) > 20
    for script in scripts:
        text = script.read_text()
        assert text.strip(), script
        for target in IMPORT.findall(text):
            found = (script.parent / target).resolve()
            assert found.is_file(), f"{script.name}: {target}"
            assert HASHED.search(found.name), f"{script.name}: {target}"


def test_comments_stay_at_home(collected: Path) -> None:
    for file in (*collected.rglob("*.js"), *collected.rglob("*.css")):
        assert file.stat().st_size > 0
        assert not re.search(r"^\s*(?:/\*|//)", file.read_text(), re.MULTILINE), file


def test_scripts_and_styles_are_compressed(collected: Path) -> None:
    for file in (*collected.rglob("*.js"), *collected.rglob("*.css")):
        if file.stat().st_size > 1000:
            assert file.with_name(file.name + ".gz").is_file(), file
