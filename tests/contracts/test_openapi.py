"""The OpenAPI document is sound, and no input that it allows or forbids breaks the service."""

import httpx
import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, settings
from jsonschema import Draft202012Validator

from tests.rest import new_program

DOCUMENT = SchemaGenerator().get_schema(request=None, public=True)
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
PROBLEM = "application/problem+json"


def operations():
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_is_valid_and_its_operations_have_names_of_their_own():
    validate_schema(DOCUMENT)
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


def test_every_operation_may_answer_with_a_problem():
    for path, method, operation in operations():
        assert PROBLEM in operation["responses"]["default"]["content"], (method, path)


@pytest.mark.django_db(transaction=True)
@SCHEMA.parametrize()
@settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_input_breaks_the_service(case, service):
    token = httpx.post(f"{service.url}/api/v1/players/").json()["token"]
    headers = {"Authorization": f"Bearer {token}", "Accept-Language": "en"}
    for sent in ({**headers}, {"Accept-Language": "ja"}):
        answer = case.call(base_url=service.url, headers=sent)
        assert answer.status_code < 500, answer.text
        kind = str(answer.headers.get("content-type", ["application/json"]))
        assert (PROBLEM in kind) == (answer.status_code >= 400), (kind, answer.status_code)


def test_no_answer_is_just_some_object():
    """Whoever reads the document can make types of all that is answered, but for the export."""
    for path, method, operation in operations():
        for code, answer in operation["responses"].items():
            for content in answer.get("content", {}).values():
                shape = content["schema"]
                vague = shape.get("type") == "object" and not shape.get("properties")
                assert not vague or path.endswith("/players/me/export/"), (method, path, code)


@pytest.mark.django_db
@pytest.mark.usefixtures("valkey")
def test_a_view_is_as_the_document_says():
    program = new_program()
    view = program.post("matches/", {"rules": {"rounds": 1}}).json()
    match = view["id"]
    answers = {
        "MatchView": view,
        "Told": program.get(f"matches/{match}/events/").json(),
        "Fairness": program.get(f"matches/{match}/fairness/").json(),
        "Statistics": program.get(f"players/{program.id}/statistics/").json(),
    }
    for name, answer in answers.items():
        schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
        Draft202012Validator(schema).validate(answer)
        assert answer.keys() >= set(DOCUMENT["components"]["schemas"][name]["required"])
