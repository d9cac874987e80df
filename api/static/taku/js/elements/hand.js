/** A hand: cards in the order dealt, the total as text, the stake, and in the end the result. */

import { count, isBlackjack } from "../cards.js";
import { define, el, keyed, put, say, show } from "../dom.js";
import { number, signed, t } from "../i18n.js";
import "./card.js";

/** Win, draw or lose, from what came back for what was staked. */
export function verdict({ outcome, returned, bet }) {
  if (!outcome) return null;
  const net = returned - bet;
  const word = net > 0 ? "win" : net < 0 ? "lose" : "draw";
  return { word, text: t(`result.${word}`, { points: signed(net) }) };
}

/** The word beside the total: why the hand ended, or that an ace counts 11. */
export function note(hand, whole = true) {
  if (hand.outcome === "surrender" || hand.status === "surrendered") return t("hand.surrendered");
  if (hand.outcome === "bust" || hand.status === "bust" || hand.total > 21) return t("hand.bust");
  if (hand.outcome === "blackjack" || hand.status === "blackjack") return t("hand.blackjack");
  if (hand.outcome) return whole && isBlackjack(hand.cards) ? t("hand.blackjack") : "";
  if (hand.status === "stood") return t("hand.stood");
  if (hand.status === "doubled") return t("hand.doubled");
  const { soft } = count(hand.cards);
  return soft ? t("hand.soft") : "";
}

export class HandElement extends HTMLElement {
  #cards = el("ul.cards");
  #total = el("b.total");
  #note = el("span.note");
  #stake = el("p.stake");

  connectedCallback() {
    if (this.firstChild) return;
    this.append(
      this.#cards,
      el("p.count", { "aria-hidden": "true" }, this.#total, " ", this.#note),
      this.#stake,
    );
  }

  /**
   * @param hand a view's hand (or the dealer's), `{cards, total, bet, status, outcome, returned}`
   * @param options `owner` and `place` for the label, `slots` how many empty places to draw, `whole`
   *   false where the seat has split
   */
  update(hand, { owner, place = "", turn = false, slots = 0, whole = true, stake = "" } = {}) {
    const cards = hand.cards.length ? hand.cards : Array(slots).fill(undefined);
    const word = note(hand, whole);
    put(this.#cards, "aria-label", [owner, place, hand.total, word].filter(Boolean).join(" "));
    this.style.setProperty("--n", cards.length);
    keyed(
      this.#cards,
      cards,
      (card, index) => (card === undefined ? `slot${index}` : index),
      (card, index) => {
        const node = el(card === undefined ? "li.slot" : "li", card === undefined ? { "aria-hidden": "true" } : {});
        node.style.setProperty("--i", index);
        if (card !== undefined) node.append(document.createElement("taku-card"));
        return node;
      },
      (node, card) => {
        if (card !== undefined) node.firstChild.card = card;
      },
    );
    say(this.#total, hand.total === null ? "" : number(hand.total));
    say(this.#note, word);
    const result = verdict(hand);
    put(this.#stake, "data-result", result?.word);
    say(this.#stake, result ? result.text : stake || (hand.bet ? t("points", { n: hand.bet }) : ""));
    this.classList.toggle("turn", turn);
    show(this.#stake, hand.bet !== undefined);
  }
}

define("taku-hand", HandElement);
