/** The way into the queue: a button that says why it cannot be pressed, and when it can. */

import { Problem } from "../api.js";
import { define, enable, enabled, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { queue } from "../queue.js";
import { barredFor, clock } from "./queue-bar.js";

/** Around a button and a `.why` that the page has written. */
export class RankedElement extends HTMLElement {
  #button;
  #why;
  #busy = false;
  #fault = null;
  #ticking = null;
  /** What keeps the player out besides the queue itself, in words; null if nothing does. */
  #kept = null;

  connectedCallback() {
    if (this.#button) return;
    this.#button = this.querySelector("button");
    this.#why = this.querySelector(".why");
    put(this.#button, "onclick", () => this.#press());
    queue.addEventListener("change", () => this.draw());
    this.draw();
  }

  set kept(text) {
    this.#kept = text;
    this.draw();
  }

  draw() {
    if (!this.#button) return;
    const barred = barredFor();
    let why = this.#fault ?? this.#kept;
    if (queue.searching) why = t("queue.waiting");
    else if (queue.place.status === "matched") why = t("queue.matched");
    else if (barred) why = t("queue.barred", { time: clock(barred) });
    const free = !queue.searching && queue.place.status !== "matched" && !barred && !this.#kept;
    enable(this.#button, free && !this.#busy);
    put(this.#button, "aria-busy", this.#busy ? "true" : null);
    show(say(this.#why, why ?? ""), Boolean(why));
    if (barred && !this.#ticking) this.#ticking = setInterval(() => this.draw(), 1000);
    else if (!barred) {
      clearInterval(this.#ticking);
      this.#ticking = null;
    }
  }

  async #press() {
    if (!enabled(this.#button)) return;
    this.#busy = true;
    this.#fault = null;
    this.draw();
    try {
      await queue.enter();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#fault = problem.sentence;
      if (problem.code === "penalty") await queue.sync();
    } finally {
      this.#busy = false;
      this.draw();
    }
  }
}

define("taku-ranked", RankedElement);
