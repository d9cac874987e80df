/** The page of a match: puts table, socket, keys, voice and sheets together. */

import { announced, heard } from "../announced.js";
import * as announcer from "../announcer.js";
import { watchConnection } from "../connection.js";
import { page, put } from "../dom.js";
import { netOf } from "../elements/seat.js";
import { situation } from "../elements/table.js";
import { has, t } from "../i18n.js";
import { lazy } from "../lazy.js";
import { line as socket } from "../line.js";
import { LiveMatch } from "../live.js";
import { shortcuts } from "../shortcuts.js";

const settings = page.settings;
const live = new LiveMatch(page.view, socket);
const table = document.querySelector("taku-table");
const sheets = lazy(() => import("../elements/match-sheets.js"), () => socket.reachable);
let banner = null;
let spokenTurn = null;

announcer.install();

const draw = (first = false) =>
  table.update({ view: live.view, ahead: live.ahead, busy: live.busy, banner: banner ?? announced(), lastBet: live.lastBet, first });

const refuse = (text) => {
  table.refuse(text, live.view);
  announcer.announce(text);
};

/** Others' cards are in the log; aloud go one's own, the dealer's, and what ends something. */
function worthSaying(event) {
  if (live.view.seats.length === 1 || !("seat" in event)) return true;
  if (event.seat === live.you || event.seat === null) return true;
  if (["control_changed", "went_out", "surrendered"].includes(event.type)) return true;
  return event.type === "hand_ended" && event.status !== "stood";
}

/** Sounds are fetched by those only who want them. */
async function sound(make) {
  if (!settings.volume) return;
  const sounds = await import("../sounds.js").catch(() => null);
  if (sounds) make(sounds, settings.volume);
}

function voice({ before, said }) {
  const past = live.view.last_round?.seats.find(({ seat }) => seat === live.you);
  if (said.length && !document.hidden) {
    const events = said.map(([event]) => event);
    sound((sounds, volume) => sounds.accompany(events, volume, past ? netOf(past) : null));
  }
  announcer.announce(...said.filter(([event]) => worthSaying(event)).map(([, text]) => text));
  const turn = live.myTurn;
  const several = live.view.seats.length > 1;
  const now = turn ? `${turn.phase}-${live.view.round}` : null;
  const held = before.to_act?.seat === live.you;
  if (turn && (now !== spokenTurn || !held)) {
    announcer.interrupt(situation(live.view));
    if (settings.vibration && several) navigator.vibrate?.(60);
    if (several) sound((sounds, volume) => sounds.play("turn", volume));
  }
  spokenTurn = now;
  document.title = t(turn && several ? "title.your_turn" : "title.match", {
    round: Math.max(1, live.view.round),
    site: page.site,
  });
}

live.addEventListener("change", ({ detail }) => {
  draw();
  voice(detail);
});

live.addEventListener("refused", ({ detail }) => {
  refuse(t(has(`error.${detail.code}`) ? `error.${detail.code}` : "error.error"));
  if (detail.action === "bet") table.actions.bet.refused();
});

// The end of a match leads to the next one only if one wants it: this says how many do.
socket.addEventListener("party", ({ detail: { party } }) => {
  if (!party || live.view.status === "playing" || live.view.kind !== "party") return;
  const ready = party.members.filter((member) => member.ready).length;
  banner = ready ? t("rematch.ready", { n: ready, of: party.members.length }) : null;
  draw();
});

socket.addEventListener("notice", ({ detail }) => {
  if (!heard(detail)) banner = detail.text;
  else if (!announced()) return draw();
  announcer.announce(detail.text);
  draw();
});

// A browser that has lost the account has lost the seat: nothing is asked of it any more.
socket.addEventListener("welcome", ({ detail: { player } }) => {
  if (page.player && player?.id !== page.player.id) live.loseSeat();
});

watchConnection(socket, (text, final = false) => {
  if (text && text !== banner && (banner === null || final)) announcer.announce(text);
  banner = text;
  draw();
});

const underWay = new Set();

/** Does something of what opens over the table, each thing once at a time; a refusal is said at the table. */
async function over(name, ...values) {
  if (underWay.has(name)) return null;
  underWay.add(name);
  try {
    return await (await sheets())[name](...values);
  } catch (problem) {
    refuse(problem.sentence ?? t("error.offline"));
    return null;
  } finally {
    underWay.delete(name);
  }
}

/** Whether a bet is wanted: one that is large for what there is, is asked about if the settings say so. */
async function wanted(amount) {
  const limit = settings.confirm_over;
  const { chips } = live.view.seats.find((one) => one.seat === live.you);
  return limit === null || amount <= (chips * limit) / 100 || over("confirmBet", amount, chips);
}

async function decide({ action, amount }) {
  if (action === "bet" && !(await wanted(amount))) return;
  if (socket.state !== "open") refuse(t("connection.later"));
  live.decide(action, amount);
}

/** A bet put ahead, for the round in which it was meant. */
async function betAhead({ amount }) {
  const { round } = live.view;
  if (amount !== null && !(await wanted(amount))) return;
  if (live.view.round === round) live.betAhead(amount);
}

const leave = () => over("leaveMatch", live);
const menu = () =>
  over("openMenu", { live, settings, leave, seconds: () => table.actions.timer.seconds });

const handlers = {
  decide,
  "bet-ahead": betAhead,
  "take-seat": () => live.takeSeat(),
  refusal: ({ text }) => refuse(text),
  spoken: ({ text }) => announcer.announce(text),
  "time-left": ({ seconds }) => {
    if (!live.myTurn) return;
    announcer.announce(t("read.time", { n: seconds }));
    if (seconds <= 5) sound((sounds, volume) => sounds.play("hurry", volume));
  },
  "seat-details": ({ seat }) => over("openSeat", live, seat),
  "open-rules": () => over("openRules", live.view),
  "open-menu": menu,
  rematch: () => over("playAgain", live),
  "show-result": () => location.assign(`/m/${live.view.id}/`),
};
for (const [type, handler] of Object.entries(handlers)) put(table, `on${type}`, ({ detail }) => handler(detail));

const press = (name) => () => table.actions.press(name);
const betting = (act) => () => live.view.phase === "betting" && live.you && act(table.actions.bet);
shortcuts(
  {
    h: press("hit"),
    s: press("stand"),
    d: press("double"),
    p: press("split"),
    r: press("surrender"),
    i: press("insure"),
    1: betting((bet) => bet.quick("add10")),
    2: betting((bet) => bet.quick("add50")),
    3: betting((bet) => bet.quick("add100")),
    4: betting((bet) => bet.quick("max")),
    b: betting((bet) => bet.repeat()),
    enter: betting((bet) => bet.submit()),
    "?": menu,
  },
  () => settings.shortcuts,
);

draw(true);
voice({ before: live.view, said: [] });
setInterval(() => table.tick(), 250);
// What opens over the table comes when everything else is there, so that it opens without a line too.
socket.addEventListener("welcome", () => setTimeout(() => sheets().catch(() => null), 1500), { once: true });
socket.open();
document.documentElement.dataset.ready = "";
