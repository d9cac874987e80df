/** Another player's place: name, points, a line in words, and small cards where there is room. */

import { secondsTo } from "../clock.js";
import { ask, define, el, icon, keyed, put, say, show } from "../dom.js";
import { number, signed, t } from "../i18n.js";
import { note } from "./hand.js";
import "./card.js";

export function nameOf(seat) {
  return seat.player?.display_name || t("seat.number", { n: seat.seat });
}

/** What a settled round brought a seat: what came back less what was staked. */
export const netOf = ({ hands, insurance, insurance_returned: back }) =>
  hands.reduce((sum, hand) => sum + hand.returned - hand.bet, back - insurance);

/** The one line under the points: presence first, then the result, then what the seat is doing. */
export function lineOf(seat, { turn, phase, settled }) {
  if (seat.controller === "cpu") return t("seat.cpu");
  if (seat.connected === false) {
    const left = secondsTo(seat.takeover_at);
    return left === null ? t("seat.away") : t("seat.away_until", { n: Math.max(0, Math.ceil(left)) });
  }
  if (settled) {
    const net = netOf(settled);
    if (phase !== "betting" || !seat.bet) {
      return t(`result.${net > 0 ? "win" : net < 0 ? "lose" : "draw"}`, { points: signed(net) });
    }
  }
  if (seat.out) return t("seat.out");
  if (turn) return t(phase === "betting" ? "seat.betting" : "seat.thinking");
  if (phase === "betting") return seat.bet ? t("seat.bet", { n: seat.bet }) : t("seat.waiting");
  if (phase === "insurance" && seat.insurance) return t("seat.insured");
  // Of several hands there is room for the totals.
  if (seat.hands.length > 1) return seat.hands.map(({ total }) => number(total)).join(" · ");
  return seat.hands
    .map((hand) => {
      const word = note(hand);
      return word === t("hand.blackjack") ? word : `${word} ${hand.total === null ? "" : number(hand.total)}`.trim();
    })
    .join("");
}

export class SeatElement extends HTMLElement {
  #name = el("bdi");
  #host = el("span.name", {}, this.#name);
  #points = el("span.points");
  #line = el("span.line");
  #sign = el("span.sign");
  #cards = el("span.mini", { "aria-hidden": "true" });
  #button = el(
    "button.seat",
    { type: "button", onclick: () => ask(this, "seat-details", { seat: this.seat.seat }) },
    this.#host,
    this.#points,
    this.#cards,
    el("span.state", {}, this.#sign, this.#line),
  );

  connectedCallback() {
    if (!this.firstChild) this.append(this.#button);
  }

  update(seat, context) {
    this.seat = seat;
    this.context = context;
    say(this.#name, nameOf(seat));
    say(this.#points, t("points", { n: seat.chips }));
    this.classList.toggle("turn", Boolean(context.turn));
    this.classList.toggle("off", seat.out);
    put(this.#button, "aria-current", context.turn ? "step" : null);
    const hands = seat.hands.length ? seat.hands : (context.settled?.hands ?? []);
    keyed(
      this.#cards,
      hands,
      (_, index) => index,
      () => el("span"),
      (node, hand) =>
        keyed(
          node,
          hand.cards,
          (_, index) => index,
          () => document.createElement("taku-card"),
          (card, value) => {
            card.card = value;
          },
        ),
    );
    this.tick();
  }

  /** Seconds until the CPU plays count down without a message. */
  tick() {
    const { seat } = this;
    const sign = seat.controller === "cpu" ? "i-cpu" : seat.connected === false ? "i-away" : null;
    if (this.#sign.dataset.icon !== String(sign)) {
      this.#sign.dataset.icon = String(sign);
      this.#sign.replaceChildren(...(sign ? [icon(sign)] : []));
    }
    show(this.#sign, sign !== null);
    say(this.#line, lineOf(seat, this.context));
  }
}

define("taku-seat", SeatElement);
