/** Where the browser's storage was cleared under an open page: says so, and how to go on. */

import * as announcer from "./announcer.js";
import { el, page, put } from "./dom.js";
import { t } from "./i18n.js";
import { line } from "./line.js";

const bar = el(
  "div.account-lost",
  { role: "region", "aria-label": t("lost.title"), hidden: true },
  el("p", {}, el("b", {}, t("lost.title")), " ", t("lost.text")),
  el("a.btn.plain", { href: "/settings/" }, t("lost.restore")),
  el("a.btn.plain", { href: "/" }, t("lost.anew")),
);

function lost() {
  if (!bar.hidden) return;
  put(bar, "hidden", false);
  announcer.announce(t("lost.title"), t("lost.text"));
}

announcer.install();
const skip = document.querySelector(".skip");
if (skip) skip.after(bar);
else document.body.prepend(bar);
line.addEventListener("welcome", ({ detail: { player } }) => player?.id !== page.player.id && lost());
document.addEventListener("account-lost", lost);
