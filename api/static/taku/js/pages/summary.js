/** What became of a match: the rating counted up, what was decided badly, and what comes next. */

import * as announcer from "../announcer.js";
import { get, post } from "../api.js";
import { cardName } from "../cards.js";
import { el, page, put, say, show } from "../dom.js";
import "../elements/card.js";
import "../elements/ranked.js";
import { number, t } from "../i18n.js";
import { line } from "../line.js";
import { still } from "../motion.js";
import { once } from "../start.js";

const MOST = 3;
const COUNTED = 1100;
const match = page.match;
const fault = document.querySelector(".next .fault");
const others = document.querySelector(".next .others");

announcer.install();

/** Counts from the old rating to the new one; the sentence beside it says both at once. */
function count(node) {
  const from = Number(node.dataset.from);
  const to = Number(node.dataset.to);
  if (from === to || still()) return;
  const began = performance.now();
  const step = (now) => {
    const share = Math.min(1, Math.max(0, (now - began) / COUNTED));
    say(node, number(Math.round(from + (to - from) * (1 - (1 - share) ** 3))));
    if (share < 1) requestAnimationFrame(step);
  };
  step(began);
}

const small = (name) => {
  const card = document.createElement("taku-card");
  card.card = name;
  return card;
};

function decision({ version, round, cards, up, action, best, chips }) {
  const name = (which) => t(`action.${which}`);
  return el(
    "li",
    {},
    el("span.held", {}, ...cards.map(small), el("span.against", {}, t("summary.against")), up ? small(up) : null),
    el(
      "span",
      {},
      el("b", {}, t("summary.cost", { n: chips.toFixed(1) })),
      " ",
      t("summary.better", { action: name(action), best: name(best) }),
      el("br"),
      el("span.where", {}, t("table.round", { n: round })),
    ),
    el("a", { href: `?v=${version - 1}`, "aria-label": t("summary.look_at", { round, cards: cards.map(cardName).join(t("list.comma")) }) }, t("summary.look")),
  );
}

/** The own decisions that were expected to cost most; asked again while they are computed. */
async function analyse(place, attempt = 0) {
  let found;
  try {
    found = await get(`matches/${match}/analysis/`);
  } catch (problem) {
    place.replaceChildren(el("p", {}, problem.sentence ?? t("error.error")));
    return;
  }
  if (!found.decisions) {
    place.replaceChildren(el("p", {}, t(attempt < 30 ? "summary.computing" : "summary.later")));
    if (attempt < 30) setTimeout(() => analyse(place, attempt + 1), 2000);
    return;
  }
  const worst = found.decisions
    .filter(({ by, chips }) => by === "player" && chips >= 0.05)
    .sort((a, b) => b.chips - a.chips)
    .slice(0, MOST);
  place.replaceChildren(
    el("p.hint", {}, t(worst.length ? "summary.all_cost" : "summary.none_cost", { n: found.chips.toFixed(1) })),
    worst.length ? el("ol", {}, ...worst.map(decision)) : "",
  );
}

const counted = document.querySelector(".counted");
if (counted) count(counted);
const costly = document.querySelector(".costly");
if (costly) {
  costly.replaceChildren(el("p", {}, t("loading")));
  analyse(costly);
}

const rematch = document.getElementById("rematch");
if (rematch) {
  put(rematch, "onclick", () =>
    once(rematch, fault, async () => {
      const answer = await post(`matches/${match}/rematch/`);
      location.assign(answer.code ? `/p/${answer.code}/` : `/m/${answer.id}/`);
    }),
  );
  line.addEventListener("party", ({ detail: { party } }) => {
    if (!party || page.kind !== "party") return;
    const ready = party.members.filter((member) => member.ready).length;
    const text = ready ? t("rematch.ready", { n: ready, of: party.members.length }) : "";
    if (text) announcer.announce(text);
    show(say(others, text), ready > 0);
  });
}

/** A link under which names are seats: to select, and to copy or send where the browser can. */
async function share() {
  const place = document.querySelector(".shared");
  if (!place.hidden) return;
  show(fault, false);
  let id;
  try {
    ({ id } = await post(`matches/${match}/share/`));
  } catch (problem) {
    show(say(fault, problem.sentence ?? t("error.error")), true);
    return;
  }
  const url = new URL(`/m/${id}/`, location.href).href;
  const said = el("p.hint", { role: "status" }, t("summary.share_hint"));
  const field = el("input.field", { id: "share-link", type: "text", readonly: true, value: url, onfocus: () => field.select() });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      say(said, t("lobby.copied"));
    } catch {
      field.focus();
      say(said, t("lobby.copy_by_hand"));
    }
  };
  const send = () => navigator.share({ title: document.title, url }).catch((error) => error.name !== "AbortError" && field.focus());
  const tool = (able, label, onclick) => (able ? el("button.btn.plain", { type: "button", onclick }, t(label)) : null);
  place.replaceChildren(
    el("label.vh", { for: field.id }, t("summary.share_link")),
    el("div.joined", {}, field, tool(navigator.clipboard?.writeText, "lobby.copy", copy), tool(navigator.share, "lobby.share", send)),
    said,
  );
  show(place, true);
  field.focus();
}

// What staff decide about the match is seen here at once.
line.addEventListener("events", ({ detail }) => {
  const decided = ({ type }) => type === "match_voided" || type === "match_restored";
  if (detail.match === match && detail.events.some(decided)) location.reload();
});
line.follow(match, page.seq);

const sharing = document.getElementById("share");
if (sharing) put(sharing, "onclick", share);
document.documentElement.dataset.ready = "";
