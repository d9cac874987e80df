/** What the computed strategy says on one's own turn in a casual match, each choice with its price. */

import { get } from "../api.js";
import { el, put, say, show } from "../dom.js";
import { signed, t } from "../i18n.js";
import { openSheet } from "./sheet.js";

const AGAIN_MS = 2000;
const ATTEMPTS = 30;

const named = (action) => t(action === "bet" ? "bet.place" : `action.${action}`);
const worth = (value) => t("points.short", { n: signed(Math.round(value * 1000) / 10) });

/** Opens the advice for the turn that is on, and goes on with the next turn while it is open. */
export function openAdvice(live) {
  const said = el("p.answer", { role: "status" });
  const rows = el("tbody");
  const table = el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("advice.choice")), el("th", { scope: "col" }, t("advice.worth")))),
    rows,
  );
  let asked;
  let waiting;

  const tell = (text, actions = []) => {
    say(said, text);
    show(table, actions.length > 0);
    rows.replaceChildren(
      ...actions.map(({ action, value }) => el("tr", {}, el("th", { scope: "row" }, named(action)), el("td", {}, worth(value)))),
    );
  };

  async function ask(version, attempt = 0) {
    let found;
    try {
      found = await get(`matches/${live.view.id}/advice/`);
    } catch (problem) {
      if (asked === version) tell(problem.sentence ?? t("error.error"));
      return;
    }
    if (asked !== version) return;
    if (found.actions) {
      tell(found.phase === "betting" ? t("advice.bet", { n: found.amount }) : t("advice.best", { action: named(found.best) }), found.actions);
      return;
    }
    tell(t(attempt < ATTEMPTS ? "summary.computing" : "advice.later"));
    if (attempt < ATTEMPTS) waiting = setTimeout(() => ask(version, attempt + 1), AGAIN_MS);
  }

  function follow() {
    const version = live.myTurn?.version ?? null;
    if (version === asked) return;
    asked = version;
    clearTimeout(waiting);
    if (version === null) tell(t("advice.wait"));
    else ask(version);
  }

  const dialog = openSheet(t("menu.advice"), [said, table], { beside: true });
  tell(t("loading"));
  follow();
  live.addEventListener("change", follow);
  put(dialog, "onclose", () => {
    asked = undefined;
    clearTimeout(waiting);
    live.removeEventListener("change", follow);
  });
}
