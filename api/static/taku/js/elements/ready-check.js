/** The question whether one is ready: what it is for, how long, what saying no costs, who has said yes. */

import * as announcer from "../announcer.js";
import { get } from "../api.js";
import { secondsTo } from "../clock.js";
import { el, enable, enabled, keyed, page, put, say, show } from "../dom.js";
import { t } from "../i18n.js";
import { line } from "../line.js";
import { queue } from "../queue.js";
import { span } from "./queue-bar.js";
import "./timer.js";

/** A press that was meant for what lay under the question does not answer it. */
const UNMEANT = 500;

async function sayCost(node) {
  try {
    const { seconds } = await get("queue/cost/");
    say(node, seconds ? t("ready.cost", { time: span(seconds) }) : t("ready.no_cost"));
  } catch {
    // Without an answer nothing is said.
  }
}

/**
 * Asks, in a dialog that lasts as long as the ready check. Escape puts it aside without an answer.
 * @param check the ready check as the queue shows it
 * @returns the dialog
 */
export function askReady(check) {
  const opener = document.activeElement;
  const length = Math.max(1, secondsTo(check.deadline));
  const heading = el("h2", { id: "ready-check", tabindex: "-1" }, t("ready.title"));
  const timer = document.createElement("taku-timer");
  const seats = el("ol.accepted", { "aria-hidden": "true" });
  const so = el("p.so", { role: "status" });
  const button = (name, kind) =>
    el(`button.btn.big.${kind}`, { type: "button", onclick: () => press(name) }, t(`ready.${name}`));
  const accept = button("accept", "primary");
  const decline = button("decline", "plain");
  const choice = el("div.row.two", {}, accept, decline);
  const price = el("p.cost", { id: "ready-cost" });
  const dialog = el(
    "dialog.sheet.ready",
    { "aria-labelledby": heading.id, "aria-describedby": "ready-what ready-cost" },
    el(
      "div.body",
      {},
      el("div.top", {}, heading, timer),
      el("p", { id: "ready-what" }, t("ready.what", { n: check.size })),
      seats,
      so,
      choice,
      price,
    ),
  );
  let ownTitle = null;
  let pageTitle = document.title;
  let sending = false;

  async function press(answer) {
    if (!enabled(accept)) return;
    sending = true;
    draw();
    try {
      await queue.answer(answer);
      sending = false;
    } catch (problem) {
      sending = false;
      if (problem.code === "ready_check_over") await queue.sync("check_over");
      say(so, problem.sentence ?? t("error.error"));
      announcer.announce(so.textContent);
    }
    draw();
  }

  function draw() {
    const now = queue.place.ready_check;
    if (!now) return;
    const focused = choice.contains(document.activeElement);
    for (const one of [accept, decline]) enable(one, !sending && performance.now() - opened >= UNMEANT);
    show(choice, !now.answered);
    show(price, !now.answered);
    if (now.answered) say(so, t("ready.wait", { n: now.accepted, of: now.size }));
    else if (line.state !== "open") say(so, t("connection.later"));
    if (now.answered && focused) heading.focus();
    keyed(
      seats,
      Array.from({ length: now.size }, (_, index) => index < now.accepted),
      (_, index) => index,
      () => el("li"),
      (node, yes) => node.classList.toggle("yes", yes),
    );
  }

  function tick() {
    timer.tick();
    // A page that names itself anew meanwhile gets that name back.
    if (document.title !== ownTitle) pageTitle = document.title;
    ownTitle = t("title.ready", { n: timer.seconds, site: page.site });
    document.title = ownTitle;
    draw();
  }

  const opened = performance.now();
  put(timer, "ontime-left", ({ detail }) => announcer.announce(t("read.time", { n: detail.seconds })));
  document.body.append(dialog);
  dialog.showModal();
  sayCost(price);
  timer.set({ deadline: check.deadline, length });
  heading.focus();
  const ticking = setInterval(tick, 250);
  tick();
  queue.addEventListener("change", draw);
  put(dialog, "onclose", () => {
    clearInterval(ticking);
    queue.removeEventListener("change", draw);
    if (document.title === ownTitle) document.title = pageTitle;
    dialog.remove();
    if (opener?.isConnected) opener.focus();
  });
  return dialog;
}
