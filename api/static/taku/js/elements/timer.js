/** The turn clock: seconds as text and a ring, from the server's deadline. */

import { secondsTo } from "../clock.js";
import { ask, define, el, put, say, show, svg } from "../dom.js";
import { number, t } from "../i18n.js";

const AROUND = 2 * Math.PI * 9;
const SPOKEN = [10, 5];

export class TimerElement extends HTMLElement {
  #arc = svg("circle", { cx: 11, cy: 11, r: 9, class: "arc" });
  #text = el("b");
  #unit = el("span", {}, t("timer.unit"));
  #deadline = null;
  #length = 30;
  #spoken = null;

  connectedCallback() {
    if (this.firstChild) return;
    put(this, "role", "timer");
    this.append(
      svg(
        "svg",
        { viewBox: "0 0 22 22", "aria-hidden": "true" },
        svg("circle", { cx: 11, cy: 11, r: 9, class: "track" }),
        this.#arc,
      ),
      this.#text,
      this.#unit,
    );
    this.tick();
  }

  /** @param deadline ISO time or null; @param length the whole clock in seconds, for the ring */
  set({ deadline, length }) {
    if (deadline !== this.#deadline) this.#spoken = null;
    this.#deadline = deadline;
    this.#length = length || 30;
    this.tick();
  }

  get seconds() {
    const left = secondsTo(this.#deadline);
    return left === null ? null : Math.max(0, Math.ceil(left));
  }

  tick() {
    const left = this.seconds;
    show(this, left !== null);
    if (left === null) return;
    say(this.#text, number(left));
    const warn = left <= 5;
    this.classList.toggle("warn", warn);
    this.#arc.style.strokeDasharray = `${(AROUND * Math.min(1, left / this.#length)).toFixed(1)} ${AROUND.toFixed(1)}`;
    const threshold = SPOKEN.find((seconds) => left <= seconds && left > seconds - 3);
    if (threshold && this.#spoken !== threshold) {
      this.#spoken = threshold;
      ask(this, "time-left", { seconds: threshold });
    }
  }
}

define("taku-timer", TimerElement);
