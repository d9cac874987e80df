"""How the staff's pages look: every one fits a phone, and axe finds nothing, in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib import admin
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from config.demo import fill
from staff.services.roles import create_first_login, create_roles
from tests.browser.test_table_element import WCAG
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(1200)]
PASSWORD = "correct horse battery staple"


def pages() -> Iterator[str]:
    """Every list, its first object, and a confirm page of every form of a deed."""
    yield from ("/admin/", "/admin/live/", "/admin/auth/user/add/", "/admin/password_change/")
    for model, page in admin.site._registry.items():
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield base
        row = model._default_manager.first()
        assert row is not None, model
        yield f"{base}{row.pk}/change/"
        asked = {deed.form: f"{base}do/{deed.kind}/" for deed in getattr(page, "list_deeds", ())}
        for deed in getattr(page, "deeds", ()):
            asked[deed.form] = f"{base}{row.pk}/do/{deed.kind}/"
        yield from asked.values()
    yield "/admin/accounts/player/?q=%E3%81%95"


@pytest.fixture
def screen(browser: Browser, locale: str, width: int) -> Iterator[Page]:
    """A browser of this language and width; what axe does to a page is said on no console here."""
    context = browser.new_context(locale=locale, viewport={"width": width, "height": 640})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("locale", "width"), [("ja-JP", 360), ("en-GB", 1440)])
def test_every_page_fits_and_axe_finds_nothing(screen: Page, service: Service, width: int) -> None:
    create_roles()
    create_first_login()
    stored = PBKDF2PasswordHasher().encode(PASSWORD, "salt")
    User.objects.update(password=stored)
    fill(ranked_matches=2)
    faults = []
    addresses = ["/admin/login/", *pages()]
    assert len(addresses) > 50
    for address in addresses:
        screen.goto(service.url + address)
        wide = screen.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            faults.append(f"{address}: {wide} px wide")
        for each in Axe().run(screen, options=WCAG).response["violations"]:
            faults.append(
                f"{address}: {each['id']} {[node['html'][:99] for node in each['nodes']]}"
            )
        if address == "/admin/login/":
            screen.locator("#id_username").fill("admin")
            screen.locator("#id_password").fill(PASSWORD)
            screen.locator("[type=submit]").click()
            screen.wait_for_selector("#user-tools")
    assert not faults, "\n".join(faults)
