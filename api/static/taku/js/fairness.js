/**
 * Whether a match was dealt as promised, worked out from its public events alone (docs/fairness.md).
 * Nothing that the server sums up is trusted. Pure.
 */

import { bytesOf, hexOf, sha256 } from "./sha256.js";

const PACK = [..."SHDC"].flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));
const PLACES = new Map(PACK.map((card, place) => [card, place]));

/** The numbers of a seed: two bytes each of SHA-256(seed, 0), SHA-256(seed, 1), … */
function* numbersOf(seed) {
  for (let k = 0; ; k += 1) {
    const block = new Uint8Array(seed.length + 4);
    block.set(seed);
    new DataView(block.buffer).setUint32(seed.length, k);
    const bytes = sha256(block);
    for (let i = 0; i < 32; i += 2) yield bytes[i] * 256 + bytes[i + 1];
  }
}

/** The cards in the order that the seed's bytes decide (Fisher-Yates, no place favoured). */
export function shuffled(seed, sorted) {
  const cards = [...sorted];
  const numbers = numbersOf(seed);
  for (let i = cards.length - 1; i > 0; i -= 1) {
    let number;
    do number = numbers.next().value;
    while (number >= 65536 - (65536 % (i + 1)));
    const j = number % (i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
  return cards;
}

const packs = (decks) => PACK.flatMap((card) => Array(decks).fill(card));
const inOrder = (cards) => [...cards].sort((a, b) => (PLACES.get(a) ?? -1) - (PLACES.get(b) ?? -1));

/** Every shoe of the record: what was promised, of which cards it was made, what was dealt, its seed. */
export function shoesOf(events) {
  const shoes = [];
  let decks = 0;
  let tray = [];
  let table = [];
  let hole = null;
  let inRound = false;
  let present = null;
  for (const event of events) {
    if (event.type === "match_started") decks = event.rules.decks;
    else if (event.type === "round_started") inRound = true;
    else if (event.type === "round_settled") {
      inRound = false;
      tray.push(...table);
      table = [];
    } else if (event.type === "shoe_started") {
      const refill = inRound && tray.length > 0;
      present = {
        shoe: event.shoe,
        size: event.size,
        commitment: event.commitment,
        before: present,
        next: event.next_commitment,
        refill,
        cards: refill ? inOrder(tray) : packs(decks),
        dealt: [],
        seed: null,
      };
      shoes.push(present);
      tray = [];
    } else if (event.type === "card_dealt" && present) {
      if (event.card === null) hole = { shoe: present, at: present.dealt.length };
      else table.push(event.card);
      present.dealt.push(event.card);
    } else if (event.type === "hole_card_opened" && hole) {
      hole.shoe.dealt[hole.at] = event.card;
      table.push(event.card);
      hole = null;
    } else if (event.type === "shoe_revealed") {
      const shoe = shoes.find((one) => one.shoe === event.shoe);
      if (shoe) shoe.seed = event.seed;
    }
  }
  return shoes;
}

/** Whether nothing is missing in the record: it begins and ends, and its numbers leave no gap. */
export const isWhole = (events) =>
  events.length > 0 &&
  events[0].type === "match_started" &&
  events.every(({ seq }, index) => seq === index + 1) &&
  events.some(({ type }) => type === "match_finished");

/**
 * The steps of checking one shoe, in order: `{name, ok}`; `cards` also has `at`, the first place that
 * differs (null for none), and `order`, the computed cards. Ends with the first that fails.
 */
export function* stepsOf(shoe) {
  yield { name: "promise", ok: shoe.before === null || shoe.before.next === shoe.commitment };
  const seed = bytesOf(shoe.seed);
  yield { name: "revealed", ok: seed !== null && seed.length === 32 };
  const digest = hexOf(sha256(seed));
  yield { name: "seed", ok: shoe.commitment === `sha256:${digest}`, digest };
  yield { name: "size", ok: shoe.size === shoe.cards.length };
  const order = shuffled(seed, shoe.cards);
  const differs = shoe.dealt.findIndex((card, place) => card !== order[place]);
  yield { name: "cards", ok: differs < 0, at: differs < 0 ? null : differs, order };
}
