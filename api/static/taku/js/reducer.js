/**
 * Events to a view (api.md "Events"): the same view as the server's at every version, less what
 * differs between viewers or is presence. Pure: nothing that is given is changed.
 */

import { count } from "./cards.js";

const NO_DEALER = { cards: [], total: null, soft: null };

const dealerOf = (cards) => ({ cards, ...count(cards) });

const withSeat = (view, number, change) => ({
  ...view,
  seats: view.seats.map((seat) => (seat.seat === number ? { ...seat, ...change(seat) } : seat)),
});

const withHand = (view, number, index, change) =>
  withSeat(view, number, (seat) => ({
    hands: seat.hands.map((hand, at) => (at === index ? { ...hand, ...change(hand) } : hand)),
  }));

const newHand = (cards, bet, status) => ({
  cards,
  bet,
  ...count(cards),
  status,
  outcome: null,
  returned: null,
});

/** `waiting` and `playing` follow the turn; every other status is told by an event. */
const onTurn = (view, turn) => ({
  ...view,
  seats: view.seats.map((seat) => ({
    ...seat,
    hands: seat.hands.map((hand, index) => {
      if (hand.status !== "waiting" && hand.status !== "playing") return hand;
      const playing = turn?.phase === "playing" && turn.seat === seat.seat && turn.hand === index;
      return { ...hand, status: playing ? "playing" : "waiting" };
    }),
  })),
});

const HANDLERS = {
  match_started: (_, event) => ({
    version: event.version,
    seq: event.seq,
    status: "playing",
    kind: event.kind,
    rules: event.rules,
    round: 0,
    phase: "betting",
    dealer: NO_DEALER,
    seats: event.seats.map((seat) => ({
      seat: seat.seat,
      player: seat.player,
      controller: seat.controller ?? "human",
      chips: event.rules.initial_chips,
      bet: 0,
      insurance: 0,
      rebuys: 0,
      out: false,
      hands: [],
    })),
    to_act: null,
    shoe: null,
    last_round: null,
    result: null,
  }),

  shoe_started: (view, { shoe, commitment, next_commitment, size }) => ({
    ...view,
    shoe: { shoe, commitment, next_commitment, remaining: size },
  }),

  round_started: (view, { round }) => ({
    ...view,
    round,
    phase: "betting",
    dealer: NO_DEALER,
    seats: view.seats.map((seat) => ({ ...seat, bet: 0, insurance: 0, hands: [] })),
  }),

  rebought: (view, { seat, chips }) =>
    withSeat(view, seat, (before) => ({ chips, rebuys: before.rebuys + 1 })),

  went_out: (view, { seat }) => withSeat(view, seat, () => ({ out: true })),

  bet_placed: (view, { seat, amount, chips }) => withSeat(view, seat, () => ({ bet: amount, chips })),

  card_dealt: (view, { seat, hand, card }) => {
    const shoe = view.shoe && { ...view.shoe, remaining: view.shoe.remaining - 1 };
    if (seat === null || seat === undefined) {
      return { ...view, shoe, dealer: dealerOf([...view.dealer.cards, card]) };
    }
    return withSeat({ ...view, shoe }, seat, (before) => {
      const at = hand ?? 0;
      if (at >= before.hands.length) {
        return { hands: [...before.hands, newHand([card], before.bet, "waiting")] };
      }
      return {
        hands: before.hands.map((one, index) => {
          if (index !== at) return one;
          const cards = [...one.cards, card];
          return { ...one, cards, ...count(cards) };
        }),
      };
    });
  },

  insured: (view, { seat, stake, chips }) => withSeat(view, seat, () => ({ insurance: stake, chips })),
  insurance_declined: (view) => view,
  dealer_peeked: (view) => view,
  insurance_lost: (view) => view,
  hit: (view) => view,
  stood: (view) => view,
  surrendered: (view, { seat, chips }) => withSeat(view, seat, () => ({ chips })),

  doubled: (view, { seat, hand, bet, chips }) =>
    withHand(
      withSeat(view, seat, () => ({ chips })),
      seat,
      hand,
      () => ({ bet }),
    ),

  split: (view, { seat, hand, bet, chips }) =>
    withSeat(view, seat, (before) => {
      const [first, second] = before.hands[hand].cards;
      const hands = [...before.hands];
      hands.splice(hand, 1, newHand([first], bet, "waiting"), newHand([second], bet, "waiting"));
      return { chips, hands };
    }),

  hand_ended: (view, { seat, hand, status }) => withHand(view, seat, hand, () => ({ status })),

  hole_card_opened: (view, { card }) => ({
    ...view,
    dealer: dealerOf([...view.dealer.cards.filter((one) => one !== null), card]),
  }),

  round_settled: (view, { round, dealer, seats }) => {
    const settledSeat = (number) => seats.find((one) => one.seat === number);
    const after = {
      ...view,
      seats: view.seats.map((seat) => {
        const settled = settledSeat(seat.seat);
        if (!settled) return seat;
        return {
          ...seat,
          chips: settled.chips,
          hands: seat.hands.map((hand, index) => ({ ...hand, ...pickResult(settled.hands[index]) })),
        };
      }),
    };
    const last = {
      round,
      dealer,
      seats: after.seats
        .filter((seat) => settledSeat(seat.seat))
        .map((seat) => ({
          seat: seat.seat,
          bet: seat.bet,
          insurance: seat.insurance,
          insurance_returned: settledSeat(seat.seat).insurance_returned,
          chips: seat.chips,
          hands: seat.hands.map(({ cards, bet, total, outcome, returned }) => ({
            cards,
            bet,
            total,
            outcome,
            returned,
          })),
        })),
    };
    return { ...after, phase: "settled", to_act: null, last_round: last };
  },

  turn_started: (view, event) => {
    const { seat, phase, hand, version, deadline, legal, refused } = event;
    const turn = { seat, phase, hand: hand ?? null, version, deadline: deadline ?? null, legal, refused };
    return onTurn({ ...view, phase, to_act: turn }, turn);
  },

  control_changed: (view, { seat, controller }) => withSeat(view, seat, () => ({ controller })),
  shoe_revealed: (view) => view,

  match_finished: (view, { result }) =>
    onTurn({ ...view, status: "finished", phase: "settled", to_act: null, result }, null),

  match_voided: (view) => ({ ...view, status: "void", to_act: null }),
  match_restored: (view) => ({ ...view, status: view.result ? "finished" : "playing" }),
};

const pickResult = ({ outcome, returned }) => ({ outcome, returned });

/** The view after one more event. An unknown type moves `seq` and `version` only. */
export function reduce(view, event) {
  const handler = HANDLERS[event.type];
  const next = handler ? handler(view, event) : view;
  return { ...next, seq: event.seq, version: event.version };
}

/** The view after all of them, from the first (`after=0`). */
export const replay = (events, view = null) => events.reduce(reduce, view);

/** What only one viewer sees or what is presence, and so is in no event. */
export const BESIDE = [
  "id",
  "you",
  "watchable",
  "watchers",
  "server_time",
  "connected",
  "away_since",
  "takeover_at",
];
