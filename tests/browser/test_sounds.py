"""Sounds: none unless wanted, none before a press, and then really something to hear."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import play
from tests.browser.conftest import Watched
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

LISTEN = """
globalThis.started = [];
globalThis.contexts = 0;
globalThis.ear = null;
globalThis.loudness = () => {
  const wave = new Float32Array(ear.fftSize);
  ear.getFloatTimeDomainData(wave);
  return wave.reduce((loudest, one) => Math.max(loudest, Math.abs(one)), 0);
};
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (to, ...rest) {
  if (to instanceof AudioDestinationNode) {
    contexts += 1;
    ear = new AnalyserNode(this.context, { fftSize: 32768 });
    connect.call(this, ear);
  }
  return connect.call(this, to, ...rest);
};
for (const type of [OscillatorNode, AudioBufferSourceNode]) {
  const start = type.prototype.start;
  type.prototype.start = function (...when) {
    started.push(this.frequency ? Math.round(this.frequency.value) : "card");
    return start.apply(this, when);
  };
}
"""
TURN, HURRY, RESULTS = 587, 740, {523, 440}


def fetched(page: Page) -> bool:
    """Whether the module of sounds has come over the line."""
    return page.evaluate(  # type: ignore[no-any-return]
        "performance.getEntriesByType('resource').some(({name}) => name.includes('sounds'))"
    )


def turn_up(page: Page, service: Service) -> None:
    """The volume to 60, by keyboard, as the settings offer it."""
    page.goto(service.url + "/settings/")
    slider = page.get_by_label(re.compile("^音量"))
    expect(slider).to_have_attribute("aria-valuetext", "なし")
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "60%")
    expect(page.locator(".saved")).to_have_text("保存しました。")


@pytest.fixture
def listener(browser: Browser, watched: Watched) -> Iterator[Page]:
    """Somebody else, who listens too."""
    context = browser.new_context(viewport={"width": 360, "height": 640}, locale="ja-JP")
    context.add_init_script(LISTEN)
    context.on("page", watched.watch)
    yield context.new_page()
    context.close()


def test_nothing_is_to_be_heard_unless_somebody_wants_it(
    page: Page, context: BrowserContext, service: Service
) -> None:
    context.add_init_script(LISTEN)
    play.start_alone(page, service.url)
    for _ in range(8):
        play.decide_once(page)
    assert page.evaluate("[contexts, started.length]") == [0, 0]
    assert not fetched(page)


def test_cards_and_result_are_heard_after_turning_the_volume_up(
    page: Page, context: BrowserContext, service: Service
) -> None:
    context.add_init_script(LISTEN)
    turn_up(page, service)
    page.wait_for_function("(turn) => started.includes(turn)", arg=TURN)
    page.wait_for_function("() => loudness() > 0.01")
    play.start_alone(page, service.url)
    assert page.evaluate("started") == []
    page.locator(".bar h1").click()
    while play.version(page).split(",")[1] == "第1ラウンド / 10":
        play.decide_once(page)
    page.wait_for_function("(tones) => started.some((one) => tones.includes(one))", arg=[*RESULTS])
    page.wait_for_function("() => loudness() > 0.01")
    assert page.evaluate("started.filter((one) => one === 'card').length") >= 4
    assert TURN not in page.evaluate("started")  # alone it is always one's turn


def test_own_turn_and_its_last_seconds_are_heard_among_several(
    page: Page, service: Service, listener: Page
) -> None:
    turn_up(listener, service)
    page.goto(service.url + "/")
    page.get_by_role("button", name="パーティーを作る").click()
    page.wait_for_url("**/p/*/")
    clock = page.get_by_label("手番の制限時間", exact=True)
    clock.select_option("60秒")
    listener.goto(page.get_by_label("参加リンク").input_value())
    listener.get_by_role("button", name="参加する").click()
    listener.get_by_role("button", name="準備OK", exact=True).click()
    page.get_by_role("button", name="試合を始める").click()
    for one in (page, listener):
        one.wait_for_url("**/m/*/")
        one.wait_for_selector("html[data-ready]")
    listener.locator(".bar h1").click()
    play.bet_button(page).click()
    # The clock of a turn runs ten times as fast here, so that its last seconds come at once.
    listener.wait_for_function(
        "(tones) => tones.every((one) => started.includes(one))", arg=[TURN, HURRY]
    )
    listener.wait_for_function("() => loudness() > 0.01")


def test_every_sound_sounds_and_none_before_a_press(page: Page, stage_url: str) -> None:
    page.add_init_script(LISTEN)
    page.goto(stage_url)
    sounding = """(async (name) => {
      const { play } = await import("/static/taku/js/sounds.js");
      started.length = 0;
      play(name, 50);
      return [contexts, started.length];
    })"""
    # Playwright's own way to evaluate counts as a press.
    untouched = page.context.new_cdp_session(page).send(
        "Runtime.evaluate",
        {"expression": f"{sounding}('win')", "awaitPromise": True, "returnByValue": True},
    )
    assert untouched["result"]["value"] == [0, 0]
    page.locator(".bar h1").click()
    for name in ("deal", "flip", "turn", "hurry", "win", "draw", "lose"):
        contexts, sources = page.evaluate(sounding, name)
        assert contexts == 1
        assert sources > 0, name
    page.wait_for_function("() => loudness() > 0.01")
