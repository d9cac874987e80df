/** A match that is over, step by step: the same reducer and table as when it was played. */

import * as announcer from "../announcer.js";
import { el, page, put } from "../dom.js";
import "../elements/replay-bar.js";
import "../elements/table.js";
import { t } from "../i18n.js";
import { allEvents, roundStarts, stepsOf } from "../recording.js";
import { shortcuts } from "../shortcuts.js";

const STEP = 1400;
const table = document.querySelector("taku-table");
const bar = document.createElement("taku-replay-bar");
const id = page.view.id;
let steps = [];
let starts = new Map();
let at = 0;
let speed = 1;
let timer = null;

announcer.install();

const round = () => Math.max(1, steps[at].view.round);

/** The numbers of the end are those in force now: a rating may have been corrected since. */
function viewAt(place) {
  const { view } = steps[place];
  return view.status === "playing" ? view : { ...view, id, result: page.view.result };
}

function draw(first) {
  const { version, said } = steps[at];
  table.update({ view: viewAt(at), ahead: null, busy: null, banner: null, lastBet: null, first });
  bar.update({ at, last: steps.length - 1, round: round(), starts, said, playing: timer !== null });
  document.title = t("replay.title", { round: round(), site: page.site });
  // While it plays the address stands still: browsers count how often it changes.
  if (timer === null) history.replaceState(null, "", `?v=${version}`);
}

function stop() {
  clearTimeout(timer);
  timer = null;
}

function go(place) {
  const next = Math.max(0, Math.min(steps.length - 1, place));
  stop();
  const forth = next === at + 1;
  at = next;
  draw(!forth);
  announcer.announce(...steps[at].said);
}

function tick() {
  at += 1;
  if (at >= steps.length - 1) stop();
  else timer = setTimeout(tick, STEP / speed);
  draw(false);
}

function play() {
  if (timer !== null) {
    stop();
    draw(true);
    return;
  }
  if (at === steps.length - 1) {
    at = 0;
    timer = setTimeout(tick, STEP / speed);
    draw(true);
    return;
  }
  timer = 0;
  tick();
}

const byRound = (change) => () => {
  const place = starts.get(round() + change);
  if (place !== undefined) go(place);
};

const sheets = () => import("../elements/match-sheets.js");

/** What leads on from here, and the keys. */
async function menu() {
  const { openSheet } = await import("../elements/sheet.js");
  const link = (href, key) => el("a.btn", { href }, t(key));
  openSheet(t("table.menu"), [
    el(
      "div.menu",
      {},
      link(`/m/${id}/`, "replay.result"),
      link(`/m/${id}/verify/`, "menu.verify"),
      link("/history/", "menu.history"),
      link("/", "panel.home"),
    ),
    el("p.hint", {}, t("replay.keys")),
  ]);
}

const handlers = {
  go: ({ at: place }) => go(place),
  play,
  speed: ({ speed: chosen }) => (speed = chosen),
  "open-rules": async () => (await sheets()).openRules(viewAt(at)),
  "open-menu": menu,
  "seat-details": async ({ seat }) => (await sheets()).openSeat({ view: viewAt(at) }, seat),
};
for (const [type, handler] of Object.entries(handlers)) put(table, `on${type}`, ({ detail }) => handler(detail));

shortcuts(
  {
    arrowleft: () => go(at - 1),
    arrowright: () => go(at + 1),
    arrowup: byRound(-1),
    arrowdown: byRound(1),
    home: () => go(0),
    end: () => go(steps.length - 1),
  },
  () => page.settings.shortcuts && steps.length > 0,
);

try {
  steps = stepsOf(page.events ?? (await allEvents(id)), page.view.you?.seat ?? null);
  starts = roundStarts(steps);
  const asked = Number(new URLSearchParams(location.search).get("v")) || 0;
  const found = steps.findIndex(({ version }) => version >= asked);
  at = found < 0 ? steps.length - 1 : found;
  document.getElementById("loading").remove();
  table.append(bar);
  draw(true);
} catch (problem) {
  put(document.getElementById("loading"), "role", "alert").textContent = problem.sentence ?? t("error.error");
  if (!problem.sentence) throw problem;
}
document.documentElement.dataset.ready = "";
