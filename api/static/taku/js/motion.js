/** Movement of cards: short, staggered, never in the way of a press; none where none is wanted. */

const STAGGER = 60;
const LONGEST = 1200;
const DEAL = 180;
const FLIP = 200;
const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

/** The person's choice (`data-motion`), else the system's. */
export function still() {
  const chosen = document.documentElement.dataset.motion;
  if (chosen === "none") return true;
  if (chosen === "full") return false;
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const SEEN = new WeakSet();

/** Marks what lies there already, so that opening a page deals nothing. */
export function settle(root) {
  for (const card of root.querySelectorAll("taku-card")) {
    SEEN.add(card);
    delete card.dataset.opened;
  }
}

/** As they are dealt (rules.md R5.1): everybody's first, the dealer's, everybody's second, … */
const place = (card) =>
  [...card.parentNode.parentNode.children].indexOf(card.parentNode) * 2 + (card.closest(".dealer") ? 1 : 0);
const byTurn = (a, b) => place(a) - place(b);

/** Deals cards that are new and turns those that opened; a newer call ends the running one. */
export function deal(root, { skip = false } = {}) {
  const cards = [...root.querySelectorAll("taku-card")];
  const fresh = cards.filter((card) => !SEEN.has(card) && card.offsetParent !== null).sort(byTurn);
  const opened = cards.filter((card) => SEEN.has(card) && card.dataset.opened !== undefined);
  for (const card of cards) {
    if (fresh.length || opened.length) for (const running of card.getAnimations()) running.finish();
  }
  settle(root);
  if (skip || still() || document.hidden) return;
  const step = Math.min(STAGGER, (LONGEST - DEAL) / Math.max(1, fresh.length));
  for (const card of opened) {
    card.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], { duration: FLIP, easing: EASE });
  }
  const from = root.getBoundingClientRect();
  fresh.forEach((card, index) => {
    const at = card.getBoundingClientRect();
    const x = Math.round(from.right - at.right + 24);
    const y = Math.round(from.top - at.top - 24);
    card.animate(
      [
        { transform: `translate(${x}px, ${y}px) rotate(8deg)`, opacity: 0 },
        { opacity: 1, offset: 0.4 },
        { transform: "none", opacity: 1 },
      ],
      { duration: DEAL, delay: index * step + (opened.length ? FLIP : 0), easing: EASE, fill: "backwards" },
    );
  });
}
