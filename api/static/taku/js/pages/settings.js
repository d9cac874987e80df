/** The settings page: how it looks and sounds, and one's account. */

import * as announcer from "../announcer.js";
import { el, page, say, show } from "../dom.js";
import "../elements/account.js";
import "../elements/blocks.js";
import "../elements/settings.js";
import { t } from "../i18n.js";
import { line as socket } from "../line.js";

const account = document.querySelector("taku-account");
const banner = el("p.banner", { hidden: true });

if (page.player) {
  announcer.install();
  document.querySelector("taku-settings").before(banner);
  socket.addEventListener("notice", ({ detail }) => {
    announcer.announce(detail.text);
    show(say(banner, detail.text), true);
    account.refresh();
  });
  // Signed out from another device, or the account has ended. What this page itself is doing leads on
  // by itself, and nothing is asked with a cookie that has just been replaced.
  socket.addEventListener("closing", ({ detail }) => {
    if (detail.reason === "restart" || account.busy) return;
    for (const node of document.querySelectorAll("taku-account, taku-blocks, taku-settings")) node.remove();
    announcer.announce(t("account.ended"));
    show(say(banner, t("account.ended")), true);
  });
  socket.open();
}
// The parts of the account are made by script, so an address that names one is followed here.
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.documentElement.dataset.ready = "";
