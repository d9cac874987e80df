/** The bar of a search: how long it lasts, what it may take, and the way out of it. */

import { secondsSince, secondsTo } from "../clock.js";
import { ask, define, el, enable, enabled, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { queue } from "../queue.js";

/** `0:23`, `12:05`. */
export function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** "40 s", "3 min", rounded so as not to promise more than is known. */
export const span = (seconds) =>
  seconds < 60 ? t("queue.seconds", { n: Math.max(1, Math.round(seconds)) }) : t("queue.minutes", { n: Math.round(seconds / 60) });

/** How long the player may not search yet; 0 if they may. */
export function barredFor() {
  return Math.max(0, secondsTo(queue.place.penalty?.until ?? null) ?? 0);
}

export class QueueBarElement extends HTMLElement {
  #what = el("b");
  #clock = el("span.clock", { role: "timer", "aria-live": "off" });
  #facts = el("p.facts");
  #leave = el("button.btn.plain", { type: "button", onclick: () => this.#press() });
  #match = el("a.btn.primary", { hidden: true }, t("queue.to_match"));
  #ticking = null;
  #does = null;

  connectedCallback() {
    if (this.firstChild) return;
    put(this, "role", "region");
    put(this, "aria-label", t("queue.bar"));
    this.append(el("div.words", {}, el("p", {}, this.#what, " ", this.#clock), this.#facts), this.#leave, this.#match);
  }

  update() {
    const { status, match, ready_check: check } = queue.place;
    const elsewhere = status === "matched" && match && location.pathname !== `/m/${match}/`;
    const visible = queue.searching || elsewhere || (queue.reason && queue.reason !== "cancelled");
    const focused = this.contains(document.activeElement);
    show(this, Boolean(visible));
    clearInterval(this.#ticking);
    if (!visible) {
      if (focused) document.querySelector("h1")?.focus();
      return;
    }
    this.#does = check ? (check.answered ? null : "answer") : queue.searching ? "leave" : elsewhere ? null : "dismiss";
    put(this, "data-status", elsewhere ? "matched" : status);
    show(this.#leave, this.#does !== null);
    if (this.#does) say(this.#leave, t(`queue.do_${this.#does}`));
    this.#leave.classList.toggle("primary", this.#does === "answer");
    show(this.#match, Boolean(elsewhere));
    put(this.#match, "href", elsewhere ? `/m/${match}/` : null);
    this.tick();
    this.#ticking = setInterval(() => this.tick(), 500);
  }

  tick() {
    const { status, since, ready_check: check } = queue.place;
    const lost = line.state !== "open";
    let what = t("queue.waiting");
    let time = since ? clock(Math.floor(secondsSince(since))) : "";
    let facts = queue.reason ? t(`queue.reason_${queue.reason}`) : this.#estimates();
    if (check) {
      what = t(check.answered ? "queue.answered" : "queue.asked");
      time = t("queue.left", { n: Math.max(0, Math.ceil(secondsTo(check.deadline))) });
      facts = t("queue.accepted", { n: check.accepted, of: check.size });
    } else if (status === "matched") {
      [what, time, facts] = [t("queue.matched"), "", ""];
    } else if (status === "none") {
      const barred = barredFor();
      [what, time] = [queue.reason ? t(`queue.reason_${queue.reason}`) : "", ""];
      facts = barred ? t("queue.barred", { time: clock(barred) }) : "";
    }
    if (lost && queue.searching) facts = t("queue.lost");
    this.classList.toggle("lost", lost && queue.searching);
    say(this.#what, what);
    say(this.#clock, time);
    say(this.#facts, facts);
    show(this.#facts, facts !== "");
  }

  #estimates() {
    const { estimate, window: points, waiting } = queue.place;
    return [
      estimate === null ? null : t("queue.estimate", { time: span(estimate) }),
      points === null ? t("queue.any_window") : t("queue.window", { n: points }),
      t("queue.people", { n: waiting }),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  async #press() {
    if (!enabled(this.#leave)) return;
    if (this.#does === "answer") return ask(this, "open-check");
    if (this.#does === "dismiss") return queue.dismiss();
    enable(this.#leave, false);
    try {
      await queue.leave();
    } catch (problem) {
      say(this.#facts, problem.sentence ?? t("error.error"));
    }
    enable(this.#leave, true);
  }
}

define("taku-queue-bar", QueueBarElement);
