/** One card: drawn for the eye, a word for assistive technology; a hidden one tells nothing. */

import { cardName, rankOf, suitOf } from "../cards.js";
import { define, el, put, say, svg, use } from "../dom.js";

const COURT = "JQK";

function face(card) {
  const rank = rankOf(card);
  const suit = suitOf(card);
  const text = svg("text", { x: 11, y: 20, class: "rank" });
  text.textContent = rank;
  if (rank === "10") {
    put(text, "textLength", 18);
    put(text, "lengthAdjust", "spacingAndGlyphs");
  }
  const drawing = svg(
    "svg",
    { viewBox: "0 0 50 70", "aria-hidden": "true", focusable: "false" },
    text,
    use(suit, { x: 5, y: 24.5, width: 12, height: 12 }),
    use(suit, { x: 24, y: 43, width: 21, height: 21, class: "pip" }),
  );
  if (COURT.includes(card[0])) drawing.append(use("crown", { x: 25, y: 31, width: 19, height: 9.5, class: "crown" }));
  return drawing;
}

export class CardElement extends HTMLElement {
  #card;
  #name = null;

  /** `"AS"`, or null for one that may not be seen. */
  get card() {
    return this.#card;
  }

  set card(card) {
    if (card === this.#card) return;
    const opened = this.#card === null;
    this.#card = card;
    this.#name ??= this.appendChild(el("span.vh"));
    say(this.#name, cardName(card));
    this.querySelector("svg")?.remove();
    put(this, "data-suit", card && suitOf(card));
    this.classList.toggle("back", card === null);
    if (card !== null) this.append(face(card));
    if (opened) this.dataset.opened = "";
  }
}

define("taku-card", CardElement);
