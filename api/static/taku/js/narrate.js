/** Events in whole sentences, for the log and for those who listen. */

import { cardName } from "./cards.js";
import { number, signed, t } from "./i18n.js";
import { nameOf, netOf } from "./elements/seat.js";

const seatOf = (view, number) => view.seats.find((seat) => seat.seat === number);

/** "あなた" or the player's name. */
export function who(view, number, you) {
  return number === you ? t("you") : nameOf(seatOf(view, number));
}

const handWord = (view, seat, hand) =>
  seatOf(view, seat).hands.length > 1 ? t("log.of_hand", { n: hand + 1 }) : "";

function dealt(view, event, you) {
  if (event.seat === null || event.seat === undefined) {
    if (event.card === null) return t("log.hole");
    return view.dealer.cards.length > 1
      ? t("log.dealer_total", { card: cardName(event.card), total: view.dealer.total })
      : t("log.dealer", { card: cardName(event.card) });
  }
  const hand = seatOf(view, event.seat).hands[event.hand ?? 0];
  const values = { who: who(view, event.seat, you), card: cardName(event.card), total: hand.total, hand: handWord(view, event.seat, event.hand) };
  return hand.cards.length > 1 ? t("log.card_total", values) : t("log.card", values);
}

function settled(view, event, you) {
  const own = event.seats.find(({ seat }) => seat === you);
  if (!own) return t("log.settled", { round: event.round });
  const net = netOf(view.last_round.seats.find(({ seat }) => seat === you));
  const word = net > 0 ? "win" : net < 0 ? "lose" : "draw";
  return t("log.settled_you", { round: event.round, result: t(`result.${word}`, { points: signed(net) }), chips: own.chips });
}

const ENDED = { bust: "log.bust", blackjack: "log.blackjack" };

/** One sentence for an event, or null where none is worth it. `view` is the view after it. */
export function sentence(event, view, you) {
  const values = () => ({ who: who(view, event.seat, you), hand: handWord(view, event.seat, event.hand ?? 0) });
  switch (event.type) {
    case "shoe_started":
      return event.shoe > 1 ? t("log.shoe", { size: event.size }) : null;
    case "round_started":
      return t("log.round", { round: event.round });
    case "rebought":
      return t("log.rebought", { ...values(), n: event.amount });
    case "went_out":
      return t("log.out", values());
    case "bet_placed":
      return t("log.bet", { ...values(), n: event.amount });
    case "card_dealt":
      return dealt(view, event, you);
    case "insured":
      return t("log.insured", { ...values(), n: event.stake });
    case "insurance_declined":
      return t("log.declined", values());
    case "dealer_peeked":
      return t("log.peeked");
    case "insurance_lost":
      return t("log.insurance_lost");
    case "stood":
      return t("log.stood", values());
    case "doubled":
      return t("log.doubled", { ...values(), n: event.bet });
    case "split":
      return t("log.split", values());
    case "surrendered":
      return t("log.surrendered", values());
    case "hand_ended":
      return ENDED[event.status] ? t(ENDED[event.status], values()) : null;
    case "hole_card_opened":
      return t("log.opened", { card: cardName(event.card), total: view.dealer.total });
    case "round_settled":
      return settled(view, event, you);
    case "control_changed":
      return t(event.controller === "cpu" ? "log.cpu" : "log.back", values());
    case "match_finished":
      return t("log.finished");
    case "match_voided":
      return t("log.void");
    default:
      return null;
  }
}

/** What can be re-read on demand: own hand, the dealer, everybody, the time, the points. */
export const readings = {
  hand: (view, you) => {
    const seat = you && seatOf(view, you);
    if (!seat?.hands.length) return t("read.no_hand");
    return seat.hands
      .map((hand, index) =>
        t("read.hand", {
          hand: seat.hands.length > 1 ? t("hand.nth", { n: index + 1 }) : t("hand.yours"),
          cards: hand.cards.map(cardName).join(t("list.comma")),
          total: hand.total,
        }),
      )
      .join(" ");
  },
  dealer: (view) =>
    view.dealer.cards.length
      ? t("read.dealer", { cards: view.dealer.cards.map(cardName).join(t("list.comma")), total: view.dealer.total })
      : t("read.no_dealer"),
  players: (view, you) =>
    view.seats
      .map((seat) => t("read.player", { who: who(view, seat.seat, you), chips: seat.chips, total: seat.hands.map((hand) => number(hand.total)).join(t("list.comma")) || "–" }))
      .join(" "),
  time: (_, __, seconds) => (seconds === null ? t("read.no_time") : t("read.time", { n: seconds })),
  chips: (view, you) => (you ? t("read.chips", { n: seatOf(view, you).chips }) : t("panel.watching")),
};
