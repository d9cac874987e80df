/** What a card is called and what a hand of cards counts (rules.md R6). */

import { t } from "./i18n.js";

const TENS = "TJQK";

export const suitOf = (card) => card[1];
export const rankOf = (card) => (card[0] === "T" ? "10" : card[0]);

/** "ハートの10", "queen of diamonds", or "伏せ札" where nothing may be seen. */
export function cardName(card) {
  if (card === null) return t("card.hidden");
  return t("card.name", { suit: t(`suit.${card[1]}`), rank: t(`rank.${card[0]}`) });
}

/** Total of the open cards, and whether an ace counts 11 (R6.1); null for none. */
export function count(cards) {
  const open = cards.filter((card) => card !== null);
  if (!open.length) return { total: null, soft: null };
  let total = 0;
  let aces = 0;
  for (const [rank] of open) {
    if (rank === "A") aces += 1;
    total += rank === "A" ? 1 : TENS.includes(rank) ? 10 : Number(rank);
  }
  const soft = aces > 0 && total + 10 <= 21;
  return { total: soft ? total + 10 : total, soft };
}

/** An ace and a ten-point card as the first two (R6.2); a hand from a split never is. */
export const isBlackjack = (cards) => cards.length === 2 && count(cards).total === 21;
