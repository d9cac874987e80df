/**
 * The panel of decisions. It offers exactly what the server lists in `legal`; what stands in `refused`
 * stays in its place, can be focused, and says why. Nothing here knows the rules.
 */

import { ask, define, el, enable, enabled, keyed, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import "./bet.js";
import "./timer.js";

const PLAY = ["hit", "stand", "double", "split", "surrender"];
const INSURANCE = ["insure", "decline"];

export class ActionsElement extends HTMLElement {
  #chips = el("b");
  #staked = el("b");
  #stakedLine = el("p", {}, t("panel.staked"), " ", this.#staked, t("points.unit"));
  #timer = document.createElement("taku-timer");
  #bet = document.createElement("taku-bet");
  #places = el("ol.places", { hidden: true });
  #again = el("button.btn.big.primary", { type: "button", "data-ask": "rematch", onclick: () => ask(this, "rematch") }, t("panel.rematch"));
  #result = el("button.btn.big.plain", { type: "button", onclick: () => ask(this, "show-result") }, t("panel.result"));
  #buttons = new Map();
  #groups = {};
  #mode = null;
  #turn = null;

  connectedCallback() {
    if (this.firstChild) return;
    for (const name of [...PLAY, ...INSURANCE]) {
      const main = name === "hit" || name === "stand" || name === "insure";
      const button = el(
        `button.btn.${main ? "primary" : "plain"}${name === "double" || name === "split" || name === "surrender" ? "" : ".big"}`,
        { type: "button", "data-action": name, onclick: () => this.press(name) },
        t(`action.${name}`),
      );
      this.#buttons.set(name, button);
    }
    const button = (name) => this.#buttons.get(name);
    const group = (name, ...rows) => (this.#groups[name] = el(`div.group.${name}`, { hidden: true }, ...rows));
    const single = (event, label, kind = "primary") =>
      el(`button.btn.big.${kind}`, { type: "button", "data-ask": event, onclick: () => ask(this, event) }, t(label));
    this.append(
      el(
        "div.status",
        {},
        el("p", {}, t("panel.you"), " ", this.#chips, t("points.unit")),
        this.#stakedLine,
        this.#timer,
      ),
      this.#places,
      group("play", el("div.row.two", {}, button("hit"), button("stand")), el("div.row.rest", {}, ...PLAY.slice(2).map(button))),
      group("insurance", el("div.row.two", {}, button("insure"), button("decline"))),
      group("bet", this.#bet),
      group("return", el("p.why", {}, t("panel.cpu_has_seat")), single("take-seat", "panel.take_seat")),
      group("out", el("p.why", {}, t("panel.out"))),
      group("watch", el("p.why", {}, t("panel.watching"))),
      group("over", el("div.row.two", {}, this.#again, this.#result)),
    );
  }

  get bet() {
    return this.#bet;
  }

  get timer() {
    return this.#timer;
  }

  /**
   * @param mode which group: play, insurance, bet, return, out, watch, over
   * @param turn the view's `to_act` if it is mine, else null
   * @param why one sentence for a press that is not possible now
   */
  update({ mode, turn, why, chips, staked, surrender, stake, busy, betting, deadline, length, places, again }) {
    const within = this.contains(document.activeElement);
    const changed = mode !== this.#mode;
    this.#turn = turn;
    this.why = why;
    this.busy = busy;
    say(this.#chips, chips);
    say(this.#staked, staked);
    show(this.#stakedLine, staked !== "");
    put(this, "data-mode", mode);
    put(this, "aria-busy", busy ? "true" : null);
    show(this.#buttons.get("surrender"), surrender);
    this.#groups.play.lastChild.classList.toggle("three", surrender);
    if (stake) say(this.#buttons.get("insure"), t("action.insure_for", { n: stake }));
    for (const [name, button] of this.#buttons) {
      const offered = Boolean(turn?.legal.some(({ action }) => action === name)) && !busy;
      enable(button, offered);
      put(button, "aria-pressed", busy === name ? "true" : null);
    }
    if (betting) this.#bet.update(betting);
    this.#timer.set({ deadline, length });
    show(this.#again, again);
    this.#result.classList.toggle("primary", !again);
    this.#result.classList.toggle("plain", again);
    this.#order(places);
    for (const [name, group] of Object.entries(this.#groups)) show(group, name === mode);
    this.#mode = mode;
    if (changed && within) this.focusFirst();
  }

  /** The final order, best first: `[{place, name, chips, mine}]`. */
  #order(places) {
    keyed(
      this.#places,
      places,
      ({ seat }) => seat,
      () => el("li", {}, el("span"), el("bdi"), el("b")),
      (node, { place, name, chips, mine }) => {
        say(node.children[0], t("place", { n: place }));
        say(node.children[1], name);
        say(node.children[2], t("points", { n: chips }));
        node.classList.toggle("mine", mine);
      },
    );
    show(this.#places, places.length > 1);
  }

  /** The first thing to press; not the amount, so that no keyboard covers a phone's table. */
  focusFirst() {
    const group = this.#groups[this.#mode];
    const button =
      this.#mode === "bet" ? group?.querySelector("[type=submit]") : [...(group?.querySelectorAll("button") ?? [])].find(enabled);
    (button ?? group?.querySelector("button"))?.focus();
  }

  /** By button or key: decides, or says why not. */
  press(name) {
    const button = this.#buttons.get(name);
    if (enabled(button)) {
      ask(this, "decide", { action: name });
      return;
    }
    const refused = this.#turn?.refused?.find(({ action }) => action === name);
    let text = this.busy ? t("panel.sending") : this.why;
    if (refused && !this.busy) text = t(`refused.${refused.code}`, { n: refused.short ?? 0 });
    ask(this, "refusal", { text });
  }
}

define("taku-actions", ActionsElement);
