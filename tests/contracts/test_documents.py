"""The documents say what is so: clauses, links, headings, commands."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from django.urls import resolve

from api.endpoints import NowhereEndpoint
from config.processes import ROOT
from tables.blackjack.actions import Action, ActionName
from tables.blackjack.engine import apply, start_scripted
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.shoe import no_seed
from tests.conftest import Service

DOCS = ROOT / "docs"
_FOLDERS = ("accounts", "api", "config", "deploy", "docs", "ratings", "tables", "tests", ".ci")
_WRITTEN = {".py", ".js", ".css", ".html", ".md", ".sh", ".toml", ".yaml", ".yml", ".example", ""}

FILES = sorted(
    path
    for folder in _FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix in _WRITTEN and "__pycache__" not in path.parts
) + sorted(path for path in ROOT.glob("*") if path.is_file() and path.suffix in _WRITTEN)
PAGES = [path for path in FILES if path.suffix == ".md"]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(page: str) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S)


def headings(path: Path) -> list[tuple[int, str]]:
    found = re.findall(r"^(#+) (.+)$", prose(path.read_text()), re.M)
    return [(len(marks), text) for marks, text in found]


# Citations

_CLAUSE = r"RT?\d+(?:\.\d+)?"
_CITED = re.compile(
    rf"(?P<page>[\w./-]*\w\.md)`?"
    rf"(?P<clauses>(?:[\s,#*]*(?:and |to )?`?(?:{_CLAUSE}|\d+\b)`?)+)?"
    rf"(?:, (?P<topic>`?\w[^).;:,\n]*))?"
)
_BARE = re.compile(r"(?<![\w./-])RT?\d{1,2}\.\d{1,2}(?![\w.]*\d)")


def clauses_of(page: str) -> set[str]:
    """Every number under which a page says something: `R8` and `R8.4`, or `2`."""
    text = (DOCS / page).read_text()
    return set(re.findall(rf"^(?:#+|-) \**({_CLAUSE}|\d+(?=\. ))", text, re.M))


CLAUSES = {page: clauses_of(page) for page in ("rules.md", "ratings.md", "matchmaking.md")}


def topics_of_api() -> str:
    """The headings, bold words and paths of api.md, one a line, in small letters."""
    text = (DOCS / "api.md").read_text()
    bold = re.findall(r"\*\*(.+?)\*\*", text)
    cells = re.findall(r"^\| (`.+?) \|", text, re.M)
    return "\n".join([*(title for _, title in headings(DOCS / "api.md")), *bold, *cells]).lower()


API = topics_of_api()


def exists(page: str, beside: Path) -> bool:
    return any((folder / page).is_file() for folder in (ROOT, DOCS, beside.parent))


def wrong_citations(path: Path, text: str) -> list[str]:
    wrong = []
    for cited in _CITED.finditer(text):
        page = cited["page"]
        if not exists(page, path):
            wrong.append(f"{name(path)} cites {page}, which is not here")
        known = CLAUSES.get(Path(page).name, set())
        for clause in re.findall(rf"{_CLAUSE}|\d+", cited["clauses"] or "" if known else ""):
            if clause not in known:
                wrong.append(f"{name(path)} cites {page} {clause}")
        if Path(page).name == "api.md" and cited["topic"] and path.suffix == ".py":
            topic = re.split(r" and ", cited["topic"].strip("` ").lower())[0]
            if topic not in API:
                wrong.append(f"{name(path)} cites {page}, {topic}")
    everything = CLAUSES["rules.md"] | CLAUSES["ratings.md"]
    wrong += [
        f"{name(path)} cites {bare[0]}"
        for bare in _BARE.finditer(text)
        if bare[0] not in everything
    ]
    return wrong


def test_every_cited_clause_is_in_our_documents() -> None:
    wrong = [
        fault
        for path in FILES
        if path != Path(__file__)
        for fault in wrong_citations(path, path.read_text(errors="replace"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "(rules.md R13)",
        "(`rules.md R8.4`, R8.9)",
        "rules.md R9.2 to R9.8",
        "(ratings.md RT2.6, RT9.1)",
        "matchmaking.md 1, 8",
        "(R7.9)",
        "(api.md, Weather)",
        "(nowhere.md)",
    ],
)
def test_a_wrong_citation_is_noticed(text: str) -> None:
    assert wrong_citations(ROOT / "tables" / "example.py", text)


def test_no_clause_number_is_given_twice() -> None:
    for page in CLAUSES:
        text = (DOCS / page).read_text()
        numbers = Counter(re.findall(rf"^- \*\*({_CLAUSE})\*\*", text, re.M))
        assert [clause for clause, times in numbers.items() if times > 1] == []


def test_every_fault_that_a_test_names_is_listed() -> None:
    listed = set(re.findall(r"^- \*\*([A-Z]{2}-\d\d)\*\*", (DOCS / "faults.md").read_text(), re.M))
    areas = "|".join(sorted({fault[:2] for fault in listed}))
    for path in (ROOT / "tests").rglob("*.py"):
        found = re.findall(rf"(?i)(?<![a-z])({areas})[-_](\d\d)(?!\d)", path.read_text())
        named = {f"{area.upper()}-{number}" for area, number in found}
        assert named <= listed, name(path)


@pytest.mark.parametrize("area", ["CK", "RT"])
def test_every_fault_of_these_areas_has_a_test(area: str) -> None:
    listed = set(re.findall(rf"^- \*\*({area}-\d\d)\*\*", (DOCS / "faults.md").read_text(), re.M))
    named = {
        fault
        for path in (ROOT / "tests").rglob("*.py")
        for fault in re.findall(rf"(?<![A-Z]){area}-\d\d(?!\d)", path.read_text())
    }
    assert listed
    assert listed - named == set()


# Links


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for _, title in headings(path)}


@pytest.mark.parametrize("document", PAGES, ids=name)
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(document.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        there = (document.parent / target).resolve() if target else document
        assert there.exists(), link
        assert there.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(there), link


def test_every_page_of_docs_can_be_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    linked = set(re.findall(r"\]\(docs/([\w.-]+\.md)\)", readme))
    assert {page.name for page in DOCS.glob("*.md")} <= linked


def test_every_decision_has_a_number_of_its_own_and_a_status() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    numbers = [page.name[:4] for page in pages]
    assert len(set(numbers)) == len(numbers)
    for page in pages:
        assert int(page.name[:4]) == int(headings(page)[0][1].split(".")[0].split(":")[0])
        assert re.search(r"(\*\*)?Status(\.\*\*|:) [Aa]ccepted", page.read_text()), page.name


# The README in two languages

READMES = (ROOT / "README.md", ROOT / "README.ja.md")


def test_both_readmes_have_the_same_parts() -> None:
    english, japanese = READMES
    assert [depth for depth, _ in headings(english)] == [depth for depth, _ in headings(japanese)]
    fences = [re.findall(r"^```(?:bash|mermaid|json)\n.*?^```$", page.read_text(), re.M | re.S)
              for page in READMES]  # fmt: skip
    bash = [[fence for fence in found if fence.startswith("```bash")] for found in fences]
    assert bash[0] == bash[1]
    links = [re.findall(r"\]\(((?!README)[^)]+)\)", page.read_text()) for page in READMES]
    assert sorted(links[0]) == sorted(links[1])


def part(path: Path, title: str) -> str:
    """What is below a heading, up to the next one of its depth."""
    found = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", path.read_text(), re.M | re.S)
    assert found, title
    return found[1]


@pytest.mark.django_db(transaction=True)
def test_the_first_match_of_the_readme_can_be_played(service: Service) -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```$", part(READMES[0], "A first match with curl"),
                        re.M | re.S)  # fmt: skip
    script = "\n".join(blocks).replace("http://127.0.0.1:8000", service.url)
    assert service.url in script
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    result, seeds = done.stdout.strip().splitlines()[-2:]
    assert re.search(r"'seat': 1, 'place': 1, 'outcome': '(win|draw|lose)'", result), done.stdout
    assert re.search(r"sha256:[0-9a-f]{64} [0-9a-f]{64}", seeds), done.stdout


# The interface that is served


def rows_of_api() -> list[tuple[str, bool]]:
    """Each method and path of the table in api.md, and whether it is marked as not served yet."""
    table = re.findall(r"^\| (`.+?) \|", (DOCS / "api.md").read_text(), re.M)
    return [
        (entry, bool(mark))
        for cell in table
        for entry, mark in re.findall(r"`([A-Z, ]+ [a-z][^`]*)`( †)?", cell)
    ]


def methods_served(path: str) -> set[str]:
    example = path.partition("?")[0]
    for placeholder, value in {
        "{id}": "0195c3a0-0000-7000-8000-000000000000",
        "{player}": "0195c3a0-0000-7000-8000-000000000000",
        "{code}": "ABCDEF",
    }.items():
        example = example.replace(placeholder, value)
    view = resolve(f"/api/v1/{example}").func
    kind = getattr(view, "cls", None)
    if kind is None or issubclass(kind, NowhereEndpoint):
        return set()
    return {method.upper() for method in kind.http_method_names if hasattr(kind, method)}


def test_the_table_of_the_interface_is_read() -> None:
    entries = [entry for entry, _ in rows_of_api()]
    assert "POST players/" in entries
    assert "POST matches/{id}/actions/" in entries
    assert len(entries) > 50


@pytest.mark.parametrize(("entry", "marked"), rows_of_api())
def test_what_is_served_and_what_is_not_yet_is_said(entry: str, marked: bool) -> None:
    methods, path = entry.rsplit(" ", 1)
    served = set(methods.split(", ")) <= methods_served(path)
    assert served or marked, "docs/api.md promises this: mark it with †, or serve it"
    assert not (served and marked), "this is served now: take its † in docs/api.md away"


def test_the_round_in_the_socket_guide_is_one_that_is_played() -> None:
    told = re.search(r"^```\n(→.*?)^```$", (DOCS / "websocket.md").read_text(), re.M | re.S)
    assert told
    types = re.findall(r'"type": "(\w+)"', told[1])
    step = start_scripted(Ruleset(), 1, ("8H", "TC", "9D", "7S"))
    expected = []
    for action in (Action(1, ActionName.BET, 50), Action(1, ActionName.STAND)):
        step = apply(step.state, action, no_seed)
        happened = [str(event.__struct_config__.tag) for event in step.events]
        expected += ["action", "events", *happened, "turn_started", "ack"]
    assert types == expected
