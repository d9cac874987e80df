/** What opens over the table, fetched when it is first asked for: menu, log, rules, a seat, ways out. */

import { get, post } from "../api.js";
import { secondsTo } from "../clock.js";
import { el, keyed, page, put, say, show } from "../dom.js";
import { t, time } from "../i18n.js";
import { readings, sentence } from "../narrate.js";
import { allEvents } from "../recording.js";
import { reduce } from "../reducer.js";
import { openAdvice } from "./advice.js";
import { lineOf, nameOf } from "./seat.js";
import { rulesTable } from "./rules-table.js";
import { confirmSheet, openSheet } from "./sheet.js";
import "./hand.js";

const button = (label, onclick, kind = "plain") => el(`button.btn.${kind}`, { type: "button", onclick }, label);

/** Every sentence of the match, the earlier ones asked for once. */
async function wholeLog(live) {
  if (live.gaps) {
    const told = [];
    let view = null;
    for (const event of await allEvents(live.view.id)) {
      view = reduce(view, event);
      told.push({ seq: event.seq, text: sentence(event, view, live.you) });
    }
    const after = view?.seq ?? 0;
    live.told = [...told.filter(({ text }) => text), ...live.told.filter(({ seq }) => seq > after)];
    live.gaps = false;
  }
  return live.told.map(({ text }) => text);
}

/** Everything that happened, in order, going on while it is open. */
export async function openLog(live) {
  const list = el("ol.log", { role: "log", "aria-live": "off", tabindex: "0", "aria-label": t("menu.log") });
  const dialog = openSheet(t("menu.log"), list, { beside: true });
  const fill = async () => {
    let lines;
    try {
      lines = await wholeLog(live);
    } catch (problem) {
      lines = [problem.sentence ?? t("error.error")];
    }
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    keyed(list, lines, (_, index) => index, () => el("li"), say);
    if (atEnd) list.scrollTop = list.scrollHeight;
  };
  await fill();
  list.scrollTop = list.scrollHeight;
  live.addEventListener("change", fill);
  put(dialog, "onclose", () => live.removeEventListener("change", fill));
}

/** The rules of this match, what differs from the usual ones marked. */
export async function openRules(view) {
  const body = el("div.rules-body", {}, el("p", {}, t("loading")));
  openSheet(t("table.rules"), body, { beside: true });
  try {
    const known = await get("rules/");
    body.replaceChildren(
      rulesTable(known, view.rules),
      el("p", {}, el("a", { href: "/rules/", target: "_blank" }, t("rules.read_more"))),
    );
  } catch (problem) {
    body.replaceChildren(el("p", {}, problem.sentence));
  }
}

/**
 * A seat's hands in full, as they change, and who is away since when; on a phone the row of seats shows only words.
 * @param live `view` and, while the match is played, what tells of its `change`
 */
export function openSeat(live, number) {
  const facts = el("p");
  const away = el("p");
  const shown = el("div.hands");
  const none = el("p", {}, t("seat.no_cards"));
  const fill = () => {
    const { view } = live;
    const seat = view.seats.find((one) => one.seat === number);
    const settled = view.phase === "betting" ? view.last_round?.seats.find((one) => one.seat === number) : null;
    const hands = seat.hands.length ? seat.hands : (settled?.hands ?? []);
    const turn = view.to_act?.seat === number;
    say(facts, `${t("points", { n: seat.chips })} · ${lineOf(seat, { turn, phase: view.phase, settled }) || t("seat.waiting")}`);
    const left = secondsTo(seat.takeover_at);
    say(away, seat.connected === false && seat.away_since
      ? [
          t("seat.away_since", { at: time(seat.away_since) }),
          left !== null && seat.controller !== "cpu" ? t("seat.takeover_in", { n: Math.max(0, Math.ceil(left)) }) : "",
        ].join(" ")
      : "");
    show(away, away.textContent !== "");
    put(shown, "data-hands", hands.length);
    keyed(shown, hands, (_, index) => index, () => document.createElement("taku-hand"), (node, hand, index) =>
      node.update(hand, { owner: nameOf(seat), place: hands.length > 1 ? t("hand.nth", { n: index + 1 }) : "", whole: hands.length === 1 }),
    );
    show(none, !hands.length);
  };
  const seat = live.view.seats.find((one) => one.seat === number);
  const id = seat.player?.id;
  const who = id ? el("a.btn.plain", { href: `/players/${id}/?match=${page.view.id}`, target: "_blank" }, t("seat.profile")) : null;
  const dialog = openSheet(nameOf(seat), [facts, away, shown, none, ...(who ? [who] : [])], { className: "seat-sheet" });
  fill();
  const ticking = setInterval(fill, 1000);
  live.addEventListener?.("change", fill);
  put(dialog, "onclose", () => {
    clearInterval(ticking);
    live.removeEventListener?.("change", fill);
  });
}

/** The same again; with others, the party is where one waits for them. Another tab may have gone ahead: after it. */
export async function playAgain(live) {
  let answer;
  try {
    answer = await post(`matches/${live.view.id}/rematch/`);
  } catch (problem) {
    if (problem.code !== "in_match" || !problem.body.match) throw problem;
    answer = { id: problem.body.match };
  }
  location.assign(answer.code ? `/p/${answer.code}/` : `/m/${answer.id}/`);
}

/** Out of the match, after saying what that costs. */
export async function leaveMatch(live) {
  const several = live.view.seats.length > 1;
  const cost = live.view.kind === "ranked" ? "leave.ranked" : several ? "leave.party" : "leave.solo";
  if (!(await confirmSheet(t("leave.title"), t(cost), t("leave.yes")))) return;
  await post(`matches/${live.view.id}/leave/`);
  location.assign("/");
}

/** Asks before a bet that is large for what the player has. */
export const confirmBet = (amount, chips) =>
  confirmSheet(t("confirm.bet_title"), t("confirm.bet", { n: amount, chips }), t("bet.place"));

const KEYS = ["H", "S", "D", "P", "R", "I", "1–4", "Enter", "B", "?", "Esc"];

/** The menu of a table: re-reading, advice, log, settings, leaving, keys. */
export function openMenu({ live, seconds, settings, leave }) {
  const answer = el("p.answer", { role: "status" });
  const read = (name) =>
    button(t(`menu.read_${name}`), () => say(answer, readings[name](live.view, live.you, seconds())));
  const playing = live.view.status === "playing" && live.you;
  const dialog = openSheet(t("table.menu"), [
    el("section", {}, el("h3", {}, t("menu.read")), el("div.row.three", {}, ...Object.keys(readings).map(read)), answer),
    el(
      "div.menu",
      {},
      button(t("menu.log"), () => {
        dialog.close();
        openLog(live);
      }),
      playing && live.view.kind !== "ranked" && settings.advice !== false
        ? button(t("menu.advice"), () => {
            dialog.close();
            openAdvice(live);
          })
        : null,
      live.view.status === "playing" ? null : el("a.btn", { href: `/m/${live.view.id}/?v=0` }, t("menu.replay")),
      el("a.btn", { href: `/m/${live.view.id}/verify/` }, t("menu.verify")),
      el("a.btn", { href: "/settings/" }, t("menu.settings")),
      el("a.btn", { href: "/" }, t("panel.home")),
      playing
        ? button(t("leave.title"), () => {
            dialog.close();
            leave();
          })
        : null,
    ),
    el("p.hint", {}, t("menu.points")),
    el(
      "details",
      {},
      el("summary", {}, t("menu.keys")),
      settings.shortcuts === false ? el("p", {}, t("menu.keys_off")) : null,
      el("dl.keys", {}, ...KEYS.flatMap((key, index) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, t(`menu.key_${index + 1}`))])),
    ),
  ]);
}
