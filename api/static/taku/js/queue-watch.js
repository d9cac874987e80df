/** The queue on whatever page one is: the bar, the question whether one is ready, and the match itself. */

import * as announcer from "./announcer.js";
import { el, page } from "./dom.js";
import "./elements/queue-bar.js";
import { askReady } from "./elements/ready-check.js";
import { t } from "./i18n.js";
import { line } from "./line.js";
import { queue } from "./queue.js";

const bar = el("taku-queue-bar", { hidden: true });
let asked = null;
let dialog = null;
let said = null;

announcer.install();
const skip = document.querySelector(".skip");
if (skip) skip.after(bar);
else document.body.prepend(bar);

async function sound() {
  if (page.settings?.vibration) navigator.vibrate?.([120, 80, 120]);
  if (!page.settings?.volume) return;
  const sounds = await import("./sounds.js").catch(() => null);
  sounds?.play("turn", page.settings.volume);
}

/** Opens the question once by itself; put aside, the bar opens it again. */
function ask() {
  dialog?.close();
  dialog = askReady(queue.place.ready_check);
}

function follow({ detail: { before } }) {
  const check = queue.place.ready_check;
  bar.update();
  if (check && check.id !== asked) {
    asked = check.id;
    if (!check.answered) {
      ask();
      sound();
    }
  }
  if (!check) dialog?.close();
  if (queue.reason && queue.reason !== said) announcer.announce(t(`queue.reason_${queue.reason}`));
  else if (queue.place.status === "waiting" && before.status === "none") announcer.announce(t("queue.waiting"));
  said = queue.reason;
}

queue.addEventListener("change", follow);
queue.addEventListener("matched", ({ detail: { match } }) => {
  announcer.announce(t("queue.matched"));
  document.title = t("title.matched", { site: page.site });
  location.assign(`/m/${match}/`);
});
bar.addEventListener("open-check", ask);
if (page.player) line.open();
bar.update();
