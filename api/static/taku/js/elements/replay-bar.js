/** The panel of a replay: what happened, where one is, and the ways forth and back. */

import { ask, define, el, enable, enabled, icon, keyed, put, say } from "../dom.js";
import { number, t } from "../i18n.js";

const SPEEDS = [0.5, 1, 2, 4];

export class ReplayBarElement extends HTMLElement {
  #said = el("div.said-now", { role: "group", tabindex: "0", "aria-label": t("replay.said") });
  #place = el("input", { id: "replay-place", type: "range", min: 0, step: 1, oninput: () => this.#go(Number(this.#place.value)) });
  #count = el("span.count");
  #round = el("select.field", { id: "replay-round", onchange: () => this.#go(Number(this.#round.value)) });
  #speed = el(
    "select.field",
    { id: "replay-speed", onchange: () => ask(this, "speed", { speed: Number(this.#speed.value) }) },
    ...SPEEDS.map((speed) => el("option", { value: speed }, t("replay.times", { n: number(speed) }))),
  );
  #play = this.#button("play", () => ask(this, "play"));
  #back = [this.#button("first", () => this.#go(0)), this.#button("back", () => this.#go(this.at - 1))];
  #forth = [this.#button("next", () => this.#go(this.at + 1)), this.#button("last", () => this.#go(this.last))];
  at = 0;
  last = 0;

  connectedCallback() {
    if (this.firstChild) return;
    this.#speed.value = "1";
    this.append(
      this.#said,
      el("div.place-line", {}, el("label.vh", { for: "replay-place" }, t("replay.place")), this.#place, this.#count),
      el("div.row.ways", { role: "group", "aria-label": t("replay.ways") }, ...this.#back, this.#play, ...this.#forth),
      el(
        "div.row.choices-line",
        {},
        el("div", {}, el("label", { for: "replay-round" }, t("replay.round")), this.#round),
        el("div", {}, el("label", { for: "replay-speed" }, t("replay.speed")), this.#speed),
      ),
    );
  }

  #button(name, act) {
    return el(
      `button.btn.${name === "play" ? "primary" : "plain"}`,
      { type: "button", "data-way": name, "aria-label": t(`replay.${name}`), onclick: (event) => enabled(event.currentTarget) && act() },
      icon(`i-${name}`),
    );
  }

  #go(at) {
    ask(this, "go", { at: Math.max(0, Math.min(this.last, at)) });
  }

  /** @param state `at` and `last` place, `round` and `starts` (places by round), `said` sentences, `playing` */
  update({ at, last, round, starts, said, playing }) {
    this.at = at;
    this.last = last;
    put(this.#place, "max", last);
    this.#place.value = at;
    put(this.#place, "aria-valuetext", t("replay.at", { n: at, of: last }));
    say(this.#count, t("replay.at", { n: at, of: last }));
    keyed(
      this.#round,
      [...starts],
      ([one]) => one,
      ([one, place]) => el("option", { value: place }, t("table.round", { n: one })),
    );
    this.#round.value = starts.get(round);
    for (const button of this.#back) enable(button, at > 0);
    for (const button of this.#forth) enable(button, at < last);
    put(this.#play, "aria-label", t(playing ? "replay.pause" : "replay.play"));
    if (this.#play.dataset.shows !== String(playing)) {
      this.#play.dataset.shows = String(playing);
      this.#play.replaceChildren(icon(playing ? "i-pause" : "i-play"));
    }
    const text = said.join(" ") || t("replay.begin");
    if (this.#said.textContent !== text) {
      say(this.#said, text);
      this.#said.scrollTop = 0;
    }
  }
}

define("taku-replay-bar", ReplayBarElement);
